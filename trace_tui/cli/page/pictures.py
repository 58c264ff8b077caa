"""The pictures of a page: each small enough to be read on a phone, for as many as are needed to stand side by side."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import ceil
from typing import Final, NamedTuple

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Rectangle

from trace_tui.cli.page.svg import ACCENT, INK, MUTED, RULE, StandIn, draw
from trace_tui.display import figure
from trace_tui.scoring import TIERS
from trace_tui.scoring.agreement import Confusion
from trace_tui.scoring.figures import Figure, Interval

_DIGITS: Final = 3


class Dot(NamedTuple):
    """A figure of one judge with its interval."""

    name: str
    figure: Figure
    interval: Interval


def dots(what: str, found: Sequence[Dot]) -> Markup:
    """Draw a figure of every judge under each other, with intervals, over the bands of the tiers of RMSE."""
    width, row, top, bottom = 340, 38, 6, 24
    height = top + row * len(found) + bottom
    highest = max(
        (end for dot in found for end in (dot.figure.value, dot.interval.high) if end is not None), default=0.0
    )
    reach = max(5, ceil(10 * highest)) / 10

    def paint(drawing: Drawing, stand_in: StandIn) -> None:
        axes = _axes(drawing, 8, bottom, width - 20, row * len(found))
        axes.set_xlim(0, reach)
        axes.set_ylim(len(found), 0)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        limits = [band.below for band in TIERS[:-1]]
        axes.set_xticks([tick / 10 for tick in range(round(10 * reach) + 1)])
        for place, dot in enumerate(found):
            axes.vlines(limits, place + 0.58, place + 0.82, color=RULE, linewidth=1, zorder=0)
            _dot(axes, place, dot, reach, stand_in)

    told = "; ".join(_told(dot) for dot in found)
    return draw(width, height, f"{what}, with 95% intervals. {told}", paint)


def _dot(axes: Axes, place: int, dot: Dot, reach: float, stand_in: StandIn) -> None:
    value, n, _ = dot.figure
    axes.text(0, place + 0.42, stand_in(dot.name), va="baseline", ha="left")
    axes.text(reach, place + 0.42, f"{figure(value, _DIGITS)} · n {n:,}", va="baseline", ha="right", color=MUTED)
    axes.plot([0, reach], [place + 0.7] * 2, color=RULE, linewidth=1, zorder=1)
    if dot.interval.low is not None and dot.interval.high is not None:
        ends = [dot.interval.low, dot.interval.high]
        axes.plot(ends, [place + 0.7] * 2, color=ACCENT, linewidth=4, alpha=0.45, solid_capstyle="round", zorder=2)
    if value is not None:
        axes.plot([value], [place + 0.7], "o", color=ACCENT, markersize=9, markeredgewidth=0, clip_on=False, zorder=3)


def _told(dot: Dot) -> str:
    if dot.figure.value is None:
        return f"{dot.name}: undefined, {dot.figure.why}"
    ends = "" if dot.interval.low is None else f" from {figure(dot.interval.low, 3)} to {figure(dot.interval.high, 3)}"
    return f"{dot.name}: {figure(dot.figure.value, _DIGITS)}{ends}, n {dot.figure.n}"


Point = tuple[float, float]
"""A score by the truth and by a judge."""

_STEPS: Final = 20  # cells a side: points are gathered, so that a million make no larger picture than a hundred


def scatter(what: str, truth: str, points: Iterable[Point]) -> Markup:
    """Draw scores by a judge against those by the truth, as circles with an area by the number of records."""
    side, left, bottom = 170, 38, 34
    cells = Counter((round(x * _STEPS), round(y * _STEPS)) for x, y in points)
    most, n = max(cells.values(), default=1), cells.total()

    def paint(drawing: Drawing, _: StandIn) -> None:
        axes = _axes(drawing, left, bottom, side, side)
        axes.set_xlim(-0.06, 1.06)
        axes.set_ylim(-0.06, 1.06)
        axes.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.set_yticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.set_xlabel(truth)
        axes.set_ylabel("judge")
        axes.plot([0, 1], [0, 1], color=RULE, linewidth=1, zorder=1)
        xs, ys = ([place[axis] / _STEPS for place in cells] for axis in (0, 1))
        sizes = [14 + 150 * times / most for times in cells.values()]
        axes.scatter(xs, ys, s=sizes, color=ACCENT, alpha=0.55, linewidths=0, zorder=2)

    return draw(left + side + 10, side + bottom + 8, f"{what}: judge against {truth}, {n:,} records", paint)


def matrix(what: str, sides: tuple[str, str], positive: tuple[str, str], found: Confusion) -> Markup:
    """Draw a confusion matrix: rows by the truth, columns by the judge, a cell the darker the more items it has.

    Args:
        what: whose it is, and of which labels.
        sides: what the truth and the judge are called.
        positive: words for positive and negative items.
        found: the counts.
    """
    cell_width, cell_height, top = 78, 54, 40
    left = 28 + 6.6 * max(map(len, positive))
    counts = ((found.true_positives, found.false_negatives), (found.false_positives, found.true_negatives))
    truth, judge = sides

    def paint(drawing: Drawing, _: StandIn) -> None:
        axes = _axes(drawing, left, 4, 2 * cell_width, 2 * cell_height)
        axes.set_xlim(0, 2)
        axes.set_ylim(2, 0)
        axes.set_axis_off()
        axes.text(1, -0.5, judge, ha="center", color=MUTED)
        axes.text(8 / cell_width - left / cell_width, 1, truth, ha="center", va="center", rotation=90, color=MUTED)
        for place, word in enumerate(positive):
            axes.text(place + 0.5, -0.14, word, ha="center")
            axes.text(-0.08, place + 0.5, word, ha="right", va="center")
        for y, row in enumerate(counts):
            for x, count in enumerate(row):
                _square(axes, x, y, count, found.n, is_agreed=x == y)

    told = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in found._asdict().items())
    return draw(round(left) + 2 * cell_width + 4, top + 2 * cell_height + 4, f"{what}: {told}", paint)


def _square(axes: Axes, x: int, y: int, count: int, n: int, *, is_agreed: bool) -> None:
    share = count / n if n else 0
    corner, size = (x + 0.02, y + 0.03), (0.96, 0.94)
    if is_agreed:
        axes.add_patch(Rectangle(corner, *size, facecolor=ACCENT, alpha=0.06 + 0.44 * share, linewidth=0))
    else:
        axes.add_patch(Rectangle(corner, *size, facecolor=INK, alpha=0.04 + 0.36 * share, linewidth=0))
    axes.text(x + 0.5, y + 0.5, f"{count:,}", ha="center", va="center", fontsize=15)
    axes.text(x + 0.5, y + 0.82, f"{share:.0%}" if n else "", ha="center", va="center", fontsize=10, alpha=0.8)


def _axes(drawing: Drawing, left: float, bottom: float, width: float, height: float) -> Axes:
    """Place axes by pixels, from the lower left corner."""
    across, up = drawing.get_size_inches() * 72
    axes: Axes = drawing.add_axes((left / across, bottom / up, width / across, height / up))
    axes.patch.set_visible(False)
    axes.tick_params(length=0, pad=5)
    return axes
