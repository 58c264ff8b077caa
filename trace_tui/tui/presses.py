"""What was pressed, and whether it may decide something: by auto-repeat or unseen, nothing is ever decided."""

from collections import deque
from typing import NamedTuple

from textual import events

from trace_tui.tui.keys import FIRST_REPEAT_SECONDS, REPEAT_SECONDS

Event = events.Key | events.MouseDown
_REMEMBERED = 64  # more than a terminal sends while the app is busy


class _Press(NamedTuple):
    event: Event
    is_repeat: bool


class Presses:
    """The latest keys and mouse buttons, each judged by when it was pressed, however late it is acted upon.

    `decided` is the one that decided something last. A keyboard repeats a held key first after a pause as long as a
    person's between two presses, then quickly: that the first repetition was one shows only when the second comes.
    """

    def __init__(self) -> None:
        self._latest: deque[_Press] = deque(maxlen=_REMEMBERED)
        self._acting: _Press | None = None
        self.decided: Event | None = None

    def note(self, event: Event) -> bool:
        """Take in an event as what is acted upon now.

        The app meets a key twice, on its way to the widget in focus and back, and others may come between.

        Returns:
            Whether it shows that the key is held and that what decided last was its first repetition.
        """
        known = next((press for press in self._latest if press.event is event), None)
        shows_holding = False
        if known is None:
            known = _Press(event, self._is_repeat(event))
            shows_holding = known.is_repeat and self._was_first_repetition()
            self._latest.append(known)
        self._acting = known
        return shows_holding

    def take_note_of_decision(self) -> None:
        """Remember that what is acted upon decided something."""
        self.decided = self._acting.event if self._acting else None

    def _was_first_repetition(self) -> bool:
        """Whether the latest press decided, and came as late after the same key as a first repetition does."""
        if len(self._latest) < 2:  # noqa: PLR2004  # it and the one before
            return False
        before, latest = self._latest[-2], self._latest[-1]
        same = isinstance(before.event, events.Key) and isinstance(latest.event, events.Key)
        return (
            latest.event is self.decided
            and not latest.is_repeat
            and same
            and before.event.key == latest.event.key  # type: ignore[union-attr]  # both are keys
            and latest.event.time - before.event.time < FIRST_REPEAT_SECONDS
        )

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
