"""Puts the block pass, Punkt and the rules together: text in, spans of sentences out."""

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from trace_tui.datasets.sentences import english, rules
from trace_tui.datasets.sentences.blocks import Block, paragraphs
from trace_tui.records import Span

# Names the rules of this package: raise it with any change that moves a boundary.
NAME = f"trace-blocks-1 {english.VERSION}"


def sentences(text: str) -> Iterator[Span]:
    """Yield the sentences of a text, rising and disjoint; what is between them is white space only."""
    for paragraph in paragraphs(text):
        yield from _join_wordless(text, chain.from_iterable(_units(text, block) for block in paragraph))


def _units(text: str, block: Block) -> Iterator[Span]:
    if not block.prose:
        yield Span(block.start, block.end)
        return
    prose = text[block.start : block.end]
    for start, end in pairwise([0, *_starts(prose), len(prose)]):
        yield Span(block.start + start, block.start + start + len(prose[start:end].rstrip()))


def _starts(prose: str) -> list[int]:
    """Return where sentences start in the prose of one block, the first apart, in order."""
    seen = english.view(prose)
    language = rules.language(seen)
    found = english.starts(seen) if language == "en" else rules.spaced_starts(seen, language)
    items = rules.item_starts(prose)
    starts: list[int] = []
    previous = 0
    for start in sorted((found | rules.final_starts(prose) | items) - {0, len(prose)}):
        if start in items or not rules.is_enumerator(prose[previous:start].rstrip()):
            starts.append(start)
            previous = start
    return starts


def _join_wordless(text: str, units: Iterable[Span]) -> Iterator[Span]:
    """Join units without a letter or digit (an ellipsis, a lone bracket, an emoji) to the one before, or else after."""
    held: Span | None = None
    worded = False  # whether `held` has a letter or digit; asked once a unit, for a run of brackets may be long
    for unit in units:
        adds_word = any(map(str.isalnum, text[unit.start : unit.end]))
        if held and worded and adds_word:
            yield held
            held = unit
        else:
            held = Span(held.start, unit.end) if held else unit
            worded = worded or adds_word
    if held:
        yield held
