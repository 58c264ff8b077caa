import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from trace_tui.scoring.agreement import Confusion
from trace_tui.scoring.detection import NOT_GRADED, auroc, detect

few_values = st.sampled_from([0.0, 0.1, 0.2, 0.5, 0.9, 1.0])  # so that there are ties
items = st.lists(st.tuples(few_values | st.floats(0, 1), st.booleans()), max_size=30)


@given(items.filter(lambda found: len({positive for _, positive in found}) == 2))
def test_auroc_is_that_of_scikit_learn_ties_included(scored: list[tuple[float, bool]]) -> None:
    scores, positive = zip(*scored, strict=True)
    found = auroc(scores, positive)
    assert found.value == pytest.approx(roc_auc_score(positive, scores))
    assert (found.n, found.why) == (len(scored), "")


def test_auroc_of_a_judge_who_says_the_same_of_all_is_a_half() -> None:
    assert auroc([0.3] * 4, [True, False, False, True]) == (0.5, 4, "")


@pytest.mark.parametrize(
    ("adherence", "why"),
    [
        ([], "nothing in common: no record has it on both sides"),
        ([1.0], "one class only: every response is adherent"),
        ([0.0, 0.0], "one class only: every response is not adherent"),
    ],
)
def test_auroc_needs_both_classes(adherence: list[float], why: str) -> None:
    found = detect([0.4] * len(adherence), adherence, graded=True)
    assert found.auroc == (None, len(adherence), why)


def test_positive_is_what_is_not_adherent() -> None:
    judge, human = [0.2, 0.9, 0.1, 0.5, None, 0.3], [0.0, 0.0, 1.0, 1.0, 0.0, None]
    found = detect(judge, human, graded=True)
    assert found.confusion == Confusion(true_positives=1, false_positives=1, false_negatives=1, true_negatives=1)
    assert found.auroc == (pytest.approx(roc_auc_score([1, 1, 0, 0], [0.8, 0.1, 0.9, 0.5])), 4, "")


def test_labels_have_no_order() -> None:
    assert detect([1.0, 0.0], [1.0, 0.0], graded=False).auroc == (None, 2, NOT_GRADED)
