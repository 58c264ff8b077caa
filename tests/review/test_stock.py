"""What counts is what is in the file as it is now, wherever it stands and under whatever name it was reviewed."""

import pytest

from tests.review.world import World, some_record
from trace_tui.review import actions
from trace_tui.review.session import Session
from trace_tui.review.stock import CancelledError
from trace_tui.reviews import Mode


def review_all(world: World) -> None:
    session = world.session()
    for _ in world.records:
        session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
        session.accept_record()


def taken(world: World) -> Session:
    session = world.session()
    session.take_over(session.take_stock())
    world.asked = world.scans = 0
    return session


def test_rows_that_moved(world: World) -> None:
    review_all(world)
    world.records[:0] = [some_record(8), some_record(9)]
    session = taken(world)
    assert (session.position, session.progress().accepted) == (5, 4)
    session.next_difference()
    session.next_difference()
    assert session.position == 2
    session.open_next_unreviewed()
    assert session.position == 0
    session.accept_record()
    assert session.position == 1
    session.undo()
    session.undo()
    assert (session.position, session.progress().accepted) == (5, 3)
    assert (world.scans, world.asked) == (0, 2), "of the records that were led to, and no other"


def test_rows_that_left_do_not_count(world: World) -> None:
    review_all(world)
    del world.records[1]
    world.records[0] = some_record(0, suffix=" changed")
    session = taken(world)
    assert session.progress().accepted == 2
    assert session.progress().agreement[Mode.ASSISTED].rmse.num_evaluations == 2


def test_other_datasets_of_the_database_do_not_count(world: World) -> None:
    review_all(world)
    world.name, world.records = "other.jsonl", [some_record(n, suffix=" other") for n in range(4)]
    session = taken(world)
    assert session.progress().accepted == 0
    assert not session.offers_stale, "records of one id in two datasets are two"
    session.next_difference()
    assert "no further difference" in session.message
    session.undo()
    assert session.message == "nothing to undo"
    session.accept_record()
    assert (session.position, session.progress().accepted) == (1, 1)


def test_a_dataset_that_was_renamed_keeps_its_reviews(world: World) -> None:
    review_all(world)
    world.name = "renamed.jsonl"
    world.records[3] = some_record(3, suffix=" changed")
    session = taken(world)
    assert session.progress().accepted == 3
    session.open(3)
    assert session.offers_stale


def test_a_row_that_stands_twice_is_reviewed_once(world: World) -> None:
    world.records.insert(1, world.records[0])
    session = taken(world)
    session.accept_record()
    assert (session.position, session.progress().accepted) == (2, 1)


def test_many_reviewed_records_ahead_cost_nothing() -> None:
    world = World([some_record(n) for n in range(300)])
    review_all(world)
    world.records.append(some_record(300))
    session = taken(world)
    session.open(0)
    session.open_next_unreviewed()
    assert (session.position, world.asked, world.scans) == (300, 1, 0)


def test_before_stock_is_taken_keys_work_and_nothing_is_lost(world: World) -> None:
    review_all(world)
    world.records += [some_record(4), some_record(5), some_record(6)]
    session = world.session()
    assert not session.has_totals
    assert session.progress().accepted == 0
    stock = session.take_stock()
    session.open(0)
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    session.open_next_unreviewed()
    assert session.position == 4
    session.accept_record()
    session.take_over(stock)
    assert session.has_totals
    assert (session.position, session.progress().accepted) == (5, 5)
    assert session.progress().agreement[Mode.ASSISTED].overrides == 3
    session.take_over(session.take_stock())
    assert session.progress().accepted == 5


def test_taking_stock_can_be_called_off(world: World) -> None:
    review_all(world)
    with pytest.raises(CancelledError):
        world.session().take_stock(lambda: True)
