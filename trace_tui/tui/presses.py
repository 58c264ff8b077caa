"""What was pressed, and whether it may decide something: by auto-repeat or unseen, nothing is ever decided."""

from collections import deque
from typing import NamedTuple

from textual import events

from trace_tui.tui.keys import REPEAT_SECONDS

Event = events.Key | events.MouseDown
_REMEMBERED = 64  # more than a terminal sends while the app is busy


class _Press(NamedTuple):
    event: Event
    is_repeat: bool


class Presses:
    """The latest keys and mouse buttons, each judged by when it was pressed, however late it is acted upon."""

    def __init__(self) -> None:
        self._latest: deque[_Press] = deque(maxlen=_REMEMBERED)
        self._acting: _Press | None = None

    def note(self, event: Event) -> None:
        """Take in an event as what is acted upon now.

        The app meets a key twice, on its way to the widget in focus and back, and others may come between.
        """
        known = next((press for press in self._latest if press.event is event), None)
        if known is None:
            known = _Press(event, self._is_repeat(event))
            self._latest.append(known)
        self._acting = known

    def _is_repeat(self, event: Event) -> bool:
        last = self._latest[-1].event if self._latest else None
        if not isinstance(event, events.Key) or not isinstance(last, events.Key):
            return False
        return event.key == last.key and event.time - last.time < REPEAT_SECONDS

    def may_decide(self, painted_at: float | None) -> bool:
        """Return whether it was pressed on purpose, on a record that was on the screen by then.

        Args:
            painted_at: when that record was painted, by the clock of the events; None if it is not yet.
        """
        press = self._acting
        return press is not None and not press.is_repeat and painted_at is not None and press.event.time >= painted_at
