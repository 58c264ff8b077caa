"""Text as lines of parts: the one shape in which everything is painted, and a widget that repaints what changed."""

from collections.abc import Callable, Iterable, Sequence

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from trace_tui.tui.theme import Palette, Role, palette

Part = tuple[str, Role]
"""A piece of text that is safe to show, and what it means."""

Line = tuple[Part, ...]
"""Parts side by side."""

Highlight = Callable[[str], Iterable[tuple[int, int]]]
"""Finds the ranges of a text that match a search."""


def width_of(line: Line) -> int:
    """Return the width of a line in cells."""
    return sum(cell_len(text) for text, _ in line)


def wrap(text: str, width: int) -> list[str]:
    """Break text into lines of at most `width` cells, at spaces where there are any.

    Every character but the spaces at which a line is broken stays; a word that is wider than a line is cut.
    """
    width = max(width, 2)  # a wide character needs two cells
    measure: Callable[[str], int] = len if text.isascii() else cell_len
    if measure(text) <= width:
        return [text]
    lines: list[str] = []
    line, used = "", 0
    for word in text.split(" "):
        size = measure(word)
        if line and used + 1 + size <= width:
            line, used = f"{line} {word}", used + 1 + size
            continue
        if line:
            lines.append(line)
        *full, line = _chop(word, width) if size > width else [word]
        lines += full
        used = measure(line)
    return [*lines, line]


def _chop(word: str, width: int) -> list[str]:
    if word.isascii():
        return [word[start : start + width] for start in range(0, len(word), width)]
    return chop_cells(word, width)


def strip_of(line: Line, width: int, colours: Palette, base: Style, highlight: Highlight | None = None) -> Strip:
    """Return a line as a strip of exactly `width` cells."""
    segments = [
        Segment(piece, base + colours[role])
        for text, part_role in line
        for piece, role in _pieces(text, part_role, highlight)
    ]
    return Strip(segments).adjust_cell_length(width, base).simplify()


def _pieces(text: str, role: Role, highlight: Highlight | None) -> Iterable[Part]:
    end = 0
    for start, stop in highlight(text) if highlight else ():
        yield text[end:start], role
        yield text[start:stop], Role.MATCH
        end = stop
    yield text[end:], role


class Painted(Widget):
    """A widget that paints lines of parts in the colours of the theme in force."""

    _colours: Palette | None = None

    @property
    def colours(self) -> Palette:
        """The style of every role under the theme in force."""
        if self._colours is None:
            self._colours = palette(dark=self.app.current_theme.dark)
        return self._colours

    def on_mount(self) -> None:
        """Follow changes of the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self.recolour())

    def recolour(self) -> None:
        """Paint everything anew: the theme is another."""
        self._colours = None
        self.refresh()


class Lines(Painted):
    """Shows lines, one a row, and repaints only those that changed."""

    _lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines instead."""
        old, self._lines = self._lines, tuple(lines)
        changed = [y for y in range(max(len(old), len(lines))) if _at(old, y) != _at(self._lines, y)]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed if y < self.size.height))

    def render_line(self, y: int) -> Strip:
        """Paint one row."""
        return strip_of(_at(self._lines, y), self.size.width, self.colours, self.rich_style)


def _at(lines: Sequence[Line], y: int) -> Line:
    return lines[y] if y < len(lines) else ()
