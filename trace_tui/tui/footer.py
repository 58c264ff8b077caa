"""The bottom line: the keys that count in the pane in focus; a click on one is the key."""

from collections.abc import Mapping

from textual import events

from trace_tui.tui.help import hints
from trace_tui.tui.keys import Key
from trace_tui.tui.lines import Line, Lines, width_of


class Footer(Lines):
    """Shows key hints as far as there is room; what matters most stands first."""

    _hints: tuple[tuple[Key, Line], ...] = ()
    _shown_for: tuple[str, int] | None = None

    def show_keys(self, keymap: Mapping[str, str], pane: str) -> None:
        """Show the keys of a pane, `help` always among them."""
        if (pane, self.size.width) == self._shown_for:
            return
        self._shown_for = (pane, self.size.width)
        room = self.size.width
        chosen: list[tuple[Key, Line]] = []
        every = hints(keymap, pane)
        room -= sum(width_of(line) for key, line in every if key.name == "help")
        for key, line in every:
            if key.name == "help" or width_of(line) <= room:
                chosen.append((key, line))
                room -= 0 if key.name == "help" else width_of(line)
        self._hints = tuple(chosen)
        self.show([tuple(part for _, line in chosen for part in line)])

    async def on_click(self, event: events.Click) -> None:
        """Do what the hint under the mouse says."""
        end = 0
        for key, line in self._hints:
            end += width_of(line)
            if event.x < end:
                await self.app.run_action(key.action)
                return
