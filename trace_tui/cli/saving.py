"""The way from the session to the store: counts the edits on it, and tells the app how far they are."""

from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic

from trace_tui.reviews import Change, Edit
from trace_tui.store import Event, Failed, Recovered, SavedUpTo, Writer

_FAILING_PATIENCE = 0.5  # seconds; whoever leaves now has been told what is lost


class Saving:
    """Submits changes to the writer. Its state changes in the writer's thread before `notify` is called there.

    `notify` is told of edits that were saved, of failures, and of the end of a failure.
    """

    def __init__(self, make_writer: Callable[[Callable[[Event], None]], Writer]) -> None:
        self._lock = Lock()
        self._edits: deque[tuple[int, float]] = deque()  # number of the change, and when it was submitted
        self._saved = 0
        self._failure = ""
        self.notify: Callable[[Event], None] = lambda _: None
        self._writer = make_writer(self._on_event)
        self._is_started = False

    @property
    def saved(self) -> int:
        """Edits of this session that are committed."""
        return self._saved

    @property
    def pending(self) -> int:
        """Edits submitted and not yet committed."""
        return len(self._edits)

    @property
    def submitted(self) -> int:
        """Edits of this session so far."""
        with self._lock:
            return self._saved + len(self._edits)

    @property
    def waiting(self) -> float:
        """Seconds that the oldest of them has waited, 0 if there is none."""
        with self._lock:
            return monotonic() - self._edits[0][1] if self._edits else 0.0

    @property
    def failure(self) -> str:
        """Why nothing can be saved for now, "" while all is well."""
        return self._failure

    def start(self) -> None:
        """Begin to commit; what was submitted before waits until then. Doing it again does nothing."""
        if not self._is_started:
            self._is_started = True
            self._writer.start()

    def close(self, patience: float) -> None:
        """Wait at most `patience` seconds until all is saved; hardly at all while nothing can be."""
        self._writer.close(_FAILING_PATIENCE if self._failure else patience)

    def submit(self, *changes: Change) -> None:
        """Queue changes for the next commit, which takes them together."""
        with self._lock:  # the writer must not report them saved before they are counted
            number = self._writer.submit(*changes)
            self._edits.extend((number, monotonic()) for change in changes if isinstance(change, Edit))

    def _on_event(self, event: Event) -> None:
        with self._lock:
            match event:
                case SavedUpTo(number) if not self._edits or number < self._edits[0][0]:
                    return  # no edit was among it: there is nothing to tell
                case SavedUpTo(number):
                    while self._edits and self._edits[0][0] <= number:
                        self._edits.popleft()
                        self._saved += 1
                case Failed(message):
                    self._failure = message
                case Recovered():
                    self._failure = ""
        self.notify(event)
