"""What is judged: a question, its retrieved documents and one response, cut into keyed sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

RecordId = str | int | float | bool | None


def document_key(document: int, sentence: int) -> str:
    """Return the key of a document sentence, both numbers from 0: `doc_2_s0`."""
    return f"doc_{document}_s{sentence}"


def response_key(sentence: int) -> str:
    """Return the key of a response sentence, from 0: `resp_s1`."""
    return f"resp_s{sentence}"


class Sentence(NamedTuple):
    """One sentence of a document or of the response.

    `key` is its sentence key, `alias` the key under which its row knows it (`0a`; the key itself where the row
    has none), `text` its text exactly as it came.
    """

    key: str
    text: str
    alias: str


_KEY = attrgetter("key")


class Span(NamedTuple):
    """Half-open range of code points: `text[start:end]` is the sentence."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Passage:
    """A document or a response: its text as it came and its sentences in order."""

    text: str
    sentences: tuple[Sentence, ...]
    title: str = ""


@dataclass(frozen=True)
class Record:
    """One question, its documents in rank order, and one response.

    `uid` is the stable identity: the typed id with a hash of question, documents, response and models.
    `generator` and `annotator_model` name the models that wrote the response and labelled the row, "" if unknown.
    `split` names what cut the sentences: `given` if they came with the row.
    """

    uid: str
    id: RecordId
    question: str
    documents: tuple[Passage, ...]
    response: Passage
    reference: str | None = None
    generator: str = ""
    annotator_model: str = ""
    split: str = "given"

    def document_sentences(self) -> Iterator[Sentence]:
        """Yield every document sentence in reading order."""
        return chain.from_iterable(document.sentences for document in self.documents)

    @cached_property
    def document_keys(self) -> tuple[str, ...]:
        """Keys of all document sentences in reading order; their number is N in the formulas."""
        return tuple(map(_KEY, self.document_sentences()))

    @cached_property
    def document_numbers(self) -> Mapping[str, int]:
        """Numbers of the document sentences in reading order, from 0, by key."""
        return {key: number for number, key in enumerate(self.document_keys)}

    @cached_property
    def response_keys(self) -> tuple[str, ...]:
        """Keys of the response sentences in order."""
        return tuple(map(_KEY, self.response.sentences))

    @property
    def shown_id(self) -> str:
        """The id as text: the row's own, or the start of the identity where the row has none."""
        return self.uid if self.id is None else str(self.id)


Spans = tuple[tuple[Span | None, ...], ...]
"""The spans of a record's sentences: a tuple per document in order, then one for the response."""


def spans_of(record: Record) -> Spans:
    """Return where each sentence of the record stands in its text."""
    return tuple(locate(passage) for passage in (*record.documents, record.response))


def locate(passage: Passage) -> tuple[Span | None, ...]:
    """Find each sentence in its passage by forward search.

    White space may differ (a row's own sentences are often re-joined); a sentence that is not found has no span,
    and the search for the next goes on where the last found one ended.

    Returns:
        One span of code points per sentence, rising and disjoint, or None.
    """
    spans: list[Span | None] = []
    position = 0
    for sentence in passage.sentences:
        span = _find(passage.text, sentence.text.strip(), position)
        spans.append(span)
        position = span.end if span else position
    return tuple(spans)


def _find(text: str, wanted: str, position: int) -> Span | None:
    if not wanted:
        return None
    start = text.find(wanted, position)
    if start >= 0:
        return Span(start, start + len(wanted))
    return _find_ignoring_space(text, wanted.split(), position)


def _find_ignoring_space(text: str, words: list[str], position: int) -> Span | None:
    """Search for the words with any white space between them; no regex, so that no input is slow to compile."""
    start = text.find(words[0], position)
    while start >= 0:
        end = _match_words(text, words, start)
        if end is not None:
            return Span(start, end)
        start = text.find(words[0], start + 1)
    return None


def _match_words(text: str, words: list[str], start: int) -> int | None:
    end = start
    for word in words:
        while end < len(text) and text[end].isspace():
            end += 1
        if not text.startswith(word, end):
            return None
        end += len(word)
    return end
