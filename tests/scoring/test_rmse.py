import json
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.scoring import (
    METRICS,
    AdvancedTRACEScores,
    BatchRMSE,
    Errors,
    RMSECalculator,
    RunningBatch,
    batch,
    errors,
)

unit = st.floats(0, 1)
four = st.builds(AdvancedTRACEScores, *[st.none() | unit] * 4)
records = st.lists(st.tuples(four, four), max_size=30)
rows = st.lists(st.tuples(*[st.none() | st.floats(-1, 1)] * 4), max_size=30)


def root_mean_square(values: Sequence[float]) -> float | None:
    return math.sqrt(sum(value**2 for value in values) / len(values)) if values else None


def test_mode_2_to_the_digit() -> None:
    predicted = AdvancedTRACEScores(0.85, 0.80, 0.88, 0.82)
    truth = AdvancedTRACEScores(0.84, 0.82, 0.87, 0.80)
    result = RMSECalculator.compute_rmse_single_trace_evaluation(predicted, truth)
    assert [round(error, 9) for error in result.per_metric.values() if error is not None] == [0.01, 0.02, 0.01, 0.02]
    assert result.aggregated_rmse is not None
    assert round(result.aggregated_rmse, 4) == 0.0158
    assert result.to_dict()["evaluated_metrics"] == list(METRICS)
    assert result.to_dict()["tier"] == "Excellent"


def test_mode_3_aggregates_the_metrics_to_the_digit() -> None:
    result = BatchRMSE(dict(zip(METRICS, (0.045, 0.062, 0.038, 0.091), strict=True)), dict.fromkeys(METRICS, 9), 9)
    assert result.aggregated_rmse is not None
    assert result.consistency_score is not None
    assert round(result.aggregated_rmse, 4) == 0.0624
    assert round(result.consistency_score, 4) == 0.9376


def test_scores_may_come_as_they_stand_in_json() -> None:
    line = json.loads('{"context_relevance": 0.5, "adherence": 1, "average": 0.9}')
    result = RMSECalculator.compute_rmse_single_trace_evaluation(line, {"context_relevance": 0.25, "adherence": None})
    assert result.per_metric == {**dict.fromkeys(METRICS), "context_relevance": 0.25}
    assert result.evaluated_metrics == ("context_relevance",)
    assert RMSECalculator.compute_trace_rmse_aggregation(dict.fromkeys(METRICS, 0.5)) == 0
    assert RMSECalculator.compute_trace_rmse_aggregation(line) is None


def test_mode_1_is_the_records_own() -> None:
    scores = AdvancedTRACEScores(0.95, 0.50, 0.85, 0.70)
    assert RMSECalculator.compute_trace_rmse_aggregation(scores) == scores.rmse_aggregation()


def test_one_metric() -> None:
    assert RMSECalculator.compute_rmse_for_metric([0.5, None, 1.0], [0.0, 0.3, 0.5]) == (0.5, 2)
    assert RMSECalculator.compute_rmse_for_metric([None, 0.2], [0.1, None]) == (None, 0)
    assert RMSECalculator.compute_rmse_for_metric([], []) == (None, 0)


def test_nothing_in_common_is_undefined_and_never_zero() -> None:
    left, right = AdvancedTRACEScores(0.5, None, 0.5, None), AdvancedTRACEScores(None, 0.5, None, 0.5)
    one = RMSECalculator.compute_rmse_single_trace_evaluation(left, right).to_dict()
    assert one == {
        "per_metric": dict.fromkeys(METRICS),
        "aggregated_rmse": None,
        "evaluated_metrics": [],
        "tier": None,
        "action": None,
    }
    for result in (RMSECalculator.compute_rmse_all_metrics([left], [right]), batch([])):
        assert result.to_dict() == {
            "per_metric_rmse": dict.fromkeys(METRICS),
            "n_per_metric": dict.fromkeys(METRICS, 0),
            "evaluated_metrics": [],
            "aggregated_rmse": None,
            "consistency_score": None,
            "num_evaluations": 0,
            "tier": None,
            "action": None,
        }


def test_agreement_is_zero_and_defined() -> None:
    scores = AdvancedTRACEScores(0.1, 0.2, 0.3, 1.0)
    result = RMSECalculator.compute_rmse_all_metrics([scores] * 3, [scores] * 3)
    assert (result.aggregated_rmse, result.consistency_score, result.num_evaluations) == (0, 1, 3)


def test_every_metric_weighs_the_same_whatever_its_n() -> None:
    many = [(0.5, None, None, None)] * 99
    result = batch([*many, (None, 0.1, None, None)])
    assert result.n_per_metric["context_relevance"] == 99
    assert result.aggregated_rmse == pytest.approx(math.sqrt((0.25 + 0.01) / 2))
    assert result.num_evaluations == 100


def test_unequal_numbers_are_refused() -> None:
    scores = AdvancedTRACEScores()
    with pytest.raises(ValueError, match="2 predicted but 1 true"):
        RMSECalculator.compute_rmse_all_metrics([scores, scores], [scores])
    with pytest.raises(ValueError, match="1 predicted but 0 true"):
        RMSECalculator.compute_rmse_for_metric([0.1], [])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_not_a_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="NaN or infinite"):
        RMSECalculator.compute_rmse_for_metric([value], [0.5])
    with pytest.raises(ValueError, match="adherence"):
        RMSECalculator.compute_rmse_single_trace_evaluation({"adherence": value}, {})


@given(records)
def test_batch_agrees_with_the_formulas(pairs: list[tuple[AdvancedTRACEScores, AdvancedTRACEScores]]) -> None:
    result = RMSECalculator.compute_rmse_all_metrics([p for p, _ in pairs], [t for _, t in pairs])
    table = [[(getattr(p, m), getattr(t, m)) for m in METRICS] for p, t in pairs]
    per_metric = {
        metric: root_mean_square([row[n][0] - row[n][1] for row in table if None not in row[n]])
        for n, metric in enumerate(METRICS)
    }
    assert result.per_metric_rmse == pytest.approx(per_metric)
    assert result.n_per_metric == {m: sum(None not in row[n] for row in table) for n, m in enumerate(METRICS)}
    assert result.num_evaluations == sum(any(None not in pair for pair in row) for row in table)
    defined = {metric: value for metric, value in per_metric.items() if value is not None}
    assert result.evaluated_metrics == tuple(defined)
    assert result.aggregated_rmse == pytest.approx(root_mean_square(list(defined.values())))


@given(records)
def test_figures_are_bounded_and_symmetric(pairs: list[tuple[AdvancedTRACEScores, AdvancedTRACEScores]]) -> None:
    predicted, truth = [p for p, _ in pairs], [t for _, t in pairs]
    result = RMSECalculator.compute_rmse_all_metrics(predicted, truth)
    assert result == RMSECalculator.compute_rmse_all_metrics(truth, predicted)
    for value in (*result.per_metric_rmse.values(), result.aggregated_rmse, result.consistency_score):
        assert value is None or 0 <= value <= 1
    assert (result.aggregated_rmse is None) == (result.consistency_score is None) == (result.num_evaluations == 0)


@given(four, four)
def test_one_record_is_a_batch_of_one(predicted: AdvancedTRACEScores, truth: AdvancedTRACEScores) -> None:
    one = RMSECalculator.compute_rmse_single_trace_evaluation(predicted, truth)
    many = batch([errors(predicted, truth)])
    assert one.evaluated_metrics == many.evaluated_metrics
    assert one.aggregated_rmse == pytest.approx(many.aggregated_rmse, abs=1e-12)


@given(rows, st.randoms(use_true_random=False))
def test_order_does_not_matter_to_the_last_bit(batch_rows: list[Errors], shuffler: random.Random) -> None:
    shuffled = list(batch_rows)
    shuffler.shuffle(shuffled)
    assert batch(shuffled) == batch(batch_rows)


@given(rows, st.lists(st.integers(1, 5), min_size=1))
def test_a_stream_equals_the_batch_to_the_last_bit(batch_rows: list[Errors], portions: list[int]) -> None:
    running, at = RunningBatch(), 0
    while at < len(batch_rows):
        for size in portions:
            running.add(batch_rows[at : at + size])
            at += size
    assert running.result() == batch(batch_rows)


@given(rows, rows, st.randoms(use_true_random=False))
def test_what_was_added_can_be_taken_out_to_the_last_bit(
    kept: list[Errors], dropped: list[Errors], shuffler: random.Random
) -> None:
    running, everything = RunningBatch(), [*kept, *dropped]
    shuffler.shuffle(everything)
    for row in everything:
        running.add([row])
    shuffler.shuffle(dropped)
    for row in dropped:
        running.remove([row])
    assert running.result() == batch(kept)


def test_sums_are_exact_where_plain_addition_is_not() -> None:
    big, small = (1.0, None, None, None), (1e-9, None, None, None)
    running = RunningBatch()
    running.add([big])
    for _ in range(1000):
        running.add([small])
    running.remove([big])
    assert running.result().per_metric_rmse["context_relevance"] == pytest.approx(1e-9, rel=1e-15)
