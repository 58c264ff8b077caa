"""What the tests of the store share."""

import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from trace_tui.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.trace.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store.open(path)) as opened:
        yield opened


@pytest.fixture
def made(path: Path) -> Path:
    """A database with tables and nothing in them, closed."""
    with closing(Store.open(path)) as opened:
        opened.prepare()
    return path


@pytest.fixture
def humble_path() -> Iterator[Path]:
    """A path in a folder whose permissions bind: the tests may run as root, whom none do."""
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() != 0:
            yield Path(folder) / "rows.trace.db"
            return
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        try:
            yield Path(folder) / "rows.trace.db"
        finally:
            os.seteuid(0)


@pytest.fixture
def numbers() -> Iterator[int]:
    """Numbers that a test with many examples on one database tells them apart by."""
    return itertools.count()
