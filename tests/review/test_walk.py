"""Getting to records and sentences."""

from tests.review.world import World, accept_sentence, some_record, verdict
from trace_tui.labels import Verdict
from trace_tui.review import actions
from trace_tui.review.finding import Pane
from trace_tui.reviews import Status


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


def test_the_session_opens_where_it_was(world: World) -> None:
    session = world.session()
    session.step(1)
    session.focus(1)
    session = world.session()
    assert (session.position, session.desk.focus) == (1, 1)
    world.records.insert(0, some_record(7))
    assert world.session().position == 2, "the row has moved in the file"


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
