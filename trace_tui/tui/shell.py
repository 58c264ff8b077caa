"""The app around the board: opening, painting, saving, leaving, and what was pressed when."""

import asyncio
import gc
import select
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from trace_tui.errors import SignalledError, TraceError
from trace_tui.review.session import Session
from trace_tui.review.stock import CancelledError, Stock
from trace_tui.tui.board import Board, Saver
from trace_tui.tui.presses import Presses
from trace_tui.tui.theme import DARK_THEME, LIGHT_THEME

_LOOK_ROUND = 2.0  # seconds between two looks at whether the terminal is still there

# Objects more than were freed, before the collector looks through them: some ten records of 20,000 sentences, which
# would stop a key for 20 ms each time. A key leaves no cycle behind and a record some ten objects, so that it can wait.
_GARBAGE = 2_000_000


_LAST_COMMIT = 5.0  # seconds that a program without a terminal goes on for what is not saved yet
_WAITING = 0.5  # seconds after an edit when the mark is looked at again


class Saved(Message):
    """Something was committed: ask the saver how far it is."""


class SaveFailed(Message):
    """A commit failed; it is tried again, and until then no edit is taken: ask the saver why."""


class Ground(Screen[None]):
    """What the board covers: it need not be painted below it."""

    BLANK = True


class Shell(App[Exception | None]):
    """What any work on a session needs of an app; it returns what made it end, if that was not the annotator."""

    TITLE = "trace-tui"
    ALLOW_SELECT = False
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self, session: Session, saver: Saver, keymap: Mapping[str, str] | None = None, *, light: bool = False
    ) -> None:
        super().__init__()
        self.register_theme(DARK_THEME)
        self.register_theme(LIGHT_THEME)
        # Not once it is running, for then every style would be worked out again.
        self.theme = LIGHT_THEME.name if light else DARK_THEME.name
        self._session = session
        self._saver = saver
        self._keymap_by_name = dict(keymap or {})
        self._board = Board(session, saver, self._keymap_by_name)
        self._presses = Presses()
        self._is_preparing = False
        self._is_mark_due = False
        self._is_taking_stock = False
        self._leaving = False

    # ------------------------------------------------------------------ screen

    def get_default_screen(self) -> Screen[None]:
        """Give the board a screen to stand on."""
        return Ground(id="_default")

    def compose(self) -> ComposeResult:
        """The board is all there is."""
        self._board.fit(self.size)
        yield self._board

    def on_mount(self) -> None:
        """Open where the annotator was."""
        self._end_on_signals()
        self.set_keymap(self._keymap_by_name)
        if not self.is_headless:
            self.set_interval(_LOOK_ROUND, self._hang_up_if_alone)
        self._board.response.focus()
        if self._session.is_ready:
            self._session.resume()
            self._paint()  # so that the first frame shows the record already
            self.call_after_refresh(self._settle)
        else:
            self._is_preparing = True
            self._session.fault = "getting the sentence splitter ready …"
            self._paint()
            self.run_worker(self._prepare, thread=True)

    def _prepare(self) -> None:
        """Load what takes long, in a thread; the record opens when it is there."""
        try:
            self._session.prepare()
        except TraceError as error:
            self.call_from_thread(self.exit, error)
        else:
            self.call_from_thread(self._open_prepared)

    def _open_prepared(self) -> None:
        self._is_preparing = False
        self._session.resume()
        self._settle()

    def _settle(self) -> None:
        """Paint with sizes known, and keep the garbage collector from stopping a key."""
        self._paint()
        self._saver.start()  # only now: a new database takes a while to be made
        self._look_through_stock()
        gc.collect()
        gc.freeze()
        gc.set_threshold(_GARBAGE, 50, 1000)
        gc.enable()

    def _look_through_stock(self) -> None:
        """Have stock taken, if that is wanted and not being done already."""
        if self._session.wants_stock and not self._is_taking_stock:
            self._is_taking_stock = True
            self.run_worker(self._take_stock, group="take stock", thread=True, exit_on_error=False)

    def _take_stock(self) -> None:
        """Find what was reviewed before, in a thread: it takes a second for some thousand records."""
        worker = get_current_worker()
        try:
            stock = self._session.take_stock(lambda: worker.is_cancelled)
        except CancelledError:
            self._is_taking_stock = False
        except TraceError as error:
            self._session.message = str(error)
            self.call_from_thread(self._end_taking_stock, None)
        else:
            self.call_from_thread(self._end_taking_stock, stock)

    def _end_taking_stock(self, stock: Stock | None) -> None:
        """Use what was found; None if nothing could be."""
        self._is_taking_stock = False
        if stock is not None:
            self._session.take_over(stock)
            self._look_through_stock()  # against the judge in use, where that is another by now
        self._paint()

    def on_resize(self, event: events.Resize) -> None:
        """Paint for the new size once the widgets have it."""
        self._board.fit(event.size)
        self.call_after_refresh(self._paint, anew=True)

    def _paint(self, *, anew: bool = False) -> None:
        self._board.paint(anew=anew)

    def on_board_painted(self) -> None:
        """Get the neighbouring records ready while the annotator reads."""
        self.run_worker(self._session.look_ahead, group="look ahead", thread=True, exit_on_error=False)

    def _hang_up_if_alone(self) -> None:
        """End as a terminal that goes would end it, where nobody does, as behind `docker exec`: input would spin."""
        terminal = select.poll()
        terminal.register(sys.stdin.fileno(), 0)  # that it hung up is told whatever one asks for
        if terminal.poll(0) and not self._saver.pending:
            signal.raise_signal(signal.SIGHUP)

    # ------------------------------------------------------------------ saving

    def on_saved(self) -> None:
        """Show the mark now that the commit is done.

        At once: its small frame ends 2 ms after the key's own (p99 of both 16), while one that came later would fall
        into the frames of keys to come.
        """
        if self._leaving and not self._saver.pending:
            self.exit()
        self._board.paint_header()
        self._board.paint_status()

    def _look_at_mark(self) -> None:
        """Say so if what was done a moment ago is still not saved."""
        self._is_mark_due = False
        self._board.paint_header()

    def on_save_failed(self) -> None:
        """Say so at once."""
        self._board.paint_header()
        self._board.paint_status()
        if self._leaving:
            self._ask_to_lose()

    def _end_on_signals(self) -> None:
        """End as by `q` when told to; where the terminal goes away, save and be gone: there is no screen to restore."""
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on every system, nor off the main thread
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self.exit, SignalledError(signal.SIGTERM))
            loop.add_signal_handler(signal.SIGHUP, self._hang_up)

    def _hang_up(self) -> None:
        self._saver.close(_LAST_COMMIT)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        signal.raise_signal(signal.SIGHUP)

    def _handle_exception(self, error: Exception) -> None:
        """End with the error: whoever started the app says it in one line."""
        if self.is_headless:  # a test, which wants it raised
            super()._handle_exception(error)
        else:
            self.exit(error)

    async def action_leave(self) -> None:
        """Quit as soon as all is saved."""
        self._leaving = True
        if self._saver.failure:
            self._ask_to_lose()
        elif not self._saver.pending:
            self.exit()

    async def action_quit(self) -> None:
        """Quit, by whatever Textual binds to that, as `q` does."""
        await self.action_leave()

    def _ask_to_lose(self) -> None:
        from trace_tui.tui.dialogs import Unsaved

        def answer(lose: bool | None) -> None:  # noqa: FBT001  # a dialog's result
            self._leaving = False
            if lose:
                self.exit()

        if not isinstance(self.screen, Unsaved):
            self.push_screen(Unsaved(self._saver.pending, self._saver.failure, self._board.documents.colours), answer)

    # ------------------------------------------------------------------ keys

    async def on_event(self, event: events.Event) -> None:
        """Note what is pressed and when, before anything acts on it."""
        if isinstance(event, events.Key | events.MouseDown) and self._presses.note(event):
            self._take_back_repetition()
        await super().on_event(event)

    def _take_back_repetition(self) -> None:
        self._presses.decided = None
        self._session.undo()
        self._session.message = "the key was held down: what its repetition decided is taken back"
        self._show_result()

    def _may_decide(self) -> bool:
        """Whether what is acted upon may decide something; if not, say so."""
        if self._presses.may_decide(self._board.painted_at):
            return True
        self._session.message = "not taken: pressed too soon after the same key, or before this record was shown"
        self._board.paint_status()
        return False

    def _decide(self, change: Callable[[], object]) -> None:
        """Do what decides something, and remember the press that did it."""
        if self._may_edit() and self._may_decide():
            before = self._saver.submitted
            change()
            if self._saver.submitted != before:
                self._presses.take_note_of_decision()
            self._show_result()

    async def run_action(self, *arguments: Any, **options: Any) -> bool:
        """Do what a key, a click or the palette asks for; a store that cannot be read just now is said, and no more."""
        if self._is_preparing and not str(arguments[0]).endswith(("leave", "quit")):
            return True
        try:
            return await super().run_action(*arguments, **options)
        except TraceError as error:
            self._session.message = str(error)
            self._paint()
            return True

    def _may_edit(self) -> bool:
        if self._saver.failure:
            self._board.paint_status()
        return not self._saver.failure

    def _show_result(self) -> None:
        if self._saver.pending and not self._is_mark_due:
            self._is_mark_due = True
            self.set_timer(_WAITING, self._look_at_mark)
        if self._session.pane is not None:
            self._board.focus_pane(self._session.pane)
            self._session.pane = None
        self._paint()
