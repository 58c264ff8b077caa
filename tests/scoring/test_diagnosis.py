import pytest

from trace_tui.scoring import AdvancedTRACEScores
from trace_tui.scoring.diagnosis import NOTHING_LOW, RULES, UNDEFINED, Symptoms, diagnose, symptoms


def names(*values: float | None) -> list[str]:
    return [finding.name for finding in diagnose(Symptoms(*values))]


def test_the_known_record() -> None:
    [finding] = diagnose(Symptoms(0.95, 0.50, 0.85, 0.70))
    assert finding.name == "high relevance, low utilization"
    assert finding.cause == "retrieval works and the response does not use it"
    assert finding.actions == ("improve the prompt", "tell the model to use the retrieved context", "test again")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.1, 0.9, 0.9, 1.0), ["low relevance"]),
        ((0.5, 0.9, 0.3, 1.0), ["low completeness, high utilization"]),
        ((0.5, 0.5, 0.3, 1.0), ["nothing low"]),
        ((0.5, 0.9, 0.9, 0.0), ["low adherence"]),
        ((0.1, 0.9, 0.3, 0.0), ["low adherence", "low relevance", "low completeness, high utilization"]),
        ((0.9, 0.9, 0.9, 1.0), ["nothing low"]),
        ((None, 0.1, None, 1.0), ["nothing low"]),
        ((None, None, None, 0.0), ["low adherence"]),
        ((None, None, None, None), ["undefined"]),
    ],
)
def test_each_rule(values: tuple[float | None, ...], expected: list[str]) -> None:
    assert names(*values) == expected


def test_a_threshold_is_not_below_itself() -> None:
    assert names(0.3 - 0.1, 0.9, 0.9, 1.0) == ["nothing low"]  # a little less than 0.2 in binary
    assert names(0.7, 0.59, 0.9, 1.0) == ["high relevance, low utilization"]
    assert names(0.7, 0.6, 0.9, 1.0) == ["nothing low"]


def test_relevance_is_the_share_of_sentences_under_every_definition() -> None:
    scores = AdvancedTRACEScores(0.05, 0.4, 0.8, 1.0)  # one of one sentence, rated against twenty
    assert symptoms(scores, 1.0) == Symptoms(1.0, 0.4, 0.8, 1.0)


def test_every_finding_but_the_two_good_ones_says_what_to_do() -> None:
    assert all(len(rule.finding.actions) == 3 and rule.finding.cause for rule in RULES)
    assert NOTHING_LOW.actions == UNDEFINED.actions == ()
