import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from trace_tui.scoring.intervals import bias_interval, rmse_difference_interval, rmse_interval

RANDOM = np.random.default_rng(20)
ERRORS = np.round(RANDOM.uniform(-0.4, 0.6, 120), 2)
OTHERS = np.round(ERRORS / 2 + RANDOM.uniform(-0.2, 0.2, 120), 2)
TOLERANCE = 0.015  # of two bootstraps with other resamples


def rmse(errors: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.sqrt((errors**2).mean(axis=axis))


def test_the_intervals_are_those_of_scipy() -> None:
    def oracle(data: tuple[np.ndarray, ...], statistic: object) -> tuple[float, float]:
        return bootstrap(
            data, statistic, method="percentile", n_resamples=4000, paired=True, vectorized=True, rng=1
        ).confidence_interval

    assert rmse_interval(ERRORS, 1)[:2] == pytest.approx(oracle((ERRORS,), rmse), abs=TOLERANCE)
    assert bias_interval(ERRORS, 1)[:2] == pytest.approx(oracle((ERRORS,), np.mean), abs=TOLERANCE)
    difference = oracle((ERRORS, OTHERS), lambda a, b, axis=-1: rmse(a, axis) - rmse(b, axis))
    assert rmse_difference_interval(ERRORS, OTHERS, 1)[:2] == pytest.approx(difference, abs=TOLERANCE)


def test_a_seed_draws_the_same_again_and_another_does_not() -> None:
    assert rmse_interval(ERRORS, 7) == rmse_interval(ERRORS, 7)
    assert rmse_interval(ERRORS, 7) != rmse_interval(ERRORS, 8)


def test_many_different_errors_are_drawn_in_portions() -> None:
    many = np.random.default_rng(3).uniform(-1, 1, 3000)
    low, high, n, why = rmse_interval(many, 1)
    assert low is not None
    assert high is not None
    assert (n, why) == (3000, "")
    assert low < rmse(many) < high
    assert high - low == pytest.approx(2 * 1.96 * np.std(many**2) / (2 * rmse(many)) / np.sqrt(3000), rel=0.15)


def test_the_order_of_records_does_not_matter() -> None:
    assert rmse_interval(ERRORS[::-1], 5) == rmse_interval(ERRORS, 5)


def test_judges_that_err_alike_do_not_differ() -> None:
    low, high, *_ = rmse_difference_interval(ERRORS, ERRORS, 1)
    assert (low, high) == (0, 0)


def test_a_pair_needs_both_halves() -> None:
    with pytest.raises(ValueError, match="dimensions"):
        rmse_difference_interval([0.1, 0.2], [0.1], 1)


@pytest.mark.parametrize("interval", [rmse_interval, bias_interval])
def test_too_few_records_say_so(interval: object) -> None:
    assert interval([], 1) == (None, None, 0, "nothing in common: no record has it on both sides")
    assert interval([0.2], 1) == (None, None, 1, "an interval needs 2 records, here is one")


def test_all_equal_errors_have_no_spread() -> None:
    low, high, n, why = rmse_interval([-0.25, 0.25, 0.25], 1)
    assert (low, high, n) == (0.25, 0.25, 3)
    assert "no spread" in why


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20), st.integers(0, 9))
def test_an_interval_has_its_ends_in_order_and_in_range(errors: list[float], seed: int) -> None:
    low, high, *_ = rmse_interval(errors, seed)
    assert low is not None
    assert high is not None
    assert 0 <= low <= high <= 1 + 1e-12
