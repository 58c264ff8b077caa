"""A model that the review can ask: what `label` is made of, behind the port of the session."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

from trace_tui.calls import Call
from trace_tui.cli.asking import Asking
from trace_tui.cli.labelling import Choice, Plan, answered, consent_to, dataset_name, plan, until
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.lines import no_progress
from trace_tui.datasets.source import open_dataset
from trace_tui.judges.batch import label_all
from trace_tui.judges.labeller import Labeller, Question
from trace_tui.records import Record
from trace_tui.review.ports import Clock, Journal, Outlook
from trace_tui.store import Store

_Results = asyncio.Queue[tuple[Record, Call] | None]  # None at the end

_AT_A_TIME: Final = 4
_LOOK: Final = 1.0  # seconds between two looks at whether a limit is waited for


class AskedModel:
    """The model that the options name, for one dataset; connected when it is first asked (a `LabelService`)."""

    def __init__(  # noqa: PLR0917 - it stands between five others, each of which is needed once
        self,
        asking: Asking,
        dataset: Path,
        database: Path,
        journal: Journal,
        clock: Clock,
        spacy_model: str | None,
    ) -> None:
        """Find out who would be asked.

        Raises:
            TraceError: the options name no model that can be, or the dataset cannot be read any more.
        """
        _ = asking.key  # one that is missing is said now, not when something was agreed upon
        self.title = asking.judge.title
        self.host = asking.host
        self._asking = asking
        self._journal = journal
        self._now = clock.now
        self._opened = AsyncExitStack()
        self._connected: Labeller | None = None
        self._connecting = asyncio.Lock()
        # Files and connections of its own: its threads must not stand in the way of the screen's.
        self._dataset = self._opened.enter_context(open_dataset(dataset))
        self._store = self._opened.enter_context(closing(Store.open(database, write=False)))
        self._cutter = Cutter(self._store.spans, spacy_model)

    def needs_consent(self) -> int | None:
        """Return how many records may be sent; None if that was agreed upon before."""
        if self._store.has_consent(dataset_name(self._dataset.path), self.host):
            return None
        return len(self._plan().positions)

    def consent(self) -> None:
        """Write down that the annotator agreed."""
        self._journal.submit(consent_to(self.host, self._dataset.path, self._now()))

    async def label(self, record: Record) -> Call:
        """Put one record to the model, unless it answered that before."""
        labeller = await self._labeller()
        return await self._answer(labeller, labeller.question(record))

    async def rest(self, first: int) -> AsyncGenerator[tuple[Record, Call] | Outlook, None]:
        """Label what is not labelled, from a position on and round to before it."""
        labeller = await self._labeller()
        found = await asyncio.to_thread(self._plan)
        positions = sorted(found.positions, key=lambda position: (position < first, position))
        outlook = Outlook(len(positions))
        yield outlook
        results: _Results = asyncio.Queue()
        work = asyncio.create_task(self._work(labeller, positions, results))
        try:
            while True:
                with suppress(TimeoutError):
                    result = await asyncio.wait_for(results.get(), _LOOK)
                    if result is None:
                        break
                    yield result
                if (now := Outlook(len(positions), until(labeller.waits()))) != outlook:
                    outlook = now
                    yield outlook
            await work
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError):
                await work

    async def aclose(self) -> None:
        """Close the connection, if there is one."""
        await self._opened.aclose()

    async def _work(self, labeller: Labeller, positions: Sequence[int], results: _Results) -> None:
        async def keep(record: Record, call: Call) -> None:
            await results.put((record, call))

        try:
            await label_all(self._questions(labeller, positions), partial(self._answer, labeller), keep, _AT_A_TIME)
        finally:
            results.put_nowait(None)

    async def _questions(self, labeller: Labeller, positions: Sequence[int]) -> AsyncIterator[Question]:
        """Get questions ready in a thread, so that no key waits for a record to be cut into sentences."""
        for position in positions:
            yield await asyncio.to_thread(self._question, labeller, position)

    def _question(self, labeller: Labeller, position: int) -> Question:
        return labeller.question(self._cutter.record(self._dataset.row(position)))

    async def _answer(self, labeller: Labeller, question: Question) -> Call:
        return await asyncio.to_thread(self._answered, labeller, question) or await labeller.label(question)

    def _plan(self) -> Plan:
        return plan(self._dataset, self._store, self._asking.judge, Choice(), no_progress)

    def _answered(self, labeller: Labeller, question: Question) -> Call | None:
        return answered(self._store, labeller, question)

    async def _labeller(self) -> Labeller:
        async with self._connecting:
            if self._connected is None:
                self._connected = await self._opened.enter_async_context(self._asking.labeller(self._now))
            return self._connected
