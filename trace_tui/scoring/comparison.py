"""Judges against the truth over the same records: everything that a report tells of them, as frozen values."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from trace_tui.records import RecordId
from trace_tui.scoring.agreement import LabelAgreement, pooled_labels
from trace_tui.scoring.detection import Detection, detect
from trace_tui.scoring.diagnosis import Finding, Symptoms, diagnose, symptoms
from trace_tui.scoring.error_stats import bias, mean_absolute_error, pearson
from trace_tui.scoring.figures import NOTHING_IN_COMMON, Figure, Interval
from trace_tui.scoring.intervals import bias_interval, rmse_difference_interval, rmse_interval
from trace_tui.scoring.means import Mean, RunningMeans
from trace_tui.scoring.rmse import BatchRMSE, RMSECalculator, TraceRMSE, batch, errors
from trace_tui.scoring.scores import METRICS, AdvancedTRACEScores


class Rater(NamedTuple):
    """A judge in a report: its title, and whether it rates by numbers (columns of the dataset) instead of labels."""

    title: str
    graded: bool = False


class Judged(NamedTuple):
    """What one judge says of a record. The agreements are None and empty for a judge that gives no labels."""

    scores: AdvancedTRACEScores
    agreement: LabelAgreement | None = None
    by_document: tuple[LabelAgreement, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """One record of which the truth is known, and what judges say of it.

    `relevant_share` is |R| / N of the truth, `unsupported` the keys of its unsupported response sentences. `judged`
    has what each judge says by its title; one that says nothing of this record is absent. `slices` names, by what the
    report is sliced, the part to which the record belongs.
    """

    uid: str
    id: RecordId
    position: int
    truth: AdvancedTRACEScores
    relevant_share: float | None
    unsupported: tuple[str, ...] = ()
    judged: Mapping[str, Judged] = field(default_factory=dict)
    slices: Mapping[str, str] = field(default_factory=dict)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is likely wrong with this record, by the truth."""
        return diagnose(symptoms(self.truth, self.relevant_share))

    def compare(self, title: str) -> TraceRMSE | None:
        """Compare a judge with the truth (RMSE mode 2); None if it says nothing of this record."""
        judged = self.judged.get(title)
        return judged and RMSECalculator.compute_rmse_single_trace_evaluation(judged.scores, self.truth)

    def worst(self) -> tuple[float, str] | None:
        """Return the largest aggregated RMSE of this record and the judge that has it; None without any."""
        found = ((one.aggregated_rmse, title) for title in self.judged if (one := self.compare(title)))
        return max(((rmse, title) for rmse, title in found if rmse is not None), default=None)


class MetricComparison(NamedTuple):
    """One judge on one score: all over the n records where both sides have it."""

    judge_mean: Figure
    truth_mean: Figure
    rmse: Figure
    rmse_interval: Interval
    bias: Figure
    bias_interval: Interval
    mean_absolute_error: Figure
    pearson: Figure


class JudgeComparison(NamedTuple):
    """One judge against the truth. `records` counts those of which it says anything, and `means` are over these."""

    rater: Rater
    records: int
    means: Mapping[str, Mean]
    metrics: Mapping[str, MetricComparison]
    batch: BatchRMSE
    sentences: LabelAgreement | None
    by_document: tuple[LabelAgreement, ...]
    detection: Detection


class MetricDifference(NamedTuple):
    """RMSE of one judge minus that of another, over the records that both of them and the truth score."""

    first_rmse: Figure
    second_rmse: Figure
    difference: Figure
    interval: Interval


class Difference(NamedTuple):
    """Two judges paired on the same records, score by score: below zero, the first is closer to the truth."""

    first: str
    second: str
    metrics: Mapping[str, MetricDifference]


class Diagnosis(NamedTuple):
    """What is likely wrong overall, by the means of the truth, and how many records have which finding."""

    symptoms: Symptoms
    findings: tuple[Finding, ...]
    records: Mapping[str, int]


class Comparison(NamedTuple):
    """All judges side by side over the same records. `truth` are the means of the truth over all of them."""

    records: int
    truth: Mapping[str, Mean]
    judges: tuple[JudgeComparison, ...]
    differences: tuple[Difference, ...]
    diagnosis: Diagnosis


def compare(cases: Sequence[Case], raters: Sequence[Rater], seed: int) -> Comparison:
    """Compare judges with the truth, and each with each other."""
    return Comparison(
        records=len(cases),
        truth=_means(case.truth for case in cases),
        judges=tuple(_compare_judge(cases, rater, seed) for rater in raters),
        differences=tuple(_difference(cases, one.title, other.title, seed) for one, other in combinations(raters, 2)),
        diagnosis=_diagnosis(cases),
    )


def _compare_judge(cases: Sequence[Case], rater: Rater, seed: int) -> JudgeComparison:
    both = [(case.judged[rater.title], case.truth) for case in cases if rater.title in case.judged]
    labelled = [judged for judged, _ in both if judged.agreement]
    depth = max((len(judged.by_document) for judged in labelled), default=0)
    return JudgeComparison(
        rater=rater,
        records=len(both),
        means=_means(judged.scores for judged, _ in both),
        metrics={metric: _compare_metric(_pairs(cases, rater.title, metric), seed) for metric in METRICS},
        batch=batch(errors(judged.scores, truth) for judged, truth in both),
        sentences=None if rater.graded else pooled_labels(one.agreement for one in labelled if one.agreement),
        by_document=tuple(
            pooled_labels(one.by_document[rank] for one in labelled if rank < len(one.by_document))
            for rank in range(depth)
        ),
        detection=detect(
            [judged.scores.adherence for judged, _ in both], [truth.adherence for _, truth in both], graded=rater.graded
        ),
    )


Pair = tuple[float, float]
"""A score by judge and by truth."""


def _pairs(cases: Iterable[Case], title: str, metric: str) -> dict[str, Pair]:
    """Return, by the record's identity, the scores of the records where both sides have it."""
    found = {}
    for case in cases:
        judged = case.judged.get(title)
        judge, truth = judged and getattr(judged.scores, metric), getattr(case.truth, metric)
        if judge is not None and truth is not None:
            found[case.uid] = judge, truth
    return found


def _compare_metric(pairs: Mapping[str, Pair], seed: int) -> MetricComparison:
    judge, truth = [j for j, _ in pairs.values()], [t for _, t in pairs.values()]
    off = _errors(pairs.values())
    return MetricComparison(
        judge_mean=_mean(judge),
        truth_mean=_mean(truth),
        rmse=_rmse(judge, truth),
        rmse_interval=rmse_interval(off, seed),
        bias=bias(off),
        bias_interval=bias_interval(off, seed),
        mean_absolute_error=mean_absolute_error(off),
        pearson=pearson(judge, truth),
    )


def _difference(cases: Sequence[Case], first: str, second: str, seed: int) -> Difference:
    metrics = {}
    for metric in METRICS:
        ours, theirs = _pairs(cases, first, metric), _pairs(cases, second, metric)
        common = [uid for uid in ours if uid in theirs]
        metrics[metric] = _paired([ours[uid] for uid in common], [theirs[uid] for uid in common], seed)
    return Difference(first, second, metrics)


def _paired(first: Sequence[Pair], second: Sequence[Pair], seed: int) -> MetricDifference:
    ours, theirs = (_rmse([judge for judge, _ in side], [truth for _, truth in side]) for side in (first, second))
    if ours.value is None or theirs.value is None:
        none = Figure(None, 0, "nothing in common: no record that both judges and the truth score")
        return MetricDifference(none, none, none, Interval(None, *none))
    difference = Figure(ours.value - theirs.value, ours.n)
    return MetricDifference(ours, theirs, difference, rmse_difference_interval(_errors(first), _errors(second), seed))


def _diagnosis(cases: Sequence[Case]) -> Diagnosis:
    shown = [symptoms(case.truth, case.relevant_share) for case in cases]
    columns = ([value for one in shown if (value := one[place]) is not None] for place in range(len(Symptoms._fields)))
    overall = Symptoms(*(_mean(column).value for column in columns))
    counts = Counter(finding.name for case in cases for finding in case.findings)
    return Diagnosis(overall, diagnose(overall), dict(counts.most_common()))


def _rmse(judge: Sequence[float], truth: Sequence[float]) -> Figure:
    value, n = RMSECalculator.compute_rmse_for_metric(judge, truth)
    return Figure(value, n, "" if n else NOTHING_IN_COMMON)


def _errors(pairs: Iterable[Pair]) -> list[float]:
    return [judge - truth for judge, truth in pairs]


def _mean(values: Sequence[float]) -> Figure:
    return Figure(fmean(values), len(values)) if values else Figure(None, 0, NOTHING_IN_COMMON)


def _means(scores: Iterable[AdvancedTRACEScores]) -> dict[str, Mean]:
    means = RunningMeans()
    for one in scores:
        means.add(one)
    return means.result()
