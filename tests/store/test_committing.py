"""A committed review is what its edits make of its start, however often and in whatever batches they are committed."""

import itertools
import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store import samples
from tests.store.samples import JUDGEMENT, LABELS, accepted, accepted_blind, edit, introduction, query, record
from trace_tui.errors import StoreError
from trace_tui.labels import NO_LABELS, Judgement, Labels, differing
from trace_tui.records import Record
from trace_tui.reviews import Change, Place, Review, Sighting, Status, apply
from trace_tui.scoring.counts import count
from trace_tui.store import Store

START = Review(LABELS.without_explanations())
NOTED = replace(START, note="odd")


def kept_review(store: Store) -> Review:
    kept = store.kept("r1", "ann")
    assert kept is not None
    return kept.review


def test_an_introduction_is_kept_whole(store: Store) -> None:
    store.commit([introduction()])
    kept = store.kept("r1", "ann")
    assert kept is not None
    assert kept.review == START
    assert kept.judgement == JUDGEMENT
    assert kept.accepted_at == ""
    assert not store.has_seen("r1", "ann")
    assert store.judgement("r1", "recorded gpt-4o") == JUDGEMENT
    assert store.judgement("r1", "other") is None


def test_meeting_a_record_again_keeps_the_review_and_moves_its_row(store: Store) -> None:
    store.commit([introduction(), edit(START, NOTED), introduction(start=Review(), position=7)])
    assert kept_review(store) == NOTED
    assert [summary.position for summary in store.summaries("ann")] == [7]


def test_a_judgement_that_comes_later_is_compared_with(store: Store) -> None:
    store.commit([introduction(judgement=None)])
    assert store.summaries("ann")[0].judged is None
    store.commit([introduction()])
    (summary,) = store.summaries("ann")
    assert summary.judge == "recorded gpt-4o"
    assert summary.judged == count(LABELS, record())
    assert summary.overrides == len(differing(NO_LABELS, LABELS))


def test_the_judgement_first_compared_with_stays(store: Store) -> None:
    other = Judgement(replace(JUDGEMENT.judge, name="other"), NO_LABELS)
    store.commit([introduction(), introduction(judgement=other)])
    assert store.summaries("ann")[0].judge == "recorded gpt-4o"
    assert store.judgement("r1", "other gpt-4o") == other


def test_committing_twice_is_committing_once(store: Store, path: Path) -> None:
    changes: list[Change] = [
        introduction(),
        edit(START, NOTED),
        Sighting("r1", "ann", "recorded", samples.NOON),
        Place("rows.jsonl", "ann", 3, "r1", "resp_s0"),
    ]
    store.commit(changes)
    before = {table: query(path, f"SELECT * FROM {table}") for table in ("reviews", "edits", "sightings", "places")}
    store.commit(changes)
    assert before == {table: query(path, f"SELECT * FROM {table}") for table in before}
    assert before["reviews"][0]["seconds"] == 1.5


def test_a_batch_that_fails_leaves_nothing(store: Store) -> None:
    with pytest.raises(StoreError, match="'nobody'"):
        store.commit([introduction(), edit(START, NOTED, uid="nobody")])
    assert store.summaries("ann") == []


def test_a_cell_that_no_review_has_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no review has the cell"):
        store.commit([introduction(), replace(edit(START, NOTED), new={"colour": "red"})])


def test_the_log_cannot_be_rewritten(store: Store, path: Path) -> None:
    store.commit([introduction(), edit(START, NOTED)])
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("UPDATE edits SET annotator = 'eve'", "DELETE FROM edits"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)


def test_the_time_of_acceptance_is_that_of_the_acceptance_that_holds(store: Store, path: Path) -> None:
    def accepted_at(old: Review, new: Review, at: str) -> object:
        store.commit([edit(old, new, at=at)])
        return query(path, "SELECT accepted_at FROM reviews")[0]["accepted_at"]

    store.commit([introduction()])
    assert accepted_at(START, NOTED, "t1") == ""
    assert accepted_at(NOTED, accepted(NOTED), "t2") == "t2"
    assert accepted_at(accepted(NOTED), accepted(START), "t3") == "t2"
    assert accepted_at(accepted(START), START, "t4") == ""
    assert accepted_at(START, accepted(START), "t5") == "t5"


def test_blind_until_revised(store: Store, path: Path) -> None:
    def modes() -> dict[str, object]:
        return query(path, "SELECT mode, revised FROM reviews")[0]

    start, changed = Review(), Review(Labels(relevant=frozenset({"doc_0_s0"})))
    store.commit([introduction(start=start)])
    assert modes() == {"mode": "assisted", "revised": 0}
    blind = accepted_blind(changed)
    store.commit([edit(start, blind)])
    assert modes() == {"mode": "blind", "revised": 0}
    store.commit([edit(blind, replace(blind, labels=LABELS))])
    assert modes() == {"mode": "assisted", "revised": 1}
    (summary,) = store.summaries("ann")
    assert summary.blind == count(changed.labels, record())
    assert summary.human == count(LABELS, record())
    assert summary.revised


def test_looking_is_remembered_without_a_review(store: Store) -> None:
    assert not store.has_seen("r1", "ann")
    store.commit([Sighting("r1", "ann", "recorded", samples.NOON)])
    assert store.has_seen("r1", "ann")
    assert not store.has_seen("r1", "bob")


def test_a_judgement_is_not_blind_once_the_judge_was_seen_in_another_window(store: Store, path: Path) -> None:
    start = Review()
    accepting = edit(start, accepted_blind(start))
    store.commit([introduction(start=start), Sighting("r1", "ann", "recorded", samples.NOON), accepting])
    assert kept_review(store) == accepted(start)
    assert query(path, "SELECT mode FROM reviews") == [{"mode": "assisted"}]
    ((_, logged),) = store.edits("ann")
    assert (logged.old, logged.new) == ({"status": "open"}, {"status": "accepted"}), "the log says what was done"


def test_looking_after_a_blind_judgement_leaves_it_blind(store: Store, path: Path) -> None:
    start = Review()
    changes: list[Change] = [
        introduction(start=start),
        edit(start, accepted_blind(start)),
        Sighting("r1", "ann", "recorded", samples.NOON),
    ]
    store.commit(changes)
    store.commit(changes)
    assert query(path, "SELECT mode FROM reviews") == [{"mode": "blind"}]


def test_another_judgement_of_the_same_content_is_compared_with_by_who_comes_later(store: Store) -> None:
    changed = Judgement(replace(JUDGEMENT.judge, version="2"), NO_LABELS)
    store.commit([introduction(), introduction(annotator="bob", judgement=changed), introduction(judgement=changed)])
    compared = [store.kept("r1", annotator) for annotator in ("ann", "bob")]
    assert [kept and kept.judgement for kept in compared] == [JUDGEMENT, changed]


def test_a_review_goes_where_its_record_was_last_seen(store: Store) -> None:
    store.commit([introduction(position=3), introduction(annotator="bob", position=3)])
    store.commit([Place("renamed.jsonl", "ann", 8, "r1", "resp_s0")])
    (summary,) = store.summaries("ann")
    assert (summary.position, summary.dataset) == (8, samples.DATASET)
    assert store.summary("r1", "ann") == summary
    assert store.summaries("bob")[0].position == 3


def test_labels_taken_over_are_named(store: Store, path: Path) -> None:
    adopted = replace(START, adopted="r0")
    store.commit([introduction(), edit(START, adopted)])
    assert kept_review(store) == adopted
    assert query(path, "SELECT adopted FROM reviews") == [{"adopted": "r0"}]


def test_two_processes_on_one_record_merge_cell_by_cell(store: Store, path: Path) -> None:
    store.commit([introduction()])
    flagged = replace(START, flagged=True)
    with closing(Store.open(path)) as other:
        store.commit([edit(START, NOTED)])
        other.commit([edit(START, flagged)])
    assert kept_review(store) == replace(NOTED, flagged=True)


SHAPES = [(2, 0, 2), (3, 1, 4), (1,), (0, 2)]
numbers = itertools.count()


@st.composite
def journeys(draw: st.DrawFn) -> tuple[Record, list[Review], list[bool]]:
    """Draw a record, the reviews it goes through, and after which of the edits a batch ends."""
    some = record(f"journey {next(numbers)}", sizes=draw(st.sampled_from(SHAPES)))
    reviews = draw(st.lists(samples.reviews_of(some), min_size=1, max_size=6))
    return some, reviews, draw(st.lists(st.booleans(), min_size=len(reviews), max_size=len(reviews)))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(journeys())
def test_a_row_is_the_fold_of_the_log_and_its_numbers_are_counted(
    store: Store, journey: tuple[Record, list[Review], list[bool]]
) -> None:
    some, reviews, ends = journey
    batch: list[Change] = [introduction(some, start=reviews[0], annotator=some.uid)]
    for change, end in zip(samples.steps(reviews, uid=some.uid, annotator=some.uid), ends, strict=False):
        batch.append(change)
        if end:
            store.commit(batch)
            batch = batch[-1:]  # committed again with the next batch
    store.commit(batch)
    log = [change.new for _, change in reversed(store.edits(some.uid))]
    kept = store.kept(some.uid, some.uid)
    (summary,) = store.summaries(some.uid)
    review = reviews[-1]
    assert kept is not None
    assert kept.review == reduce(apply, log, reviews[0]) == review
    assert summary.human == count(review.labels, some)
    assert summary.blind == (count(review.blind, some) if review.blind is not None else None)
    assert summary.revised == (review.blind is not None and review.labels != review.blind)
    assert summary.overrides == len(differing(review.labels, LABELS))
    assert (summary.accepted_at != "") == (review.status is Status.ACCEPTED)
