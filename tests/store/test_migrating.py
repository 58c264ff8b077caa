"""An older database is copied and then upgraded, wholly or not at all; a new one is made once."""

import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from tests.store.samples import JUDGEMENT, LLM, introduction, labelling, query, record
from trace_tui.errors import StoreError
from trace_tui.store import Store, opening, schema


@pytest.fixture
def older(made: Path) -> Path:
    with closing(Store.open(made)) as store:
        store.commit([introduction()])
    return made


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> Migrations:
    """The program one version on, with a migration that the databases of today lack."""
    later = Migrations("trace-tui")
    later(name="first_tables")(schema.first_tables)
    later(name="model_calls")(schema.model_calls)

    @later()
    def a_new_table(db: Database) -> None:
        db.execute("CREATE TABLE added (x)")

    monkeypatch.setattr(opening, "VERSION", opening.VERSION + 1)
    monkeypatch.setattr("trace_tui.store.migrating.migrations", later)
    return later


def test_the_version_counts_the_migrations() -> None:
    assert len(schema.migrations._migrations) == opening.VERSION


def test_migrations_are_recorded_by_name(made: Path) -> None:
    rows = query(made, "SELECT migration_set, name FROM _sqlite_migrations")
    assert rows == [{"migration_set": "trace-tui", "name": name} for name in ("first_tables", "model_calls")]
    with closing(sqlite3.connect(made)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (opening.APPLICATION_ID,)


def test_a_new_database_needs_no_copy(path: Path) -> None:
    with closing(Store.open(path)) as store:
        store.prepare()
        assert store.notice == ""
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_an_older_database_is_copied_and_upgraded(older: Path, next_version: Migrations) -> None:
    with closing(Store.open(older)) as store:
        copy = older.with_name(f"{older.name}.v2.bak")
        assert str(copy) in store.notice
        assert len(store.summaries("ann")) == 1
    assert query(older, "SELECT * FROM added") == []
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert len(query(copy, "SELECT * FROM reviews")) == 1
    assert query(copy, "SELECT * FROM sqlite_master WHERE name = 'added'") == []
    with closing(Store.open(older)) as store:
        assert store.notice == ""


def test_a_copy_replaces_no_file(older: Path, next_version: Migrations) -> None:
    taken = older.with_name(f"{older.name}.v2.bak")
    taken.write_text("mine")
    with closing(Store.open(older)) as store:
        assert f"{taken}.2" in store.notice
    assert taken.read_text() == "mine"


def test_reading_does_not_upgrade(older: Path, next_version: Migrations) -> None:
    before = older.read_bytes()
    with pytest.raises(StoreError, match="older trace-tui"):
        Store.open(older, write=False)
    assert older.read_bytes() == before


def test_a_migration_that_fails_changes_nothing(older: Path, next_version: Migrations) -> None:
    @next_version()
    def broken(db: Database) -> None:
        db.execute("CREATE TABLE added (x)")  # is there already

    with pytest.raises(StoreError, match="already exists"):
        Store.open(older)
    assert query(older, "SELECT * FROM sqlite_master WHERE name = 'added'") == []
    with closing(sqlite3.connect(older)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)


def test_no_copy_no_upgrade(humble_path: Path, next_version: Migrations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "VERSION", 2)
    with closing(Store.open(humble_path)) as store:
        monkeypatch.setattr("trace_tui.store.migrating.migrations", schema.migrations)
        store.commit([introduction()])
    before = humble_path.read_bytes()
    monkeypatch.setattr(opening, "VERSION", opening.VERSION + 1)
    humble_path.parent.chmod(0o500)
    with pytest.raises(StoreError, match="read-only"):
        Store.open(humble_path)
    humble_path.parent.chmod(0o700)
    assert humble_path.read_bytes() == before


def test_many_connections_make_one_database(path: Path) -> None:
    barrier = threading.Barrier(6)
    failures: list[StoreError] = []

    def make() -> None:
        barrier.wait()
        try:
            with closing(Store.open(path)) as store:
                store.commit([introduction()])
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(query(path, "SELECT * FROM _sqlite_migrations")) == opening.VERSION


_FIRST_VERSION = Path(__file__).with_name("first_version.sql")


def test_a_database_of_the_first_version_keeps_all_it_had(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_FIRST_VERSION.read_text())
    before = {table: query(path, f"SELECT * FROM {table}") for table in _TABLES}
    assert all(before.values())
    with closing(Store.open(path)) as store:
        assert "upgraded from version 1" in store.notice
        assert store.judges() == [("recorded gpt-4o", 1)]
        assert store.judgement("r1", "recorded gpt-4o") == JUDGEMENT
        kept = store.kept("r1", "ann")
        assert kept
        assert kept.judgement == JUDGEMENT
        store.commit([labelling(record())])
    for table, rows in before.items():
        after = [{name: row[name] for name in rows[0]} for row in query(path, f"SELECT * FROM {table}")]
        assert after[: len(rows)] == rows
    assert query(path, "PRAGMA foreign_key_check") == []
    assert {row["judge"] for row in query(path, "SELECT judge FROM scores")} == {"recorded gpt-4o", LLM.title}
    assert {row["who"] for row in query(path, "SELECT who FROM labels")} == {"recorded gpt-4o", "ann", LLM.title}


_TABLES = "records", "sentences", "judgements", "reviews", "edits", "sightings", "places"
