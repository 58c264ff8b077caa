"""What was committed is read back as it was, whatever characters are in it."""

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.store.samples import LABELS, accepted, edit, introduction, query, record
from trace_tui.errors import StoreError
from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.records import RecordId, spans_of
from trace_tui.reviews import Place, Review, Status
from trace_tui.store import Store
from trace_tui.store.rows import LabelsMemo, load_labels

START = Review(LABELS.without_explanations())
HOSTILE = "a\0b '; DROP TABLE edits; -- \x1b]52;c;x\x07 \u202e \U0001f469\u200d\U0001f52c \n"


@pytest.mark.parametrize("sizes", [(2, 0, 2), (0, 3), (1, 0), (2,), (0, 0, 0)])
def test_spans_are_grouped_as_the_sentences_are(store: Store, sizes: tuple[int, ...]) -> None:
    met = record(sizes=sizes)
    store.commit([introduction(met)])
    assert store.spans("r1") == spans_of(met)
    assert store.sentences("r1") == [*met.document_sentences(), *met.response.sentences]


def test_the_row_s_own_sentences_have_no_spans(store: Store) -> None:
    store.commit([introduction(record(split="given"))])
    assert store.spans("r1") is None
    assert len(store.sentences("r1")) == 4


def test_a_record_that_is_not_known(store: Store) -> None:
    store.prepare()
    assert store.spans("r1") is None
    assert store.sentences("r1") == []
    assert store.judgement("r1", "recorded gpt-4o") is None


@pytest.mark.parametrize("other", ["1", 1.0, True, 2])
def test_ids_of_different_types_are_different(store: Store, other: RecordId) -> None:
    store.commit([introduction(record("old", record_id=1)), introduction(record("odd", record_id=other))])
    store.commit([introduction(record("bobs", record_id=1), annotator="bob")])
    kept = store.kept("old", "ann")
    assert kept is not None
    assert store.namesakes(1, "new", "ann") == [("old", kept)]
    assert store.namesakes(1, "old", "ann") == []


def test_rows_without_an_id_have_no_namesakes(store: Store) -> None:
    store.commit([introduction(record("old", record_id=None))])
    assert store.namesakes(None, "new", "ann") == []


def test_an_id_beyond_the_integers_of_sqlite(store: Store) -> None:
    store.commit([introduction(record("old", record_id=2**70))])
    assert [uid for uid, _ in store.namesakes(2**70, "new", "ann")] == ["old"]
    assert store.namesakes(2**70 + 1, "new", "ann") == []


def test_the_place_is_the_last_one_of_this_dataset_and_annotator(store: Store) -> None:
    assert store.place("d", "ann") is None
    places = [Place("d", "ann", 1, "r1", "resp_s0"), Place("d", "bob", 2, "r2", ""), Place("d", "ann", 3, "r3", "")]
    store.commit(places)
    assert store.place("d", "ann") == places[2]
    assert store.place("d", "bob") == places[1]
    assert store.place("e", "ann") is None


def test_the_log_is_read_from_its_end_in_stretches(store: Store) -> None:
    edits = [edit(START, replace(START, note=str(n))) for n in range(5)]
    theirs = edit(START, START, annotator="bob")
    store.commit([introduction(), introduction(annotator="bob"), *edits[:3], theirs, *edits[3:]])
    newest = store.edits("ann", limit=2)
    assert [found for _, found in newest] == [edits[4], edits[3]]
    older = store.edits("ann", before=newest[-1][0])
    assert [found for _, found in older] == [edits[2], edits[1], edits[0]]
    assert store.edits("ann", before=older[-1][0]) == []


def test_who_is_in_the_database(store: Store) -> None:
    store.commit([introduction(annotator="bob"), introduction()])
    assert store.annotators() == ["ann", "bob"]


def test_what_came_into_the_log_after_a_place(store: Store) -> None:
    first, second, bobs = (edit(START, replace(START, note=note)) for note in "abc")
    store.commit([introduction(), introduction(annotator="bob"), first])
    ((place, *found),) = store.log("ann", 0)
    assert found == [first.id, "r1"]
    store.commit([replace(bobs, annotator="bob"), second])
    assert [entry[1:] for entry in store.log("ann", place)] == [(second.id, "r1")]
    assert store.log("ann", store.edits("ann")[0][0]) == []


def test_how_far_a_record_is(store: Store) -> None:
    store.prepare()
    assert store.status("r1", "ann") is Status.OPEN
    assert store.summary("r1", "ann") is None
    store.commit([introduction(), edit(START, accepted(START))])
    assert store.status("r1", "ann") is Status.ACCEPTED
    assert store.status("r1", "bob") is Status.OPEN


def test_reviews_come_in_full_and_by_position(store: Store) -> None:
    store.commit([introduction(record("b"), position=2), introduction(record("a"), position=1)])
    store.commit([edit(START, accepted(START), uid="b", at="t", seconds=2.5)])
    first, second = store.records_reviewed("ann")
    assert (first.uid, first.mode, first.kept.accepted_at) == ("a", "assisted", "")
    assert (second.uid, second.kept.accepted_at, second.seconds) == ("b", "t", 2.5)
    assert second.kept == store.kept("b", "ann")


def test_hostile_text_is_kept_to_the_letter(store: Store) -> None:
    met = replace(record(HOSTILE), question=HOSTILE, generator=HOSTILE)
    passage = met.documents[0]
    met = replace(
        met,
        documents=(replace(passage, sentences=(passage.sentences[0]._replace(text=HOSTILE),)), *met.documents[1:]),
    )
    judgement = Judgement(Judge(HOSTILE), replace(LABELS, overall_explanation=HOSTILE), {HOSTILE: HOSTILE})
    noted = replace(START, note=HOSTILE)
    change = edit(START, noted, uid=HOSTILE, annotator=HOSTILE)
    store.commit([introduction(met, annotator=HOSTILE, judgement=judgement), change])
    kept = store.kept(HOSTILE, HOSTILE)
    assert kept is not None
    assert kept.review == noted
    assert kept.judgement == judgement
    assert store.sentences(HOSTILE)[0].text == HOSTILE
    assert store.edits(HOSTILE)[0][1] == change
    assert query(store.path, "SELECT question, generator FROM records") == [{"question": HOSTILE, "generator": HOSTILE}]


def test_lone_surrogates_are_survived(store: Store) -> None:
    name = "caf\udce9 \U0001f600"
    noted = replace(START, note=name)
    place = Place(name, name, 1, "r1", "")
    store.commit(
        [introduction(replace(record(), question=name), annotator=name), edit(START, noted, annotator=name), place]
    )
    assert store.place(name, name) is not None
    assert store.kept("r1", name) is not None
    assert store.edits(name)[0][1].new == {"note": name}


def test_a_row_that_is_no_longer_json_is_named(store: Store, path: Path) -> None:
    store.commit([introduction()])
    for column, value in [("labels", "{"), ("labels", "[]"), ("settled", "3"), ("labels", '{"relevant": 1}')]:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE reviews SET {column} = ?", [value])
        with pytest.raises(StoreError, match="a row is damaged"):
            store.kept("r1", "ann")
        with pytest.raises(StoreError, match="a row is damaged"):
            store.commit([edit(START, replace(START, note="x"))])


def test_summaries_read_no_json(store: Store, path: Path) -> None:
    store.commit([introduction()])
    before = store.summaries("ann")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE reviews SET labels = '{', settled = '{'")
        connection.execute("UPDATE judgements SET labels = '{'")
    assert store.summaries("ann") == before


def test_the_memo_forgets_the_oldest() -> None:
    memo = LabelsMemo()
    texts = [memo.dump(Labels(relevant=frozenset({f"doc_0_s{n}"}))) for n in range(50)]
    assert len(memo._known) <= 10
    assert [memo.load(text) for text in texts] == [load_labels(text) for text in texts]
    assert memo.load(texts[-1]) is memo.load(texts[-1])


def test_summaries_come_by_position(store: Store) -> None:
    positions = list(range(50))
    random.Random(1).shuffle(positions)
    store.commit([introduction(record(f"r{n}"), position=n) for n in positions])
    assert [summary.position for summary in store.summaries("ann")] == sorted(positions)
