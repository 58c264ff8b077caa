"""What comes from a dataset reaches a terminal as visible signs only, and a file exactly as it was."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.sessions import accept, review, write_rows
from tests.rows import make_row

SHARED = Path(__file__).parents[3] / "shared" / "data"
FORMS = ("table", "json", "jsonl", "csv")
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not beside the repository")
HOSTILE = "[/INST][@click=app.quit]\x1b]52;c;aGk=\x07\x9b31m\u202e\x00\x7f\r\n:smile:\U000e0041"
CONTROLS = {*map(chr, range(32)), "\x7f", *map(chr, range(0x80, 0xA0)), "\u202e", "\U000e0041"} - {"\n"}


def hostile_rows(tmp_path: Path) -> Path:
    rows = [
        make_row(id=HOSTILE, question=HOSTILE, annotating_model_name=HOSTILE, response=[HOSTILE, HOSTILE]),
        {HOSTILE: 1},
    ]
    return write_rows(tmp_path / "\x1b]52;rows.jsonl", rows)


@pytest.mark.parametrize("form", [*FORMS, "export trace", "export ragbench", "export csv", "human"])
def test_no_control_character_reaches_a_terminal(tmp_path: Path, form: str) -> None:
    path = hostile_rows(tmp_path)
    review(path, {0: [accept]}, annotator=HOSTILE)
    arguments = {
        "human": ["score", path, "--source", "human"],
        "export": ["export", path, "--format", form.rsplit(maxsplit=1)[-1]],
    }
    shown = in_terminal(*arguments.get(form.split(maxsplit=1)[0], ["score", path, "--format", form]))
    assert "INST" in shown
    assert not CONTROLS & set(shown)


def in_terminal(*arguments: str | Path) -> str:
    """Run a command with stdout and stderr on a terminal; return what arrives there, line ends as they were."""
    leader, follower = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "trace_tui", *arguments], stdout=follower, stderr=follower) as process:
        os.close(follower)
        received = b""
        try:
            while data := os.read(leader, 1 << 16):
                received += data
        except OSError:  # how Linux says that nobody is at the other end any more
            pass
    os.close(leader)
    assert process.returncode == 0
    return received.decode().replace("\r\n", "\n")


def test_redirected_data_is_exact(run: Run, tmp_path: Path) -> None:
    path = hostile_rows(tmp_path)
    review(path, {0: [accept]})
    for arguments in (["score", path, "--format", "jsonl"], ["export", path], ["export", path, "--format", "ragbench"]):
        ran = run(*arguments)
        assert ran.lines[0]["id"] == HOSTILE
        assert ran.out.isascii()
    for arguments in (["score", path, "--format", "csv"], ["export", path, "--format", "csv"]):
        [row] = csv.DictReader(io.StringIO(run(*arguments).out, newline=""))
        assert row["id"] == HOSTILE


@needs_shared
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", sorted((SHARED / "tricky").glob("*.jsonl")), ids=lambda path: path.name)
def test_tricky_files_end_in_no_traceback(run: Run, path: Path, form: str) -> None:
    ran = run("score", path, "--format", form)
    assert ran.code in {0, 3}
    assert "bug in trace-tui" not in ran.err
    assert not CONTROLS & set(ran.err)
    assert (ran.code == 0) == bool(ran.out)
    if form == "json" and ran.out:
        assert json.loads(ran.out)["records"]
