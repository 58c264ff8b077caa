"""Sets up the real app on a real dataset and a real database, driven by Pilot."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from textual import events
from textual.keys import _character_to_key, key_to_character
from textual.pilot import Pilot

from trace_tui.cli.review import session_on
from trace_tui.cli.saving import Saving
from trace_tui.review.ports import LabelService
from trace_tui.review.session import Session
from trace_tui.store import Failed
from trace_tui.tui.app import ReviewApp
from trace_tui.tui.presses import Presses
from trace_tui.tui.shell import Saved, SaveFailed

_HOPS = 12  # from the app to the pane, by its parents back to the app, and on to what has the focus then


def _key_event(key: str) -> events.Key:
    """Return what a terminal sends for a key given by Textual's name or by its character."""
    name = _character_to_key(key) if len(key) == 1 else key
    return events.Key(name, key if len(key) == 1 else key_to_character(name))


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path


class Stage:
    def __init__(self, app: ReviewApp, pilot: Pilot[object], session: Session, saving: Saving) -> None:
        self.app, self.pilot, self.session, self.saving = app, pilot, session, saving

    async def press(self, *keys: str) -> None:
        """Press keys as a person does: each after the screen has settled, never so fast as to be auto-repeat."""
        for key in keys:
            self.app._presses = Presses()
            before = len(self.app.screen_stack)
            self.app._driver.send_message(_key_event(key))
            await self.settle()
            if len(self.app.screen_stack) != before:
                await self.pilot.pause()  # a dialog mounts its widgets, or is taken down

    async def settle(self) -> None:
        """Let a key go to the widget in focus, up to the app again, and be painted: `Pilot.press` sleeps 80 ms."""
        for _ in range(2):  # what is called after a refresh may ask for another
            for _ in range(_HOPS):
                await self.pilot._wait_for_screen()
            self.app.screen._on_timer_update()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what another thread or a timer does; fail if it never comes."""
        for _ in range(1000):
            await self.pilot.pause(0.01)
            if condition():
                return
        raise AssertionError(f"never came:\n{self.text()}")

    async def until_saved(self) -> None:
        """Wait until everything is on the disk, the place too."""
        writer = next(value for value in vars(self.saving).values() if hasattr(value, "_unsaved"))
        await self.until(lambda: not writer._unsaved)

    async def until_marked(self, saved: int) -> None:
        """Wait for the mark that says how many edits are on the disk."""
        await self.until(lambda: f"✓ saved {saved} " in self.screen_lines()[0])

    def screen_lines(self) -> list[str]:
        """Return the text of every line of the screen, as painted."""
        return ["".join(segment.text for segment in strip) for strip in self.app.screen._compositor.render_strips()]

    def text(self) -> str:
        return "\n".join(self.screen_lines())


@asynccontextmanager
async def stage(
    dataset: Path,
    database: Path,
    *,
    size: tuple[int, int] = (120, 40),
    blind: bool = False,
    annotator: str = "mia",
    keymap: Mapping[str, str] | None = None,
    make_service: Callable[[Session], LabelService] | None = None,
) -> AsyncIterator[Stage]:
    with session_on(dataset, database, annotator) as (session, saving):
        session.blind = blind
        app = ReviewApp(session, saving, keymap, make_service and partial(make_service, session))
        post = app.post_message
        saving.notify = lambda event: (partial(post, SaveFailed() if isinstance(event, Failed) else Saved())(), None)[1]
        saving.start()
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            await pilot.pause()
            s = Stage(app, pilot, session, saving)
            await s.until(lambda: app._board.painted_at is not None or session.desk is None)
            yield s
        while app._is_taking_stock:  # `App.run` waits for its threads before the database is closed
            await asyncio.sleep(0.01)
