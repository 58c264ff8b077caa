"""A pane of sentences, painted line by line: its cost depends on the screen, not on the length of the document.

The pane knows no total height. It holds an anchor, the sentence at its top, and wraps from there as far as it shows;
going back wraps what stands above the anchor. So a record of 20,000 sentences opens as quickly as one of five.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from trace_tui.display import one_line
from trace_tui.tui.lines import Highlight, Line, Painted, strip_of, width_of, wrap
from trace_tui.tui.theme import Role

_CACHED_STRIPS = 4_000
_DIGITS = 9


class Row(NamedTuple):
    """What one sentence looks like apart from its wrapped text.

    `gutter` stands before the first line (after the digit), `role` colours the text, `after` are lines below it.
    A row without `key` is a heading.
    """

    key: str
    text: str
    gutter: Line
    role: Role
    after: tuple[Line, ...] = ()


class Spot(NamedTuple):
    """A line of a sentence: number of the row, number of the line within it."""

    row: int
    line: int


class Pane(Painted, can_focus=True):
    """Shows rows with a cursor on one of them."""

    class Clicked(Message):
        """A row was clicked, at a column of its gutter (from 0 after the digit) or in its text (None)."""

        def __init__(self, pane: "Pane", row: int, column: int | None) -> None:
            self.pane = pane
            self.row = row
            self.column = column
            super().__init__()

        @property
        def control(self) -> "Pane":
            """The pane."""
            return self.pane

    class ScrolledAway(Message):
        """The mouse scrolled the cursor out of view; `row` is the nearest one in view."""

        def __init__(self, pane: "Pane", row: int) -> None:
            self.pane = pane
            self.row = row
            super().__init__()

        @property
        def control(self) -> "Pane":
            """The pane."""
            return self.pane

    def __init__(self, *, id: str, has_digits: bool = False) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.cursor = 0
        self._count = 0
        self._row: Callable[[int], Row] = lambda _: Row("", "", (), Role.PLAIN)
        self._title: Line = ()
        self._has_digits = has_digits
        self._highlight: Highlight | None = None
        self._anchor = Spot(0, 0)
        self._spots: list[Spot | None] = []
        self._digits: dict[int, int] = {}
        self._first_lines: dict[int, int] = {}
        self._wrapped: dict[int, list[str]] = {}
        self._strips: dict[tuple[object, ...], Strip] = {}

    # ------------------------------------------------------------------ content

    def open(self, count: int, row: Callable[[int], Row], cursor: int, title: Line) -> None:
        """Show other rows: `row(n)` is asked for as they come into view."""
        self._count, self._row, self._title, self.cursor = count, row, title, cursor
        self._wrapped.clear()
        self._strips.clear()
        self._anchor = Spot(0, 0)
        self._lay_out()
        self._bring_into_view(cursor)
        self.refresh()

    def change(self, row: Callable[[int], Row], cursor: int, title: Line) -> None:
        """Show the same sentences in another state; repaints only the lines that look different now."""
        before = [self._look(y) for y in range(len(self._spots))]
        dirty = [0] if title != self._title else []
        place = (self.cursor, self._height(self.cursor))
        self._row, self._title, self.cursor = row, title, cursor
        self._lay_out()
        if (cursor, self._height(cursor)) != place:  # else the view stays where the mouse put it
            self._bring_into_view(cursor)
        dirty += [y + 1 for y, look in enumerate(before) if self._look(y) != look]
        if dirty:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in dirty))

    def _look(self, y: int) -> object:
        spot = self._spots[y]
        return (spot, self._row(spot.row), spot.row == self.cursor, self._digit_at(spot)) if spot else None

    def highlight(self, highlight: Highlight | None) -> None:
        """Mark what a search finds."""
        self._highlight = highlight
        self._strips.clear()
        self.refresh()

    @property
    def body_height(self) -> int:
        """Lines below the title."""
        return max(self.size.height - 1, 0)

    def digit_row(self, digit: int) -> int | None:
        """Return the row on screen that carries a digit from 1 to 9, None if none does."""
        return next((row for row, number in self._digits.items() if number == digit), None)

    # ------------------------------------------------------------------ moving

    def show_row(self, row: int) -> None:
        """Scroll so that a row stands at the top, a heading's height below it, unless it is in full view already."""
        if not self._is_in_view(row):
            self._anchor = self._back(Spot(row, 0), 1)
            self._lay_out()
            self.refresh()

    def page_target(self, by: int) -> int:
        """Scroll by pages and return the row that the cursor should go to."""
        self.scroll_lines(by * max(self.body_height - 1, 1))
        rows = [spot.row for spot in self._spots if spot and spot.line == 0] or [self.cursor]
        return rows[0] if by < 0 else rows[-1]

    def scroll_lines(self, lines: int) -> None:
        """Move the view, the cursor stays where it is."""
        anchor = self._forward(self._anchor, lines) if lines > 0 else self._back(self._anchor, -lines)
        if lines > 0:
            anchor = min(anchor, self._last_anchor())
        if anchor != self._anchor:
            self._anchor = anchor
            self._lay_out()
            self.refresh()

    def _last_anchor(self) -> Spot:
        return self._back(Spot(max(self._count - 1, 0), 0), self.body_height - self._height(self._count - 1))

    def _is_in_view(self, row: int) -> bool:
        visible = [spot.line for spot in self._spots if spot and spot.row == row]
        return len(visible) == self._height(row)

    def _bring_into_view(self, row: int) -> bool:
        """Scroll as little as needed; return whether that moved anything."""
        if not self._count or not self.body_height or self._is_in_view(row):
            return False
        if Spot(row, 0) <= self._anchor or self._height(row) >= self.body_height:
            anchor = Spot(row, 0)
        else:
            anchor = self._back(Spot(row, 0), self.body_height - self._height(row))
        if anchor == self._anchor:
            return False
        self._anchor = anchor
        self._lay_out()
        return True

    def _forward(self, spot: Spot, lines: int) -> Spot:
        row, line = spot
        line += lines
        while row < self._count - 1 and line >= (height := self._height(row)):
            row, line = row + 1, line - height
        return Spot(row, min(line, max(self._height(row) - 1, 0)))

    def _back(self, spot: Spot, lines: int) -> Spot:
        row, line = spot
        line -= lines
        while row > 0 and line < 0:
            row -= 1
            line += self._height(row)
        return Spot(row, max(line, 0))

    # ------------------------------------------------------------------ layout

    def on_resize(self) -> None:
        """Wrap to the new width."""
        self._wrapped.clear()
        self._strips.clear()
        self._lay_out()
        self._bring_into_view(self.cursor)

    def _lay_out(self) -> None:
        """Say which line of which row each line of the screen shows, and which rows carry digits."""
        spots: list[Spot | None] = []
        row, line = self._anchor
        while len(spots) < self.body_height and row < self._count:
            height = self._height(row)
            spots += [Spot(row, n) for n in range(line, height)]
            row, line = row + 1, 0
        del spots[self.body_height :]
        self._spots = spots + [None] * (self.body_height - len(spots))
        self._digits = dict(self._number()) if self._has_digits else {}
        self._first_lines = {spot.row: spot.line for spot in reversed(spots) if spot}

    def _number(self) -> Iterator[tuple[int, int]]:
        digit = 0
        for spot in self._spots:
            if spot and digit < _DIGITS and (spot.line == 0 or spot == self._spots[0]) and self._row(spot.row).key:
                digit += 1
                yield spot.row, digit

    def _digit_at(self, spot: Spot) -> int | None:
        is_first = self._first_lines.get(spot.row) == spot.line
        return self._digits.get(spot.row) if is_first else None

    def _height(self, row: int) -> int:
        return len(self._body(row)) + len(self._row(row).after) if 0 <= row < self._count else 0

    def _body(self, row: int) -> list[str]:
        lines = self._wrapped.get(row)
        if lines is None:
            content = self._row(row)
            indent = width_of(content.gutter) + self._lead_width
            lines = self._wrapped[row] = wrap(one_line(content.text).strip(), self.size.width - indent - 2)
        return lines

    @property
    def _lead_width(self) -> int:
        return 3 if self._has_digits else 1

    # ------------------------------------------------------------------ painting

    def render_line(self, y: int) -> Strip:
        """Paint one line of the screen."""
        base, width = self.rich_style, self.size.width
        if y == 0:
            return self._paint_title(base, width)
        spot = self._spots[y - 1] if y <= len(self._spots) else None
        if spot is None:
            return Strip.blank(width, base)
        row = self._row(spot.row)
        is_current = spot.row == self.cursor
        thumb = self._thumb(y)
        state = (spot, row, is_current, self.has_focus, self._digit_at(spot), thumb, width)
        strip = self._strips.get(state)
        if strip is None:
            if len(self._strips) > _CACHED_STRIPS:
                self._strips.clear()
            line = (*self._lead(spot, is_current=is_current), *self._text_line(spot, row))
            highlight = self._highlight if row.key else None
            strip = strip_of(line, width - 1, self.colours, base, highlight)
            strip = Strip.join([strip, strip_of((thumb,), 1, self.colours, base)])
            self._strips[state] = strip
        return strip

    def _paint_title(self, base: Style, width: int) -> Strip:
        rule = Role.FOCUS if self.has_focus else Role.RULE
        line = (("━━" if self.has_focus else "──", rule), (" ", Role.PLAIN), *self._title, (" ", Role.PLAIN))
        fill = max(width - width_of(line), 0)
        return strip_of((*line, (("━" if self.has_focus else "─") * fill, rule)), width, self.colours, base)

    def _lead(self, spot: Spot, *, is_current: bool) -> Line:
        bar = ("▌" if is_current else " ", Role.FOCUS if self.has_focus else Role.DIM)
        if not self._has_digits:
            return (bar,)
        digit = self._digit_at(spot)
        return (bar, (f"{digit} " if digit else "  ", Role.DIGIT))

    def _text_line(self, spot: Spot, row: Row) -> Line:
        body = self._body(spot.row)
        if spot.line >= len(body):
            return row.after[spot.line - len(body)]
        text = (body[spot.line], row.role)
        if spot.line == 0:
            return (*row.gutter, text)
        return ((" " * width_of(row.gutter), Role.PLAIN), text)

    def _thumb(self, y: int) -> tuple[str, Role]:
        """The scroll bar: how far down the rows the view is, by row, since heights are not known."""
        shown = [spot.row for spot in self._spots if spot]
        if not shown or (shown[0] == 0 and shown[-1] == self._count - 1):
            return (" ", Role.RULE)
        first = shown[0] * self.body_height // self._count
        last = max(first, shown[-1] * self.body_height // self._count)
        return ("┃", Role.DIM) if first <= y - 1 <= last else ("│", Role.RULE)

    def recolour(self) -> None:
        """Paint everything anew: the theme is another."""
        self._strips.clear()
        super().recolour()

    # ------------------------------------------------------------------ mouse

    def on_click(self, event: events.Click) -> None:
        """Say which row was clicked, and where."""
        spot = self._spots[event.y - 1] if 0 < event.y <= len(self._spots) else None
        if spot is None:
            return
        column = event.x - self._lead_width
        gutter = width_of(self._row(spot.row).gutter)
        self.post_message(self.Clicked(self, spot.row, column if column < gutter and spot.line == 0 else None))

    def on_mouse_scroll_down(self) -> None:
        """Scroll three lines."""
        self._scroll_by_mouse(3)

    def on_mouse_scroll_up(self) -> None:
        """Scroll back three lines."""
        self._scroll_by_mouse(-3)

    def _scroll_by_mouse(self, lines: int) -> None:
        self.scroll_lines(lines)
        shown = [spot.row for spot in self._spots if spot]
        if shown and self.cursor not in shown:
            self.post_message(self.ScrolledAway(self, shown[0] if lines > 0 else shown[-1]))
