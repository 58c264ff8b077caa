"""Labels of a content that has left the dataset: offered, never applied unasked, never lost."""

from dataclasses import replace

from tests.review.world import World, some_record
from trace_tui.review import actions
from trace_tui.review.session import Session
from trace_tui.reviews import Sighting, Status


def changed(world: World) -> Session:
    session = world.session()
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_1_s0"))
    session.act("utilized", lambda desk: actions.toggle_utilized(desk, "doc_0_s1"))
    world.records[0] = some_record(0, suffix=" changed")
    session = world.session()
    session.take_over(session.take_stock())
    return session


def test_old_labels_are_offered_not_applied(world: World) -> None:
    session = changed(world)
    session.open(0)
    assert session.offers_stale
    assert "doc_1_s0" not in session.desk.review.labels.relevant


def test_they_are_offered_until_they_are_taken_or_the_record_is_accepted(world: World) -> None:
    session = changed(world)
    session.act("flag", actions.toggle_flag)
    session.open(1)
    session.open(0)
    assert session.offers_stale
    session.accept_record()
    session.open(0)
    assert not session.offers_stale
    session.act("reopen", actions.reopen)
    assert session.offers_stale
    session.adopt_stale()
    assert (session.offers_stale, session.message) == (False, "labels of the earlier content taken over")
    session.adopt_stale()
    assert "taken over already" in session.message
    session = world.session()
    session.take_over(session.take_stock())
    assert not session.offers_stale
    session.undo()
    assert session.offers_stale
    assert "labels of the earlier content are not taken over" in session.message


def test_labels_made_with_the_judge_in_view_do_not_become_blind(world: World) -> None:
    changed(world)
    world.changes = [c for c in world.changes if not (isinstance(c, Sighting) and "changed" in c.uid)]
    session = world.session(blind=True)
    session.take_over(session.take_stock())
    session.adopt_stale()
    session.accept_record()
    assert world.review(0).adopted
    session.accept_record()
    assert (world.state(0), world.review(0).blind) == (Status.ACCEPTED, None)


def test_adopting_takes_over_what_still_fits_in_one_undoable_edit(world: World) -> None:
    session = changed(world)
    session.open(0)
    before = session.desk.review
    session.adopt_stale()
    assert "doc_1_s0" in session.desk.review.labels.relevant
    assert "doc_0_s1" not in session.desk.review.labels.utilized, "its text changed"
    session.undo()
    assert session.desk.review == before


def test_a_namesake_still_in_the_file_is_no_earlier_content(world: World) -> None:
    world.records.append(replace(some_record(0, suffix=" twin"), generator="another"))
    session = world.session()
    session.act("flag", actions.toggle_flag)
    session.open(len(world.records) - 1)
    assert not session.offers_stale
    session.adopt_stale()
    assert "no labels of an earlier content" in session.message
