"""The review app: keys and clicks go to the session, and what it then says is painted. No rule of reviewing is here."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

from textual.app import SystemCommand
from textual.binding import BindingType
from textual.screen import Screen

from trace_tui.display import one_line
from trace_tui.labels import Reason, Verdict
from trace_tui.review import actions
from trace_tui.review.actions import Outcome
from trace_tui.review.desk import Desk
from trace_tui.review.finding import Pane as SessionPane
from trace_tui.tui.asking import Asking
from trace_tui.tui.keys import BY_NAME, KEYS, bindings, shown
from trace_tui.tui.pane import Pane
from trace_tui.tui.rows import document_action_at


class ReviewApp(Asking):
    """One session on the screen, under the keys of the key table."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    # ------------------------------------------------------------------ deciding

    def _act(self, name: str, action: Callable[[Desk], Outcome]) -> None:
        if BY_NAME[name].decides:
            self._decide(lambda: self._session.act(name, action))
        elif self._may_edit():
            self._session.act(name, action)
            self._show_result()

    def action_accept(self) -> None:
        """Accept the sentence in focus; on the last one, the record."""
        self._act("accept", actions.accept_sentence)

    def action_verdict(self, verdict: str) -> None:
        """Say whether the response sentence in focus is supported."""
        self._act(verdict, lambda desk: actions.judge_sentence(desk, Verdict(verdict)))

    def action_reject(self) -> None:
        """Say that the response sentence in focus is not supported at all."""
        self._act("reject", actions.reject)

    def action_reopen(self) -> None:
        """Take back that the record is accepted or skipped."""
        self._act("reopen", actions.reopen)

    def action_accept_record(self) -> None:
        """Accept the whole record."""
        self._decide(self._session.accept_record)

    def action_link_digit(self, digit: int) -> None:
        """Link the document sentence that carries a digit."""
        row = self._board.documents.digit_row(digit)
        if row is None or self._board.rows is None:
            self._session.message = f"no document sentence on the screen carries {digit}"
            self._board.paint_status()
            return
        if self._may_edit():
            self._session.point(self._board.rows.sentence_at(row))  # so that `r` and `u` speak of the same sentence
            self._act("supports", lambda desk: actions.link(desk, desk.cursor_key))

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
        from trace_tui.tui.dialogs import ReasonPicker

        def give(word: str | None) -> None:
            if word is not None:
                self._act("reason", lambda desk: actions.give_reason(desk, Reason(word) if word else None))

        self.push_screen(ReasonPicker(), give)

    def action_note(self) -> None:
        """Ask for a note on the record."""
        from trace_tui.tui.dialogs import Prompt

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

    def action_documents(self, direction: int) -> None:
        """Scroll the documents by half a page, whatever pane is in focus."""
        documents, rows = self._board.documents, self._board.rows
        if rows is not None:
            documents.scroll_lines(direction * max(documents.body_height // 2, 1))
            self._session.point(rows.sentence_at(documents.nearest_in_view()))
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

    def action_next_unreviewed(self) -> None:
        """Open the next record that is neither accepted nor skipped."""
        self._session.open_next_unreviewed()
        self._show_result()

    def action_difference(self) -> None:
        """Go to the next difference between human and judge."""
        self._session.next_difference()
        self._show_result()

    def action_go_to(self) -> None:
        """Ask where to go."""
        from trace_tui.tui.dialogs import Prompt

        def go(text: str | None) -> None:
            if text:
                self._session.go_to(text)
                self._show_result()

        self.push_screen(Prompt("go to record number, id, or sentence (doc_2_s3 or 2d):"), go)

    def action_search(self) -> None:
        """Search in this record."""
        from trace_tui.tui.dialogs import SearchBar

        self.push_screen(SearchBar(self._search), lambda _: self._board.highlight(None))

    def action_help_quit(self) -> None:
        """Say how to leave: Ctrl+C does not, since it is pressed to copy."""
        self._session.message = f"{shown(self._keymap_by_name.get('quit', BY_NAME['quit'].keys))} quits"
        self._board.paint_status()

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
        """Keep cursor and focus in view, so that no key labels what cannot be seen."""
        if event.pane is self._board.response:
            self._session.focus(event.row)
        elif self._board.rows is not None:
            self._session.point(self._board.rows.sentence_at(event.row))
        self._paint()

    # ------------------------------------------------------------------ program

    def action_definition(self) -> None:
        """Score by the other definition."""
        self._session.switch_definition()
        self._paint()

    def action_help(self) -> None:
        """Show the legend and the keys in force."""
        from trace_tui.tui.dialogs import Help
        from trace_tui.tui.help import key_lines, legend

        self.push_screen(Help(legend(), key_lines(self._keymap_by_name), self._board.documents.colours))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Offer every action by name in the palette, before what Textual offers of its own."""
        for key in KEYS:
            if not key.name.startswith("link-") and key.name != "palette":
                keys = shown(self._keymap_by_name.get(key.name, key.keys))
                title = key.name.replace("-", " ").capitalize()
                yield SystemCommand(title, f"{keys}  {key.help}", partial(self.run_action, key.action))
        for command in super().get_system_commands(screen):
            if command.title in _TEXTUALS_OWN:
                yield command


_TEXTUALS_OWN = frozenset({"Theme", "Screenshot"})  # what else it offers has a key here, or breaks the arrangement

_MOUSE_ACTIONS: Mapping[str, Callable[[Desk], Outcome]] = {
    "supports": lambda desk: actions.link(desk, desk.cursor_key),
    "relevant": lambda desk: actions.toggle_relevant(desk, desk.cursor_key),
    "utilized": lambda desk: actions.toggle_utilized(desk, desk.cursor_key),
}
