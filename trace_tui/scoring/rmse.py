"""RMSE of judge against human, in three modes.

Mode 1 looks at one record without ground truth, mode 2 at one record against it, mode 3 at a batch. A pair of scores
counts only where both sides are defined, every result says over how many, and where there are none it is None.

Sums of squares are kept exactly (see `_SquareSum`). So the order of the records does not matter to the last bit, and
a batch that grows and shrinks record by record equals one that is computed afresh.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, mul, neg, sub
from typing import Any, Final, NamedTuple

from trace_tui.scoring.scores import METRICS, AdvancedTRACEScores, FourScores
from trace_tui.scoring.tiers import Tier, tier

Errors = tuple[float | None, float | None, float | None, float | None]
"""Predicted minus truth in the order of METRICS, each in [-1, 1]; None where either side is undefined."""

Column = Sequence[float | None]
"""The errors of one metric, one per record."""

ScoresLike = FourScores | Mapping[str, float | None]
"""Four scores as an object or as they stand in JSON."""

_Getter = Callable[[FourScores], float | None]
_GETTERS: Final[tuple[_Getter, ...]] = tuple(map(attrgetter, METRICS))


class MetricRMSE(NamedTuple):
    """RMSE of one metric, None if `n`, the number of records with both sides defined, is 0."""

    rmse: float | None
    n: int


@dataclass(frozen=True, slots=True)
class TraceRMSE:
    """Mode 2: one record against its ground truth. `per_metric` holds the absolute errors, None if undefined."""

    per_metric: Mapping[str, float | None]

    @property
    def evaluated_metrics(self) -> tuple[str, ...]:
        """The metrics that are defined on both sides."""
        return _defined(self.per_metric)

    @property
    def aggregated_rmse(self) -> float | None:
        """Root of the mean square of the errors over the evaluated metrics, in [0, 1]."""
        return _root_mean_square(self.per_metric)

    @property
    def tier(self) -> Tier | None:
        """The tier of the aggregated RMSE."""
        return tier(self.aggregated_rmse)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "per_metric": dict(self.per_metric),
            "aggregated_rmse": self.aggregated_rmse,
            "evaluated_metrics": list(self.evaluated_metrics),
            **_verdict(self.tier),
        }


@dataclass(frozen=True, slots=True)
class BatchRMSE:
    """Mode 3: a batch of records against ground truth.

    `per_metric_rmse` is None for a metric whose `n_per_metric` is 0; `num_evaluations` counts the records with at
    least one metric defined on both sides.
    """

    per_metric_rmse: Mapping[str, float | None]
    n_per_metric: Mapping[str, int]
    num_evaluations: int

    @property
    def evaluated_metrics(self) -> tuple[str, ...]:
        """The metrics that at least one record defines on both sides."""
        return _defined(self.per_metric_rmse)

    @property
    def aggregated_rmse(self) -> float | None:
        """Root of the mean square of the metrics' RMSEs, in [0, 1]: every metric weighs the same, whatever its n."""
        return _root_mean_square(self.per_metric_rmse)

    @property
    def consistency_score(self) -> float | None:
        """One minus the aggregated RMSE, in [0, 1]."""
        aggregated = self.aggregated_rmse
        return None if aggregated is None else 1 - min(1.0, aggregated)

    @property
    def tier(self) -> Tier | None:
        """The tier of the aggregated RMSE."""
        return tier(self.aggregated_rmse)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "per_metric_rmse": dict(self.per_metric_rmse),
            "n_per_metric": dict(self.n_per_metric),
            "evaluated_metrics": list(self.evaluated_metrics),
            "aggregated_rmse": self.aggregated_rmse,
            "consistency_score": self.consistency_score,
            "num_evaluations": self.num_evaluations,
            **_verdict(self.tier),
        }


class RMSECalculator:
    """The three modes under the names by which the method is known."""

    @staticmethod
    def compute_rmse_for_metric(predicted: Column, truth: Column) -> MetricRMSE:
        """Compare one metric over records.

        Raises:
            ValueError: the two differ in length, or a value is NaN or infinite.
        """
        _check_lengths(predicted, truth)
        column = _SquareSum()
        column.add([_difference(p, t) for p, t in zip(predicted, truth, strict=True)])
        return column.rmse()

    @staticmethod
    def compute_rmse_single_trace_evaluation(predicted: ScoresLike, truth: ScoresLike) -> TraceRMSE:
        """Compare one record with its ground truth (mode 2).

        Raises:
            ValueError: a score is not in [0, 1].
        """
        pairs = zip(METRICS, errors(_scores(predicted), _scores(truth)), strict=True)
        return TraceRMSE({metric: None if error is None else abs(error) for metric, error in pairs})

    @staticmethod
    def compute_trace_rmse_aggregation(scores: ScoresLike) -> float | None:
        """Say how unbalanced one record is, without ground truth (mode 1).

        Raises:
            ValueError: a score is not in [0, 1].
        """
        return AdvancedTRACEScores(*(get(_scores(scores)) for get in _GETTERS)).rmse_aggregation()

    @staticmethod
    def compute_rmse_all_metrics(predicted: Sequence[ScoresLike], truth: Sequence[ScoresLike]) -> BatchRMSE:
        """Compare a batch of records with their ground truth (mode 3).

        Raises:
            ValueError: the two differ in length, or a score is not in [0, 1].
        """
        running = RunningBatch()
        running.add_pairs([_scores(one) for one in predicted], [_scores(one) for one in truth])
        return running.result()


def errors(predicted: FourScores, truth: FourScores) -> Errors:
    """Return predicted minus truth, metric by metric."""
    relevance, utilization, completeness, adherence = (_difference(get(predicted), get(truth)) for get in _GETTERS)
    return relevance, utilization, completeness, adherence


def batch(rows: Iterable[Errors]) -> BatchRMSE:
    """Compute mode 3 from the errors of each record; their order does not matter."""
    running = RunningBatch()
    running.add(rows)
    return running.result()


class RunningBatch:
    """Mode 3 while records come and go. Its size does not depend on how many there are.

    Whatever was added and not removed, in any order and in portions of any size, gives the result of `batch` over it,
    to the last bit.
    """

    def __init__(self) -> None:
        self._columns = tuple(_SquareSum() for _ in METRICS)
        self._evaluations = 0

    def add(self, rows: Iterable[Errors]) -> None:
        """Take in the errors of some records."""
        self._update(list(zip(*rows, strict=True)), sign=1)

    def remove(self, rows: Iterable[Errors]) -> None:
        """Take out the errors of records that were added before."""
        self._update(list(zip(*rows, strict=True)), sign=-1)

    def add_pairs(self, predicted: Sequence[FourScores], truth: Sequence[FourScores]) -> None:
        """Take in records by their scores, predicted and true: quicker than row by row.

        Raises:
            ValueError: the two differ in number.
        """
        _check_lengths(predicted, truth)
        self._update([_differences(get, predicted, truth) for get in _GETTERS], sign=1)

    def result(self) -> BatchRMSE:
        """Return what stands now."""
        results = dict(zip(METRICS, (column.rmse() for column in self._columns), strict=True))
        return BatchRMSE(
            per_metric_rmse={metric: result.rmse for metric, result in results.items()},
            n_per_metric={metric: result.n for metric, result in results.items()},
            num_evaluations=self._evaluations,
        )

    def _update(self, columns: Sequence[Column], sign: int) -> None:
        if not columns:  # no row at all
            return
        defined = [column.add(values, sign) for column, values in zip(self._columns, columns, strict=True)]
        rows = len(columns[0])
        if max(defined) < rows:  # else one metric is defined in every row, and so every row counts
            rows = sum(any(error is not None for error in row) for row in zip(*columns, strict=True))
        self._evaluations += sign * rows


class _SquareSum:
    """The exact sum of the squares of errors, and their number.

    A sum of floats is exact if it is kept as a few floats that do not overlap (J. R. Shewchuk, Adaptive Precision
    Floating-Point Arithmetic, 1997). `math.fsum` has just that inside and hands out its rounded value; what rounding
    left is found by asking again with that value taken off.
    """

    __slots__ = ("_n", "_parts")

    def __init__(self) -> None:
        self._parts: list[float] = []
        self._n = 0

    def add(self, values: Column, sign: int = 1) -> int:
        """Add (or with sign -1 take off) the square of every error that is defined; return how many are."""
        rest = _squares(values)
        defined = len(rest)
        if sign < 0:
            rest = list(map(neg, rest))
        rest += self._parts
        parts: list[float] = []
        while part := math.fsum(rest):
            if not math.isfinite(part):
                raise ValueError("an error is NaN or infinite; a score that is undefined is None")
            parts.append(part)
            rest.append(-part)
        self._parts = parts
        self._n += sign * defined
        return defined

    def rmse(self) -> MetricRMSE:
        return MetricRMSE(math.sqrt(math.fsum(self._parts) / self._n) if self._n else None, self._n)


def _squares(values: Column) -> list[float]:
    try:  # nearly always all are defined, and then no Python code runs per value
        return list(map(mul, values, values))
    except TypeError:
        return [value * value for value in values if value is not None]


def _differences(get: _Getter, predicted: Sequence[FourScores], truth: Sequence[FourScores]) -> Column:
    try:
        return list(map(sub, map(get, predicted), map(get, truth)))
    except TypeError:
        return [_difference(get(p), get(t)) for p, t in zip(predicted, truth, strict=True)]


def _difference(predicted: float | None, truth: float | None) -> float | None:
    return None if predicted is None or truth is None else predicted - truth


def _root_mean_square(values: Mapping[str, float | None]) -> float | None:
    defined = [value for value in values.values() if value is not None]
    return math.sqrt(math.fsum(value * value for value in defined) / len(defined)) if defined else None


def _defined(values: Mapping[str, float | None]) -> tuple[str, ...]:
    return tuple(metric for metric in METRICS if values[metric] is not None)


def _verdict(band: Tier | None) -> dict[str, str | None]:
    return {"tier": band.name if band else None, "action": band.action if band else None}


def _scores(scores: ScoresLike) -> FourScores:
    return AdvancedTRACEScores.from_dict(scores) if isinstance(scores, Mapping) else scores


def _check_lengths(predicted: Sequence[object], truth: Sequence[object]) -> None:
    if len(predicted) != len(truth):
        raise ValueError(f"{len(predicted)} predicted but {len(truth)} true; each needs its counterpart")
