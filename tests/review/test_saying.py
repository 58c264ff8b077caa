from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import reviews
from trace_tui.review.saying import describe
from trace_tui.reviews import Patch, Review, diff


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ({"status": "open"}, "the record is open"),
        ({"supports/resp_s0/doc_2_s1": False, "utilized/doc_2_s1": False},
         "doc_2_s1 is no longer linked to resp_s0; doc_2_s1 is not utilized"),
        ({"utilized/doc_0_s0": True, "supports/resp_s1/doc_0_s0": True},
         "doc_0_s0 is linked to resp_s1; doc_0_s0 is utilized"),
        ({"settled/resp_s0": False, "verdict/resp_s0": "unjudged"}, "resp_s0 is without a verdict"),
        ({"settled/resp_s0": False}, "resp_s0 is undecided"),
        ({"settled/resp_s1": True, "status": "accepted", "blind": {}}, "the record is accepted"),
        ({"reason/resp_s0": None}, "resp_s0 has no reason"),
        ({"reason/resp_s0": "general"}, "resp_s0 needs no sentence"),
        ({"note": ""}, "the note is gone"),
        ({"flagged": True}, "the record is flagged"),
        ({"relevant/doc_0_s0": True, "relevant/doc_0_s1": False, "relevant/doc_0_s2": False, "adopted": ""},
         "labels of the earlier content are not taken over; doc_0_s0 is relevant and 2 more"),
    ],
)  # fmt: skip
def test_it_says_what_is_now_the_case(patch: Patch, said: str) -> None:
    assert describe(patch) == said


@given(st.lists(reviews, min_size=2, max_size=2))
def test_whatever_an_edit_changes_can_be_said(both: list[Review]) -> None:
    for old, new in pairwise(both):
        for patch in diff(old, new):
            assert bool(describe(patch)) == bool(patch)
            assert len(describe(patch)) < 120
