"""What a pane is given to show: rows that are asked for as they come into view."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from trace_tui.tui.lines import Line
from trace_tui.tui.theme import Role


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


class Content(NamedTuple):
    """What a pane shows: `length` rows, of which `row(n)` is asked for as they come into view.

    `marks` are rows, in order, that must not be missed: the scroll bar and the title say where they are.
    """

    length: int
    row: Callable[[int], Row]
    cursor: int
    title: Line
    marks: Sequence[int] = ()
