import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rows import (
    Row,
    make_record,
    make_row,
    named_rows,
    published_scores,
    raw_of_row,
    record_of_row,
    support_entry,
)
from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.normalise import Dirt, Normalised, RawLabels, normalise, number_to_letters
from trace_tui.records import response_key
from trace_tui.scoring.counts import count

SHARED = Path(__file__).parents[2] / "shared" / "data"
ROWS = named_rows()


def clean_of(row: Row) -> Normalised:
    return normalise(raw_of_row(row), record_of_row(row))


def support(*keys: str, verdict: Verdict = Verdict.SUPPORTED, reason: Reason | None = None, said: str = "") -> Support:
    return Support(frozenset(keys), verdict, reason, said or "The sentence says so.")


A, B = support("doc_0_s0"), support("doc_1_s0")
NOT_B = support(verdict=Verdict.UNSUPPORTED)
UNEXPLAINED = Support(verdict=Verdict.SUPPORTED)
RELEVANT, UTILIZED = {"doc_0_s0", "doc_0_s1", "doc_1_s0"}, {"doc_0_s0", "doc_1_s0"}
PLAIN: tuple[set[str], set[str], list[Support], dict[Dirt, int]] = (RELEVANT, UTILIZED, [A, B], {})


# What each row comes to: relevant, utilized, the supports in order, and the dirt met.
EXPECTED: dict[str, tuple[set[str], set[str], list[Support], dict[Dirt, int]]] = {
    "clean": PLAIN,
    "dotted document keys": (UTILIZED, UTILIZED, [A, B], {Dirt.UNTIDY_KEY: 6}),
    "dotted response keys": (RELEVANT, UTILIZED, [A, NOT_B], {Dirt.UNTIDY_KEY: 3}),
    "unknown keys": (
        {"doc_0_s0"},
        {"doc_0_s0"},
        [A, B],
        {Dirt.UNKNOWN_KEY: 3, Dirt.UNKNOWN_SUPPORT_KEY: 1},
    ),
    "duplicate relevant keys": (RELEVANT, UTILIZED, [A, B], {Dirt.DUPLICATE_KEY: 1}),
    "duplicate utilized keys": (RELEVANT, UTILIZED, [A, B], {Dirt.DUPLICATE_KEY: 2}),
    "joined keys": (RELEVANT, UTILIZED, [A, B], {Dirt.JOINED_KEYS: 1}),
    "fully_supported null": (RELEVANT, UTILIZED, [A, NOT_B], {}),
    "contradiction": (
        RELEVANT,
        UTILIZED,
        [A, support("doc_1_s0", verdict=Verdict.UNSUPPORTED)],
        {Dirt.CONTRADICTION: 2},
    ),
    "missing support entry": (RELEVANT, UTILIZED, [A, UNEXPLAINED], {Dirt.MISSING_SUPPORT: 1}),
    "surplus support entry": (RELEVANT, UTILIZED, [A, B], {Dirt.UNKNOWN_RESPONSE_KEY: 1}),
    "two entries for one sentence": (
        RELEVANT,
        UTILIZED,
        [A, support("doc_1_s0", "doc_1_s1", said="The name.\nThe year.")],
        {Dirt.DUPLICATE_SUPPORT: 1, Dirt.DUPLICATE_KEY: 1},
    ),
    "range of keys": (
        RELEVANT,
        UTILIZED,
        [
            *[A] * 7,
            support("doc_0_s0", verdict=Verdict.UNSUPPORTED),
            *[NOT_B] * 14,
            UNEXPLAINED,
        ],
        {Dirt.KEY_RANGE: 2, Dirt.CONTRADICTION: 1, Dirt.MISSING_SUPPORT: 1},
    ),
    "utilized outside relevant": (
        RELEVANT,
        {"doc_0_s0", "doc_0_s2", "doc_1_s1"},
        [A, B],
        {Dirt.OUTSIDE_RELEVANT: 2},
    ),
    "empty relevant": (set(), UTILIZED, [A, B], {Dirt.OUTSIDE_RELEVANT: 2}),
    "empty utilized": (RELEVANT, set(), [A, B], {}),
    "empty relevant and utilized": (
        set(),
        set(),
        [support(reason=Reason.SUPPORTED_WITHOUT_SENTENCE), support(reason=Reason.GENERAL)],
        {},
    ),
    "empty support, adherent": (RELEVANT, UTILIZED, [support(), support()], {}),
    "special support words": (
        RELEVANT,
        UTILIZED,
        [
            support(reason=Reason.GENERAL),
            support(reason=Reason.WELL_KNOWN_FACT),
            support("doc_0_s0", "doc_1_s0", reason=Reason.NUMERICAL_REASONING),
            support(reason=Reason.SUPPORTED_WITHOUT_SENTENCE),
        ],
        {},
    ),
    "special words as keys": ({"doc_0_s0"}, {"doc_0_s0"}, [A, B], {Dirt.SPECIAL_WORD: 2}),
    "many response sentences": (RELEVANT, UTILIZED, [support("doc_0_s1")] * 28, {}),
    "many document sentences": (
        {"doc_0_s25", "doc_0_s26", "doc_0_s27", "doc_0_s419"},
        {"doc_0_s26", "doc_0_s419"},
        [support("doc_0_s26"), support("doc_0_s419")],
        {},
    ),
    "CJK": PLAIN,
    "emoji": PLAIN,
    "control characters": PLAIN,
    "evaluator columns null": PLAIN,
    "evaluator columns above 1": PLAIN,
    "no list of unsupported": (RELEVANT, UTILIZED, [A, NOT_B], {}),
    "label fields of wrong types": (
        RELEVANT,
        UTILIZED,
        [UNEXPLAINED, UNEXPLAINED],
        {Dirt.WRONG_TYPE: 1, Dirt.MISSING_SUPPORT: 2},
    ),
}


def test_every_row_has_its_expectation() -> None:
    assert EXPECTED.keys() == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_each_kind_of_dirt(name: str) -> None:
    relevant, utilized, supports, dirt = EXPECTED[name]
    found = clean_of(ROWS[name])
    assert found.labels.relevant == relevant
    assert found.labels.utilized == utilized
    assert found.labels.supports == {response_key(number): said for number, said in enumerate(supports)}
    assert found.dirt == Counter(dirt)


@pytest.mark.parametrize("name", ROWS)
def test_normalising_what_was_normalised_finds_nothing_more(name: str) -> None:
    row = ROWS[name]
    record = record_of_row(row)
    first = clean_of(row)
    again = normalise(raw_of_labels(first.labels), record)
    assert again.labels == first.labels
    assert again.dirt.keys() <= {Dirt.OUTSIDE_RELEVANT}


def raw_of_labels(labels: Labels) -> RawLabels:
    """Write labels as a GPT-labeling reply would."""
    return RawLabels(
        relevant=sorted(labels.relevant),
        utilized=sorted(labels.utilized),
        support=[
            {
                "response_sentence_key": key,
                "supporting_sentence_keys": sorted(said.keys) + ([said.reason.value] if said.reason else []),
                "fully_supported": said.verdict is Verdict.SUPPORTED,
                "explanation": said.explanation,
            }
            for key, said in labels.supports.items()
        ],
        relevance_explanation=labels.relevance_explanation,
        overall_explanation=labels.overall_explanation,
    )


SCORED_AS_STORED = {"unknown keys", "duplicate relevant keys", "duplicate utilized keys", "special words as keys"}


@pytest.mark.parametrize("name", ROWS)
def test_published_scores_follow_from_the_labels_where_the_keys_are_clean(name: str) -> None:
    row = ROWS[name]
    found = clean_of(row)
    counts = count(found.labels, record_of_row(row))
    scores = (counts.relevant / counts.sentences, counts.utilized / counts.sentences, counts.unsupported == 0)
    published = tuple(row[f"{score}_score"] for score in ("relevance", "utilization", "adherence"))
    assert (scores == published) == (name not in SCORED_AS_STORED | {"joined keys"})


def test_explanations_are_kept() -> None:
    labels = clean_of(ROWS["clean"]).labels
    assert labels.relevance_explanation == "The clock and its repair."
    assert labels.overall_explanation == "Both sentences are in the documents."


@pytest.mark.parametrize(
    ("written", "keys", "dirt"),
    [
        (["doc_0_s1"], {"doc_0_s1"}, {}),
        ([" 0B "], {"doc_0_s1"}, {Dirt.UNTIDY_KEY: 1}),
        (["[0b]", "(1a)"], {"doc_0_s1", "doc_1_s0"}, {Dirt.UNTIDY_KEY: 2}),
        ("doc_0_s0, doc_0_s1", {"doc_0_s0", "doc_0_s1"}, {Dirt.JOINED_KEYS: 1}),
        (["0a-0c"], {"doc_0_s0", "doc_0_s1", "doc_0_s2"}, {Dirt.KEY_RANGE: 1}),
        (["0b to 0c", "0c"], {"doc_0_s1", "doc_0_s2"}, {Dirt.KEY_RANGE: 1, Dirt.DUPLICATE_KEY: 1}),
        (["0c-0a"], set(), {Dirt.UNKNOWN_KEY: 1}),
        (["0a–1a"], set(), {Dirt.UNKNOWN_KEY: 1}),
        (["a", "resp_s0"], set(), {Dirt.UNKNOWN_KEY: 2}),
        (["a-b"], set(), {Dirt.KEY_RANGE: 1, Dirt.UNKNOWN_KEY: 2}),
        (["", " . "], set(), {Dirt.UNKNOWN_KEY: 1}),
        (["0a", 3, None], {"doc_0_s0"}, {Dirt.WRONG_TYPE: 2}),
        ({"doc_0_s0": True}, set(), {Dirt.WRONG_TYPE: 1}),
        (7, set(), {Dirt.WRONG_TYPE: 1}),
        (None, set(), {}),
    ],
)
def test_keys_as_models_write_them(written: Any, keys: set[str], dirt: dict[Dirt, int]) -> None:
    found = clean_of(make_row(all_utilized_sentence_keys=[]) | {"all_relevant_sentence_keys": written})
    assert found.labels.relevant == keys
    assert found.dirt == Counter(dirt)


@pytest.mark.parametrize(
    ("said", "verdict", "dirt"),
    [
        (True, Verdict.SUPPORTED, {}),
        ("False", Verdict.UNSUPPORTED, {}),
        (None, Verdict.UNJUDGED, {Dirt.NO_VERDICT: 1}),
        ("perhaps", Verdict.UNJUDGED, {Dirt.WRONG_TYPE: 1, Dirt.NO_VERDICT: 1}),
        (1, Verdict.UNJUDGED, {Dirt.WRONG_TYPE: 1, Dirt.NO_VERDICT: 1}),
    ],
)
def test_without_the_list_each_entry_decides(said: object, verdict: Verdict, dirt: dict[Dirt, int]) -> None:
    entries = [support_entry("a", ["0a"]), support_entry("b", ["1a"], fully=said)]
    row = make_row(sentence_support_information=entries) | {"unsupported_response_sentence_keys": None}
    found = clean_of(row)
    assert found.labels.support("resp_s1").verdict is verdict
    assert found.dirt == Counter(dirt)


def test_two_entries_that_disagree_leave_the_sentence_unjudged() -> None:
    entries = [support_entry("a", ["0a"]), support_entry("b", []), support_entry("b", [], fully=False)]
    row = make_row(sentence_support_information=entries) | {"unsupported_response_sentence_keys": None}
    found = clean_of(row)
    assert found.labels.support("resp_s1").verdict is Verdict.UNJUDGED
    assert found.dirt == Counter({Dirt.DUPLICATE_SUPPORT: 1, Dirt.NO_VERDICT: 1})


def test_a_contradicted_overall_verdict_is_counted() -> None:
    row = make_row() | {"unsupported_response_sentence_keys": None, "overall_supported": False}
    assert clean_of(row).dirt == Counter({Dirt.OVERALL_DIFFERS: 1})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(["0a", "a", "0a-0c", "general", "b."]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["response_sentence_key", "supporting_sentence_keys", "fully_supported", "a"]), inner
        )
    ),
    max_leaves=12,
)


@given(st.builds(RawLabels, JSON, JSON, JSON, JSON, JSON, JSON, JSON))
def test_any_json_is_survived_and_names_sentences_of_the_record_only(raw: RawLabels) -> None:
    record = make_record("?", [["One.", "Two.", "Three."], ["Four."]], ["One.", "Two."])
    labels = normalise(raw, record).labels
    assert labels.relevant | labels.utilized <= set(record.document_keys)
    assert labels.supports.keys() <= set(record.response_keys)
    assert all(said.keys <= set(record.document_keys) for said in labels.supports.values())


def test_letters_count_as_ragbench_does() -> None:
    letters = [number_to_letters(number) for number in (0, 25, 26, 27, 51, 52, 701, 702)]
    assert letters == ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]


# The replies of ../shared, by name: the expected labels where they differ from the plain reply's, and the dirt.
WATER = Labels(
    frozenset({"doc_0_s0", "doc_0_s1"}),
    frozenset({"doc_0_s0"}),
    {
        "resp_s0": support("doc_0_s0", said="doc_0_s0 says so."),
        "resp_s1": support(verdict=Verdict.UNSUPPORTED, said="Not in the documents."),
    },
    "Doc 0 gives the boiling point.",
)
REPLIES: dict[str, tuple[dict[str, Any], dict[Dirt, int]]] = {
    "plain": ({}, {}),
    "ragbench_keys": (
        {"supports": WATER.supports | {"resp_s0": support("doc_0_s0", said="0a. says so.")}},
        {Dirt.UNTIDY_KEY: 5},
    ),
    "unknown_keys": ({"relevant": frozenset({"doc_0_s0"})}, {Dirt.UNKNOWN_KEY: 2}),
    "duplicate_keys": ({"relevant": frozenset({"doc_0_s0"})}, {Dirt.DUPLICATE_KEY: 1}),
    "string_for_list": ({"utilized": WATER.relevant}, {Dirt.JOINED_KEYS: 1}),
    "string_booleans": ({}, {}),
    "missing_sentence": (
        {"supports": {"resp_s0": WATER.supports["resp_s0"]}},
        {Dirt.MISSING_SUPPORT: 1, Dirt.NO_VERDICT: 1},
    ),
    "special_reason": (
        {
            "supports": WATER.supports
            | {"resp_s1": support(reason=Reason.WELL_KNOWN_FACT, said="Not in the documents.")}
        },
        {Dirt.OVERALL_DIFFERS: 1},
    ),
    "wrong_type": ({"relevant": frozenset()}, {Dirt.WRONG_TYPE: 1, Dirt.OUTSIDE_RELEVANT: 1}),
}


@pytest.mark.parametrize("name", REPLIES)
def test_replies_of_models(name: str) -> None:
    path = SHARED / "tricky" / "judge_replies.jsonl"
    if not path.exists():
        pytest.skip("the shared replies are not here; the cases above cover each of their faults")
    record = make_record(
        documents=[["Water boils at 100 degrees.", "It falls with altitude."], ["Salt raises it."]],
        response=["Water boils at 100 degrees.", "It boils at 71 degrees on Everest."],
    )
    lines = map(json.loads, path.read_bytes().splitlines())
    reply = json.loads(next(line["reply"] for line in lines if line["name"] == name))
    changes, dirt = REPLIES[name]
    found = normalise(raw_of_row(reply), record)
    expected = {field: getattr(WATER, field) for field in ("relevant", "utilized", "supports", "relevance_explanation")}
    assert found.labels == Labels(**expected | changes)
    assert found.dirt == Counter(dirt)


def test_published_scores_of_real_rows_follow_wherever_no_key_was_dropped_or_repeated() -> None:
    paths = sorted((SHARED / "ragbench").glob("*.jsonl"))
    if not paths:
        pytest.skip("the shared RAGBench rows are not here; our own rows cover each kind of their dirt")
    rows = [json.loads(line) for path in paths for line in path.read_bytes().split(b"\n") if line]
    dropping = {Dirt.UNKNOWN_KEY, Dirt.DUPLICATE_KEY, Dirt.SPECIAL_WORD, Dirt.JOINED_KEYS}
    for row in rows:
        assert {name: row[name] for name in published_scores(row)} == pytest.approx(published_scores(row))
        found = clean_of(row)
        if found.dirt.keys().isdisjoint(dropping):
            counts = count(found.labels, record_of_row(row))
            assert counts.relevant / counts.sentences == pytest.approx(row["relevance_score"])
            assert counts.utilized / counts.sentences == pytest.approx(row["utilization_score"])
            assert (counts.unsupported == 0) == row["adherence_score"]
