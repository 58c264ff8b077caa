"""Two windows of one annotator on one database: nobody accepts, reveals or takes back what was not on the screen."""

import pytest

from tests.review.world import World
from trace_tui.labels import Verdict
from trace_tui.review import actions
from trace_tui.review.session import Session
from trace_tui.reviews import Mode, Sighting, Status

CHANGED = "changed in another window"


def unsupported(session: Session) -> None:
    session.act("unsupported", lambda desk: actions.judge_sentence(desk, Verdict.UNSUPPORTED))


def note(session: Session, text: str) -> None:
    session.act("note", lambda desk: actions.write_note(desk, text))


def test_what_was_changed_elsewhere_is_shown_before_it_is_accepted(world: World) -> None:
    here, there = world.session(), world.session()
    here.focus(1)
    here.point(2)
    unsupported(there)
    here.accept_record()
    assert CHANGED in here.message
    assert (world.state(0), here.position) == (Status.OPEN, 0)
    assert here.desk.review == there.desk.review
    assert (here.desk.focus, here.desk.cursor) == (1, 2), "one looks where one was"
    here.accept_record()
    assert world.state(0) is Status.ACCEPTED
    assert here.progress().agreement[Mode.ASSISTED].overrides == 1


def test_every_way_to_change_a_label_notices(world: World) -> None:
    ways = [
        Session.accept_record,
        Session.undo,
        Session.redo,
        lambda s: note(s, "here"),
        lambda s: s.act("accept", actions.accept_sentence),
    ]
    for number, way in enumerate(ways):
        here, there = world.session(), world.session()
        note(here, f"here {number}")
        note(there, f"never seen {number}")
        assert CHANGED in there.message
        note(there, f"there {number}")
        way(here)
        assert CHANGED in here.message
        assert world.review(0).note == here.desk.review.note == f"there {number}"


def test_opening_a_record_shows_what_was_changed_and_asks_nothing_more(world: World) -> None:
    here, there = world.session(), world.session()
    there.step(1)
    unsupported(there)
    here.step(1)
    assert here.desk.review == there.desk.review
    here.accept_record()
    assert world.state(1) is Status.ACCEPTED


def test_one_s_own_edits_are_never_taken_for_another_s(world: World) -> None:
    session = world.session()
    for text in "abc":
        note(session, text)
        assert not session.message
    world.is_holding = True
    note(session, "d")
    session.step(1)
    session.step(-1)
    assert session.desk.review.note == "d", "before it is in the store"
    world.let_go()
    note(session, "e")
    assert (session.message, world.review(0).note) == ("", "e")


def test_an_edit_on_its_way_waits_for_what_came_before_it(world: World) -> None:
    here, there = world.session(), world.session()
    world.is_holding = True
    here.act("flag", actions.toggle_flag)
    on_its_way, world.held, world.is_holding = world.held, [], False
    note(there, "first")
    here.accept_record()
    here.accept_record()
    assert CHANGED in here.message, "until the store has both, nobody knows what the record is"
    world.changes += on_its_way
    here.accept_record()
    assert CHANGED in here.message
    assert (here.desk.review.note, here.desk.review.flagged) == ("first", True)
    here.accept_record()
    assert world.state(0) is Status.ACCEPTED


def test_undo_leaves_what_another_window_changed_since(world: World) -> None:
    here, there = world.session(), world.session()
    note(here, "one")
    note(there, "")  # is shown the first note
    note(there, "two, long and precious")
    here.undo()
    here.undo()
    assert world.review(0).note == "two, long and precious"
    assert "left: the note is back" in here.message
    here.undo()
    assert here.message == "nothing to undo"


def test_undo_takes_back_the_rest(world: World) -> None:
    here, there = world.session(), world.session()
    here.act("supports", lambda desk: actions.link(desk, "doc_1_s0"))
    there.open(0)
    there.act("utilized", lambda desk: actions.toggle_utilized(desk, "doc_1_s0"))
    here.open(0)
    here.undo()
    assert "doc_1_s0" not in world.review(0).labels.support("resp_s0").keys
    assert "undone: doc_1_s0 is no longer linked to resp_s0" in here.message
    assert "left: doc_1_s0 is not utilized" in here.message


def test_what_another_window_accepted_is_passed_over_and_counted(world: World) -> None:
    here, there = world.session(), world.session()
    assert here.totals
    there.open(1)
    there.accept_record()
    here.accept_record()
    assert here.position == 2
    assert here.progress().accepted == 2


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_record_seen_in_one_window_is_not_judged_blind_in_another(world: World, is_committed: bool) -> None:
    blind = world.session(blind=True)
    world.is_holding = not is_committed
    seeing = world.session()
    assert seeing.desk.seen
    world.let_go()
    blind.act("flag", actions.toggle_flag)
    blind.act("reject", actions.reject)
    blind.act("reject", actions.reject)
    blind.accept_record()
    assert (world.state(0), world.review(0).blind) == (Status.ACCEPTED, None)
    assert "blind" not in blind.message
    assert blind.progress().agreement[Mode.BLIND].rmse.num_evaluations == 0


def test_one_look_is_known_before_it_is_in_the_store(world: World) -> None:
    session = world.session(blind=True)
    session.act("reject", actions.reject)
    session.act("reject", actions.reject)
    session.accept_record()
    frozen = world.review(0).blind
    assert frozen is not None
    world.is_holding = True
    session.step(-1)
    assert [change for change in world.held if isinstance(change, Sighting)]
    session.step(1)
    session.undo()
    world.let_go()
    assert world.review(0).blind == frozen, "the judge was seen between: what was blind stays the blind judgement"
    session.accept_record()
    assert world.review(0).blind == frozen
