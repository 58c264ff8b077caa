import errno
import os
import signal
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.sessions import accept, database_of, review
from trace_tui.cli import export


def test_a_file_is_written_beside_and_renamed(run: Run, reviewed: Path, tmp_path: Path) -> None:
    out = tmp_path / "truth.jsonl"
    ran = run("export", reviewed, "--judge", "recorded", "-o", out)
    assert (ran.code, ran.out) == (0, "")
    assert out.read_text() == run("export", reviewed, "--judge", "recorded").out
    assert ran.err == "4 records: 1 blind, 3 assisted\n"
    assert not list(tmp_path.glob(".trace-tui*"))


def test_permissions_follow_the_umask_or_the_file_replaced(run: Run, reviewed: Path, tmp_path: Path) -> None:
    out = tmp_path / "truth.jsonl"
    old = os.umask(0o027)
    try:
        run("export", reviewed, "--judge", "recorded", "-o", out)
    finally:
        os.umask(old)
    assert stat.S_IMODE(out.stat().st_mode) == 0o640
    out.chmod(0o600)
    assert run("export", reviewed, "--judge", "recorded", "-o", out, "--force").code == 0
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_an_existing_file_is_written_over_only_with_force(run: Run, reviewed: Path, tmp_path: Path) -> None:
    out = tmp_path / "truth.jsonl"
    out.write_text("mine")
    ran = run("export", reviewed, "--judge", "recorded", "-o", out)
    assert ran.code == 2
    assert "--force" in ran.err
    assert out.read_text() == "mine"
    assert run("export", reviewed, "--judge", "recorded", "-o", out, "--force").code == 0
    assert out.read_text() != "mine"


def test_an_error_leaves_the_existing_file_and_nothing_new(run: Run, reviewed: Path, tmp_path: Path) -> None:
    out = tmp_path / "truth.jsonl"
    out.write_text("mine")
    before = sorted(tmp_path.iterdir())
    for arguments in ([], ["--annotator", "eve"], ["--db", tmp_path / "none.db"]):
        assert run("export", reviewed, "-o", out, "--force", *arguments).code in {2, 3}
    assert out.read_text() == "mine"
    assert [path for path in sorted(tmp_path.iterdir()) if path.suffix not in {".db-shm", ".db-wal"}] == before


def test_a_full_disk_is_one_line_and_leaves_nothing(
    run: Run, reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    out = tmp_path / "truth.jsonl"
    ran = run("export", reviewed, "--judge", "recorded", "-o", out)
    assert ran.code == 1
    assert ran.err.splitlines()[-1] == f"error: {out}: cannot be written: No space left on device"
    assert not out.exists()
    assert not list(tmp_path.glob(".trace-tui*"))


def test_an_interrupt_leaves_nothing(run: Run, reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = iter([{"id": 1}])

    def interrupted(*_: object) -> dict[str, int]:
        try:
            return next(lines)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(export, "trace_line", interrupted)
    ran = run("export", reviewed, "--judge", "recorded", "-o", tmp_path / "truth.jsonl")
    assert ran.code == 130
    assert not (tmp_path / "truth.jsonl").exists()
    assert not list(tmp_path.glob(".trace-tui*"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_leaves_nothing(
    run: Run, reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    begun: list[Path] = []

    def ended(*_: object) -> None:
        begun.extend(tmp_path.glob(".trace-tui*"))
        signal.raise_signal(number)

    monkeypatch.setattr(export, "trace_line", ended)
    ran = run("export", reviewed, "--judge", "recorded", "-o", tmp_path / "truth.jsonl")
    assert ran.code == 128 + number
    assert len(begun) == 1
    assert not (tmp_path / "truth.jsonl").exists()
    assert not list(tmp_path.glob(".trace-tui*"))
    assert signal.getsignal(number) is signal.SIG_DFL


def test_a_signal_that_is_ignored_stays_so(
    run: Run, reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = iter([signal.SIGHUP])

    def hung_up(*_: object) -> dict[str, int]:
        for number in lines:
            signal.raise_signal(number)
        return {"id": 1}

    monkeypatch.setattr(export, "trace_line", hung_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run("export", reviewed, "--judge", "recorded", "-o", tmp_path / "truth.jsonl").code == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_inputs_and_databases_are_never_written_over(
    run: Run, reviewed: Path, tmp_path: Path, force: list[str]
) -> None:
    db = database_of(reviewed)
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    link, hard = tmp_path / "link", tmp_path / "hard"
    link.symlink_to(reviewed)
    hard.hardlink_to(db)
    beside = [Path(f"{path}{end}") for path in (db, other) for end in ("-wal", "-shm", "-journal")]
    contents = {path: path.read_bytes() for path in (reviewed, db, other)}
    for target in (reviewed, db, other, link, hard, tmp_path / "." / reviewed.name, *beside):
        ran = run("export", reviewed, "--judge", "recorded", "-o", target, *force)
        assert ran.code == 2, target
    assert contents == {path: path.read_bytes() for path in contents}
    assert not any(path.exists() for path in beside[3:])


def test_the_place_of_the_usual_database_stays_free(run: Run, dataset: Path, tmp_path: Path) -> None:
    db = tmp_path / "elsewhere.db"
    review(dataset, {0: [accept]}, db=db)
    assert run("export", dataset, "--db", db, "-o", database_of(dataset)).code == 2
    assert not database_of(dataset).exists()


def test_only_files_in_folders_that_are_there(run: Run, reviewed: Path, tmp_path: Path) -> None:
    pipe, circle = tmp_path / "pipe", tmp_path / "circle"
    os.mkfifo(pipe)
    circle.symlink_to(circle)
    for target in (tmp_path, tmp_path / "none" / "x", pipe, circle, "/dev/null"):
        for force in ([], ["--force"]):
            ran = run("export", reviewed, "--judge", "recorded", "-o", target, *force)
            assert ran.code == 2, target
            assert len(ran.err.splitlines()) == 1


def test_a_link_is_followed(run: Run, reviewed: Path, tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    assert run("export", reviewed, "--judge", "recorded", "-o", link).code == 2
    assert run("export", reviewed, "--judge", "recorded", "-o", link, "--force").code == 0
    assert link.is_symlink()
    assert target.read_text().count("\n") == 4


def test_a_dash_is_stdout(run: Run, reviewed: Path) -> None:
    assert len(run("export", reviewed, "--judge", "recorded", "-o", "-").lines) == 4
