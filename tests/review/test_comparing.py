"""Several judges side by side: which one is compared, and what becomes of labels that arrive meanwhile."""

import pytest

from tests.review.world import GROQ, JUDGE, World, failed, judge_labels, labelled, some_record, verdict
from trace_tui.calls import Cause
from trace_tui.labels import Judge, Judgement, Labels, Verdict, differing
from trace_tui.review import actions
from trace_tui.review.order import uncertain_first
from trace_tui.review.ports import Outlook
from trace_tui.review.runs import Run
from trace_tui.review.session import Session
from trace_tui.review.totals import Agreement
from trace_tui.reviews import Introduction, Labelling, Mode, Review, Sighting
from trace_tui.scoring import Definition, RMSECalculator, count, scores

OTHER = Judge("other")


@pytest.fixture
def judged(world: World) -> World:
    """The first two of four records are labelled by a second judge, who supports all; the first by a third too."""
    world.changes += [Labelling(record, labelled(record)) for record in world.records[:2]]
    world.changes.append(Labelling(world.records[0], labelled(world.records[0], OTHER)))
    return world


def assisted(session: Session) -> Agreement:
    while session.wants_stock:
        session.take_over(session.take_stock())
    return session.progress().agreement[Mode.ASSISTED]


# ---------------------------------------------------------------------------- switching


def test_the_key_goes_round_the_judges(judged: World) -> None:
    session = judged.session()
    assert assisted(session).decided == 0
    titles = []
    for _ in range(3):
        session.next_judge()
        titles.append(session.compared)
    assert titles == [GROQ.title, OTHER.title, ""]


def test_where_there_is_no_other_judge_the_key_says_how_to_get_one(world: World) -> None:
    session = world.session()
    session.accept_record()
    assisted(session)
    session.next_judge()
    assert (session.compared, session.message, session.hints) == (
        "",
        "there is no other judge yet",
        ("label", "label-rest"),
    )


def test_a_record_not_begun_starts_from_the_judge_compared_and_one_begun_stays(judged: World) -> None:
    session = judged.session()
    session.compare(GROQ.title)
    assert session.desk.review.labels.support("resp_s1").verdict is Verdict.SUPPORTED
    session.compare("")
    assert session.desk.review.labels.support("resp_s1").verdict is Verdict.UNSUPPORTED
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    before = session.desk.review
    session.compare(GROQ.title)
    assert session.desk.review == before == judged.review(0)
    assert session.desk.overridden == {"doc_0_s0", "resp_s1"}
    session.act("reset-record", actions.reset_record)
    assert session.desk.review.labels == judge_labels(session.desk.record, Verdict.SUPPORTED).without_explanations()


def test_switching_keeps_cursor_and_focus_and_is_no_edit(judged: World) -> None:
    session = judged.session()
    session.focus(1)
    session.point(2)
    session.compare(GROQ.title)
    assert (session.desk.focus, session.desk.cursor, judged.edits_made()) == (1, 2, [])


def test_a_record_that_the_judge_has_not_labelled_says_so(judged: World) -> None:
    session = judged.session()
    session.compare(GROQ.title)
    session.open(3)
    assert (session.desk.judgement, session.desk.review) == (None, Review())
    session.open(0)
    session.compare(OTHER.title)
    session.open(1)
    session.compare(OTHER.title)
    assert (session.desk.lacks_labels, session.message) == (True, "")
    session.open(0)
    assert not session.desk.lacks_labels


def test_a_review_begun_beside_a_judge_has_it_as_its_own_and_the_datasets_is_kept(judged: World) -> None:
    session = judged.session()
    session.compare(GROQ.title)
    session.accept_record()
    kept = judged.kept(judged.records[0].uid, "mia")
    assert kept.judgement.judge == GROQ
    assert judged.judgement(judged.records[0].uid, JUDGE.title).judge == JUDGE
    session.compare("")
    session.open(0)
    assert session.desk.judgement.judge == GROQ
    session.compare(JUDGE.title)
    assert session.desk.judgement.judge == JUDGE


def test_a_record_begun_beside_none_is_kept_with_the_datasets_judge(judged: World) -> None:
    session = judged.session()
    session.compare(GROQ.title)
    session.open(3)
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    (start,) = [c for c in judged.changes if isinstance(c, Introduction)]
    assert (start.judgement.judge, start.start) == (JUDGE, Review())
    session.compare("")
    assert session.desk.judgement.judge == JUDGE
    assert session.desk.review.labels == Labels(relevant=frozenset({"doc_0_s0"}))


def test_switching_changes_the_totals_to_those_of_a_recomputation(judged: World) -> None:
    session = judged.session()
    for position in range(4):
        session.open(position)
        session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s1"))
        session.act("accept-record", lambda desk: actions.accept_record(desk, insist=True))
    for title, positions in (("", range(4)), (GROQ.title, (0, 1)), (OTHER.title, (0,)), (GROQ.title, (0, 1))):
        session.compare(title)
        check(judged, session, title or JUDGE.title, positions)
    session.open(1)
    verdict(session, Verdict.UNSUPPORTED)  # while compared with one judge; the others are to know
    for title, positions in ((OTHER.title, (0,)), (GROQ.title, (0, 1)), ("", range(4))):
        session.compare(title)
        check(judged, session, title or JUDGE.title, positions)


def check(world: World, session: Session, title: str, positions: tuple[int, ...] | range) -> None:
    predicted, truth, overrides = [], [], 0
    for record in (world.records[position] for position in positions):
        judge, human = world.judgement(record.uid, title).labels, world.kept(record.uid, "mia").review.labels
        predicted.append(scores(count(judge, record), Definition.GPT_LABELING))
        truth.append(scores(count(human, record), Definition.GPT_LABELING))
        overrides += len(differing(judge, human))
    agreement = assisted(session)
    assert agreement.rmse == RMSECalculator.compute_rmse_all_metrics(predicted, truth)
    assert (agreement.rmse.num_evaluations, agreement.overrides) == (len(positions), overrides)


def test_edits_on_their_way_to_the_store_count_after_a_switch(judged: World) -> None:
    session = judged.session()
    assisted(session)
    judged.is_holding = True
    session.accept_record()
    session.compare(GROQ.title)
    assert assisted(session).rmse.num_evaluations == 1
    judged.let_go()
    session.compare("")
    session.compare(GROQ.title)
    assert assisted(session).rmse.num_evaluations == 1


def test_no_record_labelled_is_undefined_and_not_zero(judged: World) -> None:
    session = judged.session()
    session.open(3)
    session.accept_record()
    session.compare(GROQ.title)
    agreement = assisted(session)
    assert (agreement.rmse.num_evaluations, agreement.rmse.aggregated_rmse) == (0, None)
    assert session.progress().accepted == 1


def test_differences_are_those_from_the_judge_compared(judged: World) -> None:
    session = judged.session()
    for position in range(2):
        session.open(position)
        session.accept_record()
    session.next_difference()
    assert "no further difference" in session.message
    session.compare(GROQ.title)
    session.open(3)
    session.next_difference()
    assert (session.position, session.desk.focused_key) == (0, "resp_s1")


def test_each_judge_seen_is_written_down_and_blind_is_who_saw_none(judged: World) -> None:
    session = judged.session(blind=True)
    session.compare(GROQ.title)
    assert (session.desk.judge_labels, session.desk.review) == (None, Review())
    assert [c for c in judged.changes if isinstance(c, Sighting)] == []
    session.act("accept-record", lambda desk: actions.accept_record(desk, insist=True))
    assert judged.review(0).blind is not None
    session.open(0)
    session.compare(OTHER.title)
    assert {c.judge for c in judged.changes if isinstance(c, Sighting)} == {GROQ.title, OTHER.title}
    session.open(1)
    session.compare(GROQ.title)
    assert session.desk.judge_labels is None


# ---------------------------------------------------------------------------- labels that arrive


def test_labels_of_the_record_on_the_desk_are_offered_and_not_applied(world: World) -> None:
    session, record = world.session(), world.records[0]
    session.act("relevant", lambda desk: actions.toggle_relevant(desk, "doc_0_s0"))
    before = session.desk
    session.receive(record, labelled(record), asked=False)
    assert session.desk is before
    assert session.offered == GROQ.title
    session.focus(1)
    assert session.offered == GROQ.title, "until it is taken or left"
    session.next_judge()
    assert session.offered == ""
    assert (session.compared, session.desk.review) == (GROQ.title, before.review)
    assert session.desk.overridden == {"doc_0_s0", "resp_s1"}


def test_who_asked_and_did_nothing_since_is_shown_them(world: World) -> None:
    session, record = world.session(), world.records[0]
    assert session.await_labels() is record
    session.focus(1)
    session.receive(record, labelled(record), asked=True)
    assert (session.compared, session.message) == (GROQ.title, f"labelled by {GROQ.title}")
    assert (session.desk.focus, session.desk.judgement.judge) == (1, GROQ)
    assert session.desk.review.labels.support("resp_s1").verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("deed", ["edit", "undo", "leave", "switch"])
def test_who_went_on_after_asking_is_only_offered_them(world: World, deed: str) -> None:
    session, record = world.session(), world.records[0]
    session.act("flag", actions.toggle_flag)
    session.await_labels()
    match deed:
        case "edit":
            verdict(session, Verdict.SUPPORTED)
        case "undo":
            session.undo()
        case "leave":
            session.step(1)
        case "switch":
            session.compare("")
    before = session.desk
    session.receive(record, labelled(record), asked=True)
    assert (session.desk, session.compared) == (before, "")
    elsewhere = f"{GROQ.title} has labelled {record.shown_id}"
    assert (session.message, session.offered) == ((elsewhere, "") if deed == "leave" else ("", GROQ.title))


def test_leaving_and_coming_back_is_going_on(world: World) -> None:
    session, record = world.session(), world.records[0]
    session.await_labels()
    session.step(1)
    session.step(-1)
    session.receive(record, labelled(record), asked=True)
    assert session.compared == ""


def test_labels_on_their_way_to_the_store_are_known(world: World) -> None:
    session = world.session()
    for record in world.records:
        world.is_holding = True
        session.receive(record, labelled(record), asked=False)
    assert not world.judges()
    session.compare(GROQ.title)
    session.open(2)
    assert session.desk.judgement.judge == GROQ
    world.let_go()
    assert world.judges() == [(GROQ.title, 4)]


def test_labels_of_a_reviewed_record_count_as_they_come_and_on_the_desk_when_it_is_left(world: World) -> None:
    session = world.session()
    for _ in range(3):
        session.accept_record()
    session.receive(world.records[0], labelled(world.records[0]), asked=False)
    session.compare(GROQ.title)
    assert assisted(session).rmse.num_evaluations == 1
    session.receive(world.records[1], labelled(world.records[1]), asked=False)
    assert assisted(session).rmse.num_evaluations == 2
    session.open(2)
    session.receive(world.records[2], labelled(world.records[2]), asked=False)
    assert (session.desk.judgement, assisted(session).rmse.num_evaluations) == (None, 2)
    session.step(1)
    assert assisted(session).rmse.num_evaluations == 3


def test_a_failure_is_named_and_brings_no_labels(world: World) -> None:
    session, record = world.session(), world.records[0]
    session.await_labels()
    before = session.desk
    session.receive(record, failed(record), asked=True)
    assert session.message == f"no labels: the model refused: I cannot help with that ({GROQ.title})"
    assert (session.desk, session.hints, world.judges()) == (before, ("label",), [])
    assert [c.call.outcome.cause for c in world.changes if isinstance(c, Labelling)] == [Cause.REFUSED]
    session.receive(world.records[2], failed(world.records[2], detail=""), asked=True)
    assert session.message == f"no labels of 2: the model refused ({GROQ.title})"


def test_what_arrives_in_blind_mode_stays_hidden(world: World) -> None:
    session, record = world.session(blind=True), world.records[0]
    session.receive(record, labelled(record), asked=False)
    assert session.desk.judge_labels is None
    session.await_labels()
    session.receive(record, labelled(record), asked=True)
    assert session.message == f"labelled by {GROQ.title}; hidden until you accept"
    assert (session.desk.judge_labels, session.desk.review, session.desk.counts_as_blind) == (None, Review(), True)
    assert not [c for c in world.changes if isinstance(c, Sighting)]


def test_a_run_counts_what_was_not_asked_for_by_itself(world: World) -> None:
    session = world.session()
    session.run = Run(GROQ.title)
    session.foresee(Outlook(4, "14:03:12"))
    assert (session.run.total, session.run.waits_until) == (4, "14:03:12")
    session.receive(world.records[1], labelled(world.records[1]), asked=False)
    session.receive(world.records[2], failed(world.records[2]), asked=False)
    session.receive(world.records[3], labelled(world.records[3]), asked=True)
    assert session.run == Run(GROQ.title, 4, labelled=1, failed={Cause.REFUSED: 1})
    assert session.run.done == 2


# ---------------------------------------------------------------------------- orders


def test_uncertain_records_come_first_and_the_others_as_in_the_file(world: World) -> None:
    uids = [record.uid for record in world.records]
    assert list(uncertain_first(world, {uids[3]: 2 / 3, uids[1]: 0.6, "elsewhere": 0.5, uids[0]: 2 / 3})) == [
        1,
        0,
        3,
        2,
    ]


def test_every_way_on_follows_the_order_and_numbers_stay_those_of_the_file(world: World) -> None:
    session = world.session()
    session.step_through([2, 0, 3, 1])
    session.resume()
    assert session.position == 2
    session.step(-1)
    assert (session.position, session.message) == (2, "this is the first record")
    session.accept_record()
    session.step(1)
    session.step(1)
    assert (session.position, session.message) == (1, "")
    session.step(1)
    assert session.message == "this is the last record"
    session.open_next_unreviewed()
    assert session.position == 0
    session.go_to("4")
    assert session.position == 3
    session.open_next_unreviewed()
    assert session.position == 1
    reopened = world.session()
    reopened.step_through([2, 0, 3, 1])
    reopened.resume()
    assert reopened.position == 0, "the first of the order that is unreviewed"


def test_uncertain_sentences_are_those_on_which_votes_differed() -> None:
    record = some_record(0)
    call = labelled(record, confidence={"relevant/doc_0_s1": 2 / 3, "supports/resp_s0/doc_0_s0": 1 / 3})
    assert isinstance(call.outcome, Judgement)
    assert call.outcome.uncertain == {"doc_0_s1", "resp_s0"}
