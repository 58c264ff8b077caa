import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.datasets.decode import SURROGATES_REPLACED, UnreadableError, decode
from trace_tui.datasets.rows import Row, record_of, row_of
from trace_tui.records import Passage, Span, document_key, response_key

NO_FIELD = " no field for the "


def read(**fields: Any) -> Row:
    return row_of(decode(json.dumps(fields).encode(), thorough=True))


def words(text: str) -> list[Span]:
    """Cut at single spaces: a stand-in for a splitter, with offsets."""
    spans, at = [], 0
    for word in text.split(" "):
        if word:
            spans.append(Span(at, at + len(word)))
        at += len(word) + 1
    return spans


@pytest.mark.parametrize("question", ["question", "query", "user_input", "input"])
@pytest.mark.parametrize("documents", ["documents", "contexts", "retrieved_contexts", "retrieval_context", "context"])
@pytest.mark.parametrize("response", ["response", "answer", "actual_output", "output"])
@pytest.mark.parametrize("reference", ["reference", "ground_truth", "expected_output"])
def test_fields_go_by_many_names(question: str, documents: str, response: str, reference: str) -> None:
    row = read(**{question: "q", documents: ["d"], response: "r", reference: "t"})
    assert (row.question, row.documents, row.response.text, row.reference) == ("q", (Passage("d", ()),), "r", "t")
    assert row.warnings == ()


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ("one", ["one"]),
        ([], []),
        (None, []),
        (["", None], ["", ""]),
        ([{"page_content": "a"}, {"text": "b"}, {"content": "c"}, "d"], ["a", "b", "c", "d"]),
        ({"text": "alone"}, ["alone"]),
        ([{"text": None}], [""]),
        (42, ["42"]),
        ([1.5, True], ["1.5", "true"]),
        ([["s1", "s2"]], ["s1\ns2"]),
    ],
)
def test_documents_come_in_many_shapes(documents: object, expected: list[str]) -> None:
    row = read(question="q", documents=documents, response="r")
    assert [document.text for document in row.documents] == expected
    assert row.warnings == ()


@pytest.mark.parametrize("odd", [[{"foo": "x"}], [["a", 1]], [{"text": {"a": 1}}]])
def test_what_is_no_text_is_kept_as_json_with_a_warning(odd: list[Any]) -> None:
    row = read(question="q", documents=odd, response={"b": 2})
    shown = odd[0]["text"] if isinstance(odd[0], dict) and "text" in odd[0] else odd[0]
    assert [json.loads(document.text) for document in row.documents] == [shown]
    assert json.loads(row.response.text) == {"b": 2}
    assert len(row.warnings) == 2


@pytest.mark.parametrize(
    ("document", "title"),
    [
        ({"text": "t", "title": "T"}, "T"),
        ({"page_content": "t", "metadata": {"source": "a.pdf"}}, "a.pdf"),
        ({"page_content": "t", "metadata": {"source": "a.pdf", "title": "T"}}, "T"),
        ({"text": "t", "title": 7, "metadata": "x"}, ""),
    ],
)
def test_documents_have_titles(document: dict[str, Any], title: str) -> None:
    assert read(question="q", documents=[document]).documents[0].title == title


def test_missing_fields_are_warned_of_and_null_ones_are_not() -> None:
    assert len(read(question="q").warnings) == 2
    assert read(question="q", documents=None, answer=None).warnings == ()


def test_a_reference_may_be_a_list() -> None:
    assert read(question="q", reference=["a", "b"]).reference == "a\nb"
    assert read(question="q").reference is None


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_a_character() -> None:
    half = row_of(decode(rb'{"question": "\ud83d half", "documents": ["\udc00"], "response": "r", "\ud800": 1}'))
    assert (half.question, half.documents[0].text) == ("\ufffd half", "\ufffd")
    assert half.warnings == (SURROGATES_REPLACED,)
    whole = row_of(decode(rb'{"question": "\ud83d\ude00", "documents": [], "response": "r"}'))
    assert (whole.question, whole.warnings) == ("\N{GRINNING FACE}", ())


def test_of_a_key_given_twice_the_last_wins_with_a_warning_where_it_is_looked_for() -> None:
    data = b'{"id": "x", "id": "y", "question": "q", "documents": [{"text": "a", "text": "b"}], "response": "r"}'
    row = row_of(decode(data, thorough=True))
    assert (row.id, row.documents[0].text) == ("y", "b")
    assert row.warnings == ("object keys given twice, the last wins: text, id",)
    assert row_of(decode(data)).uid == row.uid


def test_scores_that_are_no_finite_numbers_are_missing() -> None:
    data = b'{"question": "q", "documents": [], "response": "r", "relevance_score": NaN, "utilization_score": 1e400,'
    row = row_of(decode(data + b'"completeness_score": "nan", "adherence_score": ' + b"9" * 400 + b"}"))
    assert set(row.published.values()) == {None}
    assert len(row.warnings) == 4
    assert read(question="q", adherence_score=True, relevance_score=0, completeness_score=None).published == {
        "context_relevance": 0.0,
        "context_utilization": None,
        "completeness": None,
        "adherence": 1.0,
    }


def test_identities_tell_typed_ids_and_contents_apart() -> None:
    plain = {"question": "q", "documents": ["d"], "response": "r"}
    ids = [7, "7", "007", 7.0, True, 2**63, 2**64, 2**64 + 1, 10**200, 10**200 + 1, "x" * 500, "x" * 501]
    rows = [read(**plain)] + [read(id=row_id, **plain) for row_id in ids]
    rows += [read(**plain | {"response": text}) for text in ("r2", "r ", "")]
    rows += [read(generation_model_name="a", **plain), read(annotating_model_name="a", **plain)]
    rows += [
        read(**plain | {"documents": documents}) for documents in (["d", ""], ["", "d"], [{"text": "d", "title": "t"}])
    ]
    assert len({row.uid for row in rows}) == len(rows)
    assert all(len(row.uid) < 120 for row in rows)
    assert rows[0].id is None
    assert [row.id for row in rows[1 : len(ids) + 1]] == ids


@pytest.mark.parametrize("unusable", [[], {}, [1], "", float("nan"), float("inf")])
def test_an_unusable_id_is_made_from_the_content(unusable: object) -> None:
    row = read(id=unusable, question="q", documents=[], response="r")
    assert row.id is None
    assert row.uid == read(question="q", documents=[], response="r").uid
    assert len(row.warnings) == 1


def test_an_identity_never_changes() -> None:
    row = read(id="a", question="q", documents=[{"text": "d", "title": "é"}], response="r", generation_model_name="m")
    assert row.uid == '"a"#6c70a22a3badc24a'


@given(st.permutations(["id", "question", "documents", "response", "generation_model_name", "extra"]))
def test_an_identity_does_not_depend_on_the_order_of_keys(order: list[str]) -> None:
    fields = dict(zip(order, itertools.repeat("x"), strict=False))
    assert read(**fields).uid == read(**dict(sorted(fields.items()))).uid


def test_a_row_is_cut_at_the_spans_of_its_splitter_or_of_the_store() -> None:
    row = read(id="a", question="q", documents=["one two", "", "three"], response="four five")
    record = record_of(row, words, split="words")
    assert record.document_keys == ("doc_0_s0", "doc_0_s1", "doc_2_s0")
    assert [s.text for s in record.response.sentences] == ["four", "five"]
    assert (record.split, record.uid, record.id) == ("words", row.uid, "a")
    stored = ((Span(0, 7),), (), (Span(0, 5),), (Span(0, 4), None, Span(5, 9)))
    again = record_of(row, None, stored, "older")
    assert again.document_keys == ("doc_0_s0", "doc_2_s0")
    assert again.response_keys == ("resp_s0", "resp_s2")
    assert again.response.sentences[1].text == "five"


def test_a_row_cannot_be_cut_with_nothing_or_by_spans_of_another() -> None:
    row = read(question="q", documents=["one two"], response="r")
    with pytest.raises(ValueError, match="nothing to cut"):
        record_of(row, None)
    with pytest.raises(ValueError, match="argument"):
        record_of(row, words, ((Span(0, 1),),))


GIVEN = {
    "question": "q",
    "documents": ["One. Two.", "Three."],
    "response": "Four.",
    "documents_sentences": [[["0a", "One."], ["0b", "Two."]], [["1a", "Three."]]],
    "response_sentences": [["a", "Four."]],
}


def test_given_sentences_keep_their_keys_as_aliases() -> None:
    row = read(**GIVEN)
    assert row.is_split
    record = record_of(row, None)
    assert [tuple(s) for s in record.document_sentences()] == [
        ("doc_0_s0", "One.", "0a"),
        ("doc_0_s1", "Two.", "0b"),
        ("doc_1_s0", "Three.", "1a"),
    ]
    assert [tuple(s) for s in record.response.sentences] == [("resp_s0", "Four.", "a")]
    assert record.split == "given"
    assert record.documents[0].text == "One. Two."


def test_given_sentences_are_part_of_the_identity_and_their_names_are_not() -> None:
    other = read(**GIVEN | {"response_sentences": [["a", "Fou"], ["b", "r."]]})
    renamed = read(**GIVEN | {"response_sentences": [["A", "Four."]]})
    assert len({read(**GIVEN).uid, other.uid}) == 2
    assert renamed.uid == read(**GIVEN).uid


@pytest.mark.parametrize(
    "wrong",
    [
        {"documents_sentences": "x"},
        {"documents_sentences": None},
        {"documents_sentences": [[["0a", "One."]]]},
        {"documents_sentences": [["One.", "Two."], ["ab"]]},
        {"documents_sentences": [[["0a", "One.", "x"]], []]},
        {"documents_sentences": [[["0a", 7]], []]},
        {"response_sentences": None},
        {"response_sentences": {"a": "Four."}},
    ],
)
def test_sentences_of_a_wrong_type_are_split_anew_with_a_warning(wrong: dict[str, Any]) -> None:
    row = read(**GIVEN | wrong)
    assert not row.is_split
    assert row.documents[0].sentences == ()
    assert ["split anew" in warning for warning in row.warnings] == [True]


@pytest.mark.parametrize("keys", [("0a", "0a"), ("0a", 7), (None, "x")])
def test_keys_that_name_two_sentences_or_are_no_text_are_replaced_with_a_warning(keys: tuple[object, object]) -> None:
    row = read(**GIVEN | {"documents_sentences": [[[keys[0], "One."]], [[keys[1], "Three."]]]})
    aliases = [document.sentences[0].alias for document in row.documents]
    expected = [key if isinstance(key, str) and key not in keys[:at] else f"doc_{at}_s0" for at, key in enumerate(keys)]
    assert aliases == expected
    assert len(row.warnings) == 1


def test_texts_left_out_are_the_given_sentences() -> None:
    row = read(
        **{name: value for name, value in GIVEN.items() if name not in {"documents", "response"}} | {"answer": None}
    )
    assert row.is_split
    assert [document.text for document in row.documents] == ["One. Two.", "Three."]
    assert row.response.text == "Four."


def test_a_row_without_response_may_have_no_response_sentences() -> None:
    row = read(**GIVEN | {"response": None, "response_sentences": None})
    assert (row.is_split, row.response.sentences) == (True, ())


def test_keys_of_long_documents_are_those_of_the_vocabulary() -> None:
    sizes = [3, 0, 12]
    lists = [[[f"{d}-{s}", "x"] for s in range(size)] for d, size in enumerate(sizes)]
    row = read(
        question="q", documents=[""] * 3, response="y", documents_sentences=lists, response_sentences=[["r", "y"]]
    )
    keys = [s.key for document in row.documents for s in document.sentences]
    assert keys == [document_key(d, s) for d, size in enumerate(sizes) for s in range(size)]
    assert row.response.sentences[0].key == response_key(0)


def test_labels_are_there_only_if_they_say_something_of_a_sentence() -> None:
    assert read(**GIVEN).labels is None
    assert read(**GIVEN, relevance_explanation="x", all_relevant_sentence_keys=None).labels is None
    labels = read(**GIVEN, all_relevant_sentence_keys=[], overall_supported_explanation="y").labels
    assert labels is not None
    assert (labels.relevant, labels.unsupported, labels.overall_explanation) == ([], None, "y")


def test_an_error_without_a_place_has_no_column() -> None:
    with pytest.raises(UnreadableError) as caught:
        read(foo=1)
    assert caught.value.column is None
