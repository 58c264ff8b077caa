from pathlib import Path

import pytest

from tests.rows import make_row
from tests.tui.stage import write_rows


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "x.trace.db"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """Three RAGBench rows, two documents and two response sentences each."""
    return write_rows(tmp_path / "x.jsonl", [make_row(id=f"id-{n}") for n in range(3)])
