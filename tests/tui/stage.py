"""Sets up the real app on a real dataset and a real database, driven by Pilot."""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import msgspec
from textual.pilot import Pilot

from trace_tui.cli.review import session_on
from trace_tui.cli.saving import Saving
from trace_tui.review.session import Session
from trace_tui.store import Failed
from trace_tui.tui.app import ReviewApp, Saved, SaveFailed


def write_rows(path: Path, rows: Iterable[Mapping[str, object]]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path


class Stage:
    def __init__(self, app: ReviewApp, pilot: Pilot[object], session: Session, saving: Saving) -> None:
        self.app, self.pilot, self.session, self.saving = app, pilot, session, saving

    async def press(self, *keys: str) -> None:
        """Press keys as a person does: each after the screen has settled, never so fast as to be auto-repeat."""
        for key in keys:
            self.app._last_key = ("", 0.0)
            await self.pilot.press(key)
            await self.pilot.pause()

    async def until_saved(self) -> None:
        for _ in range(500):
            await self.pilot.pause(0.01)
            if not self.saving.pending:
                return
        raise AssertionError("never saved")

    def screen_lines(self) -> list[str]:
        width = self.app.size.width
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip).ljust(width) for strip in strips]

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
) -> AsyncIterator[Stage]:
    with session_on(dataset, database, annotator) as (session, saving):
        session.blind = blind
        app = ReviewApp(session, saving, keymap)
        post = app.post_message
        saving.notify = lambda event: (partial(post, SaveFailed() if isinstance(event, Failed) else Saved())(), None)[1]
        saving.start()
        async with app.run_test(size=size, notifications=True, tooltips=True) as pilot:
            await pilot.pause()
            yield Stage(app, pilot, session, saving)
