"""What a page is made of, as plain values: the template knows how each looks, and nothing of where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

from markupsafe import Markup

from trace_tui.display import figure
from trace_tui.scoring import Tier
from trace_tui.scoring.diagnosis import Finding
from trace_tui.scoring.figures import Figure, Interval
from trace_tui.scoring.means import Mean

LONGEST_NAME: Final = 120


class Cell(NamedTuple):
    """A cell of a table: words, or numbers.

    `kind` is how it looks: `words`, `name`, `count`, `figure`, `interval` (two numbers) or `tier`. `numbers` are exact
    and None where undefined; `why` is the reason, or what else there is to know of a number. `n` is shown beside a
    number where its row has no column n.
    """

    kind: str
    words: str = ""
    numbers: tuple[float | None, ...] = ()
    n: int | None = None
    why: str = ""

    @property
    def is_undefined(self) -> bool:
        """Whether it has no number where there should be one."""
        return None in self.numbers


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings, and why numbers in it are undefined. The first cell of each row names the row."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    reasons: tuple[str, ...] = ()
    note: str = ""
    kind: ClassVar = "table"


class Picture(NamedTuple):
    """A drawing with what stands above it."""

    caption: str
    svg: Markup
    note: str = ""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Drawings side by side, as many as fit. `size` is `narrow`, `middle` or `wide`."""

    title: str
    pictures: Sequence[Picture]
    size: str
    kind: ClassVar = "pictures"


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    words: str
    kind: ClassVar = "words"


@dataclass(frozen=True, slots=True)
class Findings:
    """What is likely wrong, and what to do."""

    findings: Sequence[Finding]
    kind: ClassVar = "findings"


class Card(NamedTuple):
    """How far one judge can be trusted, in one number and one word."""

    title: str
    rmse: float | None
    tier: Tier | None
    consistency: float | None
    records: int


@dataclass(frozen=True, slots=True)
class Cards:
    """Judges side by side."""

    cards: Sequence[Card]
    kind: ClassVar = "cards"


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that are hidden until they are asked for."""

    title: str
    blocks: Sequence[Any]
    kind: ClassVar = "fold"


class Section(NamedTuple):
    """A part of a page under a heading, with a sentence on how to read it. `anchor` is its place in links."""

    anchor: str
    title: str
    lead: str
    blocks: Sequence[Any]


class Chapter(NamedTuple):
    """All sections on one mode of truth, or on several side by side."""

    anchor: str
    title: str
    sections: Sequence[Section]


class TableBuilder:
    """Collects rows, and why figures in them are undefined."""

    def __init__(self, title: str, *headings: str, note: str = "") -> None:
        self._title = title
        self._headings = headings
        self._note = note
        self._rows: list[tuple[Cell, ...]] = []
        self._reasons: dict[str, dict[str, None]] = {}

    def add(self, name: str, *values: Any) -> None:
        """Add a row of words, numbers, figures, intervals, means or tiers under the headings.

        A row of which every figure is undefined, for a reason, is told by its reason alone.
        """
        cells = tuple(map(_cell, values))
        figures = {
            heading: cell
            for heading, cell in zip(self._headings[1:], cells, strict=True)
            if cell.kind in {"figure", "interval"}
        }
        for why in dict.fromkeys(cell.why for cell in figures.values() if cell.why):
            concerned = [heading for heading, cell in figures.items() if cell.why == why]
            what = "" if len(concerned) == len(figures) else f"{', '.join(concerned)}: "
            self._reasons.setdefault(what + why, {})[brief(name)] = None
        if not figures or not all(cell.why and cell.is_undefined for cell in figures.values()):
            self._rows.append((Cell("name", name), *cells))

    def table(self) -> Table:
        """Return the table."""
        reasons = tuple(f"{', '.join(names)}: {why}" for why, names in self._reasons.items())
        return Table(self._title, self._headings, tuple(self._rows), reasons, self._note)


def brief(name: str, longest: int = LONGEST_NAME) -> str:
    """Cut a name from outside, which may be of any length and stands in many places."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def shown(value: float | None, digits: int = 3) -> str:
    """Return a number as it is shown, with a minus that is no hyphen, and not the dash of what is undefined."""
    return figure(value, digits).replace("-", "\N{MINUS SIGN}")


NO_RECORD: Final = "no record has it"


def _cell(value: Any) -> Cell:
    cell = Cell("figure", numbers=(value,))
    match value:
        case Cell():
            cell = value
        case Figure(number, _, why):
            cell = Cell("figure", numbers=(number,), why=why)
        case Interval(low, high, _, why):
            cell = Cell("interval", numbers=(low, high), why=why)
        case Mean(mean, n):
            cell = Cell("figure", numbers=(mean,), n=n, why="" if n else NO_RECORD)
        case Tier(name, _, _):
            cell = Cell("tier", name)
        case int():
            cell = Cell("count", numbers=(value,))
        case str():
            cell = Cell("words", value)
    return cell
