"""What else is told of the errors of one score besides their RMSE: which way they go, how far, and with what order."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from trace_tui.scoring.figures import NOTHING_IN_COMMON, Figure

_ENOUGH: Final = 2  # points that have a direction

Floats = NDArray[np.float64]


def bias(errors: Sequence[float]) -> Figure:
    """Return the mean signed error, judge minus human, in [-1, 1]: above zero the judge is too kind."""
    return _mean(np.asarray(errors, dtype=float))


def mean_absolute_error(errors: Sequence[float]) -> Figure:
    """Return the mean distance of judge and human, in [0, 1]."""
    return _mean(np.abs(np.asarray(errors, dtype=float)))


def pearson(judge: Sequence[float], human: Sequence[float]) -> Figure:
    """Return Pearson's correlation of finite scores, in [-1, 1]; undefined if either side is constant."""
    ours, theirs = np.asarray(judge, dtype=float), np.asarray(human, dtype=float)
    n = len(ours)
    if n < _ENOUGH:
        return Figure(None, n, f"a correlation needs {_ENOUGH} records, here is one" if n else NOTHING_IN_COMMON)
    # Compared before anything is subtracted: the mean of equal numbers may differ from them by rounding.
    constant = [name for name, side in (("judge", ours), ("human", theirs)) if (side == side[0]).all()]
    if constant:
        return Figure(None, n, f"all equal: the {' and the '.join(constant)} scores every record the same")
    x, y = _standard(ours), _standard(theirs)
    return Figure(float(np.clip(x @ y, -1, 1)), n)


def _standard(values: Floats) -> Floats:
    """Return the deviations from the mean, brought to length 1."""
    deviations = values - values.mean()
    scaled: Floats = deviations / np.abs(deviations).max()  # the squares of tiny deviations would be lost
    return scaled / np.sqrt(scaled @ scaled)


def _mean(values: Floats) -> Figure:
    return Figure(float(values.mean()), values.size) if values.size else Figure(None, 0, NOTHING_IN_COMMON)
