"""95% bootstrap intervals (Efron 1979, by percentiles) of RMSE, of bias, and of the difference of two judges' RMSE.

Whole records are drawn, with replacement. All three statistics follow from means, so that a resample need not be made
record by record: equal rows are counted once and the counts drawn from a multinomial distribution, which is the same
thing. So the cost depends on how many different errors there are, and not on how many records.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from trace_tui.scoring.figures import NOTHING_IN_COMMON, Interval

RESAMPLES: Final = 1000
LEVEL: Final = 0.95
_ENOUGH: Final = 2  # records: of one there is nothing to resample
_CELLS: Final = 1 << 20  # counts held at a time

Floats = NDArray[np.float64]
_Statistic = Callable[[Floats], Floats]


def rmse_interval(errors: Sequence[float], seed: int) -> Interval:
    """Return the interval of the root of the mean square of errors in [-1, 1]."""
    return _interval(np.square(_column(errors)), lambda means: np.sqrt(means[:, 0]), seed)


def bias_interval(errors: Sequence[float], seed: int) -> Interval:
    """Return the interval of the mean of errors in [-1, 1]."""
    return _interval(_column(errors), lambda means: means[:, 0], seed)


def rmse_difference_interval(first: Sequence[float], second: Sequence[float], seed: int) -> Interval:
    """Return the interval of RMSE(first) - RMSE(second), where the n-th error of both is of the same record.

    Raises:
        ValueError: the two differ in length.
    """
    squares = np.square(np.hstack([_column(first), _column(second)]))
    return _interval(squares, lambda means: np.sqrt(means[:, 0]) - np.sqrt(means[:, 1]), seed)


def _column(errors: Sequence[float]) -> Floats:
    return np.asarray(errors, dtype=np.float64).reshape(-1, 1)


def _interval(rows: Floats, statistic: _Statistic, seed: int) -> Interval:
    """Return the interval of a statistic of the means of columns; `rows` has the shape (records, columns)."""
    n = len(rows)
    if n < _ENOUGH:
        return Interval(None, None, n, f"an interval needs {_ENOUGH} records, here is one" if n else NOTHING_IN_COMMON)
    values, counts = np.unique(rows, axis=0, return_counts=True)
    means = _resampled_means(values, counts, seed)
    low, high = np.quantile(statistic(means), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(low), float(high), n, "" if len(values) > 1 else "no spread: all records have the same error")


def _resampled_means(values: Floats, counts: NDArray[Any], seed: int) -> Floats:
    """Return the means of the columns in every resample, of the shape (resamples, columns).

    Args:
        values: the rows that differ.
        counts: how often each of them occurs.
        seed: the same seed draws the same resamples.
    """
    n = int(counts.sum())
    random = np.random.default_rng(seed)
    at_a_time = max(1, _CELLS // len(values))
    drawn = [
        random.multinomial(n, counts / n, size=min(at_a_time, RESAMPLES - done)) @ values
        for done in range(0, RESAMPLES, at_a_time)
    ]
    return np.concatenate(drawn) / n
