"""The whole screen of the review: where each part stands, and what it shows of the session."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from time import monotonic
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message

from trace_tui.display import one_line
from trace_tui.review.desk import Desk
from trace_tui.review.finding import Pane as SessionPane
from trace_tui.review.session import Session
from trace_tui.tui import panel
from trace_tui.tui.content import Content, Row
from trace_tui.tui.footer import Footer
from trace_tui.tui.keys import BY_NAME, shown
from trace_tui.tui.lines import Highlight, Line, Lines, Part
from trace_tui.tui.pane import Pane
from trace_tui.tui.rows import DocumentRows, has_own_words, response_painter
from trace_tui.tui.theme import Role

_WIDE = 104  # columns from which the panel has room beside the sentences
_HUGE = 160  # columns from which documents and response have room side by side
_PATIENCE = 0.4  # seconds that an edit may wait before the mark says so; before that its number is just not counted yet
_MARGIN: Part = (" ", Role.PLAIN)


class Saver(Protocol):
    """Commits what the session submits."""

    def start(self) -> None:
        """Begin to commit; doing it again does nothing."""

    def close(self, patience: float) -> None:
        """Wait at most `patience` seconds until all is saved."""

    @property
    def saved(self) -> int:
        """Edits of this session that are committed."""

    @property
    def pending(self) -> int:
        """Edits submitted and not yet committed."""

    @property
    def submitted(self) -> int:
        """Edits of this session so far."""

    @property
    def waiting(self) -> float:
        """Seconds that the oldest of them has waited, 0 if there is none."""

    @property
    def failure(self) -> str:
        """Why nothing can be saved for now, "" while all is well."""


class Columns(Horizontal):
    """Parts that cover it side by side: it need not be painted below them."""

    BLANK = True


class Stack(Vertical):
    """Parts that cover it above each other: it need not be painted below them."""

    BLANK = True


class Board(Stack):
    """Question on top, sentences below it, scores beside them, keys at the bottom.

    `painted_at` is the monotonic time from which the record on the desk has been on the screen, None before that.
    """

    DEFAULT_CSS: ClassVar[str] = """
    #header { height: 1; background: $panel; }
    #question { height: 2; background: $surface; }
    #body { height: 1fr; }
    #panes { width: 1fr; layout: vertical; }
    #documents { height: 3fr; width: 1fr; }
    #response { height: 2fr; width: 1fr; min-height: 6; }
    #panel { display: none; width: 42; background: $surface; }
    #status { height: 1; }
    #footer { height: 1; background: $panel; }
    Board.-wide #panel { display: block; }
    Board.-wide #question { height: 3; }
    Board.-huge #panes { layout: horizontal; }
    Board.-huge #documents { width: 3fr; height: 1fr; margin-right: 1; }
    Board.-huge #response { width: 2fr; height: 1fr; }
    """

    class Painted(Message):
        """Another record is on the screen."""

    def __init__(self, session: Session, saver: Saver, keymap: Mapping[str, str]) -> None:
        super().__init__()
        self.documents = Pane(id="documents", has_digits=True)
        self.response = Pane(id="response")
        self.rows: DocumentRows | None = None
        self.painted_at: float | None = None
        self._header, self._question = Lines(id="header"), Lines(id="question")
        self._panel, self._status, self._footer = Lines(id="panel"), Lines(id="status"), Footer(id="footer")
        self._session = session
        self._saver = saver
        self._keymap = keymap
        self._shown: Desk | None = None
        self._screen_width = 0

    def compose(self) -> ComposeResult:
        """Put the parts in their places."""
        yield self._header
        yield self._question
        with Columns(id="body"):
            with Stack(id="panes"):
                yield self.documents
                yield self.response
            yield self._panel
        yield self._status
        yield self._footer

    def fit(self, size: Size) -> None:
        """Choose the arrangement for a size of the screen."""
        self._screen_width = size.width
        self.set_class(size.width >= _WIDE, "-wide")
        self.set_class(size.width >= _HUGE, "-huge")

    @property
    def pane(self) -> SessionPane:
        """The pane in focus."""
        return SessionPane.DOCUMENTS if self.documents.has_focus else SessionPane.RESPONSE

    def focus_pane(self, pane: SessionPane) -> None:
        """Put the keyboard's focus on a pane."""
        (self.documents if pane is SessionPane.DOCUMENTS else self.response).focus()

    def highlight(self, highlight: Highlight | None) -> None:
        """Mark what a search finds, in both panes."""
        self.documents.highlight(highlight)
        self.response.highlight(highlight)

    def paint(self, *, anew: bool = False) -> None:
        """Show the session as it now is; `anew` for another screen size. Only lines that differ are repainted."""
        if anew:
            self._shown = None
        desk = self._session.desk
        if desk is None:
            self._paint_fault()
        else:
            self._paint_sentences(desk)
        height = self._question.size.height or 1
        self._question.show(panel.question(desk, self._session.fault, self._screen_width, height))
        if self._panel.display:
            width, height = self._panel.size
            self._panel.show([(_MARGIN, *line) for line in panel.panel(self._session, width - 2, height)])
        self.paint_header()
        self.paint_status()
        self.paint_footer()

    def paint_header(self) -> None:
        """Show dataset, record and the saved mark."""
        self._header.show([panel.header(self._session, self._saved_mark(), self._screen_width)])

    def paint_status(self) -> None:
        """Show what must be said, or on a small screen the scores."""
        line: Line = ()
        if self._saver.failure:
            line = ((f" NOT SAVED: {one_line(_short(self._saver.failure))} · no edits until it works", Role.BAD),)
        elif self._session.message:
            line = ((f" {one_line(self._session.message)}", Role.WARNING), *self._hints(self._session.hints))
        elif self._session.offers_stale:
            key = self._key("adopt")
            line = ((f" labels of an earlier content of this record are kept: {key} takes them over", Role.WARNING),)
        elif self._session.offered:
            said = f" labelled meanwhile by {one_line(self._session.offered)}"
            line = ((said, Role.WARNING), *self._hints(("compare",)))
        elif self._session.desk and self._session.desk.lacks_labels:
            said = f" not labelled yet by {one_line(self._session.compared)}"
            line = ((said, Role.WARNING), *self._hints(("label", "compare")))
        elif not self._panel.display:
            line = ((" ", Role.PLAIN), *panel.strip(self._session))
        self._status.show([line])

    def _hints(self, names: Sequence[str]) -> Line:
        """Return the keys that are likely to come next."""
        return tuple(
            part
            for name in names
            for part in ((f"  {self._key(name)} ", Role.FOCUS), (name.replace("-", " "), Role.DIM))
        )

    def _key(self, name: str) -> str:
        return shown(self._keymap.get(name, BY_NAME[name].keys))

    def paint_footer(self) -> None:
        """Show the keys of the pane in focus."""
        self._footer.show_keys(self._keymap, self.pane)

    def on_descendant_focus(self) -> None:
        """The footer follows the focus."""
        self.paint_footer()

    def _saved_mark(self) -> Part:
        if self._saver.failure:
            return ("✗ NOT SAVED", Role.BAD)
        if self._saver.waiting > _PATIENCE:
            return (f"… saving {self._saver.pending}", Role.WARNING)
        return (f"✓ saved {self._saver.saved or ''}".rstrip(), Role.GOOD)

    def _paint_sentences(self, desk: Desk) -> None:
        before = self._shown
        if before is None or self.rows is None or not _is_same_sheet(before, desk):
            self.rows, before = DocumentRows(desk), None
            self.painted_at = None
            self.call_after_refresh(self._note_painted)
        said = response_painter(desk, lambda: self.response.size)
        cursor = self.rows.row_of(desk.cursor) if desk.record.document_keys else 0
        documents = Content(
            len(self.rows), self.rows.painter(desk), cursor, _documents_title(desk), self.rows.evidence(desk)
        )
        response = Content(len(desk.record.response_keys), said, desk.focus, _response_title(desk))
        if before is None:
            self.documents.open(documents)
            self.response.open(response)
        else:
            self.documents.change(documents)
            self.response.change(response)
        if desk.first_evidence() == desk.cursor and (before is None or before.focus != desk.focus):
            self.documents.show_row(cursor)
        self._shown = desk

    def _paint_fault(self) -> None:
        self._shown, self.rows, self.painted_at = None, None, None
        for pane in (self.documents, self.response):
            pane.open(Content(0, _no_row, 0, ((pane.id or "", Role.TITLE),)))

    def _note_painted(self) -> None:
        self.painted_at = monotonic()
        self.post_message(self.Painted())


def _is_same_sheet(before: Desk, desk: Desk) -> bool:
    """Whether the same sentences stand in the same columns: where the judge is revealed, its column comes in."""
    is_revealed = (before.judge_labels is None) != (desk.judge_labels is None)
    return before.record is desk.record and not is_revealed


def _short(failure: str) -> str:
    """Leave out the folders of the path in front: there is one line, and the reason must stand in it."""
    path, colon, reason = failure.partition(": ")
    return f"{PurePath(path).name}{colon}{reason}"


def _no_row(number: int) -> Row:
    raise IndexError(number)


def _documents_title(desk: Desk) -> Line:
    documents, sentences = len(desk.record.documents), len(desk.record.document_keys)
    judge = " · ru judge" if desk.judge_labels is not None else ""
    signs = f"RU you{judge} · ◆ supports"
    return (("documents", Role.TITLE), (f" {documents} · {sentences} sentences   {signs}", Role.DIM))


def _response_title(desk: Desk) -> Line:
    keys = desk.record.response_keys
    settled = len(keys) if desk.review.is_accepted else len(desk.review.settled)
    decided = f" {settled} of {len(keys)} decided" if keys else " has no sentence"
    return (("response", Role.TITLE), (decided, Role.DIM), (_judge_title(desk), Role.JUDGE))


def _judge_title(desk: Desk) -> str:
    """Name the judge where its verdicts stand, with what must be known of it if they are no verdicts like others."""
    judgement = desk.judgement
    if judgement is None:
        return one_line(f" · not labelled yet by {desk.versus}") if desk.versus else ""
    if desk.judge_labels is None:
        return " · judge hidden"
    caveat = f": {judgement.judge.about}" if has_own_words(judgement.judge) else ""
    return one_line(f" · judge {judgement.judge.title}{caveat}")
