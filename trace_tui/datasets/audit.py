"""Goes through a whole dataset and says what was loaded, what was not, and what is dirty in it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median_low
from typing import Final, NamedTuple

from trace_tui.datasets.lines import LineError, Progress, no_progress
from trace_tui.datasets.ragbench import PUBLISHED
from trace_tui.datasets.rows import Row, record_of
from trace_tui.datasets.sentences import Split
from trace_tui.datasets.source import Dataset
from trace_tui.normalise import Dirt, RawLabels, normalise
from trace_tui.records import Record, RecordId, Span
from trace_tui.scoring import Definition, count, scores

_FIRST: Final = 5  # records named for each kind of finding
_FELL_BACK: Final = "the splitter's sentences did not cover a text, cut into paragraphs and lines instead"
_EXACT: Final = 1e-9  # published scores are quotients of small integers, written in full


class Place(NamedTuple):
    """A record as a user finds it: the number of its line or item, and its id (None: it has none)."""

    line: int
    id: RecordId


@dataclass(slots=True)
class Finding:
    """How often something was met, in how many records, and the first of these."""

    count: int = 0
    records: int = 0
    first: list[Place] = field(default_factory=list)

    def add(self, place: Place, count: int = 1) -> None:
        """Count one more record that shows it `count` times."""
        self.count += count
        self.records += 1
        if len(self.first) < _FIRST:
            self.first.append(place)


class Difference(NamedTuple):
    """A published score that does not follow from the row's labels.

    `metric` is our JSON name. `recomputed` is None if the score is undefined. `dirt` says what is wrong with the keys
    that it is counted from; nothing if they are clean.
    """

    place: Place
    metric: str
    published: float
    recomputed: float | None
    dirt: tuple[Dirt, ...]


class Sizes(NamedTuple):
    """Smallest, median and largest of some numbers."""

    smallest: int
    median: int
    largest: int


@dataclass
class Audit:
    """What a dataset holds and what is wrong with it.

    A record is known by its identity, and its first row stands for it: `records`, `documents`, `labelled`, `published`,
    `uncut` and the numbers of sentences count no other. `repeats` counts the rows that say the same once more;
    `relabelled` holds those with other labels or published scores, each with the line of the first. Those are looked
    at as well. `published` has RAGBench's scores, and where they are in `unfounded` no labels that they follow from.
    """

    repeats: int
    records: int = 0
    documents: int = 0
    labelled: int = 0
    published: int = 0
    uncut: int = 0
    relabelled: list[tuple[Place, int]] = field(default_factory=list)
    unfounded: list[Place] = field(default_factory=list)
    errors: list[LineError] = field(default_factory=list)
    warnings: dict[str, Finding] = field(default_factory=dict)
    dirt: dict[Dirt, Finding] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)
    document_sentences: Counter[int] = field(default_factory=Counter)
    response_sentences: Counter[int] = field(default_factory=Counter)


def sizes(numbers: Counter[int]) -> Sizes | None:
    """Return smallest, median (the lower of two) and largest; None if there are no numbers."""
    if not numbers:
        return None
    return Sizes(min(numbers), median_low(numbers.elements()), max(numbers))


Splitting = Callable[[str], Split]
"""Cuts a text, and says whether it could as it is meant to."""


def audit(dataset: Dataset, make_splitting: Callable[[], Splitting], progress: Progress = no_progress) -> Audit:
    """Read every row of a dataset, thoroughly.

    Args:
        dataset: what to go through.
        make_splitting: makes what cuts texts; called only if a row has labels and no sentences of its own. Rows with
            neither are not cut.
        progress: told how many rows are done and how many there are.
    """
    auditor = _Auditor(dataset, make_splitting)
    for position in range(len(dataset)):
        try:
            row = dataset.row(position, thorough=True)
        except LineError as error:
            auditor.audit.errors.append(error)
        else:
            auditor.look(position, row)
        progress(position + 1, len(dataset))
    return auditor.audit


class _Auditor:
    def __init__(self, dataset: Dataset, make_splitting: Callable[[], Splitting]) -> None:
        self.audit = Audit(dataset.repeats)
        self._dataset = dataset
        self._make_splitting = make_splitting
        self._positions: dict[str, int] = {}  # of each identity, where it was first

    @cached_property
    def _split(self) -> Splitting:
        return self._make_splitting()

    def look(self, position: int, row: Row) -> None:
        audit, place = self.audit, Place(self._dataset.line_number(position), row.id)
        first = self._positions.setdefault(row.uid, position)
        is_first = first == position
        if not is_first:
            earlier = self._dataset.row(first)
            if (earlier.labels, earlier.published) == (row.labels, row.published):
                audit.repeats += 1
                return
            audit.relabelled.append((place, self._dataset.line_number(first)))
        for warning in row.warnings:
            self._warn(warning, place)
        record = self._record(row, place) if row.is_split or row.labels is not None else None
        if is_first:
            self._count(row, record)
        self._look_at_labels(place, row, record)

    def _warn(self, warning: str, place: Place) -> None:
        self.audit.warnings.setdefault(warning, Finding()).add(place)

    def _record(self, row: Row, place: Place) -> Record:
        fell_back = []

        def cut(text: str) -> tuple[Span, ...]:
            split = self._split(text)
            fell_back.append(split.fell_back)
            return split.spans

        record = record_of(row, cut)
        if any(fell_back):
            self._warn(_FELL_BACK, place)
        return record

    def _count(self, row: Row, record: Record | None) -> None:
        audit = self.audit
        audit.records += 1
        audit.documents += len(row.documents)
        audit.labelled += row.labels is not None
        audit.published += bool(_stated(row))
        if record is None:
            audit.uncut += 1
        else:
            audit.document_sentences[len(record.document_keys)] += 1
            audit.response_sentences[len(record.response_keys)] += 1

    def _look_at_labels(self, place: Place, row: Row, record: Record | None) -> None:
        if row.labels is None or record is None:
            if _stated(row):
                self.audit.unfounded.append(place)
            return
        found = normalise(row.labels, record)
        for kind, times in found.dirt.items():
            self.audit.dirt.setdefault(kind, Finding()).add(place, times)
        ours = scores(count(found.labels, record), Definition.RAGBENCH)
        for metric, value in _stated(row).items():
            recomputed = getattr(ours, metric)
            if recomputed is None or abs(recomputed - value) > _EXACT:
                dirt = _dirt_of_counts(row.labels, record)
                self.audit.differences.append(Difference(place, metric, value, recomputed, dirt))


def _stated(row: Row) -> dict[str, float]:
    """Return the published scores that the row has, by our JSON names."""
    return {metric: value for metric in PUBLISHED if (value := row.published[metric]) is not None}


def _dirt_of_counts(raw: RawLabels, record: Record) -> tuple[Dirt, ...]:
    """Return what is wrong with the lists of keys that scores are counted from, whatever the support entries hold."""
    lists = RawLabels(relevant=raw.relevant, utilized=raw.utilized, unsupported=raw.unsupported or [])
    kinds = normalise(lists, record).dirt
    return tuple(kind for kind in Dirt if kinds[kind] and kind is not Dirt.OUTSIDE_RELEVANT)
