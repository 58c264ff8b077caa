import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.rows import published_scores, raw_of_row, record_of_row
from trace_tui.labels import Reason, Verdict
from trace_tui.normalise import Dirt, normalise, number_to_letters
from trace_tui.records import spans_of

SAMPLES = Path(__file__).parents[1] / "samples"


def load(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_bytes().split(b"\n") if line]


RAGBENCH = load("ragbench.jsonl")
PLAIN = load("plain.jsonl")
each_row = pytest.mark.parametrize("row", RAGBENCH, ids=lambda row: row["id"])


def test_there_are_enough_and_each_has_an_id_of_its_own() -> None:
    assert len(RAGBENCH) >= 12
    assert len(PLAIN) >= 5
    ids = [row["id"] for row in RAGBENCH + PLAIN]
    assert len(set(ids)) == len(ids)


@each_row
def test_labels_say_that_they_are_hand_made(row: dict[str, Any]) -> None:
    assert row["annotating_model_name"] == "hand-made example labels"
    assert "hand-made example labels" in row["dataset_name"]
    assert row["relevance_explanation"].startswith("Hand-made example: ")
    assert row["overall_supported_explanation"].startswith("Hand-made example: ")


@each_row
def test_keys_are_ragbench_keys_in_order(row: dict[str, Any]) -> None:
    for number, sentences in enumerate(row["documents_sentences"]):
        assert [key for key, _ in sentences] == [f"{number}{number_to_letters(s)}" for s in range(len(sentences))]
    response = [number_to_letters(s) for s in range(len(row["response_sentences"]))]
    assert [key for key, _ in row["response_sentences"]] == response
    assert [entry["response_sentence_key"] for entry in row["sentence_support_information"]] == response


@each_row
def test_sentences_are_the_texts(row: dict[str, Any]) -> None:
    assert row["documents"] == [passage_text(sentences, row) for sentences in row["documents_sentences"]]
    assert row["response"] == passage_text(row["response_sentences"], row)
    assert all(span for passage in spans_of(record_of_row(row)) for span in passage)


def passage_text(sentences: list[list[str]], row: dict[str, Any]) -> str:
    return ("" if row["id"] == "station-waiting-room" else " ").join(text for _, text in sentences)


@each_row
def test_published_scores_follow_ragbenchs_formulas(row: dict[str, Any]) -> None:
    scores = published_scores(row)
    assert {name: row[name] for name in scores} == scores


@each_row
def test_labels_are_clean(row: dict[str, Any]) -> None:
    found = normalise(raw_of_row(row), record_of_row(row))
    assert set(found.dirt) <= {Dirt.OUTSIDE_RELEVANT}
    assert all(support.explanation for support in found.labels.supports.values())
    said = {entry["response_sentence_key"]: entry["fully_supported"] for entry in row["sentence_support_information"]}
    assert [key for key, fully in said.items() if not fully] == row["unsupported_response_sentence_keys"]


@each_row
def test_explanations_name_sentences_that_exist(row: dict[str, Any]) -> None:
    keys = {key for sentences in row["documents_sentences"] for key, _ in sentences}
    for entry in row["sentence_support_information"]:
        assert set(re.findall(r"\b\d[a-z]{1,2}\b", entry["explanation"])) <= keys


def test_the_cases_an_annotator_meets_are_there() -> None:
    labels = {row["id"]: normalise(raw_of_row(row), record_of_row(row)).labels for row in RAGBENCH}
    supports = [support for found in labels.values() for support in found.supports.values()]
    assert any(support.is_partial for support in supports)
    assert any(support.verdict is Verdict.UNSUPPORTED and not support.keys for support in supports)
    assert {support.reason for support in supports} == {None, *Reason}
    assert any(found.relevant - found.utilized for found in labels.values())
    assert any(not found.relevant and not found.utilized for found in labels.values())
    assert max(len(record_of_row(row).document_keys) for row in RAGBENCH) >= 30
    assert any("\u3040" <= letter <= "\u30ff" for row in RAGBENCH for letter in row["response"])


def test_the_worked_example_is_the_designs() -> None:
    row = next(row for row in RAGBENCH if row["id"] == "worked-example")
    assert row["documents"] == [
        "COVID-19 is a respiratory disease caused by SARS-CoV-2.",
        "The virus spreads through respiratory droplets.",
        "Vaccines help prevent infection.",
    ]
    labels = normalise(raw_of_row(row), record_of_row(row)).labels
    assert labels.relevant == labels.utilized == {"doc_0_s0", "doc_1_s0"}
    assert [support.verdict for support in labels.supports.values()] == [Verdict.SUPPORTED] * 2


def test_plain_rows_have_no_labels_and_cover_the_field_names() -> None:
    assert not any(key for row in PLAIN for key in row if "sentence" in key or "score" in key)
    assert {key for row in PLAIN for key in row} >= {
        *("question", "query", "user_input", "input"),
        *("documents", "contexts", "retrieved_contexts", "retrieval_context"),
        *("response", "answer", "actual_output", "expected_output"),
    }
    documents = [document for row in PLAIN for document in row.get("retrieved_contexts", row.get("documents", []))]
    assert any(isinstance(document, dict) and "page_content" in document for document in documents)
    assert any(isinstance(document, dict) and "text" in document for document in documents)
