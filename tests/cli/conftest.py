"""What the tests of commands share: running one as the shell would, and a dataset that was reviewed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.sessions import accept, flag, note, relevant, review, supported, unsupported, utilized, write_rows
from tests.rows import make_row
from trace_tui.cli.main import main

PLAIN = {
    "id": "plain",
    "question": "Who mends the bell?",
    "contexts": ["The bell hangs high. Ines mends it every year.", "It rains."],
    "answer": "Ines mends the bell. I do not know.",
}


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_main(*arguments: str | Path) -> Ran:
        code = main([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return run_main


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    rows = [make_row(id=f"r{number}") for number in range(6)]
    return write_rows(tmp_path / "rows.jsonl", [*rows, PLAIN])


@pytest.fixture
def reviewed(dataset: Path) -> Path:
    """Blind, blind and then revised, assisted as it stands, assisted with overrides, skipped over, plain."""
    review(
        dataset,
        {
            0: [*relevant("doc_0_s0", "doc_1_s1"), *utilized("doc_0_s0"), *supported(0), *unsupported(1), accept],
            1: [*relevant("doc_0_s0"), *supported(0, 1), accept, *utilized("doc_0_s0"), *unsupported(0)],
        },
        blind=True,
    )
    review(
        dataset,
        {
            2: [accept],
            3: [*unsupported(1), *relevant("doc_0_s2"), note('see "page 2", 3'), flag, accept],
            4: supported(0),
            6: [*supported(0), accept],
        },
    )
    return dataset
