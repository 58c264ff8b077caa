import json
from pathlib import Path
from typing import Any

import pytest

from trace_tui.datasets.audit import Audit, Place, Sizes, Splitting, audit, sizes
from trace_tui.datasets.sentences import Split
from trace_tui.datasets.source import open_dataset
from trace_tui.normalise import Dirt
from trace_tui.records import Span

SPLIT = {
    "question": "q",
    "documents": ["One. Two.", "Three."],
    "response": "Four. Five.",
    "documents_sentences": [[["0a", "One."], ["0b", "Two."]], [["1a", "Three."]]],
    "response_sentences": [["a", "Four."], ["b", "Five."]],
}
LABELS: dict[str, Any] = {
    "all_relevant_sentence_keys": ["0a"],
    "all_utilized_sentence_keys": ["0a"],
    "unsupported_response_sentence_keys": [],
    "sentence_support_information": [
        {"response_sentence_key": "a", "supporting_sentence_keys": ["0a"], "fully_supported": None},
        {"response_sentence_key": "b", "supporting_sentence_keys": ["general"], "fully_supported": None},
    ],
    "relevance_score": 1 / 3,
    "utilization_score": 1 / 3,
    "completeness_score": 1.0,
    "adherence_score": True,
}


def never() -> Splitting:
    pytest.fail("nothing here must be cut")


def halves(falls_back_on: str = "none of them") -> Splitting:
    def split(text: str) -> Split:
        half = len(text) // 2
        return Split((Span(0, half), Span(half, len(text))) if text else (), fell_back=text == falls_back_on)

    return split


def look(tmp_path: Path, *rows: object, make_splitting: Any = never) -> Audit:
    path = tmp_path / "d.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    with open_dataset(path) as dataset:
        return audit(dataset, make_splitting)


def test_what_was_loaded(tmp_path: Path) -> None:
    row = {"id": 1} | SPLIT | LABELS
    plain = {"question": "q", "contexts": ["a", "b"], "answer": "r"}
    found = look(tmp_path, row, {"id": 2} | SPLIT, "", row, plain, "{", json.dumps(row, indent=None, sort_keys=True))
    assert (found.records, found.documents, found.labelled, found.published, found.uncut) == (3, 6, 1, 1, 1)
    assert (found.repeats, found.relabelled) == (2, [])
    assert [error.number for error in found.errors] == [6]
    assert found.document_sentences == {3: 2}
    assert found.response_sentences == {2: 2}
    assert (found.dirt, found.differences, found.warnings) == ({}, [], {})


def test_no_sizes_of_nothing(tmp_path: Path) -> None:
    assert sizes(look(tmp_path, "{").document_sentences) is None


def test_plain_rows_with_labels_are_cut(tmp_path: Path) -> None:
    plain = {"question": "q", "documents": ["abcd"], "response": "efgh", "all_relevant_sentence_keys": ["doc_0_s1"]}
    found = look(tmp_path, plain, make_splitting=halves)
    assert sizes(found.document_sentences) == Sizes(2, 2, 2)
    assert (found.labelled, found.published, set(found.dirt)) == (1, 0, {Dirt.NO_VERDICT})
    assert found.warnings == {}


def test_a_splitter_that_fell_back_is_a_warning(tmp_path: Path) -> None:
    labels = {"all_relevant_sentence_keys": ["doc_0_s1"]}
    rows = [{"id": text, "question": "q", "documents": [text, text], "response": "r"} | labels for text in ("ab", "cd")]
    found = look(tmp_path, *rows, make_splitting=lambda: halves(falls_back_on="cd"))
    [(text, finding)] = found.warnings.items()
    assert "did not cover" in text
    assert (finding.count, finding.records, finding.first) == (1, 1, [Place(2, "cd")])


def test_the_same_record_with_other_labels_is_named(tmp_path: Path) -> None:
    one = {"id": 1} | SPLIT | LABELS
    labels, score = {"all_relevant_sentence_keys": []}, {"adherence_score": False}
    found = look(tmp_path, one, {"id": 2} | SPLIT | LABELS, one | labels, one | score, dict(reversed(one.items())))
    assert (found.relabelled, found.repeats) == ([(Place(3, 1), 1), (Place(4, 1), 1)], 1)
    assert (found.records, found.labelled, found.published) == (2, 2, 2)
    assert {difference.place.line for difference in found.differences} == {3, 4}, "their scores are looked at, too"


def test_published_scores_without_labels_are_named(tmp_path: Path) -> None:
    bare = {"id": "bare"} | SPLIT | {name: LABELS[name] for name in LABELS if name.endswith("_score")}
    plain = {"id": "plain", "question": "q", "documents": ["d"], "response": "r", "relevance_score": 0.5}
    found = look(tmp_path, bare, plain, {"id": "no scores"} | SPLIT, {"id": "clean"} | SPLIT | LABELS)
    assert found.unfounded == [Place(1, "bare"), Place(2, "plain")]
    assert (found.records, found.labelled, found.published, found.differences) == (4, 1, 3, [])


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [
        (
            {"sentence_support_information": [{"response_sentence_key": "a."}, {"response_sentence_key": "b"}]},
            ["UNTIDY_KEY"],
        ),
        ({"all_utilized_sentence_keys": ["0b"]}, ["OUTSIDE_RELEVANT"]),
        ({"all_relevant_sentence_keys": ["0a", "9z"]}, ["UNKNOWN_KEY"]),
        ({"all_relevant_sentence_keys": ["0a", "0a"]}, ["DUPLICATE_KEY"]),
        ({"all_relevant_sentence_keys": ["0a", "general"]}, ["SPECIAL_WORD"]),
        ({"all_relevant_sentence_keys": ["0a, 0b"]}, ["JOINED_KEYS"]),
        ({"unsupported_response_sentence_keys": ["z"]}, ["UNKNOWN_RESPONSE_KEY"]),
        ({"sentence_support_information": [{"response_sentence_key": "a"}]}, ["MISSING_SUPPORT"]),
        ({"sentence_support_information": "x"}, ["MISSING_SUPPORT", "WRONG_TYPE"]),
        (
            {
                "unsupported_response_sentence_keys": ["a"],
                "sentence_support_information": [
                    {"response_sentence_key": "a", "fully_supported": True},
                    {"response_sentence_key": "b", "supporting_sentence_keys": ["9z"]},
                ],
            },
            ["UNKNOWN_SUPPORT_KEY", "CONTRADICTION"],
        ),
    ],
)
def test_every_kind_of_dirt_is_counted(tmp_path: Path, labels: dict[str, Any], kinds: list[str]) -> None:
    found = look(tmp_path, {"id": 1} | SPLIT | LABELS, {"id": "dirty"} | SPLIT | LABELS | labels)
    assert {kind.name for kind in found.dirt} == set(kinds)
    assert all(finding.first == [Place(2, "dirty")] for finding in found.dirt.values())


def test_only_the_first_records_of_a_kind_are_named(tmp_path: Path) -> None:
    labels = LABELS | {"all_relevant_sentence_keys": ["0a", "8z", "9z"]}
    finding = look(tmp_path, *({"id": number} | SPLIT | labels for number in range(9))).dirt[Dirt.UNKNOWN_KEY]
    assert (finding.count, finding.records, len(finding.first)) == (18, 9, 5)


def test_every_score_that_does_not_follow_is_named(tmp_path: Path) -> None:
    wrong = LABELS | {"relevance_score": 0.5, "completeness_score": 1 - 1e-8, "adherence_score": 0}
    dirty = LABELS | {"all_utilized_sentence_keys": ["0a", "0a"], "utilization_score": 2 / 3}
    undefined = LABELS | {"documents": [], "documents_sentences": [], "utilization_score": None}
    found = look(tmp_path, *({"id": number} | SPLIT | row for number, row in enumerate((wrong, dirty, undefined))))
    assert [(d.place.id, d.metric, d.recomputed, d.dirt) for d in found.differences] == [
        (0, "context_relevance", 1 / 3, ()),
        (0, "completeness", 1.0, ()),
        (0, "adherence", 1.0, ()),
        (1, "context_utilization", 1 / 3, (Dirt.DUPLICATE_KEY,)),
        (2, "context_relevance", None, (Dirt.UNKNOWN_KEY,)),
    ]


def test_warnings_are_gathered(tmp_path: Path) -> None:
    found = look(tmp_path, '{"question": "a", "question": "b", "documents": [], "response": ""}', {"question": "q"})
    assert [finding.first for finding in found.warnings.values()] == [
        [Place(1, None)],
        [Place(2, None)],
        [Place(2, None)],
    ]


def test_progress_counts_records(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    (tmp_path / "d.jsonl").write_text("{\n[\n")
    with open_dataset(tmp_path / "d.jsonl") as dataset:
        audit(dataset, never, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]
