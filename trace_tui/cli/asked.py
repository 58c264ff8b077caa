"""A model that the review can ask: what `label` is made of, behind the port of the session."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, closing, suppress
from pathlib import Path
from typing import Final

from trace_tui.calls import Call
from trace_tui.cli.asking import Asking
from trace_tui.cli.labelling import Choice, Plan, answered, consent_to, dataset_name, plan, until
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.lines import no_progress
from trace_tui.datasets.source import Dataset
from trace_tui.judges.batch import label_all
from trace_tui.judges.labeller import Labeller
from trace_tui.records import Record
from trace_tui.review.ports import Clock, Journal, Outlook
from trace_tui.store import Store

_AT_A_TIME: Final = 4
_LOOK: Final = 1.0  # seconds between two looks at whether a limit is waited for


class AskedModel:
    """The model that the options name, for one dataset; connected when it is first asked (a `LabelService`)."""

    def __init__(
        self, asking: Asking, dataset: Dataset, cutter: Cutter, *, database: Path, journal: Journal, clock: Clock
    ) -> None:
        """Find out who would be asked.

        Raises:
            TraceError: the options name no model that can be.
        """
        self.title = asking.judge.title
        self.host = asking.host
        self._asking = asking
        self._dataset = dataset
        self._cutter = cutter
        self._database = database
        self._journal = journal
        self._now = clock.now
        self._opened = AsyncExitStack()
        self._connected: Labeller | None = None
        self._connecting = asyncio.Lock()
        asking.check_key()

    def needs_consent(self) -> int | None:
        """Return how many records may be sent; None if that was agreed upon before."""
        with closing(Store.open(self._database)) as store:
            if store.has_consent(dataset_name(self._dataset.path), self.host):
                return None
        return len(self._plan().positions)

    def consent(self) -> None:
        """Write down that the annotator agreed."""
        self._journal.submit(consent_to(self.host, self._dataset.path, self._now()))

    async def label(self, record: Record) -> Call:
        """Put one record to the model, unless it answered that before."""
        labeller = await self._labeller()
        return await asyncio.to_thread(self._answered, labeller, record) or await labeller.label(record)

    async def rest(self, first: int) -> AsyncGenerator[tuple[Record, Call] | Outlook, None]:
        """Label what is not labelled, from a position on and round to before it."""
        labeller = await self._labeller()
        found = await asyncio.to_thread(self._plan)
        positions = sorted(found.positions, key=lambda position: (position < first, position))
        outlook = Outlook(len(positions))
        yield outlook
        results: asyncio.Queue[tuple[Record, Call] | None] = asyncio.Queue()
        work = asyncio.create_task(self._work(positions, results))
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

    async def _work(self, positions: Sequence[int], results: asyncio.Queue[tuple[Record, Call] | None]) -> None:
        async def keep(record: Record, call: Call) -> None:
            await results.put((record, call))

        try:
            await label_all(self._records(positions), self.label, keep, _AT_A_TIME)
        finally:
            results.put_nowait(None)

    async def _records(self, positions: Sequence[int]) -> AsyncIterator[Record]:
        """Make records in a thread, so that no key waits for one to be cut into sentences."""
        for position in positions:
            yield await asyncio.to_thread(self._record, position)

    def _record(self, position: int) -> Record:
        return self._cutter.record(self._dataset.row(position))

    def _plan(self) -> Plan:
        with closing(Store.open(self._database)) as store:
            return plan(self._dataset, store, self._asking.judge, Choice(), no_progress)

    def _answered(self, labeller: Labeller, record: Record) -> Call | None:
        with closing(Store.open(self._database)) as store:
            return answered(store, labeller, record)

    async def _labeller(self) -> Labeller:
        async with self._connecting:
            if self._connected is None:
                self._connected = await self._opened.enter_async_context(self._asking.labeller(self._now))
            return self._connected
