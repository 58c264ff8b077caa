"""A pane of sentences, painted line by line: its cost depends on the screen, not on the length of the document.

The pane knows no total height. It holds an anchor, the sentence at its top, and wraps from there as far as it shows;
going back wraps what stands above the anchor. So a record of 20,000 sentences opens as quickly as one of five.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from trace_tui.display import one_line
from trace_tui.tui.content import Content, Row, Spot
from trace_tui.tui.lines import Highlight, Line, Painted, Painting, Part, strip_of, width_of, wrap
from trace_tui.tui.theme import Role

_DIGITS = 9
_MARGIN = 3  # lines kept in view beyond the cursor, so that what follows can be read


class Look(NamedTuple):
    """All that a line of the screen depends on; two that are equal look the same."""

    spot: Spot
    row: Row
    is_first: bool
    is_current: bool
    digit: int | None
    thumb: Part


class _AboutRow(Message):
    def __init__(self, pane: "Pane", row: int) -> None:
        self.pane = pane
        self.row = row
        super().__init__()

    @property
    def control(self) -> "Pane":
        """The pane that says so."""
        return self.pane


class Pane(Painted, can_focus=True):
    """Shows rows with a cursor on one of them."""

    class Clicked(_AboutRow):
        """A row was clicked, at a column of its gutter (from 0 after the digit) or in its text (None)."""

        def __init__(self, pane: "Pane", row: int, column: int | None) -> None:
            self.column = column
            super().__init__(pane, row)

    class ScrolledAway(_AboutRow):
        """The mouse scrolled the cursor out of view; `row` is the nearest one in view."""

    def __init__(self, *, id: str, has_digits: bool = False) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self.cursor = 0
        self._count = 0
        self._row: Callable[[int], Row] = lambda _: Row("", "", (), Role.PLAIN)
        self._title: Line = ()
        self._marks: Sequence[int] = ()
        self._has_digits = has_digits
        self._highlight: Highlight | None = None
        self._anchor = Spot(0, 0)
        self._spots: list[Spot] = []
        self._looks: list[Look] = []
        self._digits: dict[int, int] = {}
        self._first_lines: dict[int, int] = {}
        self._wrapped: dict[int, list[str]] = {}
        self._wrapped_for = Size(0, 0)

    # ------------------------------------------------------------------ content

    def open(self, content: Content) -> None:
        """Show other rows."""
        title = self._take_in(content)
        self._wrapped.clear()
        self._anchor = Spot(0, 0)
        self._lay_out()
        self._bring_into_view(self.cursor)
        self._looks = self._look_over()
        self._title = self._with_marks(title)
        self.refresh()

    def change(self, content: Content) -> None:
        """Show the same sentences in another state; repaints only the lines that look different now."""
        place = (self.cursor, self._height(self.cursor))
        title = self._take_in(content)
        if not self._has_digits:  # document sentences keep their heights; below a response sentence lines come and go
            self._lay_out()
        if (self.cursor, self._height(self.cursor)) != place:  # else the view stays where the mouse put it
            self._bring_into_view(self.cursor)
        before, self._looks = self._looks, self._look_over()
        old_title, self._title = self._title, self._with_marks(title)
        dirty = [0] if self._title != old_title else []
        dirty += [y for y, (was, now) in enumerate(zip_longest(before, self._looks), 1) if was != now]
        if dirty:
            width = self.size.width
            self.refresh(*(Region(0, y, width, 1) for y in dirty))

    def _take_in(self, content: Content) -> Line:
        self._count, row, self.cursor, title, self._marks = content
        self._row = cache(row)  # laying out, comparing and painting ask for the same few
        return title

    def _with_marks(self, title: Line) -> Line:
        """Return the title with how many marked rows are out of view, and which way."""
        if not self._marks or not self._spots:
            return title
        above = bisect_left(self._marks, self._spots[0].row)
        below = len(self._marks) - bisect_right(self._marks, self._spots[-1].row)
        hidden = " ".join(f"{count}{arrow}" for count, arrow in ((above, "↑"), (below, "↓")) if count)
        return (*title, (f"   ◆ {hidden}", Role.WARNING)) if hidden else title

    def _look_over(self) -> list[Look]:
        """Return what each line of the screen looks like."""
        rows = {row: self._row(row) for row in self._first_lines}
        thumb = self._thumb()
        return [
            Look(
                spot,
                rows[spot.row],
                is_first=self._first_lines[spot.row] == spot.line,
                is_current=spot.row == self.cursor,
                digit=self._digit_at(spot),
                thumb=thumb(y),
            )
            for y, spot in enumerate(self._spots)
        ]

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
            self._looks = self._look_over()
            self.refresh()

    def page_target(self, by: int) -> int:
        """Scroll by pages and return the row that the cursor should go to."""
        self.scroll_lines(by * max(self.body_height - 1, 1))
        rows = [row for row in self._first_lines if self._is_in_view(row)] or [self.cursor]
        return min(rows) if by < 0 else max(rows)

    def scroll_lines(self, lines: int) -> None:
        """Move the view, the cursor stays where it is."""
        anchor = self._forward(self._anchor, lines) if lines > 0 else self._back(self._anchor, -lines)
        if lines > 0:
            anchor = min(anchor, self._last_anchor())
        if anchor != self._anchor:
            self._anchor = anchor
            self._lay_out()
            self._looks = self._look_over()
            self.refresh()

    def _last_anchor(self) -> Spot:
        return self._back(Spot(max(self._count - 1, 0), 0), self.body_height - self._height(self._count - 1))

    def _is_in_view(self, row: int) -> bool:
        visible = [spot.line for spot in self._spots if spot.row == row]
        return len(visible) == self._height(row)

    def _bring_into_view(self, row: int) -> bool:
        """Scroll as little as needed; return whether that moved anything."""
        if not self._count or not self.body_height or self._is_in_view(row):
            return False
        room = max(self.body_height - self._height(row), 0)
        margin = min(_MARGIN, room // 2)
        if Spot(row, 0) <= self._anchor:
            anchor = self._back(Spot(row, 0), margin)
        else:
            anchor = self._back(Spot(row, 0), room - margin)
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

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows, wrapped to the size at hand: a new size is painted before the event that tells of it."""
        if self.size != self._wrapped_for:
            self._wrapped_for = self.size
            self._wrapped.clear()
            self._lay_out()
            self._bring_into_view(self.cursor)
            self._looks = self._look_over()
        return super().render_lines(crop)

    def _lay_out(self) -> None:
        """Say which line of which row each line of the screen shows, and which rows carry digits."""
        spots: list[Spot] = []
        room = self.body_height
        row, line = self._anchor
        while len(spots) < room and row < self._count:
            spots += [Spot(row, n) for n in range(line, self._height(row))]
            row, line = row + 1, 0
        del spots[room:]
        self._spots = spots
        self._digits = dict(self._number()) if self._has_digits else {}
        self._first_lines = {spot.row: spot.line for spot in reversed(spots)}

    def _number(self) -> Iterator[tuple[int, int]]:
        digit = 0
        for spot in self._spots:
            if digit < _DIGITS and (spot.line == 0 or spot == self._spots[0]) and self._row(spot.row).key:
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
        focus = self.has_focus
        if y == 0:
            return self.strip((self._title, focus), self._paint_title)
        if y > len(self._looks):
            return self.strip(None, lambda width: strip_of((), width, self.inks))
        look = self._looks[y - 1]
        return self.strip((look, focus), lambda width: self._paint(look, width))

    def _paint(self, look: Look, width: int) -> Strip:
        highlight = self._highlight if look.row.key else None
        line = (*self._lead(look), *self._text_line(look))
        glyph, role = look.thumb
        return Painting([*strip_of(line, width - 1, self.inks, highlight), Segment(glyph, self.inks[role])], width)

    def _paint_title(self, width: int) -> Strip:
        rule = Role.FOCUS if self.has_focus else Role.RULE
        line = (("━━" if self.has_focus else "──", rule), (" ", Role.PLAIN), *self._title, (" ", Role.PLAIN))
        fill = max(width - width_of(line), 0)
        return strip_of((*line, (("━" if self.has_focus else "─") * fill, rule)), width, self.inks)

    def _lead(self, look: Look) -> Line:
        bar = ("▌" if look.is_current else " ", Role.FOCUS if self.has_focus else Role.DIM)
        if not self._has_digits:
            return (bar,)
        return (bar, (f"{look.digit} " if look.digit else "  ", Role.DIGIT))

    def _text_line(self, look: Look) -> Line:
        spot, row, *_ = look
        body = self._body(spot.row)
        if spot.line >= len(body):
            return row.after[spot.line - len(body)]
        text = (body[spot.line], row.role)
        if look.is_first:  # of a row that begins above the view, too: a digit is not to stand there without its key
            return (*row.gutter, text)
        return ((" " * width_of(row.gutter), Role.PLAIN), text)

    def _thumb(self) -> Callable[[int], Part]:
        """Return the scroll bar: how far down the rows the view is, by row, since heights are not known."""
        height, count = len(self._spots), self._count
        if not height or (self._spots[0].row == 0 and self._spots[-1].row == count - 1):
            return lambda _: (" ", Role.RULE)
        first = self._spots[0].row * height // count
        last = max(first, self._spots[-1].row * height // count)
        marked = {row * height // count for row in self._marks}

        def thumb(y: int) -> Part:
            if y in marked:
                return ("◆", Role.SUPPORTED)
            return ("┃", Role.DIM) if first <= y <= last else ("│", Role.RULE)

        return thumb

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
        if (row := self.nearest_in_view()) != self.cursor:
            self.post_message(self.ScrolledAway(self, row))

    def nearest_in_view(self) -> int:
        """Return the row in view that is nearest to the cursor: the cursor's own if it is in view."""
        return max(self._spots[0].row, min(self.cursor, self._spots[-1].row)) if self._spots else self.cursor
