"""Records in full, for those of a report that are worth reading: sentences, and who says what of them."""

from collections.abc import Callable
from typing import NamedTuple

from trace_tui.cli.evidence import Gatherer
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset
from trace_tui.judges import recorded
from trace_tui.labels import NO_LABELS, Judgement, Labels
from trace_tui.records import Record
from trace_tui.reviews import Mode
from trace_tui.scoring.comparison import Case
from trace_tui.store import Store


class Reading(NamedTuple):
    """A record, its true labels, and the labels of the judge that is furthest from them; None if no judge labels it."""

    case: Case
    record: Record
    truth: Labels
    judgement: Judgement | None


Read = Callable[[str, Case], Reading]
"""Reads again a record of the group of a mode."""


class Reader:
    """Reads again, one at a time, records that a report was made of."""

    def __init__(
        self, dataset: Dataset, store: Store | None, cutter: Cutter, gatherer: Gatherer, annotator: str | None
    ) -> None:
        self._dataset = dataset
        self._store = store
        self._cutter = cutter
        self._gatherer = gatherer
        self._annotator = annotator

    def read(self, mode: str, case: Case) -> Reading:
        """Return a record of the group of this mode."""
        row = self._dataset.row(case.position)
        record = self._cutter.record(row)
        judgements = [one for one in self._gatherer.judgements(row, record) if one.judge.title in case.judged]
        furthest = max(judgements, key=lambda one: _distance(case, one.judge.title), default=None)
        return Reading(case, record, self._truth(mode, row, record), furthest)

    def _truth(self, mode: str, row: Row, record: Record) -> Labels:
        if self._store is None or self._annotator is None:
            return recorded.judge_recorded(record, row.labels).labels if row.labels else NO_LABELS
        kept = self._store.kept(row.uid, self._annotator)
        if kept is None:
            return NO_LABELS
        review = kept.review
        return review.blind if mode == Mode.BLIND and review.blind else review.labels


def _distance(case: Case, title: str) -> float:
    compared = case.compare(title)
    return (compared and compared.aggregated_rmse) or 0.0
