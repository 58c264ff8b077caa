"""Sentence starts in English prose, by the Punkt algorithm.

Kiss and Strunk, "Unsupervised Multilingual Sentence Boundary Detection", Computational Linguistics 32(4), 2006, with
the parameters that nupunkt ships for English. Punkt is shown a view of the prose, as long as the prose itself: what
would mislead it is blanked, and offsets hold.
"""

# ruff: noqa: RUF001 curly quotes and dashes are meant

import re
from typing import Final

import nupunkt

VERSION: Final = f"nupunkt-{nupunkt.__version__}"

# An instance of our own: the one that `nupunkt.load` gives is shared with every other caller.
_punkt = nupunkt.load_default_model()
# Among its abbreviations are words like "cold" and "century", seen to end a sentence each of a few times. Believing
# that from two sightings on instead of 20 raised F1 on each of the eight files of real rows, by up to 0.5 points.
_punkt.BREAK_RATE_MIN_COUNT = 2

# A full stop with anything but word characters up to white space: without one there is nothing to decide.
_CANDIDATE: Final = re.compile(r"[.!?…]\W")
_SPACE: Final = re.compile(r"\s")
# Punkt is quadratic in the length of a word made of punctuation.
_LONG_WORD: Final = re.compile(r"\S{101,}")
_KEPT_TAIL: Final = 4
_SPACED_ELLIPSIS: Final = re.compile(r"\.(?: \.){2,}")
_CITATION: Final = re.compile(
    r"""
    ( [.!?…] ["'”’)*]{0,3} )                              # the end of a sentence, perhaps
    (?: \s? \[ (?: \d{1,4} (?:\s?[,–-]\s?\d{1,4}){0,9} | [a-z] | citation\ needed ) \] )+
    (?= \s | $ )
    """,
    re.VERBOSE,
)
_REFERENCE: Final = re.compile(r"\[\d")


def view(prose: str) -> str:
    """Return the prose as Punkt should see it, of the same length.

    Newlines become spaces, spaced ellipses solid, and the inside of very long words is masked. Citation markers that
    follow a full stop are blanked: so they go to the sentence they follow, and an abbreviation before one ("et al.
    [4] say") stays one. In a list of references, which starts with a marker, they begin the entries and stay.
    """
    seen = _LONG_WORD.sub(_mask, _SPACED_ELLIPSIS.sub(_fill, _SPACE.sub(" ", prose)))
    return seen if _REFERENCE.match(seen) else _CITATION.sub(_blank, seen)


def starts(seen: str) -> set[int]:
    """Return where sentences start in a view, the first apart."""
    if not _CANDIDATE.search(seen):
        return set()
    return {start for start, _ in _punkt.span_tokenize(seen)} - {0}


def _mask(word: re.Match[str]) -> str:
    return "x" * (len(word[0]) - _KEPT_TAIL) + word[0][-_KEPT_TAIL:]


def _fill(ellipsis: re.Match[str]) -> str:
    return "." * len(ellipsis[0])


def _blank(citation: re.Match[str]) -> str:
    return citation[1] + " " * (len(citation[0]) - len(citation[1]))
