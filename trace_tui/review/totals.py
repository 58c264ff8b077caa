"""The dataset so far: how far judge and annotator are apart over all accepted records, right after every key."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter

from trace_tui.reviews import Mode, Status
from trace_tui.scoring import METRICS, BatchRMSE, Definition, Errors, RunningBatch, TraceRMSE, errors, scores
from trace_tui.scoring.counts import Counts, Summary

_TREND = 60  # records that a sparkline has room for


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far one judge and the annotator are apart over the records accepted in one mode.

    `trend` holds the latest records' aggregated RMSE (mode 2), in the order of acceptance, the latest last. Of the
    `decided` sentences the annotator labelled `overrides` otherwise than the judge.
    """

    rmse: BatchRMSE
    trend: tuple[float, ...]
    overrides: int
    decided: int


@dataclass(frozen=True, slots=True)
class Progress:
    """A snapshot of the totals: how many records are in which state, and the agreement with one judge."""

    total: int
    accepted: int
    skipped: int
    flagged: int
    agreement: Mapping[Mode, Agreement]


@dataclass(frozen=True, slots=True)
class _Line:
    """What an accepted record adds to an agreement: judge's and human counts of it, and how many sentences differ."""

    uid: str
    accepted_at: str
    judged: Counts
    human: Counts
    overrides: int

    @property
    def decided(self) -> int:
        return self.human.sentences + self.human.response_sentences


@lru_cache(maxsize=4096)
def _errors(judged: Counts, human: Counts, definition: Definition) -> Errors:
    """Counts repeat: few records have many sentences."""
    return errors(scores(judged, definition), scores(human, definition))


@lru_cache(maxsize=4096)
def _rmse(judged: Counts, human: Counts, definition: Definition) -> float | None:
    return TraceRMSE(dict(zip(METRICS, _errors(judged, human, definition), strict=True))).aggregated_rmse


class _Account:
    """An agreement while records come and go, under both definitions."""

    def __init__(self) -> None:
        self._batches = {definition: RunningBatch() for definition in Definition}
        self._lines: dict[str, _Line] = {}
        self._order: list[tuple[str, str]] = []  # when accepted, and which
        self._overrides = 0
        self._decided = 0

    def add(self, lines: Sequence[_Line]) -> None:
        for definition, batch in self._batches.items():
            batch.add([_errors(line.judged, line.human, definition) for line in lines])
        for line in lines:
            self._lines[line.uid] = line
            insort(self._order, (line.accepted_at, line.uid))
            self._overrides += line.overrides
            self._decided += line.decided

    def remove(self, line: _Line) -> None:
        for definition, batch in self._batches.items():
            batch.remove([_errors(line.judged, line.human, definition)])
        del self._lines[line.uid]
        del self._order[bisect_left(self._order, (line.accepted_at, line.uid))]
        self._overrides -= line.overrides
        self._decided -= line.decided

    def agreement(self, definition: Definition) -> Agreement:
        latest = (self._lines[uid] for _, uid in self._order[-_TREND:])
        trend = (_rmse(line.judged, line.human, definition) for line in latest)
        return Agreement(
            rmse=self._batches[definition].result(),
            trend=tuple(rmse for rmse in trend if rmse is not None),
            overrides=self._overrides,
            decided=self._decided,
        )


class Totals:
    """Keeps the summaries of a dataset's reviewed records and what follows from them, one record at a time."""

    def __init__(self, summaries: Iterable[Summary] = ()) -> None:
        self._summaries: dict[str, Summary] = {}
        self._accounts: defaultdict[tuple[str, Mode], _Account] = defaultdict(_Account)
        self._states: Counter[str] = Counter()
        self._settled: set[int] = set()
        self._differing: list[tuple[int, str]] = []
        self._enter(sorted(summaries, key=attrgetter("accepted_at")))

    def __iter__(self) -> Iterator[Summary]:
        return iter(self._summaries.values())

    def put(self, summary: Summary) -> None:
        """Take in a record's new state in place of its old one."""
        self._leave(summary.uid)
        self._enter([summary])

    def of(self, uid: str) -> Summary | None:
        """Return what is known of a record, None if it was never reviewed."""
        return self._summaries.get(uid)

    @property
    def settled(self) -> Collection[int]:
        """Where accepted and skipped records stand."""
        return self._settled

    def differing(self, position: int, *, accepted_only: bool) -> Iterator[int]:
        """Yield where records stand that differ from the judge, from after a position round to before it."""
        after = bisect_left(self._differing, (position + 1, ""))
        for other, uid in self._differing[after:] + self._differing[:after]:
            if other != position and (not accepted_only or self._summaries[uid].status == Status.ACCEPTED):
                yield other

    def progress(self, judge: str, total: int, definition: Definition) -> Progress:
        """Return a snapshot for one judge of a dataset of `total` records."""
        return Progress(
            total=total,
            accepted=self._states[Status.ACCEPTED],
            skipped=self._states[Status.SKIPPED],
            flagged=self._states["flagged"],
            agreement=self.agreement(judge, definition),
        )

    def agreement(self, judge: str, definition: Definition) -> Mapping[Mode, Agreement]:
        """Return how far one judge and the annotator are apart, by mode."""
        return {mode: self._accounts[judge, mode].agreement(definition) for mode in Mode}

    def _enter(self, summaries: Iterable[Summary]) -> None:
        added: defaultdict[tuple[str, Mode], list[_Line]] = defaultdict(list)
        for summary in summaries:
            self._summaries[summary.uid] = summary
            self._count(summary, 1)
            if summary.status != Status.OPEN:
                self._settled.add(summary.position)
            if summary.overrides:
                insort(self._differing, (summary.position, summary.uid))
            for mode, line in _lines(summary):
                added[summary.judge, mode].append(line)
        for key, lines in added.items():
            self._accounts[key].add(lines)

    def _leave(self, uid: str) -> None:
        summary = self._summaries.pop(uid, None)
        if summary is None:
            return
        self._count(summary, -1)
        self._settled.discard(summary.position)
        if summary.overrides:
            del self._differing[bisect_left(self._differing, (summary.position, uid))]
        for mode, line in _lines(summary):
            self._accounts[summary.judge, mode].remove(line)

    def _count(self, summary: Summary, sign: int) -> None:
        self._states[summary.status] += sign
        self._states["flagged"] += sign * summary.flagged


def _lines(summary: Summary) -> Iterator[tuple[Mode, _Line]]:
    """Yield what an accepted record adds: its blind judgement, and its labels unless they are just that."""
    if summary.status != Status.ACCEPTED or summary.judged is None:
        return
    seen = summary.uid, summary.accepted_at, summary.judged
    if summary.blind is not None:
        yield Mode.BLIND, _Line(*seen, summary.blind, summary.blind_overrides)
    if summary.blind is None or summary.revised:
        yield Mode.ASSISTED, _Line(*seen, summary.human, summary.overrides)
