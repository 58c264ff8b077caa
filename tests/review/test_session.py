"""What keys do to the record on the desk, and where they lead."""

from collections.abc import Callable

import pytest

from tests.review.world import World, accept_sentence, some_record, verdict
from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.review import actions
from trace_tui.review.session import Session
from trace_tui.reviews import Mode, Status
from trace_tui.scoring import Definition


def test_a_record_opens_with_the_judges_labels_and_without_its_prose(world: World) -> None:
    desk = world.session().desk
    assert desk is not None
    assert desk.review.labels == desk.loaded.judgement.labels.without_explanations()
    assert not desk.overridden


def test_space_walks_through_the_response_and_accepts_the_record_at_its_end(world: World) -> None:
    session = world.session()
    accept_sentence(session)
    assert (session.position, session.desk.focus, world.state(0)) == (0, 1, Status.OPEN)
    accept_sentence(session)
    assert (session.position, world.state(0)) == (1, Status.ACCEPTED)
    assert [edit.action for edit in world.edits_made()] == ["accept", "accept"]
    assert all(edit.at and edit.annotator == "mia" for edit in world.edits_made())


def test_one_key_accepts_the_whole_record_and_leaves_a_trace(world: World) -> None:
    session = world.session()
    session.accept_record()
    assert session.position == 1
    (edit,) = world.edits_made()
    assert edit.new == {"status": "accepted"}
    assert edit.old == {"status": "open"}


def test_space_does_not_settle_what_has_no_verdict() -> None:
    session = World([some_record(0)], judged=False).session()
    accept_sentence(session)
    assert session.desk.focus == 0
    assert "no verdict" in session.message
    assert session.hints == ("supported", "unsupported")


def test_accepting_with_unjudged_sentences_takes_a_second_press_in_a_row() -> None:
    world = World([some_record(0), some_record(1)], judged=False)
    session = world.session()
    session.focus(1)
    session.accept_record()
    assert (session.desk.focus, world.state(0), session.hints) == (0, Status.OPEN, ("accept-record",))
    session.focus(1)
    session.accept_record()
    assert world.state(0) is Status.OPEN, "another key came between"
    session.accept_record()
    assert world.state(0) is Status.ACCEPTED
    assert session.totals.of(world.records[0].uid).human.unjudged == 2


@pytest.mark.parametrize("between", [Session.undo, Session.redo, Session.switch_definition, Session.next_difference])
def test_the_second_press_must_follow_the_first(between: Callable[[Session], None]) -> None:
    world = World([some_record(0), some_record(1)], judged=False)
    session = world.session()
    session.accept_record()
    between(session)
    session.accept_record()
    assert world.state(0) is Status.OPEN


def test_space_at_the_end_is_no_first_press() -> None:
    world = World([some_record(0)], judged=False)
    session = world.session()
    verdict(session, Verdict.UNJUDGED)
    verdict(session, Verdict.SUPPORTED)
    accept_sentence(session)
    assert session.desk.focus == 0
    session.accept_record()
    assert world.state(0) is Status.OPEN


def test_the_last_verdict_says_what_comes_next(world: World) -> None:
    session = world.session()
    session.focus(1)
    verdict(session, Verdict.SUPPORTED)
    assert (session.message, session.hints) == ("the last sentence is decided", ("accept",))
    session.focus(0)
    verdict(session, Verdict.SUPPORTED)
    assert (session.message, session.hints) == ("", ())
    verdict(session, Verdict.UNSUPPORTED)
    assert (session.message, session.hints) == ("all sentences are decided", ("accept",))
    session.accept_record()
    session.open(0)
    session.focus(1)
    verdict(session, Verdict.SUPPORTED)
    assert (session.message, session.hints) == ("", ()), "it is accepted already"


def test_rejecting_takes_verdict_and_links_in_one_step_and_goes_on(world: World) -> None:
    session = world.session()
    start = session.desk.review
    session.act("reason", lambda desk: actions.give_reason(desk, Reason.GENERAL))
    session.act("reject", actions.reject)
    assert (world.review(0).labels.support("resp_s0"), session.desk.focus) == (
        Support(frozenset(), Verdict.UNSUPPORTED),
        1,
    )
    assert world.review(0).labels.utilized == start.labels.utilized
    assert len(world.edits_made()) == 2
    session.undo()
    session.undo()
    assert session.desk.review == start


def test_reopening_takes_back_an_acceptance_or_a_skip(world: World) -> None:
    session = world.session()
    session.accept_record()
    session.act("skip", actions.skip)
    assert session.progress().accepted == 1
    for position in (0, 1):
        session.open(position)
        session.act("reopen", actions.reopen)
        assert (session.position, world.state(position)) == (position, Status.OPEN)
    assert (session.progress().accepted, session.progress().skipped) == (0, 0)
    session.act("reopen", actions.reopen)
    assert session.message == "the record is open"
    session.accept_record()
    assert (session.position, world.state(1)) == (2, Status.ACCEPTED)
    session.accept_record()
    session.accept_record()
    assert session.position == 0, "it is unreviewed again"


def test_a_verdict_goes_on_but_does_not_accept_the_record(world: World) -> None:
    session = world.session()
    verdict(session, Verdict.UNSUPPORTED)
    assert session.desk.focus == 1
    verdict(session, Verdict.SUPPORTED)
    assert (session.position, session.desk.focus, world.state(0)) == (0, 1, Status.OPEN)
    assert session.desk.review.settled == {"resp_s0", "resp_s1"}
    assert session.desk.overridden == {"resp_s0", "resp_s1"}


def test_linking_marks_utilized_in_one_step_and_unlinking_takes_back_the_link_only(world: World) -> None:
    session = world.session()
    session.act("link", lambda desk: actions.link(desk, "doc_1_s0"))
    assert "doc_1_s0" in session.desk.focused.keys
    assert "doc_1_s0" in session.desk.review.labels.utilized
    assert len(world.edits_made()) == 1
    session.act("link", lambda desk: actions.link(desk, "doc_1_s0"))
    assert "doc_1_s0" not in session.desk.focused.keys
    assert "doc_1_s0" in session.desk.review.labels.utilized


def test_a_reason_makes_the_sentence_supported_and_an_unsupported_one_has_none(world: World) -> None:
    session = world.session()
    session.focus(1)
    session.act("reason", lambda desk: actions.give_reason(desk, Reason.GENERAL))
    assert (session.desk.focused.reason, session.desk.focused.verdict) == (Reason.GENERAL, Verdict.SUPPORTED)
    verdict(session, Verdict.UNSUPPORTED)
    assert session.desk.focused.reason is None


def test_reset_goes_back_to_the_judges_label(world: World) -> None:
    session = world.session()
    start = session.desk.review
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    verdict(session, Verdict.UNSUPPORTED)
    session.focus(0)
    session.act("reset", actions.reset_response)
    assert session.desk.overridden == {"doc_0_s0"}
    session.point(0)
    session.act("reset", actions.reset_document)
    assert session.desk.review == start
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    verdict(session, Verdict.UNSUPPORTED)
    session.act("reset-record", actions.reset_record)
    assert session.desk.review == start


def test_skipping_leaves_the_record_for_later_but_never_takes_back_an_acceptance(world: World) -> None:
    session = world.session()
    session.act("skip", actions.skip)
    assert (session.position, world.state(0)) == (1, Status.SKIPPED)
    session.accept_record()
    session.open(1)
    session.act("skip", actions.skip)
    assert world.state(1) is Status.ACCEPTED


def test_totals_count_accepted_records_only_and_follow_every_later_edit(world: World) -> None:
    session = world.session()
    verdict(session, Verdict.UNSUPPORTED)
    assert session.progress().agreement[Mode.ASSISTED].rmse.num_evaluations == 0
    session.accept_record()
    progress = session.progress()
    assert (
        progress.accepted,
        progress.agreement[Mode.ASSISTED].overrides,
        progress.agreement[Mode.ASSISTED].decided,
    ) == (1, 1, 5)
    assert progress.agreement[Mode.ASSISTED].rmse.n_per_metric["adherence"] == 1
    assert progress.agreement[Mode.BLIND].rmse.num_evaluations == 0
    session.open(0)
    session.focus(0)
    session.act("reset", actions.reset_response)
    assert session.progress().agreement[Mode.ASSISTED].overrides == 0
    session.undo()
    session.undo()
    assert session.progress().accepted == 0


def test_the_definition_is_a_choice_of_the_reader(world: World) -> None:
    session = world.session()
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    session.accept_record()
    before = session.progress().agreement[Mode.ASSISTED].rmse.per_metric_rmse["context_relevance"]
    session.switch_definition()
    assert session.definition is Definition.RAGBENCH
    after = session.progress().agreement[Mode.ASSISTED].rmse.per_metric_rmse["context_relevance"]
    assert before == pytest.approx(1 / 20)
    assert after == pytest.approx(1 / 3)


def test_records_without_sentences_can_be_accepted() -> None:
    world = World([some_record(0, responses=0), some_record(1)])
    session = world.session()
    accept_sentence(session)
    assert (world.state(0), session.position) == (Status.ACCEPTED, 1)
    assert session.totals.of(world.records[0].uid).human.response_sentences == 0


def test_without_a_judge_the_record_starts_empty() -> None:
    desk = World([some_record(0)], judged=False).session().desk
    assert desk.review.labels == Labels()
