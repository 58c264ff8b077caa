"""A short run of the killer: what the screen called saved survives SIGKILL, and so does the place."""

import random
from pathlib import Path

import pytest

from tests.bench.killer import check, kill_round, make_dataset, shared_round


def test_nothing_acknowledged_is_lost_when_killed(tmp_path: Path) -> None:
    dataset, database, source = make_dataset(tmp_path), tmp_path / "killer.db", random.Random(7)
    acknowledged = sum(kill_round(dataset, database, source)[0] for _ in range(6))
    assert acknowledged
    with pytest.raises(AssertionError, match="acknowledged"):
        check(database, 0, 10**9)


def test_nothing_is_lost_where_two_processes_share_a_database(tmp_path: Path) -> None:
    acknowledged, _ = shared_round(make_dataset(tmp_path), tmp_path / "killer.db", random.Random(8))
    assert acknowledged
