"""The writer saves in order, says what is saved, and outlives what goes wrong."""

import queue
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from tests.store.samples import LABELS, edit, introduction
from trace_tui.reviews import Review
from trace_tui.store import Event, Failed, Recovered, SavedUpTo, Store, Writer, opening, writer

START = Review(LABELS.without_explanations())
E = TypeVar("E", SavedUpTo, Failed, Recovered)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PATIENCE", 0.05)
    monkeypatch.setattr(writer, "_PAUSE", 0.05)


class Desk:
    """A writer with its events in a queue."""

    def __init__(self, path: Path) -> None:
        self.events: queue.Queue[Event] = queue.Queue()
        self.writer = Writer(path, self.events.put)

    def wait_for(self, kind: type[E], accept: Callable[[E], bool] = lambda _: True) -> E:
        while True:
            event = self.events.get(timeout=20)
            if isinstance(event, kind) and accept(event):
                return event

    def wait_until_saved(self, number: int) -> None:
        self.wait_for(SavedUpTo, lambda event: event.number >= number)

    def note(self, text: str) -> int:
        return self.writer.submit(edit(START, replace(START, note=text)))


@pytest.fixture
def desk(path: Path) -> Iterator[Desk]:
    desk = Desk(path)
    yield desk
    desk.writer.close(5)


def notes(path: Path) -> list[object]:
    with closing(Store.open(path)) as store:
        return [found.new["note"] for _, found in reversed(store.edits("ann"))]


def test_changes_are_numbered_saved_and_acknowledged(desk: Desk, path: Path) -> None:
    assert desk.writer.submit(introduction()) == 1
    assert desk.note("before the start") == 2
    desk.writer.start()
    desk.wait_until_saved(2)
    assert desk.note("after it") == 3
    desk.wait_until_saved(3)
    assert notes(path) == ["before the start", "after it"]


def test_what_waits_is_committed_together(desk: Desk) -> None:
    desk.writer.submit(introduction())
    for number in range(50):
        desk.note(str(number))
    desk.writer.start()
    assert desk.writer.close()
    assert list(desk.events.queue) == [SavedUpTo(51)]


def test_starting_makes_the_tables(desk: Desk, path: Path) -> None:
    desk.writer.start()
    assert desk.writer.close()
    with closing(Store.open(path, write=False)) as store:
        assert not store._database.is_empty


def test_closing_waits_until_all_is_saved(desk: Desk, path: Path) -> None:
    desk.writer.start()
    desk.writer.submit(introduction())
    for number in range(200):
        desk.note(str(number))
    assert desk.writer.close()
    assert notes(path) == [str(number) for number in range(200)]


def test_closing_a_writer_that_was_never_started(path: Path) -> None:
    desk = Desk(path)
    assert desk.writer.close()
    desk.writer.submit(introduction())
    assert not desk.writer.close()


def test_a_lock_is_reported_and_waited_out(desk: Desk, made: Path) -> None:
    desk.writer.start()
    desk.wait_until_saved(desk.writer.submit(introduction()))
    with closing(sqlite3.connect(made, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        desk.note("first")
        assert "locked by another program" in desk.wait_for(Failed).message
        last = desk.note("second")
        assert desk.wait_for(Failed, lambda event: event.pending == 2)
    desk.wait_for(Recovered)
    desk.wait_until_saved(last)
    assert notes(made) == ["first", "second"]


def test_closing_while_failing_gives_up_in_time_and_says_so(desk: Desk, made: Path) -> None:
    with closing(sqlite3.connect(made, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        desk.writer.start()
        desk.writer.submit(introduction())
        desk.wait_for(Failed)
        assert not desk.writer.close(0.01)
        desk.writer._thread.join(10)
        assert not desk.writer._thread.is_alive()


def test_a_database_that_is_moved_away_and_back(desk: Desk, path: Path) -> None:
    desk.writer.start()
    desk.wait_until_saved(desk.writer.submit(introduction()))
    away = path.with_name("away.db")
    path.rename(away)
    last = desk.note("meanwhile")
    assert "moved or deleted" in desk.wait_for(Failed).message
    away.rename(path)
    desk.wait_for(Recovered)
    desk.wait_until_saved(last)
    assert desk.writer.close()
    assert notes(path) == ["meanwhile"]


def test_another_file_in_the_database_s_place(desk: Desk, path: Path) -> None:
    desk.writer.start()
    desk.wait_until_saved(desk.writer.submit(introduction()))
    copy = path.with_name("copy.db")
    shutil.copy(path, copy)
    before = copy.read_bytes()
    copy.rename(path)
    desk.note("where to?")
    assert "another file is in its place" in desk.wait_for(Failed).message
    assert not desk.writer.close(0.2)
    assert path.read_bytes() == before


def test_a_file_that_goes_during_the_commit_is_not_taken_for_saved(
    desk: Desk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trace_tui.store import committing

    original = committing.commit
    gone = threading.Event()

    def pull_away(*arguments: object) -> None:
        original(*arguments)  # type: ignore[arg-type]
        if not gone.is_set():
            path.rename(path.with_name("away.db"))
            gone.set()

    desk.writer.start()
    desk.wait_until_saved(desk.writer.submit(introduction()))
    monkeypatch.setattr(committing, "commit", pull_away)
    number = desk.note("mine")
    desk.wait_for(Failed)
    path.with_name("away.db").rename(path)
    desk.wait_until_saved(number)
    assert notes(path) == ["mine"]


def test_a_folder_that_appears_later(tmp_path: Path) -> None:
    path = tmp_path / "later" / "x.db"
    desk = Desk(path)
    desk.writer.start()
    last = desk.writer.submit(introduction())
    assert "folder does not exist" in desk.wait_for(Failed).message
    path.parent.mkdir()
    desk.writer.retry()
    desk.wait_for(Recovered)
    desk.wait_until_saved(last)
    assert desk.writer.close()


def test_a_fault_of_the_program_is_reported_and_not_lost(
    desk: Desk, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trace_tui.store import committing

    original = committing.commit

    def faulty(*_: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr(committing, "commit", faulty)
    desk.writer.start()
    number = desk.writer.submit(introduction())
    assert "fault of this program" in desk.wait_for(Failed).message
    monkeypatch.setattr(committing, "commit", original)
    desk.wait_until_saved(number)
