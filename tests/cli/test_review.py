"""`trace-tui review` from outside: what it refuses, in one line and an exit code, and what it leaves behind."""

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.rows import make_row
from tests.tui.stage import stage, write_rows
from tests.tui.terminal import run_in_pty
from trace_tui.cli import review as module
from trace_tui.cli.main import main
from trace_tui.cli.review import default_annotator
from trace_tui.cli.workbench import database_path
from trace_tui.store import Store, opening


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "x.jsonl", [make_row(id=n) for n in range(2)])


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the command believe that it has a terminal, and fail if it starts to use it."""
    stream = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(module, "sys", SimpleNamespace(stdin=stream, stdout=stream))
    monkeypatch.setattr(opening, "PATIENCE", 0.05)

    def run(*_: object) -> None:
        raise AssertionError("the screen was opened")

    monkeypatch.setattr(module, "_run", run)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["review", *map(str, arguments)])
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    assert captured.err.startswith("error: ")
    return code, captured.err


def test_it_needs_a_terminal(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, dataset)
    assert code == 2
    assert "needs a terminal" in said
    assert not dataset.with_suffix(".trace.db").exists()


@pytest.mark.usefixtures("terminal")
class TestRefusals:
    def test_a_dataset_that_is_not_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, said = refused(capsys, tmp_path / "gone.jsonl")
        assert code == 3
        assert "gone.jsonl" in said
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_as_dataset(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert refused(capsys, tmp_path)[0] == 3

    def test_an_empty_dataset(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "x.jsonl").touch()
        code, said = refused(capsys, tmp_path / "x.jsonl")
        assert code == 3
        assert "x.jsonl" in said
        assert not (tmp_path / "x.trace.db").exists()

    @pytest.mark.parametrize("link", [False, True])
    def test_the_dataset_as_its_own_database(
        self, dataset: Path, capsys: pytest.CaptureFixture[str], link: bool
    ) -> None:
        named = dataset
        if link:
            named = dataset.with_name("link.db")
            named.symlink_to(dataset)
        before = dataset.read_bytes()
        code, said = refused(capsys, dataset, "--db", named)
        assert code == 2
        assert "is the dataset" in said
        assert dataset.read_bytes() == before

    def test_a_database_of_another_program(self, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = dataset.with_suffix(".trace.db")
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE theirs (x)")
        other.close()
        before = path.read_bytes()
        code, said = refused(capsys, dataset)
        assert code == 3
        assert "another application" in said
        assert path.read_bytes() == before

    def test_a_file_that_is_no_database(self, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = dataset.with_name("notes.txt")
        path.write_text("my notes\n" * 200)
        code, said = refused(capsys, dataset, "--db", path)
        assert code == 3
        assert "not an SQLite database" in said
        assert path.read_text() == "my notes\n" * 200

    def test_a_newer_database(self, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = dataset.with_suffix(".trace.db")
        made = Store.open(path)
        made.prepare()
        made.close()
        newer = sqlite3.connect(path)
        newer.execute(f"PRAGMA user_version = {opening.VERSION + 1}")
        newer.close()
        code, said = refused(capsys, dataset)
        assert code == 3
        assert "newer trace-tui; upgrade" in said

    def test_a_locked_database(self, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = dataset.with_suffix(".trace.db")
        made = Store.open(path)
        made.prepare()
        made.close()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        code, said = refused(capsys, dataset)
        other.close()
        assert code == 3
        assert "locked by another program" in said

    def test_a_folder_that_does_not_exist(self, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, said = refused(capsys, dataset, "--db", dataset.parent / "none" / "x.db")
        assert code == 3
        assert "folder does not exist" in said

    @pytest.mark.parametrize(
        ("text", "said"), [('acept = "y"', "there is no action"), ("accept = ", "cannot be read as a key table")]
    )
    def test_a_bad_key_table(
        self, dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str
    ) -> None:
        keys = tmp_path / "keys.toml"
        keys.write_text(text)
        code, message = refused(capsys, dataset, "--keys", keys)
        assert code == 2
        assert said in message
        assert not dataset.with_suffix(".trace.db").exists(), "nothing is made before all is known to be right"

    def test_a_file_name_that_commands_a_terminal(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, said = refused(capsys, tmp_path / "a\x1b[2J\n\u202e.jsonl")
        assert code == 3
        assert "\x1b" not in said
        assert "\u202e" not in said


@pytest.mark.parametrize(
    "arguments",
    [[], ["a", "b"], ["x", "--definition", "y"], ["x", "--nothing"]],
)
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", *arguments]) == 2
    assert capsys.readouterr().err.startswith("Usage: trace-tui review")


@pytest.mark.parametrize(
    ("dataset", "database"),
    [
        ("a/x.jsonl", "a/x.trace.db"),
        ("x.json", "x.json.trace.db"),
        ("x.jsonl.gz", "x.trace.db"),
        ("x.json.gz", "x.json.trace.db"),
        ("x.y.jsonl", "x.y.trace.db"),
        ("x", "x.trace.db"),
    ],
)
def test_the_database_stands_beside_the_dataset(dataset: str, database: str) -> None:
    assert database_path(Path(dataset), None) == Path(database)


def test_who_has_no_name_here_is_an_annotator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(OSError("no such user")))
    assert default_annotator() == "annotator"


async def test_the_last_commits_are_waited_for(dataset: Path) -> None:
    path = dataset.with_suffix(".trace.db")
    async with stage(dataset, path) as s:
        await s.press("a", "a")
    assert s.saving.pending == 0
    store = Store.open(path, write=False)
    assert [edit.action for _, edit in store.edits("mia", None, 9)] == ["accept-record"] * 2
    store.close()


def test_a_whole_review_in_a_terminal(dataset: Path) -> None:
    path = dataset.with_suffix(".trace.db")
    said = run_in_pty(["review", str(dataset), "--annotator", "mia"], [b"n", b"a", b"q"], (80, 24))
    assert b"2 edits saved in " in said
    assert path.stat().st_mode & 0o077 == 0
    store = Store.open(path, write=False)
    assert [edit.action for _, edit in store.edits("mia", None, 9)] == ["accept-record", "unsupported"]
    store.close()
