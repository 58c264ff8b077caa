"""A run of labelling: what of a dataset is to be labelled, what was, and how each result reaches the disk."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from trace_tui.calls import Call, Cause, Failure, Usage
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.lines import LineError, LineErrors, Progress
from trace_tui.datasets.source import Dataset
from trace_tui.errors import BadInputError, StoreError
from trace_tui.judges.batch import label_all
from trace_tui.judges.labeller import Labeller, Question
from trace_tui.judges.models import Price
from trace_tui.labels import Judge
from trace_tui.records import Record
from trace_tui.reviews import Change, Consent, Labelling
from trace_tui.store import Event, Failed, SavedUpTo, Store, Writer

_EXIT_WAIT: Final = 30.0  # seconds for the last commits


@dataclass(frozen=True)
class Plan:
    """What a run has to do: where the records stand that are to be labelled, and how things stood before it.

    `uids` are the distinct records of the dataset, `labelled` counts those of them that this judge labelled in earlier
    runs, `errors` has the lines that are no record.
    """

    positions: tuple[int, ...]
    uids: frozenset[str]
    labelled: int
    errors: LineErrors


@dataclass(frozen=True)
class Choice:
    """Which records a run is about, by its options."""

    only: Collection[str] = ()
    limit: int | None = None
    failed_only: bool = False


def plan(dataset: Dataset, store: Store | None, judge: Judge, choice: Choice, progress: Progress) -> Plan:
    """Look up every record of a dataset, once each, and choose what is to be labelled.

    Args:
        dataset: what there is to label.
        store: what was labelled before; None if there is no database yet.
        judge: who is to label.
        choice: what the options ask for.
        progress: is told how far things are.

    Raises:
        BadInputError: an id that was named is not in the dataset, or no row can be read.
    """
    done: Collection[str] = store.labelled(judge.title) if store else ()
    failures: Collection[str] = store.failures(judge.title) if store else ()
    wanted = _positions_of(dataset, choice.only) if choice.only else None
    errors = LineErrors()
    seen: set[str] = set()
    positions: list[int] = []
    for position in range(len(dataset)):
        progress(position, len(dataset))
        try:
            uid = dataset.row(position).uid
        except LineError as error:
            errors.add(error)
            continue
        if uid in seen:
            continue
        seen.add(uid)
        if uid in done:
            continue
        if (wanted is None or position in wanted) and (not choice.failed_only or uid in failures):
            positions.append(position)
    if not seen:
        raise BadInputError(f"{dataset.path}: no row can be read; `trace-tui check` says why")
    return Plan(tuple(positions[: choice.limit]), frozenset(seen), len(seen.intersection(done)), errors)


def _positions_of(dataset: Dataset, ids: Collection[str]) -> frozenset[int]:
    """Return where the records with these ids stand; a text that is no id may be several, with commas between."""
    found: set[int] = set()
    for text in ids:
        found |= set(dataset.find_id(text)) or {
            at for part in text.split(",") for at in _positions_of_one(dataset, part)
        }
    return frozenset(found)


def _positions_of_one(dataset: Dataset, text: str) -> list[int]:
    positions = list(dataset.find_id(text.strip()))
    if not positions:
        raise BadInputError(f"{dataset.path}: no record has the id {text.strip()}")
    return positions


class Committer:
    """Commits changes in a thread of its own, whatever is waiting in one transaction, and says when each is on disk."""

    def __init__(self, path: Path) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, asyncio.Future[None]] = {}
        self._writer = Writer(path, self._on_event)
        self._writer.start()

    async def commit(self, change: Change) -> None:
        """Return when the change is on the disk.

        Raises:
            StoreError: it cannot be written.
        """
        future = self._loop.create_future()
        self._waiting[self._writer.submit(change)] = future
        await future

    def close(self) -> None:
        """Wait until all is on the disk, and end the thread."""
        self._writer.close(_EXIT_WAIT)

    def _on_event(self, event: Event) -> None:
        self._loop.call_soon_threadsafe(self._settle, event)

    def _settle(self, event: Event) -> None:
        match event:
            case SavedUpTo(number):
                for one in [one for one in self._waiting if one <= number]:
                    if not (future := self._waiting.pop(one)).done():
                        future.set_result(None)
            case Failed(message):
                for future in self._waiting.values():
                    if not future.done():
                        future.set_exception(StoreError(message))
                self._waiting.clear()


@dataclass
class Tally:
    """How a run stands: what it labelled, failed at and found answered before, and what that cost."""

    labelled: int = 0
    cached: int = 0
    failed: Counter[Cause] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)

    def add(self, call: Call) -> None:
        """Count one call."""
        self.usage += call.usage
        if isinstance(call.outcome, Failure):
            self.failed[call.outcome.cause] += 1
        else:
            self.labelled += 1
            self.cached += not call.usage.requests

    @property
    def done(self) -> int:
        """Records that were labelled or failed."""
        return self.labelled + self.failed.total()


@dataclass(frozen=True)
class Ceiling:
    """What a run may cost at most: tokens, and dollars at a price. None is no ceiling."""

    tokens: int | None = None
    dollars: float | None = None
    price: Price | None = None

    def allows(self, tally: Tally, begun: int, estimate: Usage) -> bool:
        """Say whether one more record stays below, those in flight counted at what a record took so far.

        Args:
            tally: what was done and spent.
            begun: records that were begun, done or not.
            estimate: what a record takes, as long as none is done.
        """
        records = begun - tally.done + 1
        asked = tally.done - tally.cached
        spent, each = (tally.usage, records / asked) if asked else (estimate, records - 1.0)
        if self.tokens is not None and spent.tokens * (1 + each) > self.tokens:
            return False
        return self.dollars is None or self.price is None or self.price.cost(spent) * (1 + each) <= self.dollars


@contextmanager
def committing(path: Path) -> Iterator[Committer]:
    """Yield what commits, and wait at the end until all is on the disk."""
    committer = Committer(path)
    try:
        yield committer
    finally:
        committer.close()


class Run:
    """Labels the records of a plan, keeps what comes of each, and stops at the ceiling."""

    def __init__(self, dataset: Dataset, cutter: Cutter, store: Store, ceiling: Ceiling) -> None:
        self._dataset = dataset
        self._cutter = cutter
        self._store = store
        self._ceiling = ceiling
        self.tally = Tally()
        self.is_at_ceiling = False

    async def go(self, labeller: Labeller, committer: Committer, positions: Sequence[int], concurrency: int) -> None:
        """Label the records at these positions.

        Raises:
            JudgeUnavailableError: the service takes no request from us.
            StoreError: a result cannot be written.
        """

        async def label(question: Question) -> Call:
            return answered(self._store, labeller, question) or await labeller.label(question)

        async def keep(record: Record, call: Call) -> None:
            await committer.commit(Labelling(record, call))
            self.tally.add(call)

        await label_all(self._questions(labeller, positions), label, keep, concurrency)

    def _record(self, position: int) -> Record:
        return self._cutter.record(self._dataset.row(position))

    async def _questions(self, labeller: Labeller, positions: Sequence[int]) -> AsyncIterator[Question]:
        for begun, position in enumerate(positions):
            question = labeller.question(self._record(position))
            if not self._ceiling.allows(self.tally, begun, question.estimate):
                self.is_at_ceiling = True
                return
            yield question


def answered(store: Store, labeller: Labeller, question: Question) -> Call | None:
    """Return the answer that an equal question had, about this record or another; None if there was none."""
    found = store.answer(question.id)
    if found is None:
        return None
    outcome = replace(found, judge=labeller.judge)
    return Call(question.record.uid, labeller.judge, question.id, labeller.now(), Usage(), outcome)


def dataset_name(dataset: Path) -> str:
    """Return the name under which consent for a dataset is kept: another file of the same name is another dataset."""
    return str(dataset.resolve())


def consent_to(host: str, dataset: Path, at: str) -> Consent:
    """Return that somebody agreed to send the documents of a dataset to a host."""
    return Consent(dataset_name(dataset), host, at)


def until(seconds: float) -> str:
    """Return the local time so many seconds from now, `14:03:12`, with the day if it is another; "" for none."""
    if not seconds:
        return ""
    now = datetime.now().astimezone()
    then = now + timedelta(seconds=seconds)
    return f"{then:%H:%M:%S}" if then.date() == now.date() else f"{then:%a %H:%M:%S}"
