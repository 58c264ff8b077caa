"""What holds for every text: exact offsets, nothing lost, the same every time."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets.sentences import Split, Splitter
from trace_tui.datasets.sentences.blocks import paragraphs
from trace_tui.datasets.sentences.splitter import covers
from trace_tui.records import Span

PIECES = st.sampled_from(
    [
        *"aB1 \n\t.!?…,;:-–—*_#|<>()[]{}\"'’”«»`~\r\f\x85\u2028\u00a0\u200d\ufe0f\u0338",
        *["\n\n", "\r\n", ". ", "```", "~~~\n", "</tr>", "<p>", "], [", "1) ", "2) ", "1. ", "2. ", "[1] ", "• "],
        *["Dr. ", "e.g. ", "et al. ", "The ", "der und ", "Title: ", "。", "？", "」", "水", "と", "।", "؟", "г. "],
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=60).map("".join))


@given(TEXTS)
def test_every_text_is_covered_by_tight_rising_spans(splitter: Splitter, text: str) -> None:
    split = splitter.checked_split(text)
    assert not split.fell_back
    assert covers(text, split.spans)
    assert all(isinstance(span, Span) for span in split.spans)


@given(TEXTS)
def test_blocks_cover_every_text(text: str) -> None:
    assert covers(text, [Span(block.start, block.end) for paragraph in paragraphs(text) for block in paragraph])


@given(TEXTS)
def test_splitting_is_deterministic(splitter: Splitter, text: str) -> None:
    assert splitter.split(text) == splitter.split(text)


@given(TEXTS, TEXTS)
def test_paragraphs_do_not_see_each_other(splitter: Splitter, one: str, other: str) -> None:
    one = one.translate(dict.fromkeys(map(ord, "`~")))  # an unclosed fence reaches to the end by definition
    offset = len(one) + 2
    moved = [Span(start + offset, end + offset) for start, end in splitter.split(other)]
    assert splitter.split(f"{one}\n\n{other}") == (*splitter.split(one), *moved)


@pytest.mark.parametrize("text", ["", " ", "\n\t\u2028 \x85"])
def test_blank_text_has_no_sentences(splitter: Splitter, text: str) -> None:
    assert splitter.split(text) == ()


def test_lone_surrogates_and_nulls_keep_their_place(splitter: Splitter) -> None:
    assert splitter.split("One\x00 \ud83d. Two.") == (Span(0, 7), Span(8, 12))


HOSTILE = {
    "word": "a" * 400_000,
    "brackets": "(" * 400_000,
    "full stops": "." * 400_000,
    "questions": "?" * 400_000,
    "spaced full stops": ". " * 200_000,
    "stops and quotes": ".'" * 200_000,
    "spaces": "A." + " " * 400_000 + "B",
    "newlines": "A." + "\n" * 400_000 + "B",
    "backticks": "`" * 400_000,
    "wordless lines": "-\n" * 100_000,
    "citations": "It is. [1] " * 20_000,
    "CJK": "水。" * 20_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_long_runs_are_survived(splitter: Splitter, name: str) -> None:
    split = splitter.checked_split(HOSTILE[name])
    assert not split.fell_back
    assert covers(HOSTILE[name], split.spans)


def test_a_splitter_that_loses_text_falls_back_to_blocks() -> None:
    broken = Splitter("broken", lambda _: [Span(0, 4)])
    assert broken.checked_split("One. Two.\n\n- Three.") == Split((Span(0, 9), Span(11, 19)), fell_back=True)


@pytest.mark.parametrize(
    "spans",
    [
        [],
        [Span(0, 1)],
        [Span(2, 3), Span(0, 1)],
        [Span(0, 2), Span(2, 3)],
        [Span(0, 4)],
        [Span(0, 1), Span(1, 3)],
        [Span(0, 3), Span(2, 3)],
    ],
)
def test_spans_that_lose_overlap_or_carry_space_do_not_cover(spans: list[Span]) -> None:
    assert not covers("a b", spans)


def test_the_name_says_what_cuts(splitter: Splitter) -> None:
    assert splitter.name == "trace-blocks-1 nupunkt-0.8.0"


def test_spacy_is_imported_only_when_a_splitter_is_made() -> None:
    code = "import sys, trace_tui.datasets.sentences; sys.exit('spacy' in sys.modules or 'nupunkt' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
