"""Draws the picture of the README from the real screen. Run `python -m tests.tui.picture`."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.tui.stage import stage

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
# Some records accepted, some with overrides, then one in the middle of the work.
KEYS = "a n a a tab r tab a n y y a a . . space n 5".split()  # noqa: SIM905  # keys read better as typed


async def draw() -> str:
    with TemporaryDirectory() as folder:
        async with stage(SAMPLES / "ragbench.jsonl", Path(folder) / "x.db", size=(120, 36)) as screen:
            await screen.press(*KEYS)
            await screen.until_saved()
            await screen.pilot.pause(0.4)
            return screen.app.export_screenshot(title="trace-tui review ragbench.jsonl")


if __name__ == "__main__":
    (SAMPLES / "screen.svg").write_text(asyncio.run(draw()), encoding="utf-8")
