"""Processes that die, that share a database, and that run out of disk lose nothing that was acknowledged."""

import random
import subprocess
import sys
import time
from contextlib import closing
from functools import reduce
from pathlib import Path

import pytest

from tests.store.hammer import START
from trace_tui.reviews import apply
from trace_tui.store import Store

ROOT = Path(__file__).parents[2]


def spawn(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.store.hammer", *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def edit_ids(path: Path) -> list[str]:
    """Return the ids in the log in order, after checking that the review is what they make of its start."""
    with closing(Store.open(path)) as store:
        log = [edit for _, edit in reversed(store.edits("ann", limit=10**6))]
        kept = store.kept("r1", "ann")
    if kept is not None:
        assert kept.review == reduce(apply, (edit.new for edit in log), START)
    return [edit.id for edit in log]


@pytest.mark.parametrize("seed", range(10))
def test_nothing_acknowledged_is_lost_by_a_kill(made: Path, seed: int) -> None:
    with spawn(made, "a", 100_000) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        time.sleep(random.Random(seed).uniform(0, 0.2))
        process.kill()
        lines = [first, *process.stdout.read().splitlines(keepends=True)]
    acknowledged = max(int(line.split()[1]) for line in lines if line.startswith("saved") and line.endswith("\n"))
    assert edit_ids(made)[: acknowledged - 1] == [f"a{n}" for n in range(acknowledged - 1)]


def test_two_processes_that_make_and_fill_one_database(path: Path) -> None:
    processes = [spawn(path, prefix, 300) for prefix in ("a", "b")]
    for process in processes:
        output, _ = process.communicate(timeout=60)
        assert output.endswith("closed True\n")
        assert "failed" not in output
    found = edit_ids(path)
    for prefix in ("a", "b"):
        assert [each for each in found if each.startswith(prefix)] == [f"{prefix}{n}" for n in range(300)]


def test_a_full_disk_is_reported_and_nothing_is_lost(path: Path) -> None:
    output, _ = spawn("starve", path, 300_000).communicate(timeout=60)
    lines = output.splitlines()
    assert any(line.startswith("failed") and "disk" in line for line in lines)
    assert "recovered" in lines
    assert lines[-1] == "closed True"
    assert edit_ids(path) == [f"a{n}" for n in range(40)]
