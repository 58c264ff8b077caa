"""The four TRACE scores of a record, under either definition, and what follows from the four alone."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol, Self

from trace_tui.scoring.counts import Counts

METRICS: Final = ("context_relevance", "context_utilization", "completeness", "adherence")
"""JSON names of the four scores, in the order of the acronym: relevance, utilization, completeness, adherence."""

_ENOUGH_RELEVANT: Final = 20  # relevant sentences that make a full score under `gpt-labeling`


class Definition(StrEnum):
    """How scores follow from labels. It is the reader's choice, not a property of the data."""

    GPT_LABELING = "gpt-labeling"
    RAGBENCH = "ragbench"


class FourScores(Protocol):
    """Whatever carries the four scores under their JSON names: each a number in [0, 1], or None if undefined."""

    @property
    def context_relevance(self) -> float | None:
        """How much of what was retrieved is relevant."""

    @property
    def context_utilization(self) -> float | None:
        """How much of it the response uses."""

    @property
    def completeness(self) -> float | None:
        """How much of what is relevant is used."""

    @property
    def adherence(self) -> float | None:
        """Whether the documents support the whole response."""


@dataclass(frozen=True, slots=True)
class AdvancedTRACEScores:
    """The four scores of one record, each in [0, 1], or None if undefined. Zero is a verdict, undefined is not.

    Raises:
        ValueError: a score is NaN or outside [0, 1].
    """

    context_relevance: float | None = None
    context_utilization: float | None = None
    completeness: float | None = None
    adherence: float | None = None

    def __post_init__(self) -> None:
        for metric in METRICS:
            value = getattr(self, metric)
            if not (value is None or 0 <= value <= 1):
                raise ValueError(f"{metric} is {value}; a score is in [0, 1], or None if undefined")

    @classmethod
    def from_dict(cls, data: Mapping[str, float | None]) -> Self:
        """Read the four scores by their JSON names; a name that is absent is undefined, any other is passed over."""
        return cls(*map(data.get, METRICS))

    def average(self) -> float | None:
        """Return the mean of the four, in [0, 1]; None if one of them is undefined."""
        values = self._all_defined()
        return math.fsum(values) / len(values) if values else None

    def rmse_aggregation(self) -> float | None:
        """Return how unbalanced the record is: the population standard deviation of the four about their own mean.

        This is RMSE mode 1, which needs no ground truth. In [0, 0.5]; None if one of the four is undefined.
        """
        values = self._all_defined()
        if not values:
            return None
        mean = math.fsum(values) / len(values)
        return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))

    def to_dict(self) -> dict[str, float | None]:
        """Return the four scores, `average` and `rmse_aggregation` by their JSON names."""
        return {
            **{metric: getattr(self, metric) for metric in METRICS},
            "average": self.average(),
            "rmse_aggregation": self.rmse_aggregation(),
        }

    def _all_defined(self) -> list[float]:
        """Return the four scores, or nothing if one of them is undefined."""
        values = (self.context_relevance, self.context_utilization, self.completeness, self.adherence)
        defined = [value for value in values if value is not None]
        return defined if len(defined) == len(values) else []


def scores(counts: Counts, definition: Definition) -> AdvancedTRACEScores:
    """Score one record.

    `ragbench` is Friel, Belyi, Sanyal 2024 (arXiv 2407.11005) as its dataset is published; `gpt-labeling` rates
    relevance by a fixed number of sentences and utilization against the relevant ones.
    """
    relevance, utilization, completeness = _RATIOS[definition](counts)
    return AdvancedTRACEScores(relevance, utilization, completeness, _adherence(counts))


Ratios = tuple[float | None, float | None, float | None]


def _gpt_labeling(counts: Counts) -> Ratios:
    relevance = min(1.0, counts.relevant / _ENOUGH_RELEVANT) if counts.sentences else None
    utilization = _ratio(counts.utilized, counts.relevant) if counts.sentences else None
    return (
        relevance,
        None if utilization is None else min(1.0, utilization),
        _ratio(counts.common, counts.relevant),
    )


def _ragbench(counts: Counts) -> Ratios:
    return (
        _ratio(counts.relevant, counts.sentences),
        _ratio(counts.utilized, counts.sentences),
        _ratio(counts.common, counts.relevant) if counts.relevant else 1.0,
    )


_RATIOS: Final = {Definition.GPT_LABELING: _gpt_labeling, Definition.RAGBENCH: _ragbench}


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _adherence(counts: Counts) -> float | None:
    if counts.unsupported:
        return 0.0
    return 1.0 if counts.response_sentences and not counts.unjudged else None
