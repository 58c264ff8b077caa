"""The review app: keys and clicks go to the session, and what it then says is painted. No rule of reviewing is here."""

import gc
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen

from trace_tui.display import one_line
from trace_tui.errors import TraceError
from trace_tui.labels import Reason, Verdict
from trace_tui.review import actions
from trace_tui.review.actions import Outcome
from trace_tui.review.desk import Desk
from trace_tui.review.session import Pane as SessionPane
from trace_tui.review.session import Session
from trace_tui.tui.board import Board, Saver
from trace_tui.tui.keys import BY_NAME, KEYS, REPEAT_SECONDS, bindings, shown
from trace_tui.tui.pane import Pane
from trace_tui.tui.rows import document_action_at
from trace_tui.tui.theme import DARK_THEME, LIGHT_THEME

# Objects more than were freed, before the collector looks through them: some ten records of 20,000 sentences, which
# would stop a key for 20 ms each time. A key leaves no cycle behind and a record some ten objects, so that it can wait.
_GARBAGE = 2_000_000


class Saved(Message):
    """Something was committed: ask the saver how far it is."""


class SaveFailed(Message):
    """A commit failed; it is tried again, and until then no edit is taken: ask the saver why."""


class Ground(Screen[None]):
    """What the board covers: it need not be painted below it."""

    BLANK = True


class ReviewApp(App[TraceError | None]):
    """One session on the screen. Returns what made it end, if that was not the annotator."""

    TITLE = "trace-tui"
    ALLOW_SELECT = False
    ENABLE_COMMAND_PALETTE = True
    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(self, session: Session, saver: Saver, keymap: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.register_theme(DARK_THEME)
        self.register_theme(LIGHT_THEME)
        self.theme = DARK_THEME.name  # not once it is running, for then every style would be worked out again
        self._session = session
        self._saver = saver
        self._keymap_by_name = dict(keymap or {})
        self._board = Board(session, saver, self._keymap_by_name)
        self._last_key = ("", 0.0)
        self._key_is_repeat = False
        self._leaving = False

    # ------------------------------------------------------------------ screen

    def get_default_screen(self) -> Screen[None]:
        """Give the board a screen to stand on."""
        return Ground(id="_default")

    def compose(self) -> ComposeResult:
        """The board is all there is."""
        yield self._board

    def on_mount(self) -> None:
        """Open where the annotator was."""
        self.set_keymap(self._keymap_by_name)
        self._board.response.focus()
        self._board.fit(self.size)
        if self._session.is_ready:
            self._session.resume()
            self._paint()  # so that the first frame shows the record already
            self.call_after_refresh(self._settle)
        else:
            self._session.fault = "getting the sentence splitter ready …"
            self._paint()
            self.run_worker(self._prepare, thread=True, exit_on_error=False)

    def _prepare(self) -> None:
        """Load what takes long, in a thread; the record opens when it is there."""
        try:
            self._session.prepare()
        except TraceError as error:
            self.call_from_thread(self.exit, error)
            return
        self.call_from_thread(self._session.resume)
        self.call_from_thread(self._settle)

    def _settle(self) -> None:
        """Paint with sizes known, and keep the garbage collector from stopping a key (DESIGN, section 6)."""
        self._paint()
        gc.collect()
        gc.freeze()
        gc.set_threshold(_GARBAGE, 50, 1000)

    def on_resize(self, event: events.Resize) -> None:
        """Paint for the new size once the widgets have it."""
        self._board.fit(event.size)
        self.call_after_refresh(self._paint, anew=True)

    def _paint(self, *, anew: bool = False) -> None:
        self._board.paint(anew=anew)

    def on_board_painted(self) -> None:
        """Get the neighbouring records ready while the annotator reads."""
        self.run_worker(self._session.look_ahead, group="look ahead", thread=True, exit_on_error=False)

    # ------------------------------------------------------------------ saving

    def on_saved(self) -> None:
        """Show the mark now that the commit is done."""
        if not self._saver.pending:
            self._session.ledger.all_saved()
            if self._leaving:
                self.exit()
        self._board.paint_header()
        self._board.paint_status()

    def on_save_failed(self) -> None:
        """Say so at once."""
        self._board.paint_header()
        self._board.paint_status()
        if self._leaving:
            self._ask_to_lose()

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
        from trace_tui.tui.dialogs import Unsaved  # noqa: PLC0415

        def answer(lose: bool | None) -> None:  # noqa: FBT001  # a dialog's result
            self._leaving = False
            if lose:
                self.exit()

        if not isinstance(self.screen, Unsaved):
            self.push_screen(Unsaved(self._saver.pending, self._saver.failure, self._board.documents.colours), answer)

    # ------------------------------------------------------------------ keys

    async def on_event(self, event: events.Event) -> None:
        """Note when a key was pressed and whether it is the keyboard's repetition of the one before."""
        if isinstance(event, events.Key) and (event.key, event.time) != self._last_key:
            key, time = self._last_key
            self._key_is_repeat = event.key == key and event.time - time < REPEAT_SECONDS
            self._last_key = (event.key, event.time)
        await super().on_event(event)

    def _may_decide(self) -> bool:
        """Whether a key may decide something: the annotator has seen the record, and pressed the key on purpose."""
        pressed = self._last_key[1]
        painted = self._board.painted_at
        return not self._key_is_repeat and painted is not None and pressed >= painted

    def _act(self, name: str, action: Callable[[Desk], Outcome]) -> None:
        if self._may_edit() and (not BY_NAME[name].decides or self._may_decide()):
            self._session.act(name, action)
            self._show_result()

    def _may_edit(self) -> bool:
        if self._saver.failure:
            self._board.paint_status()
        return not self._saver.failure

    def _show_result(self) -> None:
        if self._session.pane is not None:
            self._board.focus_pane(self._session.pane)
            self._session.pane = None
        self._paint()

    def action_accept(self) -> None:
        """Accept the sentence in focus; on the last one, the record."""
        self._act("accept", actions.accept_sentence)

    def action_verdict(self, verdict: str) -> None:
        """Say whether the response sentence in focus is supported."""
        self._act(verdict, lambda desk: actions.judge_sentence(desk, Verdict(verdict)))

    def action_accept_record(self) -> None:
        """Accept the whole record."""
        if self._may_edit() and self._may_decide():
            self._session.accept_record()
            self._show_result()

    def action_link_digit(self, digit: int) -> None:
        """Link the document sentence that carries a digit."""
        row = self._board.documents.digit_row(digit)
        if row is not None and self._board.rows is not None:
            key = self._board.rows.key_at(row)
            self._act(f"link-{digit}", lambda desk: actions.link(desk, key))

    def action_supports(self) -> None:
        """Link the document sentence under the cursor."""
        self._act("supports", lambda desk: actions.link(desk, desk.cursor_key))

    def action_relevant(self) -> None:
        """Mark it relevant, or not."""
        self._act("relevant", lambda desk: actions.toggle_relevant(desk, desk.cursor_key))

    def action_utilized(self) -> None:
        """Mark it utilized, or not."""
        self._act("utilized", lambda desk: actions.toggle_utilized(desk, desk.cursor_key))

    def action_reset(self) -> None:
        """Go back to the judge's label of the sentence under the cursor of the pane in focus."""
        in_documents = self._board.pane is SessionPane.DOCUMENTS
        self._act("reset", actions.reset_document if in_documents else actions.reset_response)

    def action_reset_record(self) -> None:
        """Go back to all of the judge's labels."""
        self._act("reset-record", actions.reset_record)

    def action_flag(self) -> None:
        """Flag the record."""
        self._act("flag", actions.toggle_flag)

    def action_skip(self) -> None:
        """Leave the record for later."""
        self._act("skip", actions.skip)

    def action_reason(self) -> None:
        """Ask why the sentence needs no document sentence."""
        from trace_tui.tui.dialogs import ReasonPicker  # noqa: PLC0415  # dialogs are not needed for the first paint

        def give(word: str | None) -> None:
            if word is not None:
                self._act("reason", lambda desk: actions.give_reason(desk, Reason(word) if word else None))

        self.push_screen(ReasonPicker(), give)

    def action_note(self) -> None:
        """Ask for a note on the record."""
        from trace_tui.tui.dialogs import Prompt  # noqa: PLC0415

        def write(note: str | None) -> None:
            if note is not None:
                self._act("note", lambda desk: actions.write_note(desk, note))

        if self._session.desk:
            self.push_screen(Prompt("note", self._session.desk.review.note), write)

    def action_adopt(self) -> None:
        """Take over the labels of an earlier content of this record."""
        if self._may_edit():
            self._session.adopt_stale()
            self._show_result()

    def action_undo(self) -> None:
        """Undo the latest own edit."""
        if self._may_edit():
            self._session.undo()
            self._show_result()

    def action_redo(self) -> None:
        """Redo what was undone last."""
        if self._may_edit():
            self._session.redo()
            self._show_result()

    # ------------------------------------------------------------------ moving

    def action_move(self, by: int) -> None:
        """Move in the pane in focus."""
        desk = self._session.desk
        if desk is None:
            return
        if self._board.pane is SessionPane.DOCUMENTS:
            self._session.point(desk.cursor + by)
            self._paint()
        else:
            self.action_focus_by(by)

    def action_focus_by(self, by: int) -> None:
        """Move to another response sentence."""
        if self._session.desk:
            self._session.focus(self._session.desk.focus + by)
            self._paint()

    def action_page(self, by: int) -> None:
        """Move by a screenful."""
        desk = self._session.desk
        if desk is None or self._board.rows is None:
            return
        if self._board.pane is SessionPane.DOCUMENTS:
            self._session.point(self._board.rows.sentence_at(self._board.documents.page_target(by)))
        else:
            self._session.focus(self._board.response.page_target(by))
        self._paint()

    def action_edge(self, direction: int) -> None:
        """Move to the first or the last sentence."""
        desk = self._session.desk
        if desk is None:
            return
        if self._board.pane is SessionPane.DOCUMENTS:
            self._session.point(0 if direction < 0 else len(desk.record.document_keys) - 1)
        else:
            self._session.focus(0 if direction < 0 else len(desk.record.response_keys) - 1)
        self._paint()

    def action_step(self, by: int) -> None:
        """Open the next or the previous record."""
        self._session.step(by)
        self._show_result()

    def action_difference(self) -> None:
        """Go to the next difference between human and judge."""
        self._session.next_difference()
        self._show_result()

    def action_go_to(self) -> None:
        """Ask where to go."""
        from trace_tui.tui.dialogs import Prompt  # noqa: PLC0415

        def go(text: str | None) -> None:
            if text:
                self._session.go_to(text)
                self._show_result()

        self.push_screen(Prompt("go to record number, id or sentence key:"), go)

    def action_search(self) -> None:
        """Search in this record."""
        from trace_tui.tui.dialogs import SearchBar  # noqa: PLC0415

        self.push_screen(SearchBar(self._search), lambda _: self._board.highlight(None))

    def _search(self, term: str, direction: int) -> None:
        """Go to the next sentence that holds a term (or stay on one that does, if the direction is 0)."""
        pattern = re.compile(re.escape(term), re.IGNORECASE) if term else None
        self._board.highlight((lambda text: (m.span() for m in pattern.finditer(text))) if pattern else None)
        if pattern:
            self._session.search(lambda text: bool(pattern.search(one_line(text))), self._board.pane, direction)
            self._show_result()

    def action_other_pane(self) -> None:
        """Go to the other pane."""
        in_documents = self._board.pane is SessionPane.DOCUMENTS
        self._board.focus_pane(SessionPane.RESPONSE if in_documents else SessionPane.DOCUMENTS)

    # ------------------------------------------------------------------ mouse

    def on_pane_clicked(self, event: Pane.Clicked) -> None:
        """Put cursor or focus where the mouse points; on the glyphs before a sentence, turn what they say."""
        if event.pane is self._board.response:
            self._session.focus(event.row)
        elif self._board.rows is not None:
            self._session.point(self._board.rows.sentence_at(event.row))
            if event.column is not None and (action := document_action_at(event.column)):
                self._act(action, _MOUSE_ACTIONS[action])
        self._paint()

    def on_pane_scrolled_away(self, event: Pane.ScrolledAway) -> None:
        """Keep the document cursor in view, so that no key labels what cannot be seen."""
        if event.pane is self._board.documents and self._board.rows is not None:
            self._session.point(self._board.rows.sentence_at(event.row))
            self._paint()

    # ------------------------------------------------------------------ program

    def action_definition(self) -> None:
        """Score by the other definition."""
        self._session.switch_definition()
        self._paint()

    def action_help(self) -> None:
        """Show the legend and the keys in force."""
        from trace_tui.tui.dialogs import Help  # noqa: PLC0415
        from trace_tui.tui.help import key_lines, legend  # noqa: PLC0415

        self.push_screen(Help(legend(), key_lines(self._keymap_by_name), self._board.documents.colours))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every action by name in the palette, before what Textual offers of its own."""
        for key in KEYS:
            if not key.name.startswith("link-") and key.name != "palette":
                keys = shown(self._keymap_by_name.get(key.name, key.keys))
                title = key.name.replace("-", " ").capitalize()
                yield SystemCommand(title, f"{keys}  {key.help}", partial(self.run_action, key.action))
        yield from super().get_system_commands(screen)


_MOUSE_ACTIONS: Mapping[str, Callable[[Desk], Outcome]] = {
    "supports": lambda desk: actions.link(desk, desk.cursor_key),
    "relevant": lambda desk: actions.toggle_relevant(desk, desk.cursor_key),
    "utilized": lambda desk: actions.toggle_utilized(desk, desk.cursor_key),
}
