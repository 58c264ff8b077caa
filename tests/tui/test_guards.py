"""What must never happen: a key that decides unseen, and an edit that is lost without a word."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from textual import events

from tests.rows import make_row
from tests.tui.stage import Stage, stage, write_rows
from trace_tui.store import writer as writer_module
from trace_tui.tui.dialogs import Unsaved
from trace_tui.tui.keys import KEYS, REPEAT_SECONDS


def take_away(database: Path) -> None:
    database.rename(database.with_suffix(".away"))


def put_back(database: Path) -> None:
    database.with_suffix(".away").rename(database)


DECIDING = [key.keys for key in KEYS if key.decides]


async def press_at(s: Stage, key: str, time: float) -> None:
    """Press a key at a time of the app's clock."""
    event = events.Key(key, " " if key == "space" else key)
    event.time = time
    s.app._driver.send_message(event)
    await s.pilot.pause()
    await s.pilot.pause()


def clock(s: Stage) -> float:
    """Return a time at which the record has been seen for long."""
    assert s.app._board.painted_at is not None
    return s.app._board.painted_at + 100


def edits_made(s: Stage) -> int:
    return s.saving.saved + s.saving.pending


@contextmanager
def fast_retries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(writer_module, "_PAUSE", 0.02)
        yield


@pytest.mark.parametrize("key", DECIDING)
async def test_a_key_pressed_before_the_record_was_painted_decides_nothing(
    dataset: Path, database: Path, key: str
) -> None:
    async with stage(dataset, database) as s:
        painted = s.app._board.painted_at
        await press_at(s, key, painted - 0.001)
        assert edits_made(s) == 0
        await press_at(s, key, painted + 1)
        assert edits_made(s) == 1


async def test_keys_typed_ahead_of_the_next_record_decide_nothing_there(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        now = clock(s)
        s.app._board.painted_at = now - 1
        for n in range(3):  # faster than the screen, though slower than auto-repeat
            event = events.Key("a", "a")
            event.time = now + n
            s.app._driver.send_message(event)
            await s.pilot.pause()
            s.app._board.painted_at = now + 5  # the next record will be on the screen only then
        assert s.session.position == 1
        assert edits_made(s) == 1


@pytest.mark.parametrize("key", DECIDING)
async def test_auto_repeat_decides_once(tmp_path: Path, database: Path, key: str) -> None:
    rows = [make_row(id=n, response=[f"Claim {m}." for m in range(9)]) for n in range(3)]
    async with stage(write_rows(tmp_path / "x.jsonl", rows), database) as s:
        now = clock(s)
        for n in range(8):
            s.app._board.painted_at = now - 1  # however fast the screen is
            await press_at(s, key, now + n * REPEAT_SECONDS / 3)
        assert edits_made(s) == 1


async def test_presses_further_apart_than_auto_repeat_all_count(tmp_path: Path, database: Path) -> None:
    rows = [make_row(id=n, response=[f"Claim {m}." for m in range(9)]) for n in range(3)]
    async with stage(write_rows(tmp_path / "x.jsonl", rows), database) as s:
        now = clock(s)
        for n in range(5):
            await press_at(s, "space", now + n * (REPEAT_SECONDS + 0.01))
        assert s.session.desk.focus == 5


async def test_two_presses_that_a_busy_app_meets_at_once_both_count(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        now = clock(s)
        for n in range(2):
            event = events.Key("n", "n")
            event.time = now + n * 0.3
            s.app._driver.send_message(event)
        await s.pilot.pause()
        await s.pilot.pause()
        assert edits_made(s) == 2


async def test_auto_repeat_of_a_key_that_closed_something_decides_nothing(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        now = clock(s)
        await press_at(s, "question_mark", now)
        for n in range(4):
            await press_at(s, "space", now + 1 + n * 0.03)
        assert len(s.app.screen_stack) == 1
        assert edits_made(s) == 0


async def test_a_click_decides_whatever_key_came_before(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        await s.press("full_stop")
        await s.pilot.click("#footer", offset=(3, 0))
        await s.pilot.pause()
        assert s.session.desk.focus == 1
        assert edits_made(s) == 1


async def test_other_keys_repeat(dataset: Path, database: Path) -> None:
    async with stage(dataset, database) as s:
        now = clock(s)
        await s.press("tab")
        for n in range(3):
            await press_at(s, "j", now + n * 0.03)
        assert s.session.desk.cursor == 3


@pytest.mark.parametrize("opener", ["e", "colon", "slash", "w", "question_mark", "ctrl+p"])
async def test_no_key_labels_anything_while_something_is_open(dataset: Path, database: Path, opener: str) -> None:
    async with stage(dataset, database) as s:
        before = s.session.desk.review
        for key in ("space", "y", "n", "a", "x", "X", "6", "r", "u", "s", "exclamation_mark", "minus", "o", "z", "Z"):
            await s.press(opener, key)
            for _ in range(3):
                if len(s.app.screen_stack) > 1:
                    await s.press("escape")
            assert s.session.desk.review == before, key
            assert s.session.position == 0
        assert edits_made(s) == 0


async def test_keys_typed_right_after_the_note_was_opened_go_into_the_note_or_nowhere(
    dataset: Path, database: Path
) -> None:
    async with stage(dataset, database) as s:
        for key in "enay a n":
            s.app._driver.send_message(events.Key("space" if key == " " else key, key))
        await s.pilot.pause()
        await s.pilot.pause()
        assert edits_made(s) == 0
        assert len(s.app.screen_stack) == 2


# ---------------------------------------------------------------------------- saves that fail


async def failing(s: Stage) -> None:
    await s.until(lambda: bool(s.saving.failure))
    await s.pilot.pause()


async def test_a_database_that_is_gone_is_said_at_once_and_no_edit_is_taken_until_it_is_back(
    dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fast_retries(monkeypatch):
        async with stage(dataset, database) as s:
            await s.press("n")
            await s.until_saved()
            take_away(database)
            await s.press("n")
            await failing(s)
            assert "✗ NOT SAVED" in s.screen_lines()[0]
            assert "NOT SAVED" in s.screen_lines()[-2]
            assert "moved or deleted" in s.screen_lines()[-2]
            before = s.session.desk.review
            for key in ("y", "space", "a", "x", "X", "1", "r", "u", "exclamation_mark", "minus", "o", "z", "Z"):
                await s.press(key)
            await s.press("w", "1", "e", "q", "enter")
            assert s.session.desk.review == before
            assert s.session.position == 0
            await s.press("full_stop")
            assert "record 2 / 3" in s.text(), "looking on is no edit"
            assert "NOT SAVED" in s.screen_lines()[-2]
            put_back(database)
            await s.until_marked(2)
            assert "NOT SAVED" not in s.text()
            await s.press("comma", "y")
            await s.until_marked(3)


async def test_a_locked_database_is_named_and_waited_for(
    dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trace_tui.store.opening.PATIENCE", 0.02)
    with fast_retries(monkeypatch):
        async with stage(dataset, database) as s:
            await s.press("n")
            await s.until_saved()
            other = sqlite3.connect(database, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            await s.press("y")
            await failing(s)
            assert "locked by another program" in s.screen_lines()[-2]
            other.execute("ROLLBACK")
            other.close()
            await s.until_marked(2)


async def test_leaving_with_edits_unsaved_asks_and_staying_keeps_them(
    dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fast_retries(monkeypatch):
        async with stage(dataset, database) as s:
            await s.until_saved()
            take_away(database)
            await s.press("n")
            await failing(s)
            await s.press("q")
            assert isinstance(s.app.screen, Unsaved)
            assert "1 edit not saved" in s.text()
            assert "moved or deleted" in s.text()
            await s.press("q", "a", "space")
            assert s.app.is_running, "no key in passing throws edits away"
            await s.press("escape")
            assert not isinstance(s.app.screen, Unsaved)
            put_back(database)
            await s.until_marked(1)
            assert s.app.is_running, "who stayed is not thrown out when it works again"


async def test_leaving_ends_when_saving_works_again_while_asked(
    dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fast_retries(monkeypatch):
        async with stage(dataset, database) as s:
            await s.until_saved()
            take_away(database)
            await s.press("n")
            await failing(s)
            await s.press("q")
            assert isinstance(s.app.screen, Unsaved)
            put_back(database)
            await s.until(lambda: not s.app.is_running)
            assert not s.saving.pending


async def test_edits_may_be_lost_knowingly(dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trace_tui.cli.review._EXIT_WAIT", 0.1)
    with fast_retries(monkeypatch):
        async with stage(dataset, database) as s:
            await s.until_saved()
            take_away(database)
            await s.press("n")
            await failing(s)
            await s.press("ctrl+q")
            assert isinstance(s.app.screen, Unsaved), "every way out asks"
            await s.press("L")
            await s.until(lambda: not s.app.is_running)
        assert s.saving.pending == 1


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_no_key_crashes_while_the_database_cannot_be_read(
    dataset: Path, database: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    with fast_retries(monkeypatch):
        async with stage(dataset, database, size=size) as s:
            await s.press("n")
            await s.until_saved()
            take_away(database)
            await s.press("full_stop")
            await s.until(lambda: bool(s.saving.failure))  # before that, an undo would be taken and saved later
            await s.press("z", "Z", "o", "m", "d", "comma", "n", "full_stop", "d", "tab", "G", "z", "a", "v")
            await s.press("colon", "3", "enter", "slash", "x", "enter", "escape", "e", "y", "enter", "w", "1")
            put_back(database)
            await s.until(lambda: not s.saving.failure and not s.saving.pending)
            await s.press("colon", "1", "enter")
            assert "● ◐*✓ resp_s0" in s.text()
