"""The dataset so far: how far judge and annotator are apart over all accepted records, right after every key."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from heapq import nlargest

from trace_tui.reviews import Status
from trace_tui.scoring import BatchRMSE, Counts, Definition, Errors, RMSECalculator, RunningBatch, errors, scores
from trace_tui.scoring.counts import Summary

_TREND = 60  # records that a sparkline has room for


class Mode(StrEnum):
    """Whether the annotator had seen the judge's output. The two are never pooled."""

    BLIND = "blind"
    ASSISTED = "assisted"


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of the totals, for one judge.

    `trend` holds each accepted record's aggregated RMSE (mode 2) in the order of acceptance, the latest last.
    `overrides` of `decided` sentences in accepted records were labelled otherwise than by the judge.
    """

    total: int
    accepted: int
    skipped: int
    flagged: int
    overrides: int
    decided: int
    rmse: Mapping[Mode, BatchRMSE]
    trend: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    """One pair of judge's and human counts that enters a batch."""

    judge: str
    mode: Mode
    judged: Counts
    human: Counts

    def errors(self, definition: Definition) -> Errors:
        return errors(scores(self.judged, definition), scores(self.human, definition))


class Totals:
    """Keeps the summaries of all reviewed records and what follows from them, one record at a time."""

    def __init__(self, summaries: Iterable[Summary], definition: Definition) -> None:
        self._summaries = {summary.uid: summary for summary in summaries}
        self.definition = definition
        self._recompute()

    def _recompute(self) -> None:
        self._batches: defaultdict[tuple[str, Mode], RunningBatch] = defaultdict(RunningBatch)
        self._states: Counter[str] = Counter()
        grouped: defaultdict[tuple[str, Mode], list[Errors]] = defaultdict(list)
        for summary in self._summaries.values():
            self._count(summary, 1)
            for line in _lines(summary):
                grouped[line.judge, line.mode].append(line.errors(self.definition))
        for group, rows in grouped.items():
            self._batches[group].add(rows)

    def redefine(self, definition: Definition) -> None:
        """Score everything anew under another definition."""
        self.definition = definition
        self._recompute()

    def put(self, summary: Summary) -> None:
        """Take in a record's new state in place of its old one."""
        old = self._summaries.get(summary.uid)
        if old is not None:
            self._count(old, -1)
            for line in _lines(old):
                self._batches[line.judge, line.mode].remove([line.errors(self.definition)])
        self._summaries[summary.uid] = summary
        self._count(summary, 1)
        for line in _lines(summary):
            self._batches[line.judge, line.mode].add([line.errors(self.definition)])

    def of(self, uid: str) -> Summary | None:
        """Return what is known of a record, None if it was never reviewed."""
        return self._summaries.get(uid)

    def uids(self, *statuses: Status) -> frozenset[str]:
        """Return the records of these states."""
        return frozenset(s.uid for s in self._summaries.values() if s.status in statuses)

    def differing(self) -> list[tuple[int, str]]:
        """Return the accepted records with overrides, each with where it stood when last seen."""
        accepted = (s for s in self._summaries.values() if s.status == Status.ACCEPTED)
        return [(s.position, s.uid) for s in accepted if s.overrides]

    def progress(self, judge: str, total: int) -> Progress:
        """Return a snapshot for one judge of a dataset of `total` records."""
        return Progress(
            total=total,
            accepted=self._states[Status.ACCEPTED],
            skipped=self._states[Status.SKIPPED],
            flagged=self._states["flagged"],
            overrides=self._states["overrides"],
            decided=self._states["decided"],
            rmse={mode: self._batches[judge, mode].result() for mode in Mode},
            trend=tuple(self._trend(judge)),
        )

    def _trend(self, judge: str) -> Iterator[float]:
        accepted = (s for s in self._summaries.values() if s.accepted_at and s.judge == judge and s.judged)
        for summary in reversed(nlargest(_TREND, accepted, key=lambda s: s.accepted_at)):
            judged = scores(summary.judged, self.definition)  # type: ignore[arg-type]  # filtered above
            human = scores(summary.human, self.definition)
            rmse = RMSECalculator.compute_rmse_single_trace_evaluation(judged, human).aggregated_rmse
            if rmse is not None:
                yield rmse

    def _count(self, summary: Summary, sign: int) -> None:
        self._states[summary.status] += sign
        self._states["flagged"] += sign * summary.flagged
        if summary.status == Status.ACCEPTED and summary.judged:
            self._states["overrides"] += sign * summary.overrides
            self._states["decided"] += sign * (summary.human.sentences + summary.human.response_sentences)


def _lines(summary: Summary) -> Iterator[_Line]:
    """Yield what an accepted record adds: its blind judgement, and its labels unless they are just that."""
    if summary.status != Status.ACCEPTED or summary.judged is None:
        return
    if summary.blind is not None:
        yield _Line(summary.judge, Mode.BLIND, summary.judged, summary.blind)
    if summary.blind is None or summary.revised:
        yield _Line(summary.judge, Mode.ASSISTED, summary.judged, summary.human)
