"""Labels asked for during the review: agreed upon first, named when they fail, offered where one has gone on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from textual import events

from tests.review.world import GROQ, failed, labelled
from tests.tui.service import FakeService, unavailable
from tests.tui.stage import Stage, stage
from trace_tui.calls import Call, Cause
from trace_tui.errors import JudgeUnavailableError
from trace_tui.labels import Verdict
from trace_tui.records import Record
from trace_tui.review.ports import Outlook
from trace_tui.store import Store
from trace_tui.tui.asking import Answered

TITLE = GROQ.title


class Made:
    """Keeps the service that the app made."""

    service: FakeService

    def __call__(self, session: object, **options: object) -> FakeService:
        self.service = FakeService(session, **options)  # type: ignore[arg-type]  # as the stage and the test give them
        return self.service


@asynccontextmanager
async def asking(
    dataset: Path, database: Path, *, agreed: bool = True, of: Callable[[Record], Call] = labelled, **options: object
) -> AsyncIterator[tuple[Stage, Made]]:
    made = Made()
    make = partial(made, agreed=agreed, of=of)
    async with stage(dataset, database, make_service=make, **options) as s:  # type: ignore[arg-type]  # size and blind
        yield s, made


async def until_asked(s: Stage, made: Made, asked: str) -> FakeService:
    await s.until(lambda: hasattr(made, "service") and asked in made.service.events)
    return made.service


async def answer_dialog(s: Stage, key: str) -> None:
    """Answer as one who has read it."""
    await s.until(lambda: getattr(s.app.screen, "_shown_at", None) is not None)
    event = events.Key(key, None)
    event.time += 60
    s.app._driver.send_message(event)
    await s.settle()
    await s.pilot.pause()


# ---------------------------------------------------------------------------- this record


async def test_labels_that_were_asked_for_are_shown(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("L")
        service = await until_asked(s, made, "label id-0")
        assert f"asking {TITLE} …" in s.text()
        service.release()
        await s.until(lambda: f"labelled by {TITLE}" in s.text())
        assert f"· judge {TITLE}" in s.text()
        assert s.session.desk.judgement.judge == GROQ
        await s.until_saved()
    assert Store.open(database).judgement(s.session.desk.record.uid, TITLE) is not None


async def test_labels_do_not_change_what_was_edited_since(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("L")
        service = await until_asked(s, made, "label id-0")
        await s.press("n")
        before, screen = s.session.desk, s.screen_lines()[2:-2]
        service.release()
        await s.until(lambda: f"labelled meanwhile by {TITLE}  v compare" in s.text())
        assert s.session.desk is before
        assert s.screen_lines()[2:-2] == screen
        await s.press("v")
        assert s.session.desk.review == before.review
        assert s.session.desk.judgement.judge == GROQ
        assert s.session.desk.judged_focused.verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_nothing_is_sent_unless_agreed(dataset: Path, database: Path, key: str) -> None:
    async with asking(dataset, database, agreed=False) as (s, made):
        for pressed in ("L", "B"):
            await s.press(pressed)
            await s.until(lambda: "Send documents to judge.example:443?" in s.text())
            assert "3 records of it may be sent" in s.text()
            await answer_dialog(s, key)
            await s.until(lambda: "nothing was sent" in s.text())
        assert made.service.events == []
        assert s.session.desk.review.settled == frozenset(), "the key was for the dialog"


async def test_who_agrees_is_not_asked_again(dataset: Path, database: Path) -> None:
    async with asking(dataset, database, agreed=False) as (s, made):
        await s.press("L")
        await answer_dialog(s, "y")
        service = await until_asked(s, made, "label id-0")
        service.release()
        await s.until(lambda: f"labelled by {TITLE}" in s.text())
        await s.press("full_stop", "L")
        await until_asked(s, made, "label id-1")
        assert service.events == ["consent", "label id-0", "label id-1"]


async def test_a_key_meant_for_the_review_does_not_agree(dataset: Path, database: Path) -> None:
    async with asking(dataset, database, agreed=False) as (s, made):
        await s.press("L")
        await s.until(lambda: getattr(s.app.screen, "_shown_at", None) is not None)
        event = events.Key("y", "y")
        event.time = s.app.screen._shown_at + 0.1
        s.app._driver.send_message(event)
        await s.settle()
        assert len(s.app.screen_stack) == 2
        assert made.service.events == []


async def test_a_failure_is_named(dataset: Path, database: Path) -> None:
    of = partial(failed, detail="I \x1b[2J[/] cannot")
    async with asking(dataset, database, of=of) as (s, made):
        before = s.session.desk
        await s.press("L")
        (await until_asked(s, made, "label id-0")).release()
        await s.until(lambda: f"no labels: the model refused: I ␛[2J[/] cannot ({TITLE})" in s.text())
        assert s.session.desk is before


async def test_the_key_again_cancels(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("L")
        service = await until_asked(s, made, "label id-0")
        await s.press("L")
        await s.until(lambda: "cancelled" in service.events)
        assert "cancelled: no longer asking for labels of that record" in s.text()
        service.release()
        await s.press("L")
        await s.until(lambda: f"labelled by {TITLE}" in s.text())


async def test_without_a_key_one_line_says_so(dataset: Path, database: Path) -> None:
    async with stage(dataset, database, make_service=lambda _: unavailable()) as s:
        for pressed in ("L", "B"):
            await s.press("m", pressed)
            await s.until(lambda: "GROQ_API_KEY is not set: no model can be asked" in s.text())


async def test_where_there_is_nobody_to_ask_it_says_so(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        for pressed in ("L", "B"):
            await s.press("m", pressed)
            assert "there is no judge to ask here" in s.text()


async def test_what_arrives_blind_stays_hidden(dataset: Path, database: Path) -> None:
    async with asking(dataset, database, blind=True) as (s, made):
        before = s.session.desk.review
        await s.press("L")
        (await until_asked(s, made, "label id-0")).release()
        await s.until(lambda: "hidden until you accept" in s.screen_lines()[-2])
        assert (s.session.desk.judge_labels, s.session.desk.review) == (None, before)
        assert " · judge hidden" in s.text()
        assert "ru judge" not in s.text()


# ---------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_run_goes_on_while_the_annotator_works(dataset: Path, database: Path, size: tuple[int, int]) -> None:
    of = {"id-1": labelled, "id-2": partial(failed, cause=Cause.TRUNCATED, detail=""), "id-0": labelled}
    async with asking(dataset, database, of=lambda record: of[record.shown_id](record), size=size) as (s, made):
        await s.press("full_stop", "B")
        service = await until_asked(s, made, "label id-1")
        assert "labelling 0/3" in s.screen_lines()[0]
        await s.press("n", "a")
        assert s.session.position == 2
        service.release()
        await until_asked(s, made, "label id-2")
        await s.until(lambda: "labelling 1/3" in s.screen_lines()[0])
        service.outlook = "14:03:12"
        before = s.session.desk
        service.release()
        await s.until(lambda: f"no labels: reply cut off ({TITLE})" in s.text())
        assert s.session.desk is before
        if size[0] > 80:
            assert "1 failed: 1 reply cut off" in s.text()
        service.release()
        await s.until(lambda: s.session.run.ended == "finished")
        await s.settle()
        assert service.events == ["label id-1", "label id-2", "label id-0"]
        assert "labelling" not in s.screen_lines()[0]
        if size[0] > 80:
            assert "finished at 3 of 3" in s.text()
        await s.until_saved()
    assert Store.open(database).judges()[0] == (TITLE, 2)


async def test_a_limit_is_waited_for_and_said(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("B")
        service = await until_asked(s, made, "label id-0")
        s.session.foresee(Outlook(3, "14:03:12"))
        s.app.post_message(Answered())
        await s.settle()
        assert "waits until 14:03:12 for a limit" in s.text()
        assert "waits until 14:03:12 0/3" in s.screen_lines()[0]
        service.release()
        await s.until(lambda: "labelling 1/3" in s.screen_lines()[0])


async def test_a_run_is_cancelled_by_its_key_and_goes_on_with_what_is_missing(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("B")
        service = await until_asked(s, made, "label id-0")
        service.release()
        await until_asked(s, made, "label id-1")
        await s.press("B")
        await s.until(lambda: "cancelled" in service.events)
        assert "cancelled: what came until now is kept" in s.text()
        assert "cancelled at 1 of 3" in s.text()
        await s.until_saved()
        await s.press("B")
        service.release(2)
        await s.until(lambda: s.session.run.ended == "finished")
        assert service.events.count("label id-0") == 1


async def test_leaving_cancels_at_once_and_loses_nothing_that_came(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("B")
        service = await until_asked(s, made, "label id-0")
        service.release()
        await until_asked(s, made, "label id-1")
        await s.press("q")
    assert service.events[-2:] == ["cancelled", "closed"]
    assert Store.open(database).judges() == [(TITLE, 1)]


async def test_a_run_that_can_go_no_further_says_why_and_one_record_that_cannot_leaves_it(
    dataset: Path, database: Path
) -> None:
    def answer(record: Record) -> Call:
        if record.shown_id == "id-1":
            raise JudgeUnavailableError("daily limit reached: come back at 00:10:00")
        return labelled(record)

    async with asking(dataset, database, of=answer) as (s, made):
        await s.press("B")
        service = await until_asked(s, made, "label id-0")
        await s.press("full_stop", "L")
        await until_asked(s, made, "label id-1")
        service.release(2)
        await s.until(lambda: service.events == ["label id-0", "label id-1", "label id-1"])
        assert "daily limit reached: come back at 00:10:00" in s.screen_lines()[-2]
        assert s.session.run.ended == ""
        service.release()
        await s.until(lambda: bool(s.session.run.ended))
        assert s.session.run.ended == "stopped: daily limit reached: come back at 00:10:00"
        await s.settle()
        assert "stopped at 1 of 3" in s.text()


# ---------------------------------------------------------------------------- several judges


async def test_switching_shows_the_other_judges_labels_and_totals(dataset: Path, database: Path) -> None:
    async with asking(dataset, database) as (s, made):
        await s.press("n", "a", "B")
        service = await until_asked(s, made, "label id-1")
        service.release(3)
        await s.until(lambda: s.session.run.ended == "finished")
        own = s.session.progress().agreement
        await s.press("v")
        assert f"compared with {TITLE}" in s.text()
        assert f"· judge {TITLE}" in s.text()
        await s.until(lambda: not s.session.wants_stock)
        versus = s.session.progress().agreement
        assert versus != own
        with_groq = Store.open(database).summaries("mia", TITLE)
        assert [summary.judge for summary in with_groq] == [TITLE]
        await s.press("v", "v")
        assert s.session.progress().agreement == own


async def test_votes_that_differed_are_marked(dataset: Path, database: Path) -> None:
    confidence = {"verdict/resp_s0": 2 / 3, "supports/resp_s0/doc_1_s0": 2 / 3, "utilized/doc_0_s1": 2 / 3}
    async with asking(dataset, database, of=partial(labelled, confidence=confidence)) as (s, made):
        await s.press("L")
        (await until_asked(s, made, "label id-0")).release()
        await s.until(lambda: f"labelled by {TITLE}" in s.text())
        assert "supported (67% of its votes) · doc_0_s0, not doc_1_s0 (67%)" in s.text()
        lines = [line for line in s.screen_lines() if "~" in line]
        assert len(lines) == 2
        assert "doc_0_s1" in lines[0]
        assert "✓~resp_s0" in lines[1]
