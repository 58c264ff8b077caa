import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.labels import Labels, Support, Verdict
from trace_tui.records import Passage, Record, Sentence
from trace_tui.scoring import METRICS, AdvancedTRACEScores, Counts, Definition, count, scores

GPT, RAGBENCH = Definition.GPT_LABELING, Definition.RAGBENCH

unit = st.floats(0, 1)
four = st.tuples(*[st.none() | unit] * 4)


@st.composite
def counts(draw: st.DrawFn) -> Counts:
    sentences = draw(st.integers(0, 60))
    relevant = draw(st.integers(0, sentences))
    utilized = draw(st.integers(0, sentences))
    common = draw(st.integers(max(0, relevant + utilized - sentences), min(relevant, utilized)))
    response = draw(st.integers(0, 9))
    unsupported = draw(st.integers(0, response))
    return Counts(
        sentences, relevant, utilized, common, response, unsupported, draw(st.integers(0, response - unsupported))
    )


def covid(relevant: set[str], utilized: set[str]) -> Counts:
    texts = [
        "COVID-19 is a respiratory disease caused by SARS-CoV-2.",
        "The virus spreads through respiratory droplets.",
        "Vaccines help prevent infection.",
    ]
    documents = tuple(Passage(text, (Sentence(f"doc_{n}_s0", text, f"{n}a"),)) for n, text in enumerate(texts))
    answers = ["COVID-19 is a respiratory disease.", "It spreads via droplets."]
    response = Passage(
        " ".join(answers), tuple(Sentence(f"resp_s{n}", text, "ab"[n]) for n, text in enumerate(answers))
    )
    supports = {
        "resp_s0": Support(frozenset({"doc_0_s0"}), Verdict.SUPPORTED),
        "resp_s1": Support(frozenset({"doc_1_s0"}), Verdict.SUPPORTED),
    }
    record = Record("u", 1, "What is COVID-19?", documents, response)
    return count(Labels(frozenset(relevant), frozenset(utilized), supports), record)


def test_the_worked_example_to_the_digit() -> None:
    two = {"doc_0_s0", "doc_1_s0"}
    result = scores(covid(two, two), GPT)
    assert result == AdvancedTRACEScores(0.10, 1.0, 1.0, 1.0)
    assert result.average() == pytest.approx(0.775, abs=1e-15)

    result = scores(covid({*two, "doc_2_s0"}, two), GPT)
    assert result == AdvancedTRACEScores(3 / 20, 2 / 3, 2 / 3, 1.0)


def test_the_worked_example_as_ragbench_scores_it() -> None:
    two = {"doc_0_s0", "doc_1_s0"}
    assert scores(covid(two, two), RAGBENCH) == AdvancedTRACEScores(2 / 3, 2 / 3, 1.0, 1.0)


@pytest.mark.parametrize(
    ("definition", "given_counts", "expected"),
    [
        # N, |R|, |U|, |R ∩ U|, response sentences, unsupported, unjudged
        (GPT, (0, 0, 0, 0, 1, 0, 0), (None, None, None, 1.0)),
        (RAGBENCH, (0, 0, 0, 0, 1, 0, 0), (None, None, 1.0, 1.0)),
        (GPT, (5, 0, 2, 0, 1, 0, 0), (0.0, None, None, 1.0)),
        (RAGBENCH, (5, 0, 2, 0, 1, 0, 0), (0.0, 0.4, 1.0, 1.0)),
        (GPT, (5, 2, 0, 0, 1, 1, 0), (0.1, 0.0, 0.0, 0.0)),
        (GPT, (5, 2, 4, 2, 1, 0, 0), (0.1, 1.0, 1.0, 1.0)),  # more utilized than relevant
        (GPT, (40, 30, 15, 15, 1, 0, 0), (1.0, 0.5, 0.5, 1.0)),  # more relevant than make a full score
        (RAGBENCH, (40, 30, 15, 15, 1, 0, 0), (0.75, 0.375, 0.5, 1.0)),
        (GPT, (5, 2, 2, 2, 0, 0, 0), (0.1, 1.0, 1.0, None)),  # no response sentence
        (GPT, (5, 2, 2, 2, 3, 0, 1), (0.1, 1.0, 1.0, None)),  # one unjudged
        (GPT, (5, 2, 2, 2, 3, 1, 2), (0.1, 1.0, 1.0, 0.0)),  # an unsupported one settles it
    ],
)
def test_degenerate_records(
    definition: Definition, given_counts: tuple[int, ...], expected: tuple[float | None, ...]
) -> None:
    assert scores(Counts(*given_counts), definition) == AdvancedTRACEScores(*expected)


@given(counts(), st.sampled_from(Definition))
def test_scores_follow_the_formulas(c: Counts, definition: Definition) -> None:
    result = scores(c, definition)
    assert (result.context_relevance is None) == (c.sentences == 0)
    if definition is RAGBENCH and c.sentences:
        assert result.context_relevance == c.relevant / c.sentences
        assert result.context_utilization == c.utilized / c.sentences
    if definition is GPT and c.sentences:
        assert result.context_relevance == min(1, c.relevant / 20)
        assert result.context_utilization == (min(1, c.utilized / c.relevant) if c.relevant else None)
    without_relevant = 1.0 if definition is RAGBENCH else None
    assert result.completeness == (c.common / c.relevant if c.relevant else without_relevant)


@pytest.mark.parametrize(
    ("values", "expected"), [((0.85, 0.80, 0.88, 0.84), 0.0286), ((0.95, 0.50, 0.85, 0.70), 0.1696)]
)
def test_mode_1_to_the_digit(values: tuple[float, ...], expected: float) -> None:
    result = AdvancedTRACEScores(*values).rmse_aggregation()
    assert result is not None
    assert round(result, 4) == expected


@given(four, st.permutations(range(4)))
def test_mean_and_spread_do_not_depend_on_the_order_of_the_scores(
    values: tuple[float | None, ...], order: list[int]
) -> None:
    one, other = AdvancedTRACEScores(*values), AdvancedTRACEScores(*(values[n] for n in order))
    assert one.average() == other.average()
    assert one.rmse_aggregation() == other.rmse_aggregation()


@given(st.tuples(unit, unit, unit, unit))
def test_mean_and_spread_agree_with_statistics(values: tuple[float, ...]) -> None:
    result = AdvancedTRACEScores(*values)
    spread = result.rmse_aggregation()
    assert result.average() == pytest.approx(statistics.fmean(values))
    assert spread == pytest.approx(statistics.pstdev(values), abs=1e-12)
    assert spread is not None
    assert 0 <= spread <= 0.5


@given(four)
def test_one_undefined_score_makes_mean_and_spread_undefined(values: tuple[float | None, ...]) -> None:
    data = AdvancedTRACEScores(*values).to_dict()
    assert list(data) == [*METRICS, "average", "rmse_aggregation"]
    assert (data["average"] is None) == (data["rmse_aggregation"] is None) == (None in values)
    assert AdvancedTRACEScores.from_dict(data) == AdvancedTRACEScores(*values)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.01, 1.01])
@pytest.mark.parametrize("metric", METRICS)
def test_what_is_no_score_is_refused_by_name(metric: str, value: float) -> None:
    with pytest.raises(ValueError, match=metric):
        AdvancedTRACEScores(**{metric: value})
