import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
)

from tests.rows import make_record
from tests.strategies import labels
from trace_tui.labels import Labels, Support, Verdict
from trace_tui.scoring.agreement import (
    Confusion,
    LabelAgreement,
    agreement_by_document,
    confusion,
    confusion_of_sets,
    label_agreement,
    pooled,
    pooled_labels,
)

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40)
RECORD = make_record(documents=[["a", "b"], ["c"]], response=["x", "y", "z"])


@given(pairs.filter(bool))
def test_every_figure_is_that_of_scikit_learn_where_it_is_defined(items: list[tuple[bool, bool]]) -> None:
    judge, human = zip(*items, strict=True)
    found = confusion(items)
    tn, fp, fn, tp = confusion_matrix(human, judge, labels=[False, True]).ravel()
    assert found == (tp, fp, fn, tn)
    expected = {"agreement": accuracy_score(human, judge)}
    if any(judge):
        expected["precision"] = precision_score(human, judge)
    if any(human):
        expected["recall"] = recall_score(human, judge)
    if any(judge) or any(human):
        expected["f1"] = f1_score(human, judge)
    if len(set(judge) | set(human)) == 2:
        expected["kappa"] = cohen_kappa_score(human, judge)
    values = {name: figure.value for name, figure in found.figures().items()}
    assert {name: value for name, value in values.items() if value is not None} == pytest.approx(expected)
    assert all(figure.n == len(items) for figure in found.figures().values())


@given(pairs)
def test_what_is_undefined_has_a_reason_and_what_is_defined_has_none(items: list[tuple[bool, bool]]) -> None:
    for figure in confusion(items).figures().values():
        assert (figure.value is None) == bool(figure.why)


def test_one_class_only() -> None:
    same = Confusion(true_negatives=7)
    assert same.kappa == (None, 7, "one class only: both call every item the same")
    assert same.agreement == (1.0, 7, "")
    assert "no item positive" in same.precision.why
    assert Confusion(true_positives=3, false_positives=4).kappa.value == 0


def test_no_item_at_all() -> None:
    assert {figure.why for figure in Confusion().figures().values()} == {"no item that both judged"}


@given(pairs, pairs)
def test_pooling_counts_all_items(one: list[tuple[bool, bool]], other: list[tuple[bool, bool]]) -> None:
    assert pooled([confusion(one), confusion(other)]) == confusion([*one, *other])


@given(st.sets(st.integers(0, 9)), st.sets(st.integers(0, 9)))
def test_sets_are_counted_as_their_items_would_be(judge: set[int], human: set[int]) -> None:
    assert confusion_of_sets(judge, human, 10) == confusion((i in judge, i in human) for i in range(10))


def test_an_unjudged_sentence_is_on_no_side() -> None:
    judge = Labels(supports={"resp_s0": Support(verdict=Verdict.SUPPORTED), "resp_s1": Support()})
    human = Labels(
        supports={
            "resp_s0": Support(verdict=Verdict.UNSUPPORTED),
            "resp_s1": Support(verdict=Verdict.SUPPORTED),
        }
    )
    assert label_agreement(judge, human, RECORD).supported == Confusion(false_positives=1)


def test_links_are_pairs_of_sentences() -> None:
    judge = Labels(supports={"resp_s0": Support(frozenset({"doc_0_s0", "doc_1_s0"}))})
    human = Labels(supports={"resp_s0": Support(frozenset({"doc_0_s0"})), "resp_s2": Support(frozenset({"doc_0_s1"}))})
    assert label_agreement(judge, human, RECORD).links == Confusion(1, 1, 1, 6)


BIG = make_record(documents=[["s"] * 4] * 3, response=["r"] * 4)


@given(labels, labels)
def test_documents_add_up_to_the_record(judge: Labels, human: Labels) -> None:
    whole = label_agreement(judge, human, BIG)
    parts = pooled_labels(agreement_by_document(judge, human, BIG))
    assert parts == whole._replace(supported=Confusion())
    assert whole.relevant.n == 12
    assert whole.links.n == 48


def test_pooling_no_record_is_no_item() -> None:
    assert pooled_labels([]) == LabelAgreement()
