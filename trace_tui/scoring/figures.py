"""A statistic as it is told: its value and over how many, or why there is none."""

from typing import NamedTuple


class Figure(NamedTuple):
    """A statistic over `n` items. `value` is None where it is undefined, and then `why` says in a few words why."""

    value: float | None
    n: int
    why: str = ""


class Interval(NamedTuple):
    """An interval around a statistic over `n` items. Both ends are None where it is undefined, and `why` says why."""

    low: float | None
    high: float | None
    n: int
    why: str = ""


NOTHING_IN_COMMON = "nothing in common: no record has it on both sides"
"""Why there is no comparison over n = 0 records."""


def ratio(part: float, whole: float, n: int, why: str) -> Figure:
    """Return part / whole over n items; undefined, for the reason given, if the whole is zero."""
    return Figure(part / whole, n) if whole else Figure(None, n, why)
