"""Means of scores over records, each over the records in which that score is defined."""

from typing import Final, NamedTuple

from trace_tui.scoring.scores import METRICS, AdvancedTRACEScores

SCORE_NAMES: Final = (*METRICS, "average", "rmse_aggregation")
"""JSON names of all that is told of a record: the four scores and what follows from them."""


class Mean(NamedTuple):
    """A mean in [0, 1] and the number of records that it is taken over; None over none."""

    mean: float | None
    n: int


class RunningMeans:
    """The means of records that come one by one. Its size does not depend on how many there are."""

    def __init__(self) -> None:
        self.records = 0
        self._columns = {name: _Column() for name in SCORE_NAMES}

    def add(self, scores: AdvancedTRACEScores) -> None:
        """Take in one record."""
        self.records += 1
        for name, value in scores.to_dict().items():
            if value is not None:
                self._columns[name].add(value)

    def result(self) -> dict[str, Mean]:
        """Return the mean of every score by its JSON name."""
        return {name: column.mean() for name, column in self._columns.items()}


class _Column:
    """A sum that loses nothing on the way (A. Neumaier, Rundungsfehleranalyse, 1974), and how many went into it."""

    __slots__ = ("_lost", "_n", "_sum")

    def __init__(self) -> None:
        self._sum = 0.0
        self._lost = 0.0
        self._n = 0

    def add(self, value: float) -> None:
        total = self._sum + value
        larger, smaller = (self._sum, value) if self._sum >= value else (value, self._sum)  # neither is negative
        self._lost += larger - total + smaller
        self._sum = total
        self._n += 1

    def mean(self) -> Mean:
        return Mean((self._sum + self._lost) / self._n if self._n else None, self._n)
