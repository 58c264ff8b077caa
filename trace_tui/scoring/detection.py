"""Adherence as detection of hallucination: how well a judge finds the responses that are not adherent.

Positive is a response that the human calls not adherent. A judge's score of it is 1 - adherence, as the RAGBench
paper has it (Friel, Belyi, Sanyal 2024).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from trace_tui.scoring.agreement import Confusion, confusion
from trace_tui.scoring.figures import NOTHING_IN_COMMON, Figure

ADHERENT_FROM: Final = 0.5
"""The adherence from which on a response counts as adherent, where a judge's score is graded."""

NOT_GRADED: Final = "a judge of labels says yes or no and gives no graded score"


class Detection(NamedTuple):
    """What a judge's adherence finds: confusion of the responses, positive = not adherent, and AUROC."""

    confusion: Confusion
    auroc: Figure


def detect(judge: Sequence[float | None], human: Sequence[float | None], *, graded: bool) -> Detection:
    """Compare adherence record by record, over those where both sides have it.

    Args:
        judge: adherence by the judge, in [0, 1].
        human: adherence by the human, in the same order.
        graded: whether the judge rates adherence, so that there is an order to measure; else AUROC is undefined.
    """
    pairs = [(j, h) for j, h in zip(judge, human, strict=True) if j is not None and h is not None]
    found = confusion((j < ADHERENT_FROM, h < ADHERENT_FROM) for j, h in pairs)
    if not graded:
        return Detection(found, Figure(None, found.n, NOT_GRADED))
    return Detection(found, auroc([1 - j for j, _ in pairs], [h < ADHERENT_FROM for _, h in pairs]))


def auroc(scores: Sequence[float], positive: Sequence[bool]) -> Figure:
    """Return the area under the ROC curve: how often a positive item scores above a negative one, a tie being half.

    This is the Mann-Whitney statistic U over (positives x negatives), by mean ranks (Hanley, McNeil 1982).

    Args:
        scores: finite numbers, higher where the item is taken for positive.
        positive: what the items are.
    """
    truth = np.asarray(positive, dtype=bool)
    n, positives = truth.size, int(truth.sum())
    negatives = n - positives
    if not positives or not negatives:
        one_class = "one class only: every" if n else NOTHING_IN_COMMON
        return Figure(None, n, f"{one_class} response is {'not ' if positives else ''}adherent" if n else one_class)
    _, inverse, counts = np.unique(np.asarray(scores, dtype=float), return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2
    u = mean_ranks[inverse][truth].sum() - positives * (positives + 1) / 2
    return Figure(float(u / (positives * negatives)), n)
