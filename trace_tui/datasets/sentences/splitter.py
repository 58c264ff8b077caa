"""The splitter: finds sentences and vouches for their offsets."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import NamedTuple

from trace_tui.datasets.sentences import blocks
from trace_tui.records import Span


class Split(NamedTuple):
    """The sentences of a text.

    `fell_back` says that the splitter's own boundaries did not cover the text, so that each block (a paragraph, a
    list item, a line of code) is a unit instead.
    """

    spans: tuple[Span, ...]
    fell_back: bool


class Splitter:
    """Cuts text into sentences with exact code-point offsets.

    `name` says what cuts, with versions: two splitters of one name cut alike. Threads may share a splitter.
    """

    def __init__(self, name: str, find: Callable[[str], Sequence[Span]]) -> None:
        self.name = name
        self._find = find
        self._lock = Lock()  # a spaCy vocabulary has one memory zone at a time

    def split(self, text: str) -> tuple[Span, ...]:
        """Return the sentences of a text; see `checked_split`."""
        return self.checked_split(text).spans

    def checked_split(self, text: str) -> Split:
        """Return the sentences of a text and whether they had to be replaced by its blocks.

        The spans rise and are disjoint, none is empty or has white space at its edges, and all that is not white
        space lies in one: a blank text has none.
        """
        if not text or text.isspace():
            return Split((), fell_back=False)
        with self._lock:
            spans = tuple(self._find(text))
        if covers(text, spans):
            return Split(spans, fell_back=False)
        return Split(_blocks(text), fell_back=True)


def covers(text: str, spans: Iterable[Span]) -> bool:
    """Say whether spans rise, are disjoint and tight, and leave out nothing but white space."""
    position = 0
    for start, end in spans:
        if not position <= start < end <= len(text) or text[position:start].strip():
            return False
        if text[start].isspace() or text[end - 1].isspace():
            return False
        position = end
    return not text[position:].strip()


def make_splitter(model: str | None = None) -> Splitter:
    """Build a splitter; this is where spaCy is imported.

    Args:
        model: name or path of an installed spaCy pipeline; None is the pipeline of our own, which needs no model.

    Raises:
        UsageError: if the named pipeline cannot be used.
    """
    from trace_tui.datasets.sentences import cut, pipeline  # noqa: PLC0415 spaCy takes 0.6 s to import

    nlp = pipeline.own() if model is None else pipeline.installed(model)
    name = cut.NAME if model is None else pipeline.name_of(nlp)
    return Splitter(name, lambda text: pipeline.sentence_spans(nlp, text))


def _blocks(text: str) -> tuple[Span, ...]:
    return tuple(Span(block.start, block.end) for paragraph in blocks.paragraphs(text) for block in paragraph)
