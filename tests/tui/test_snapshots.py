"""Pictures of the whole screen; `pytest --snapshot-update` takes them anew, then look at the report."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.tui.stage import Saved, SaveFailed, Stage
from trace_tui.cli.review import session_on
from trace_tui.cli.saving import Saving
from trace_tui.review.session import Session
from trace_tui.store import Event, Failed
from trace_tui.tui.app import ReviewApp
from trace_tui.tui.theme import LIGHT_THEME

SAMPLE = Path(__file__).parents[2] / "samples" / "ragbench.jsonl"
Compare = Callable[..., bool]


def assert_same_picture(
    compare: Compare, database: Path, size: tuple[int, int], keys: Iterable[str], saved: int, *, light: bool = False
) -> None:
    with session_on(SAMPLE, database, "mia") as (session, saving):
        app = app_on(session, saving)

        async def before(pilot: Pilot[object]) -> None:
            s = Stage(app, pilot, session, saving)
            if light:
                app.theme = LIGHT_THEME.name
            await s.until(lambda: app._board.painted_at is not None)
            await s.press(*keys)
            if saved:
                await s.until_marked(saved)

        assert compare(app, terminal_size=size, run_before=before)


def app_on(session: Session, saving: Saving) -> ReviewApp:
    app = ReviewApp(session, saving)

    def notify(event: Event) -> None:
        app.post_message(SaveFailed() if isinstance(event, Failed) else Saved())

    saving.notify = notify
    saving.start()
    return app


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_reviewing(snap_compare: Compare, database: Path, size: tuple[int, int]) -> None:
    keys = ["a", "n", "3", "K", "tab", "r"]
    assert_same_picture(snap_compare, database, size, keys, 4)


def test_light(snap_compare: Compare, database: Path) -> None:
    assert_same_picture(snap_compare, database, (120, 40), ["a", "n", "tab", "u"], 3, light=True)


def test_help(snap_compare: Compare, database: Path) -> None:
    assert_same_picture(snap_compare, database, (120, 50), ["question_mark"], 0)
