"""Undo and redo of own edits, without limit and behind a restart."""

from tests.review.world import World, some_record
from trace_tui.review import actions
from trace_tui.review.finding import Pane
from trace_tui.reviews import Status


def test_undo_takes_back_step_by_step_and_redo_brings_it_again(world: World) -> None:
    session = world.session()
    states = [session.desk.review]
    for key in ("doc_0_s0", "doc_0_s1", "doc_1_s0"):
        session.act("relevant", lambda desk, key=key: actions.toggle_relevant(desk, key))
        states.append(session.desk.review)
    for expected in reversed(states[:-1]):
        session.undo()
        assert session.desk.review == expected
    session.undo()
    assert session.message == "nothing to undo"
    for expected in states[1:]:
        session.redo()
        assert session.desk.review == expected
    session.redo()
    assert session.message == "nothing to redo"


def test_a_fresh_edit_ends_what_could_be_redone(world: World) -> None:
    session = world.session()
    session.act("flag", actions.toggle_flag)
    session.undo()
    session.act("note", lambda desk: actions.write_note(desk, "look again"))
    session.redo()
    assert session.message == "nothing to redo"
    assert session.desk.review.flagged is False


def test_undo_jumps_to_the_record_it_concerns(world: World) -> None:
    session = world.session()
    session.accept_record()
    session.step(2)
    session.undo()
    assert (session.position, world.state(0)) == (0, Status.OPEN)
    assert session.message == "undone: the record is open"
    session.redo()
    assert session.message == "redone: the record is accepted"


def test_undo_says_what_is_now_the_case_and_leaves_the_pane_to_the_annotator(world: World) -> None:
    session = world.session()
    session.act("supports", lambda desk: actions.link(desk, "doc_1_s0"))
    session.focus(1)
    session.undo()
    assert session.message == "undone: doc_1_s0 is no longer linked to resp_s0; doc_1_s0 is not utilized"
    assert (session.desk.focus, session.pane) == (0, None)
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_1_s0"))
    session.step(1)
    session.undo()
    assert (session.position, session.desk.cursor, session.pane) == (0, 2, Pane.DOCUMENTS)


def test_undo_and_redo_reach_behind_a_restart(world: World) -> None:
    session = world.session()
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    session.act("utilized", lambda desk: actions.toggle_utilized(desk, "doc_1_s0"))
    session.undo()

    session = world.session()
    session.redo()
    assert "doc_1_s0" in world.review(0).labels.utilized
    session.undo()
    session.undo()
    assert "doc_0_s0" in world.review(0).labels.relevant
    session.undo()
    assert session.message == "nothing to undo"

    session = world.session()
    session.redo()
    session.redo()
    assert "doc_0_s0" not in world.review(0).labels.relevant
    assert "doc_1_s0" in world.review(0).labels.utilized


def test_undo_leaves_alone_what_has_left_the_dataset(world: World) -> None:
    session = world.session()
    session.accept_record()
    world.records[0] = some_record(9)
    session.undo()
    assert "no longer in this dataset" in session.message
    assert len(world.edits_made()) == 1
    session = world.session()
    session.act("flag", actions.toggle_flag)
    session.undo()
    assert session.desk.review.flagged is False
    session.undo()
    assert session.message == "nothing to undo", "what was done elsewhere is not in the way"
