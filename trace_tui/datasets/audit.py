"""Goes through a whole dataset and says what was loaded, what was not, and what is dirty in it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median_low
from typing import Final, NamedTuple

from trace_tui.datasets.lines import Progress, no_progress
from trace_tui.datasets.ragbench import PUBLISHED
from trace_tui.datasets.rows import Cut, Row, record_of
from trace_tui.datasets.source import Dataset, RowError
from trace_tui.normalise import Dirt, RawLabels, normalise
from trace_tui.records import Record, RecordId
from trace_tui.scoring import Definition, count, scores

_FIRST: Final = 5  # records named for each kind of finding
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

    `repeats` counts lines that are byte for byte there before; `rewritten` records that are there before in other
    words: same identity, same labels. `relabelled` pairs the lines of records of one identity with other labels.
    """

    repeats: int
    records: int = 0
    documents: int = 0
    labelled: int = 0
    uncut: int = 0
    compared: int = 0
    rewritten: int = 0
    relabelled: list[tuple[Place, int]] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)
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


def audit(dataset: Dataset, make_cut: Callable[[], Cut], progress: Progress = no_progress) -> Audit:
    """Read every row of a dataset, thoroughly.

    Args:
        dataset: what to go through.
        make_cut: makes a splitter of texts; called only if a row has labels and no sentences of its own. Rows with
            neither are not cut.
        progress: told how many records are done and how many there are.
    """
    auditor = _Auditor(dataset, make_cut)
    for position in range(len(dataset)):
        try:
            row = dataset.row(position, thorough=True)
        except RowError as error:
            auditor.audit.errors.append(error)
        else:
            auditor.look(position, row)
        progress(position + 1, len(dataset))
    return auditor.audit


class _Auditor:
    def __init__(self, dataset: Dataset, make_cut: Callable[[], Cut]) -> None:
        self.audit = Audit(dataset.repeats)
        self._dataset = dataset
        self._make_cut = make_cut
        self._positions: dict[str, int] = {}  # of each identity, where it was first

    @cached_property
    def _cut(self) -> Cut:
        return self._make_cut()

    def look(self, position: int, row: Row) -> None:
        audit, place = self.audit, Place(self._dataset.line_number(position), row.id)
        audit.records += 1
        audit.documents += len(row.documents)
        for warning in row.warnings:
            audit.warnings.setdefault(warning, Finding()).add(place)
        self._look_for_double(position, place, row)
        if not row.is_split and row.labels is None:
            audit.uncut += 1
            return
        record = record_of(row, None if row.is_split else self._cut)
        audit.document_sentences[len(record.document_keys)] += 1
        audit.response_sentences[len(record.response_keys)] += 1
        if row.labels is not None:
            self._look_at_labels(place, row.labels, record, row.published)

    def _look_for_double(self, position: int, place: Place, row: Row) -> None:
        first = self._positions.setdefault(row.uid, position)
        if first != position:
            if self._dataset.row(first).labels == row.labels:
                self.audit.rewritten += 1
            else:
                self.audit.relabelled.append((place, self._dataset.line_number(first)))

    def _look_at_labels(
        self, place: Place, raw: RawLabels, record: Record, published: Mapping[str, float | None]
    ) -> None:
        self.audit.labelled += 1
        found = normalise(raw, record)
        for kind, times in found.dirt.items():
            self.audit.dirt.setdefault(kind, Finding()).add(place, times)
        stated = {metric: value for metric in PUBLISHED if (value := published[metric]) is not None}
        self.audit.compared += bool(stated)
        ours = scores(count(found.labels, record), Definition.RAGBENCH)
        for metric, value in stated.items():
            recomputed = getattr(ours, metric)
            if recomputed is None or abs(recomputed - value) > _EXACT:
                dirt = _dirt_of_counts(raw, record)
                self.audit.differences.append(Difference(place, metric, value, recomputed, dirt))


def _dirt_of_counts(raw: RawLabels, record: Record) -> tuple[Dirt, ...]:
    """Return what is wrong with the lists of keys that scores are counted from, whatever the support entries hold."""
    lists = RawLabels(relevant=raw.relevant, utilized=raw.utilized, unsupported=raw.unsupported or [])
    kinds = normalise(lists, record).dirt
    return tuple(kind for kind in Dirt if kinds[kind] and kind is not Dirt.OUTSIDE_RELEVANT)
