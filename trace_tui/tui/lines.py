"""Text as lines of parts: the one shape in which everything is painted, and a widget that repaints what changed."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.segment import Segment
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

_CACHED_STRIPS: Final = 4_000


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


class Painting(Strip):
    """A strip in no cycle: Textual's own keeps the list of itself, undivided, and only the collector can free that."""

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """Divide at cell positions."""
        places = list(cuts)
        return [self] if places == [self.cell_length] else super().divide(places)


def strip_of(line: Line, width: int, inks: Palette, highlight: Highlight | None = None) -> Strip:
    """Return a line as a strip of exactly `width` cells."""
    segments: list[Segment] = []
    room = width
    for text, role in line if highlight is None else _marked(line, highlight):
        size = cell_len(text)
        if size > room:
            text, size = set_cell_size(text, room), room  # noqa: PLW2901  # the part that fits
        if size:
            segments.append(Segment(text, inks[role]))
            room -= size
    if room:
        segments.append(Segment(" " * room, inks[Role.PLAIN]))
    return Painting(segments, width)


def _marked(line: Line, highlight: Highlight) -> Iterable[Part]:
    """Yield the parts of a line, what the search finds in them as parts of their own."""
    for text, role in line:
        end = 0
        for start, stop in highlight(text):
            yield text[end:start], role
            yield text[start:stop], Role.MATCH
            end = stop
        yield text[end:], role


class Painted(Widget):
    """A widget that paints lines of parts in the colours of the theme in force. It has no border and no padding."""

    _colours: Palette | None = None
    _inks: Palette | None = None

    def __init__(self, *, id: str) -> None:  # noqa: A002  # Textual's own name
        super().__init__(id=id)
        self._strips: dict[Hashable, Strip] = {}
        self._strip_width = 0

    @property
    def colours(self) -> Palette:
        """The style of every role under the theme in force."""
        if self._colours is None:
            self._colours = palette(dark=self.app.current_theme.dark)
        return self._colours

    @property
    def inks(self) -> Palette:
        """The style of every role on this widget's background, as far as the terminal is to show it."""
        if self._inks is None:
            base = self.rich_style
            samples = [Segment(role, base + style) for role, style in self.colours.items()]
            for line_filter in self.get_line_filters():
                samples = line_filter.apply(samples, self.background_colors[1])
            self._inks = {Role(role): style or base for role, style, _ in samples}
        return self._inks

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint rows without Textual's way through borders, padding and opacity, which takes longer than they do."""
        width = self.size.width
        if width != self._strip_width:
            self._strips.clear()
            self._strip_width = width
        strips = [self.render_line(y) for y in crop.line_range]
        return strips if crop.width == width else [strip.crop(*crop.column_span) for strip in strips]

    def strip(self, look: Hashable, paint: Callable[[int], Strip]) -> Strip:
        """Return what `paint` makes of the width, once for each look: a strip remembers how it is written."""
        strip = self._strips.get(look)
        if strip is None:
            if len(self._strips) > _CACHED_STRIPS:
                self._strips.clear()
            strip = self._strips[look] = paint(self._strip_width)
        return strip

    def on_mount(self) -> None:
        """Follow changes of the theme."""
        self.app.theme_changed_signal.subscribe(self, lambda _: self.recolour())

    def notify_style_update(self) -> None:
        """Look the background up anew."""
        super().notify_style_update()
        self._inks = None
        self._strips.clear()

    def recolour(self) -> None:
        """Paint everything anew: the theme is another."""
        self._colours = self._inks = None
        self._strips.clear()
        self.refresh()


class Lines(Painted):
    """Shows lines, one a row, and repaints only those that changed."""

    _lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Show these lines instead."""
        old, self._lines = self._lines, tuple(lines)
        changed = [y for y in range(max(len(old), len(lines))) if _at(old, y) != _at(self._lines, y)]
        if changed:
            width, height = self.size
            self.refresh(*(Region(0, y, width, 1) for y in changed if y < height))

    def render_line(self, y: int) -> Strip:
        """Paint one row."""
        line = _at(self._lines, y)
        return self.strip(line, lambda width: strip_of(line, width, self.inks))


def _at(lines: Sequence[Line], y: int) -> Line:
    return lines[y] if y < len(lines) else ()
