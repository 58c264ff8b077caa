"""What is likely wrong with a RAG system, and what to do, by rule from its scores."""

from collections.abc import Callable
from typing import Final, NamedTuple

from trace_tui.scoring.scores import FourScores

RELEVANCE_HIGH: Final = 0.70
RELEVANCE_LOW: Final = 0.20
UTILIZATION_HIGH: Final = 0.70
UTILIZATION_LOW: Final = 0.60
COMPLETENESS_LOW: Final = 0.50
ADHERENCE_LOW: Final = 0.70
"""A score is high from its threshold on, and low below it. Relevance is |R| / N, and low far below
the others: whole documents are retrieved for a few sentences of them, and in RAGBench the median is 0.23."""

_DIGITS: Final = 12  # 0.3 - 0.2 is a little less than 0.1 in binary; noise of that size must not decide


class Symptoms(NamedTuple):
    """The scores by which is diagnosed, each in [0, 1] or None if undefined.

    `relevance` is |R| / N, the share of the retrieved sentences that is relevant, under every definition.
    """

    relevance: float | None
    utilization: float | None
    completeness: float | None
    adherence: float | None


class Finding(NamedTuple):
    """What was found, its likely cause, and what to do, in this order."""

    name: str
    cause: str
    actions: tuple[str, ...]


class Rule(NamedTuple):
    """A finding and when it holds."""

    holds: Callable[[Symptoms], bool]
    finding: Finding


RULES: Final = (
    Rule(
        lambda s: _low(s.adherence, ADHERENCE_LOW),
        Finding(
            "low adherence",
            "hallucination: the response says what the documents do not",
            (
                "read the unsupported sentences",
                "tell the model to say only what the context says, or that it does not know",
                "test again",
            ),
        ),
    ),
    Rule(
        lambda s: _low(s.relevance, RELEVANCE_LOW),
        Finding(
            "low relevance",
            "the retriever brings noise: little of what it finds has to do with the question",
            ("retrieve fewer or smaller chunks", "improve the embedding or add a reranker", "test again"),
        ),
    ),
    Rule(
        lambda s: _high(s.relevance, RELEVANCE_HIGH) and _low(s.utilization, UTILIZATION_LOW),
        Finding(
            "high relevance, low utilization",
            "retrieval works and the response does not use it",
            ("improve the prompt", "tell the model to use the retrieved context", "test again"),
        ),
    ),
    Rule(
        lambda s: _low(s.completeness, COMPLETENESS_LOW) and _high(s.utilization, UTILIZATION_HIGH),
        Finding(
            "low completeness, high utilization",
            "what is used is not what matters",
            (
                "put the most relevant documents first",
                "tell the model to answer every part of the question",
                "test again",
            ),
        ),
    ),
)
"""The rules, the gravest first."""

NOTHING_LOW: Final = Finding("nothing low", "no score that is defined is low where it should not be", ())
UNDEFINED: Final = Finding("undefined", "no score is defined", ())


def symptoms(scores: FourScores, relevant_share: float | None) -> Symptoms:
    """Return what is diagnosed by: the scores of any definition, with |R| / N for their relevance."""
    return Symptoms(relevant_share, scores.context_utilization, scores.completeness, scores.adherence)


def diagnose(found: Symptoms) -> tuple[Finding, ...]:
    """Return every finding that holds, the gravest first; at least one. A score that is undefined tells nothing."""
    if found == Symptoms(None, None, None, None):
        return (UNDEFINED,)
    return tuple(rule.finding for rule in RULES if rule.holds(found)) or (NOTHING_LOW,)


def _low(score: float | None, threshold: float) -> bool:
    return score is not None and round(score, _DIGITS) < threshold


def _high(score: float | None, threshold: float) -> bool:
    return score is not None and round(score, _DIGITS) >= threshold
