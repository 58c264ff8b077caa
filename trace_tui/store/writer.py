"""Commits changes in a thread of its own, so that no key waits for the disk."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trace_tui.errors import StoreError
from trace_tui.reviews import Change
from trace_tui.store.store import Store

_PAUSE = 1.0  # seconds between two attempts while commits fail


@dataclass(frozen=True, slots=True)
class SavedUpTo:
    """Every change up to this number is on the disk."""

    number: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A commit failed, and is tried again: why, and how many changes are not on the disk."""

    message: str
    pending: int


@dataclass(frozen=True, slots=True)
class Recovered:
    """The commits work again; a `SavedUpTo` follows."""


Event = SavedUpTo | Failed | Recovered


class Writer:
    """A thread that commits what it is given, in order, whatever is waiting in one transaction.

    What could not be committed stays at the head of the queue until it is. `on_event` is called in this thread, and
    must not raise. The thread does not keep the program alive: `close` waits for it.
    """

    def __init__(self, path: Path, on_event: Callable[[Event], None]) -> None:
        self._path = path
        self._on_event = on_event
        self._thread = threading.Thread(target=self._run, name="store writer", daemon=True)
        self._changed = threading.Condition()
        # What follows is read and written with `_changed` held.
        self._unsaved: list[Change] = []
        self._saved = 0
        self._failing = False
        self._closing = False
        self._giving_up = False

    def start(self) -> None:
        """Start the thread. It begins by making the tables of a new database."""
        self._thread.start()

    def submit(self, *changes: Change) -> int:
        """Hand over changes that are committed together, before the start or after it, without waiting.

        Returns:
            The number of the last, from 1: it is on the disk once `SavedUpTo` has named this or a higher one.
        """
        with self._changed:
            self._unsaved += changes
            self._changed.notify()
            return self._saved + len(self._unsaved)

    def retry(self) -> None:
        """Try a failed commit again now, instead of within a second."""
        with self._changed:
            self._changed.notify()

    def close(self, timeout: float = 10.0) -> bool:
        """Wait until all is saved, at most `timeout` seconds, and end the thread.

        Returns:
            Whether everything that was submitted is on the disk.
        """
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        with self._changed:
            self._giving_up = True
            self._changed.notify()
            return not self._unsaved

    def _run(self) -> None:
        store: Store | None = None
        batch: list[Change] | None = []  # an empty commit makes the tables
        while batch is not None:
            try:
                store = store or Store.open(self._path)
                store.commit(batch)
            except StoreError as error:
                self._report_failure(str(error))
            except Exception as error:  # noqa: BLE001 - a thread that dies in silence loses all that follows
                self._report_failure(f"{self._path}: not saved, by a fault of this program ({error!r}); report it")
            else:
                self._report_success(len(batch))
            batch = self._next_batch()
        if store:
            store.close()

    def _next_batch(self) -> list[Change] | None:
        """Wait for something to do, or while failing for the time to try again; None ends the thread."""
        with self._changed:
            if self._failing and not self._giving_up:
                self._changed.wait(_PAUSE)
            else:
                self._changed.wait_for(lambda: self._unsaved or self._closing)
            over = self._giving_up or (self._closing and not self._unsaved)
            return None if over else list(self._unsaved)

    def _report_failure(self, message: str) -> None:
        with self._changed:
            self._failing = True
            pending = len(self._unsaved)
        self._on_event(Failed(message, pending))

    def _report_success(self, committed: int) -> None:
        with self._changed:
            del self._unsaved[:committed]
            self._saved += committed
            number, recovered, self._failing = self._saved, self._failing, False
        if recovered:
            self._on_event(Recovered())
        if committed:
            self._on_event(SavedUpTo(number))
