import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies
from tests.rows import make_record
from trace_tui.datasets.rescoring import rescored
from trace_tui.datasets.scorelines import ScoreLine, decode_lines
from trace_tui.datasets.tracelines import trace_line
from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.reviews import Kept, Review
from trace_tui.scoring import Definition

RECORD = make_record(documents=[["a", "é", "doc_", "d"]] * 3, response=["e", "f", "g", "h"])
GPT, RAGBENCH = Definition

judgements = st.none() | st.builds(Judgement, st.just(Judge("j")), strategies.labels)


def exported(
    judgement: Judgement | None, review: Review, definition: Definition, changes: dict[str, Any] | None = None
) -> bytes:
    line = trace_line(RECORD, Kept(review, judgement), "mia", definition)
    return json.dumps(line | (changes or {})).encode()


def read(text: bytes) -> ScoreLine:
    [line] = decode_lines([text])
    return line


@given(judgements, strategies.reviews, st.sampled_from(Definition), st.sampled_from(Definition))
def test_a_line_scored_anew_is_the_line_exported_so(
    judgement: Judgement | None, review: Review, exported_as: Definition, wanted: Definition
) -> None:
    text = exported(judgement, review, exported_as)
    assert rescored(read(text), text, wanted) == read(exported(judgement, review, wanted))


@pytest.mark.parametrize(
    "changes",
    [
        {"labels": 7},
        {"labels": {"relevant": [], "utilized": [], "supports": {"resp_s0": {"verdict": "perhaps"}}}},
        {"ground_truth_labels": None},
        {"sentences": None},
        {"sentences": {"resp_s0": "x"}},
        {"blind_judgement": {"ground_truth_scores": {}}},
        {"definition": None},
        {"definition": "ragbench"},
    ],
)
def test_what_cannot_be_scored_anew_stays_as_it_is(changes: dict[str, Any]) -> None:
    judged = Judgement(Judge("j"), Labels(relevant=frozenset({"doc_0_s0"})))
    text = exported(judged, Review(judged.labels), GPT, changes)
    assert rescored(read(text), text, RAGBENCH) == read(text)


def test_a_line_of_scores_alone_stays_as_it_is() -> None:
    text = b'{"metrics": {"adherence": 1}, "ground_truth_scores": {}, "definition": "gpt-labeling"}'
    assert rescored(read(text), text, RAGBENCH) == read(text)
