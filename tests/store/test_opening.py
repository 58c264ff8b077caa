"""Every file that is not a database of ours, or cannot be used, is named in one line and left as it was."""

import hashlib
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.samples import introduction, query
from trace_tui.errors import StoreError
from trace_tui.store import Store, opening


def digests(folder: Path) -> dict[str, str]:
    return {found.name: hashlib.sha256(found.read_bytes()).hexdigest() for found in folder.iterdir() if found.is_file()}


def refusal(path: Path, *, write: bool = True) -> str:
    """Return what is said of a file that is refused, and check that it is one line that names it."""
    with pytest.raises(StoreError) as caught:
        Store.open(path, write=write)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert message.count("; ") >= 1, "says what to do"
    return message


def test_a_new_database_is_readable_by_its_owner_only(path: Path) -> None:
    with closing(Store.open(path)) as store:
        store.commit([introduction()])
        files = sorted(path.parent.iterdir())
        assert [found.name for found in files] == [f"{path.name}{end}" for end in ("", "-shm", "-wal")]
        assert {stat.S_IMODE(found.stat().st_mode) for found in files} == {0o600}


def test_a_new_database_reads_as_empty_until_another_connection_writes(path: Path) -> None:
    with closing(Store.open(path)) as reader, closing(Store.open(path)) as writer:
        assert reader.summaries("ann") == []
        assert reader.kept("r1", "ann") is None
        assert reader.spans("r1") is None
        writer.commit([introduction()])
        assert len(reader.summaries("ann")) == 1


def test_a_current_database_opens_without_sqlite_utils(made: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from trace_tui.store import Store, Writer\n"
        f"Store.open(Path({str(made)!r})).summaries('ann')\n"
        "sys.exit('sqlite_utils' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_reading_makes_no_file(path: Path) -> None:
    assert "no database there" in refusal(path, write=False)
    assert not path.exists()


def test_a_missing_folder(tmp_path: Path) -> None:
    path = tmp_path / "none" / "x.db"
    assert "folder does not exist" in refusal(path)


def test_a_folder_or_a_pipe_instead_of_a_file(tmp_path: Path) -> None:
    assert "a folder, not a database" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in refusal(tmp_path / "pipe")


def test_a_link_to_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "link.db"
    path.symlink_to(tmp_path / "gone.db")
    assert "link" in refusal(path)
    assert not (tmp_path / "gone.db").exists()


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("content", [b"question,answer\n" * 100, b"x", b"SQLite format 3\0" + b"\xff" * 4080])
def test_no_database(path: Path, content: bytes, *, write: bool) -> None:
    path.write_bytes(content)
    refusal(path, write=write)
    assert path.read_bytes() == content
    assert len(digests(path.parent)) == 1


def test_a_damaged_database(made: Path) -> None:
    with closing(Store.open(made)) as store:
        store.commit([introduction()])
    content = bytearray(made.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    made.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), closing(Store.open(made)) as store:
        store.summaries("ann")
    assert made.read_bytes() == content


def test_a_truncated_database(made: Path) -> None:
    os.truncate(made, made.stat().st_size // 2)
    before = made.read_bytes()
    with pytest.raises(StoreError, match="damaged"), closing(Store.open(made)) as store:
        store.commit([introduction()])
    assert made.read_bytes() == before


@pytest.mark.parametrize("write", [True, False])
def test_the_database_of_another_application(path: Path, *, write: bool) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = digests(path.parent)
    assert "another application" in refusal(path, write=write)
    assert digests(path.parent) == before


def test_another_applications_wal_is_left_where_a_kill_left_it(path: Path) -> None:
    code = (
        f"import os, sqlite3; c = sqlite3.connect({str(path)!r}, isolation_level=None)\n"
        "c.execute('PRAGMA journal_mode = WAL'); c.execute('CREATE TABLE theirs (x)')\n"
        f"os.kill(os.getpid(), {signal.SIGKILL:d})"
    )
    subprocess.run([sys.executable, "-c", code], check=False)
    wal = path.with_name(f"{path.name}-wal")
    before = path.read_bytes(), wal.read_bytes()
    assert "another application" in refusal(path)
    assert (path.read_bytes(), wal.read_bytes()) == before


@pytest.mark.parametrize("write", [True, False])
def test_a_newer_version(made: Path, *, write: bool) -> None:
    with closing(sqlite3.connect(made)) as connection:
        connection.execute(f"PRAGMA user_version = {opening.VERSION + 1}")
    before = digests(made.parent)
    assert "newer trace-tui" in refusal(made, write=write)
    assert digests(made.parent) == before


def test_a_folder_that_cannot_be_written(humble_path: Path) -> None:
    humble_path.parent.chmod(0o500)
    assert "Permission denied" in refusal(humble_path)
    humble_path.parent.chmod(0o700)


def test_an_existing_database_in_a_read_only_folder(humble_path: Path) -> None:
    with closing(Store.open(humble_path)) as store:
        store.commit([introduction()])
    before = digests(humble_path.parent)
    humble_path.parent.chmod(0o500)
    assert "read-only" in refusal(humble_path)
    with closing(Store.open(humble_path, write=False)) as store:
        assert len(store.summaries("ann")) == 1
    humble_path.parent.chmod(0o700)
    assert digests(humble_path.parent) == before


def test_a_read_only_file(humble_path: Path) -> None:
    with closing(Store.open(humble_path)) as store:
        store.commit([introduction()])
    before = digests(humble_path.parent)
    humble_path.chmod(0o400)
    assert "read-only" in refusal(humble_path)
    with closing(Store.open(humble_path, write=False)) as store:
        assert len(store.summaries("ann")) == 1
    assert digests(humble_path.parent)[humble_path.name] == before[humble_path.name]


def test_a_file_that_may_not_be_read(humble_path: Path) -> None:
    humble_path.write_bytes(b"secret")
    humble_path.chmod(0)
    refusal(humble_path)
    refusal(humble_path, write=False)


def test_a_locked_database(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 0.1)
    with closing(sqlite3.connect(made, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "locked by another program" in refusal(made)
    with closing(Store.open(made)) as store:
        assert store.summaries("ann") == []


def test_a_read_only_store_does_not_write(made: Path) -> None:
    with closing(Store.open(made, write=False)) as store, pytest.raises(StoreError, match="read-only"):
        store.commit([introduction()])
    assert query(made, "SELECT * FROM records") == []


def test_names_that_mean_something_in_a_uri(tmp_path: Path) -> None:
    path = tmp_path / "50%?mode=ro#é \udcff.db"
    with closing(Store.open(path)) as store:
        store.commit([introduction()])
    assert path.exists()
    with closing(Store.open(path)) as store:
        assert len(store.summaries("ann")) == 1
