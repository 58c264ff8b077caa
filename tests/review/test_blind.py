"""Blind review: nothing of the judge shows before acceptance, and what was accepted blind stays so."""

from tests.review.world import World, verdict
from trace_tui.labels import Verdict
from trace_tui.review import actions
from trace_tui.review.session import Session
from trace_tui.reviews import Mode, Place, Review, Sighting, Status
from trace_tui.scoring import Definition


def test_nothing_of_the_judge_shows_before_acceptance(world: World) -> None:
    desk = world.session(blind=True).desk
    assert desk.judge_labels is None
    assert desk.judged_focused is None
    assert desk.judge_scores(Definition.RAGBENCH) is None
    assert desk.overridden == frozenset()
    assert desk.review == Review()
    assert desk.first_evidence() is None
    assert not [c for c in world.changes if isinstance(c, Sighting)]


def accept(session: Session) -> None:
    verdict(session, Verdict.SUPPORTED)
    verdict(session, Verdict.SUPPORTED)
    session.accept_record()


def test_what_was_accepted_is_frozen_and_later_edits_are_a_revision(world: World) -> None:
    session = world.session(blind=True)
    accept(session)
    frozen = world.review(0).blind
    assert frozen == world.review(0).labels
    session.step(-1)
    assert session.desk.judge_labels is not None
    session.focus(0)
    session.act("reset", actions.reset_response)
    assert world.review(0).blind == frozen != world.review(0).labels
    progress = session.progress()
    assert progress.agreement[Mode.BLIND].rmse.num_evaluations == 1
    assert progress.agreement[Mode.ASSISTED].rmse.num_evaluations == 1


def test_undo_before_the_reveal_makes_it_as_if_it_had_not_been_accepted(world: World) -> None:
    session = world.session(blind=True)
    accept(session)
    session.undo()
    assert session.desk.judge_labels is None
    assert world.review(0).blind is None


def test_undo_after_the_reveal_keeps_the_blind_judgement(world: World) -> None:
    session = world.session(blind=True)
    accept(session)
    frozen = world.review(0).blind
    session.step(-1)
    session.undo()
    assert world.state(0) is Status.OPEN
    assert world.review(0).blind == frozen
    session.accept_record()
    assert world.review(0).blind == frozen


def test_the_way_back_reveals_the_judge(world: World) -> None:
    session = world.session(blind=True)
    accept(session)
    assert (session.message, session.hints) == ("accepted blind", ("previous-record",))
    session.step(1)
    accept(session)
    accept(session)
    assert (session.position, session.message) == (1, "accepted blind")
    assert session.hints == (), "the record before this one is another"


def test_passing_over_a_record_is_no_look_at_it(world: World) -> None:
    session = world.session(blind=True)
    session.open(1)
    accept(session)
    world.changes.clear()
    session.open(0)
    accept(session)
    assert session.position == 2
    assert not [c for c in world.changes if isinstance(c, Sighting)]
    assert {c.position for c in world.changes if isinstance(c, Place)} == {0, 2}


def test_a_record_seen_before_is_never_blind(world: World) -> None:
    world.session()
    session = world.session(blind=True)
    assert session.desk.judge_labels is None
    accept(session)
    assert world.review(0).blind is None
    assert session.progress().agreement[Mode.ASSISTED].rmse.num_evaluations == 1


def test_no_difference_is_led_to_while_it_is_hidden(world: World) -> None:
    session = world.session(blind=True)
    verdict(session, Verdict.UNSUPPORTED)
    session.next_difference()
    assert "no further difference" in session.message
    session.step(1)
    session.next_difference()
    assert (session.position, "no further difference" in session.message) == (1, True)
