"""A short run of the killer: what the screen called saved survives SIGKILL, and so does the place."""

import os
import random
import select
import signal
import subprocess
from pathlib import Path

import pytest

from tests.bench.killer import check, kill_round, make_dataset, shared_round
from tests.bench.terminal import ROOT, review


def test_nothing_acknowledged_is_lost_when_killed(tmp_path: Path) -> None:
    dataset, database, source = make_dataset(tmp_path), tmp_path / "killer.db", random.Random(7)
    acknowledged = sum(kill_round(dataset, database, source)[0] for _ in range(6))
    assert acknowledged
    with pytest.raises(AssertionError, match="acknowledged"):
        check(database, 0, 10**9)


def test_nothing_is_lost_where_two_processes_share_a_database(tmp_path: Path) -> None:
    acknowledged, _ = shared_round(make_dataset(tmp_path), tmp_path / "killer.db", random.Random(8))
    assert acknowledged


def test_it_ends_when_its_terminal_is_gone_though_nobody_hangs_up(tmp_path: Path) -> None:
    master, slave = os.openpty()
    command = review(make_dataset(tmp_path), tmp_path / "x.db")
    # A session of its own without a controlling terminal: the kernel sends no SIGHUP.
    with subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, start_new_session=True
    ) as process:
        os.close(slave)
        assert select.select([master], [], [], 30)[0], "nothing was painted"
        os.close(master)
        try:
            process.wait(30)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGHUP
