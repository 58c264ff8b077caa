import math

from hypothesis import given
from hypothesis import strategies as st

from trace_tui.scoring import SCORE_NAMES, AdvancedTRACEScores, Mean, RunningMeans

score = st.none() | st.floats(0, 1)
records = st.lists(st.builds(AdvancedTRACEScores, score, score, score, score))


def test_of_nothing() -> None:
    assert RunningMeans().result() == dict.fromkeys(SCORE_NAMES, Mean(None, 0))


@given(records)
def test_each_mean_is_over_the_records_that_define_it(some: list[AdvancedTRACEScores]) -> None:
    means = RunningMeans()
    for one in some:
        means.add(one)
    assert means.records == len(some)
    for name, (mean, n) in means.result().items():
        values = [value for one in some if (value := one.to_dict()[name]) is not None]
        assert n == len(values)
        assert (mean is None) == (n == 0)
        assert mean is None or math.isclose(mean, math.fsum(values) / n, rel_tol=1e-15, abs_tol=1e-300)


def test_many_small_errors_do_not_add_up() -> None:
    means = RunningMeans()
    for _ in range(100_000):
        means.add(AdvancedTRACEScores(0.1))
    assert means.result()["context_relevance"] == (0.1, 100_000)
