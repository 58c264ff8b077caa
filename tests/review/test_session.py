from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.review.world import World, some_record
from trace_tui.labels import Labels, Reason, Support, Verdict
from trace_tui.review import actions
from trace_tui.review.finding import Pane
from trace_tui.review.session import Session
from trace_tui.review.stock import CancelledError
from trace_tui.review.totals import Mode
from trace_tui.reviews import Place, Review, Sighting, Status
from trace_tui.scoring import Definition


@pytest.fixture
def world() -> World:
    return World([some_record(n) for n in range(4)])


def accept_sentence(session: Session) -> None:
    session.act("accept", actions.accept_sentence)


def verdict(session: Session, value: Verdict) -> None:
    session.act(value.value, lambda desk: actions.judge_sentence(desk, value))


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


def test_the_next_unreviewed_record_is_found_round_the_end(world: World) -> None:
    session = world.session()
    session.open(2)
    session.accept_record()
    session.accept_record()
    assert session.position == 0
    session.accept_record()
    session.accept_record()
    assert "all records are reviewed: 4 accepted" in session.message


def test_a_row_that_cannot_be_read_is_shown_as_such_and_passed_over_by_the_queue(world: World) -> None:
    world.faults[1] = "dataset.jsonl: line 2: not JSON"
    session = world.session()
    session.step(1)
    assert session.desk is None
    assert "line 2" in session.fault
    accept_sentence(session)
    assert not world.edits_made()
    session.step(-1)
    session.accept_record()
    assert session.position == 2


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


def test_the_session_opens_where_it_was(world: World) -> None:
    session = world.session()
    session.step(1)
    session.focus(1)
    session = world.session()
    assert (session.position, session.desk.focus) == (1, 1)
    world.records.insert(0, some_record(7))
    assert world.session().position == 2, "the row has moved in the file"


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


class TestBlind:
    def test_nothing_of_the_judge_shows_before_acceptance(self, world: World) -> None:
        desk = world.session(blind=True).desk
        assert desk.judge_labels is None
        assert desk.judged_focused is None
        assert desk.judge_scores(Definition.RAGBENCH) is None
        assert desk.overridden == frozenset()
        assert desk.review == Review()
        assert desk.first_evidence() is None
        assert not [c for c in world.changes if isinstance(c, Sighting)]

    def accept(self, session: Session) -> None:
        verdict(session, Verdict.SUPPORTED)
        verdict(session, Verdict.SUPPORTED)
        session.accept_record()

    def test_what_was_accepted_is_frozen_and_later_edits_are_a_revision(self, world: World) -> None:
        session = world.session(blind=True)
        self.accept(session)
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

    def test_undo_before_the_reveal_makes_it_as_if_it_had_not_been_accepted(self, world: World) -> None:
        session = world.session(blind=True)
        self.accept(session)
        session.undo()
        assert session.desk.judge_labels is None
        assert world.review(0).blind is None

    def test_undo_after_the_reveal_keeps_the_blind_judgement(self, world: World) -> None:
        session = world.session(blind=True)
        self.accept(session)
        frozen = world.review(0).blind
        session.step(-1)
        session.undo()
        assert world.state(0) is Status.OPEN
        assert world.review(0).blind == frozen
        session.accept_record()
        assert world.review(0).blind == frozen

    def test_the_way_back_reveals_the_judge(self, world: World) -> None:
        session = world.session(blind=True)
        self.accept(session)
        assert (session.message, session.hints) == ("accepted blind", ("previous-record",))
        session.step(1)
        self.accept(session)
        self.accept(session)
        assert (session.position, session.message) == (1, "accepted blind")
        assert session.hints == (), "the record before this one is another"

    def test_passing_over_a_record_is_no_look_at_it(self, world: World) -> None:
        session = world.session(blind=True)
        session.open(1)
        self.accept(session)
        world.changes.clear()
        session.open(0)
        self.accept(session)
        assert session.position == 2
        assert not [c for c in world.changes if isinstance(c, Sighting)]
        assert {c.position for c in world.changes if isinstance(c, Place)} == {0, 2}

    def test_a_record_seen_before_is_never_blind(self, world: World) -> None:
        world.session()
        session = world.session(blind=True)
        assert session.desk.judge_labels is None
        self.accept(session)
        assert world.review(0).blind is None
        assert session.progress().agreement[Mode.ASSISTED].rmse.num_evaluations == 1

    def test_no_difference_is_led_to_while_it_is_hidden(self, world: World) -> None:
        session = world.session(blind=True)
        verdict(session, Verdict.UNSUPPORTED)
        session.next_difference()
        assert "no further difference" in session.message
        session.step(1)
        session.next_difference()
        assert (session.position, "no further difference" in session.message) == (1, True)


def test_differences_of_open_records_are_led_to(world: World) -> None:
    session = world.session()
    verdict(session, Verdict.UNSUPPORTED)
    session.step(2)
    session.next_difference()
    assert (session.position, session.desk.focus, world.state(0)) == (0, 0, Status.OPEN)


def test_differences_are_walked_within_and_across_records(world: World) -> None:
    session = world.session()
    verdict(session, Verdict.UNSUPPORTED)
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_1_s0"))
    session.accept_record()
    session.accept_record()
    session.next_difference()
    assert (session.position, session.desk.focus, session.pane) == (0, 0, Pane.RESPONSE)
    session.next_difference()
    assert (session.position, session.desk.cursor, session.pane) == (0, 2, Pane.DOCUMENTS)


def test_going_to_a_number_an_id_and_a_sentence(world: World) -> None:
    session = world.session()
    session.go_to("3")
    assert session.position == 2
    session.go_to("doc_1_s0")
    assert (session.pane, session.desk.cursor) == (Pane.DOCUMENTS, 2)
    session.go_to("resp_s1")
    assert (session.pane, session.desk.focus) == (Pane.RESPONSE, 1)
    session.go_to("0")
    assert session.position == 0, "0 is an id here, numbers begin at 1"
    session.go_to("nowhere")
    assert "no record" in session.message


def test_search_goes_round_and_keeps_to_the_record(world: World) -> None:
    session = world.session()
    session.search(lambda text: "fact" in text, Pane.RESPONSE, 1)
    assert (session.pane, session.desk.cursor) == (Pane.DOCUMENTS, 0)
    session.search(lambda text: "fact" in text, Pane.DOCUMENTS, 1)
    assert session.desk.cursor == 1
    session.search(lambda text: "fact" in text, Pane.DOCUMENTS, -1)
    assert session.desk.cursor == 0
    session.search(lambda text: "unheard of" in text, Pane.DOCUMENTS, 1)
    assert session.message == "not found in this record"


def test_changed_labels_in_the_file_are_said_also_where_one_was(world: World) -> None:
    session = world.session()
    session.act("flag", actions.toggle_flag)
    judged = session.desk.judge_labels
    session.focus(1)
    world.last_verdict = Verdict.SUPPORTED
    session = world.session()
    assert "the judge's labels in the file are others now" in session.message
    assert (session.desk.judge_labels, session.desk.focus) == (judged, 1)


class TestWhatIsInTheDataset:
    """What counts is what is in the file as it is now, wherever it stands and under whatever name it was reviewed."""

    def review_all(self, world: World) -> None:
        session = world.session()
        for _ in world.records:
            session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
            session.accept_record()

    def taken(self, world: World) -> Session:
        session = world.session()
        session.take_over(session.take_stock())
        world.asked = world.scans = 0
        return session

    def test_rows_that_moved(self, world: World) -> None:
        self.review_all(world)
        world.records[:0] = [some_record(8), some_record(9)]
        session = self.taken(world)
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

    def test_rows_that_left_do_not_count(self, world: World) -> None:
        self.review_all(world)
        del world.records[1]
        world.records[0] = some_record(0, suffix=" changed")
        session = self.taken(world)
        assert session.progress().accepted == 2
        assert session.progress().agreement[Mode.ASSISTED].rmse.num_evaluations == 2

    def test_other_datasets_of_the_database_do_not_count(self, world: World) -> None:
        self.review_all(world)
        world.name, world.records = "other.jsonl", [some_record(n, suffix=" other") for n in range(4)]
        session = self.taken(world)
        assert session.progress().accepted == 0
        assert not session.offers_stale, "records of one id in two datasets are two"
        session.next_difference()
        assert "no further difference" in session.message
        session.undo()
        assert session.message == "nothing to undo"
        session.accept_record()
        assert (session.position, session.progress().accepted) == (1, 1)

    def test_a_dataset_that_was_renamed_keeps_its_reviews(self, world: World) -> None:
        self.review_all(world)
        world.name = "renamed.jsonl"
        world.records[3] = some_record(3, suffix=" changed")
        session = self.taken(world)
        assert session.progress().accepted == 3
        session.open(3)
        assert session.offers_stale

    def test_a_row_that_stands_twice_is_reviewed_once(self, world: World) -> None:
        world.records.insert(1, world.records[0])
        session = self.taken(world)
        session.accept_record()
        assert (session.position, session.progress().accepted) == (2, 1)

    def test_many_reviewed_records_ahead_cost_nothing(self) -> None:
        world = World([some_record(n) for n in range(300)])
        self.review_all(world)
        world.records.append(some_record(300))
        session = self.taken(world)
        session.open(0)
        session.open_next_unreviewed()
        assert (session.position, world.asked, world.scans) == (300, 1, 0)

    def test_before_stock_is_taken_keys_work_and_nothing_is_lost(self, world: World) -> None:
        self.review_all(world)
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
        session.take_over(Session.take_stock(session))
        assert session.progress().accepted == 5

    def test_taking_stock_can_be_called_off(self, world: World) -> None:
        self.review_all(world)
        with pytest.raises(CancelledError):
            world.session().take_stock(lambda: True)


class TestStale:
    def changed(self, world: World) -> Session:
        session = world.session()
        session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_1_s0"))
        session.act("utilized", lambda desk: actions.toggle_utilized(desk, "doc_0_s1"))
        world.records[0] = some_record(0, suffix=" changed")
        session = world.session()
        session.take_over(session.take_stock())
        return session

    def test_old_labels_are_offered_not_applied(self, world: World) -> None:
        session = self.changed(world)
        session.open(0)
        assert session.offers_stale
        assert "doc_1_s0" not in session.desk.review.labels.relevant

    def test_they_are_offered_until_they_are_taken_or_the_record_is_accepted(self, world: World) -> None:
        session = self.changed(world)
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

    def test_labels_made_with_the_judge_in_view_do_not_become_blind(self, world: World) -> None:
        self.changed(world)
        world.changes = [c for c in world.changes if not (isinstance(c, Sighting) and "changed" in c.uid)]
        session = world.session(blind=True)
        session.take_over(session.take_stock())
        session.adopt_stale()
        session.accept_record()
        assert world.review(0).adopted
        session.accept_record()
        assert (world.state(0), world.review(0).blind) == (Status.ACCEPTED, None)

    def test_adopting_takes_over_what_still_fits_in_one_undoable_edit(self, world: World) -> None:
        session = self.changed(world)
        session.open(0)
        before = session.desk.review
        session.adopt_stale()
        assert "doc_1_s0" in session.desk.review.labels.relevant
        assert "doc_0_s1" not in session.desk.review.labels.utilized, "its text changed"
        session.undo()
        assert session.desk.review == before

    def test_a_namesake_still_in_the_file_is_no_earlier_content(self, world: World) -> None:
        world.records.append(replace(some_record(0, suffix=" twin"), generator="another"))
        session = world.session()
        session.act("flag", actions.toggle_flag)
        session.open(len(world.records) - 1)
        assert not session.offers_stale
        session.adopt_stale()
        assert "no labels of an earlier content" in session.message


def test_records_without_sentences_can_be_accepted() -> None:
    world = World([some_record(0, responses=0), some_record(1)])
    session = world.session()
    accept_sentence(session)
    assert (world.state(0), session.position) == (Status.ACCEPTED, 1)
    assert session.totals.of(world.records[0].uid).human.response_sentences == 0


def test_without_a_judge_the_record_starts_empty() -> None:
    desk = World([some_record(0)], judged=False).session().desk
    assert desk.review.labels == Labels()
