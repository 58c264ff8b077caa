import json

import pytest
from hypothesis import given

from tests.strategies import labels, reviews
from trace_tui.labels import Labels, Support, Verdict, differing
from trace_tui.reviews import Mode, Review, apply, diff


@given(reviews, reviews)
def test_a_patch_turns_one_review_into_the_other_and_its_inverse_back(old: Review, new: Review) -> None:
    before, after = diff(old, new)
    assert apply(old, after) == new
    assert apply(new, before) == old
    assert before.keys() == after.keys()


@given(reviews)
def test_nothing_differs_from_itself(review: Review) -> None:
    assert diff(review, review) == ({}, {})


@given(reviews, reviews)
def test_patches_survive_json(old: Review, new: Review) -> None:
    _, after = diff(old, new)
    assert apply(old, json.loads(json.dumps(after))) == new


@given(reviews, reviews)
def test_writing_a_patch_twice_is_writing_it_once(old: Review, new: Review) -> None:
    _, after = diff(old, new)
    assert apply(apply(old, after), after) == new


def test_patches_of_different_cells_meet_without_loss() -> None:
    start = Review()
    _, mine = diff(start, Review(labels=Labels(relevant=frozenset({"doc_0_s0"}))))
    _, theirs = diff(start, Review(note="look", labels=Labels(utilized=frozenset({"doc_0_s1"}))))
    assert apply(apply(start, mine), theirs) == apply(apply(start, theirs), mine)


def test_a_blind_judgement_is_blind_until_it_is_revised() -> None:
    judged = Labels(supports={"resp_s0": Support(verdict=Verdict.SUPPORTED)})
    explained = Labels(supports={"resp_s0": Support(verdict=Verdict.SUPPORTED, explanation="because")})
    assert (Review(judged).is_revised, Review(judged).mode) == (False, Mode.ASSISTED)
    assert (Review(explained, blind=judged).is_revised, Review(judged, blind=judged).mode) == (False, Mode.BLIND)
    assert (Review(Labels(), blind=judged).is_revised, Review(Labels(), blind=judged).mode) == (True, Mode.ASSISTED)


@pytest.mark.parametrize("path", ["", "relevant", "nothing/here", "supports/resp_s0", "status/x"])
def test_a_cell_that_no_review_has_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="no review has the cell"):
        apply(Review(), {path: True})


@given(labels)
def test_labels_survive_json(some: Labels) -> None:
    assert Labels.from_json(json.loads(json.dumps(some.to_json()))) == some


@given(labels, labels)
def test_labels_differ_exactly_where_a_patch_says_so(ours: Labels, theirs: Labels) -> None:
    before, _ = diff(Review(ours), Review(theirs))
    assert differing(ours, theirs) == {path.split("/")[1] for path in before}
    assert differing(ours, theirs) == differing(theirs, ours)


def test_explanations_are_no_decisions() -> None:
    judged = Labels(supports={"resp_s0": Support(verdict=Verdict.SUPPORTED, explanation="because")})
    assert differing(judged, judged.without_explanations()) == frozenset()
