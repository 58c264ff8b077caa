import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from trace_tui.scoring.error_stats import bias, mean_absolute_error, pearson

scores = st.floats(0, 1)
pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=30)


@given(pairs)
def test_pearson_is_that_of_scipy(points: list[tuple[float, float]]) -> None:
    judge, human = zip(*points, strict=True)
    assume(np.std(judge) > 1e-6 and np.std(human) > 1e-6)  # below, scipy warns
    assert pearson(judge, human).value == pytest.approx(pearsonr(judge, human).statistic, abs=1e-9)


@given(pairs)
def test_pearson_is_in_range_or_says_why_there_is_none(points: list[tuple[float, float]]) -> None:
    value, n, why = pearson(*zip(*points, strict=True))
    assert n == len(points)
    assert (value is None) == bool(why)
    assert value is None or -1 <= value <= 1


def test_all_equal_names_the_side() -> None:
    assert pearson([0.1, 0.1, 0.1], [0.2, 0.3, 0.4]) == (None, 3, "all equal: the judge scores every record the same")
    assert "the judge and the human" in pearson([0.1, 0.1], [0.7, 0.7]).why


def test_too_few() -> None:
    assert pearson([], []).why == "nothing in common: no record has it on both sides"
    assert pearson([0.5], [0.5]) == (None, 1, "a correlation needs 2 records, here is one")


def test_bias_has_a_sign_and_the_absolute_error_none() -> None:
    assert bias([0.5, -0.1, -0.1]) == (pytest.approx(0.1), 3, "")
    assert mean_absolute_error([0.5, -0.1, -0.1]) == (pytest.approx(0.7 / 3), 3, "")


@pytest.mark.parametrize("statistic", [bias, mean_absolute_error])
def test_no_error_no_mean(statistic: object) -> None:
    assert statistic([]) == (None, 0, "nothing in common: no record has it on both sides")
