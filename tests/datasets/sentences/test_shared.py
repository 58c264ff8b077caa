"""The shared inputs that have broken tools of this kind, where they are at hand."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trace_tui.datasets.sentences import Splitter
from trace_tui.datasets.sentences.splitter import covers

SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the project")


def texts(path: Path) -> Iterator[str]:
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        yield from (*row["documents"], row["response"])


@pytest.mark.parametrize("name", ["splitting", "unicode", "line_separators", "no_spaces", "escape_sequences", "markup"])
def test_tricky_texts_lose_nothing(splitter: Splitter, name: str) -> None:
    for text in texts(SHARED / "tricky" / f"{name}.jsonl"):
        split = splitter.checked_split(text)
        assert not split.fell_back
        assert covers(text, split.spans)


def test_separators_that_are_not_newlines_of_the_file_end_sentences(cut: Callable[[str], list[str]]) -> None:
    responses = [
        json.loads(line)["response"] for line in (SHARED / "tricky" / "line_separators.jsonl").read_bytes().splitlines()
    ]
    assert [cut(response) for response in responses] == [["First line.", "Second line."], ["One.", "Two."]]


def test_real_rows_lose_nothing(splitter: Splitter) -> None:
    for path in sorted((SHARED / "ragbench").glob("*.jsonl")):
        for text in texts(path):
            assert covers(text, splitter.checked_split(text).spans)
