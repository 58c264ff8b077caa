"""Asking a judge for labels during the review: this record, or the rest in the background.

What is awaited runs as workers of the event loop, never in a thread, so that leaving cancels it at once. A result is
handed to the session as it comes, and with that on its way to the store; the screen is told by a message.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import Any

from textual.message import Message
from textual.worker import Worker

from trace_tui.calls import Call
from trace_tui.errors import TraceError
from trace_tui.records import Record
from trace_tui.review.ports import LabelService, Outlook
from trace_tui.review.runs import Run
from trace_tui.review.session import Session
from trace_tui.tui.board import Saver
from trace_tui.tui.shell import Shell

_CLOSING = 1.0  # seconds that leaving waits at most for connections to close

MakeService = Callable[[], LabelService]
"""Makes what can be asked for labels; raises JudgeUnavailableError, in one line, if nothing can."""


class Answered(Message):
    """Something was heard from the judge: the session knows it."""

    def can_replace(self, message: Message) -> bool:
        """One frame shows whatever came meanwhile."""
        return isinstance(message, Answered)


class Asking(Shell):
    """An app that can ask a judge, once the annotator has agreed that documents are sent to its host."""

    def __init__(
        self,
        session: Session,
        saver: Saver,
        keymap: Mapping[str, str] | None = None,
        make_service: MakeService | None = None,
        *,
        light: bool = False,
    ) -> None:
        super().__init__(session, saver, keymap, light=light)
        self._make_service = make_service
        self._service: LabelService | None = None
        self._is_agreed = False
        self._making = asyncio.Lock()
        self._asked: Worker[None] | None = None
        self._run: Worker[None] | None = None

    # ------------------------------------------------------------------ keys

    def action_compare(self) -> None:
        """Compare with the next judge."""
        self._session.next_judge()
        self._show_result()
        self._look_through_stock()

    def action_label(self) -> None:
        """Ask the judge for labels of this record; asked before, ask no longer."""
        if self._stop(self._asked):
            self._session.keep_judge()
            self._say("cancelled: no longer asking for labels of that record")
        elif self._may_ask() and (record := self._session.await_labels()):
            self._asked = self._start(self._label(record))

    def action_label_rest(self) -> None:
        """Have the judge label the rest in the background; doing so already, cancel it."""
        if self._stop(self._run):
            self._end_run("cancelled")
            self._say("cancelled: what came until now is kept; the key goes on with the rest")
        elif self._may_ask():
            self._run = self._start(self._label_rest())

    def _may_ask(self) -> bool:
        if self._make_service is None:
            self._say("there is no judge to ask here")
            return False
        return self._may_edit() and self._may_decide()

    # ------------------------------------------------------------------ workers

    def _start(self, work: Coroutine[Any, Any, None]) -> Worker[None]:
        return self.run_worker(self._saying_why_not(work), group="ask")

    async def _saying_why_not(self, work: Coroutine[Any, Any, None]) -> None:
        """Do work that a judge who cannot be asked ends with one line."""
        try:
            await work
        except TraceError as error:
            self._session.message, self._session.hints = str(error), ()
            self.post_message(Answered())

    async def _label(self, record: Record) -> None:
        service = await self._agreed_upon("this record")
        if service is not None:
            self._say(f"asking {service.title} …")
            call = await service.label(record)
            self._session.receive(record, call, asked=True)
            self.post_message(Answered())

    async def _label_rest(self) -> None:
        service = await self._agreed_upon("all records that it has not labelled")
        if service is None:
            return
        self._session.run = Run(service.title)
        self._session.message = "labelling the rest in the background; the same key cancels"
        self.post_message(Answered())
        try:
            await self._hear(service.rest(self._session.position))
        except TraceError as error:
            self._end_run(f"stopped: {error}")
            raise
        self._end_run("finished")
        run = self._session.run
        if not self._session.message:
            self._session.message = f"{run.title} is done: {run.labelled} labelled, {run.done - run.labelled} failed"

    async def _hear(self, rest: AsyncGenerator[tuple[Record, Call] | Outlook, None]) -> None:
        """Take in what comes of a run until it ends."""
        async with aclosing(rest) as answers:
            async for answer in answers:
                if isinstance(answer, Outlook):
                    self._session.foresee(answer)
                else:
                    self._session.receive(*answer, asked=False)
                self.post_message(Answered())

    async def _agreed_upon(self, wish: str) -> LabelService | None:
        """Return the judge, once the annotator has agreed that documents go there; None if not."""
        from trace_tui.tui.dialogs import Sending

        async with self._making:  # one dialog at a time, too
            if self._service is None:
                assert self._make_service is not None
                self._service = await asyncio.to_thread(self._make_service)  # an import that takes a quarter second
            service = self._service
            # That it was agreed upon here may be on its way to the store.
            records = None if self._is_agreed else await asyncio.to_thread(service.needs_consent)
            if records is None:
                return service
            colours = self._board.documents.colours
            if await self.push_screen_wait(Sending(service, wish, self._session.name, records, colours)):
                service.consent()
                self._is_agreed = True
                return service
        self._say("nothing was sent")
        return None

    def _stop(self, worker: Worker[None] | None) -> bool:
        """Cancel a worker; return whether there was one at work."""
        is_working = worker is not None and not worker.is_finished
        if worker is not None and is_working:
            worker.cancel()
        return is_working

    def _end_run(self, how: str) -> None:
        run = self._session.run
        if run is not None and not run.ended:
            self._session.run = replace(run, ended=how, waits_until="")
            self.post_message(Answered())

    # ------------------------------------------------------------------ what follows

    def on_answered(self) -> None:
        """Show what the session knows by now."""
        self._paint()
        self._look_through_stock()

    def on_save_failed(self) -> None:
        """Ask for nothing that cannot be kept."""
        if self._stop(self._run):
            self._end_run("stopped: nothing can be saved")
        self._stop(self._asked)

    async def on_unmount(self) -> None:
        """Close the connections; whatever was asked for is cancelled by then."""
        if self._service is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._service.aclose(), _CLOSING)

    def _say(self, message: str) -> None:
        self._session.message, self._session.hints = message, ()
        self._board.paint_status()
