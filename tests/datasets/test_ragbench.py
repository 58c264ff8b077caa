import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trace_tui.datasets.decode import decode
from trace_tui.datasets.ragbench import PUBLISHED, ragbench_row
from trace_tui.datasets.rows import record_of, row_of
from trace_tui.datasets.source import open_dataset
from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.normalise import Dirt, normalise
from trace_tui.records import Passage, Record, Sentence, document_key, response_key
from trace_tui.scoring import Definition, count, scores

REAL = Path(__file__).parents[2] / ".." / "shared" / "data" / "ragbench"

ALIASES = st.sampled_from(["0a", "0b", "a", "b", "general", "x,y", " ", "A.", "doc_0_s1", "resp_s0", "é", "\n", "k;l"])
SIZES = st.lists(st.integers(0, 4), max_size=3)
TEXT = st.text(max_size=8)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Record, Labels]:
    """A record, its own keys as odd as can be, with labels in which every response sentence is judged."""
    given_keys = draw(st.booleans())

    def sentence(key: str) -> Sentence:
        return Sentence(key, draw(TEXT), draw(ALIASES) if given_keys else key)

    documents = tuple(
        Passage(draw(TEXT), tuple(sentence(document_key(number, at)) for at in range(size)))
        for number, size in enumerate(draw(SIZES))
    )
    response = Passage(draw(TEXT), tuple(sentence(response_key(at)) for at in range(draw(st.integers(0, 4)))))
    record = Record("uid", "id", draw(TEXT), documents, response, generator="g", split="given" if given_keys else "own")
    some = st.frozensets(st.sampled_from(record.document_keys)) if record.document_keys else st.just(frozenset[str]())
    relevant = draw(some)
    supports = {
        key: Support(
            draw(some),
            draw(st.sampled_from([Verdict.SUPPORTED, Verdict.UNSUPPORTED])),
            draw(st.none() | st.sampled_from(Reason)),
            draw(TEXT),
        )
        for key in record.response_keys
    }
    return record, Labels(relevant, draw(some) & relevant, supports, draw(TEXT), draw(TEXT))


FIELDS: dict[str, Any] = {
    "dataset_name": "x",
    "adherence_score": False,
    "overall_supported": None,
    "gpt3_adherence": float("nan"),
    "nested": [{"deep": float("inf")}],
}


@settings(max_examples=300)
@given(labelled())
def test_what_is_written_reads_back_equal_and_clean(drawn: tuple[Record, Labels]) -> None:
    record, labels = drawn
    written = ragbench_row(record, labels, FIELDS, "Mia")
    row = row_of(decode(json.dumps(written, allow_nan=False).encode(), thorough=True))
    assert row.warnings == ()
    assert (row.is_split, row.annotator_model, row.generator) == (True, "Mia", "g")
    again = record_of(row, None)
    assert again.document_keys == record.document_keys
    assert [s.text for s in again.document_sentences()] == [s.text for s in record.document_sentences()]
    assert row.labels is not None
    found = normalise(row.labels, again)
    assert found.labels == labels
    assert found.dirt == {}
    assert row.published == {
        name: getattr(scores(count(labels, record), Definition.RAGBENCH), name) for name in PUBLISHED
    }
    assert (row.fields["nested"], row.fields["gpt3_adherence"]) == ([{"deep": None}], None)


@given(labelled())
def test_utilized_outside_relevant_is_the_only_dirt_a_person_can_leave(drawn: tuple[Record, Labels]) -> None:
    record, labels = drawn
    everything = frozenset(record.document_keys)
    labels = Labels(labels.relevant, everything, labels.supports)
    row = row_of(decode(json.dumps(ragbench_row(record, labels, {}, "Mia")).encode()))
    assert row.labels is not None
    found = normalise(row.labels, record_of(row, None))
    assert found.labels.utilized == everything
    assert found.dirt.total() == found.dirt[Dirt.OUTSIDE_RELEVANT] == len(everything - labels.relevant)


def small_record(split: str = "own") -> Record:
    sentence, answer = Sentence("doc_0_s0", "A.", "doc_0_s0"), Sentence("resp_s0", "B.", "resp_s0")
    return Record("uid", 7, "q", (Passage("A.", (sentence,)),), Passage("B.", (answer,)), split=split)


def test_rows_without_keys_of_their_own_get_letters() -> None:
    support = Support(frozenset({"doc_0_s0"}), Verdict.UNSUPPORTED, Reason.GENERAL, "why")
    labels = Labels(frozenset({"doc_0_s0"}), frozenset(), {"resp_s0": support})
    row = ragbench_row(small_record(), labels, {"overall_supported": True}, "Mia")
    assert row["documents_sentences"] == [[["0a", "A."]]]
    assert row["response_sentences"] == [["a", "B."]]
    assert row["unsupported_response_sentence_keys"] == ["a"]
    assert row["sentence_support_information"] == [
        {
            "response_sentence_key": "a",
            "explanation": "why",
            "supporting_sentence_keys": ["0a", "general"],
            "fully_supported": False,
        }
    ]
    assert [row[name] for name in (*PUBLISHED.values(), "overall_supported")] == [1.0, 0.0, 0.0, False, False]
    assert row["id"] == 7


def test_unjudged_sentences_are_refused() -> None:
    with pytest.raises(ValueError, match="unjudged"):
        ragbench_row(small_record(), Labels(), {}, "Mia")


def test_fields_nested_beyond_writing_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    labels = Labels(supports={"resp_s0": Support(verdict=Verdict.SUPPORTED)})
    with pytest.raises(ValueError, match="nested too deeply"):
        ragbench_row(small_record(), labels, {"deep": deep}, "Mia")


def real_rows() -> Iterator[tuple[Path, int]]:
    for path in sorted(REAL.glob("*.jsonl")):
        with open_dataset(path) as dataset:
            yield from ((path, position) for position in range(len(dataset)))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real rows of RAGBench are not beside this checkout")
def test_real_rows_score_as_published_and_go_through_export_and_back() -> None:
    seen = 0
    for path, position in real_rows():
        with open_dataset(path) as dataset:
            row = dataset.row(position)
        record = record_of(row, None)
        assert row.is_split
        assert row.labels is not None
        found = normalise(row.labels, record)
        keys = {Dirt.UNKNOWN_KEY, Dirt.DUPLICATE_KEY, Dirt.SPECIAL_WORD} & found.dirt.keys()
        if not keys:
            ours = scores(count(found.labels, record), Definition.RAGBENCH)
            assert {name: getattr(ours, name) for name in PUBLISHED} == row.published
        again = row_of(decode(json.dumps(ragbench_row(record, found.labels, row.fields, "Mia")).encode()))
        assert again.warnings == ()
        assert again.labels is not None
        back = normalise(again.labels, record_of(again, None))
        assert back.labels == found.labels
        assert set(back.dirt) <= {Dirt.OUTSIDE_RELEVANT}
        seen += 1
    assert seen >= 280
