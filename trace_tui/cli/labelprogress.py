"""Shows on stderr how a run of labelling stands: a live bar on a terminal, a plain line now and then elsewhere."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from trace_tui.calls import listed
from trace_tui.cli.labelling import Tally
from trace_tui.cli.output import note
from trace_tui.display import one_line
from trace_tui.judges.models import Price

if TYPE_CHECKING:
    from rich.console import RenderableType

_EVERY: Final = 10.0  # seconds between two plain lines
_FRAMES: Final = 4  # of the live bar a second

Status = Callable[[], Sequence[str]]
"""What is to be said now: how far it is, what failed, and what it costs; a line each on a terminal, else one."""


def dollars(amount: float | None) -> str:
    """Return an amount of money with as many digits as say something; "" where it is not known."""
    return "" if amount is None else f"${amount:.2f}" if amount >= 1 else f"${amount:.4f}"


def status(tally: Tally, total: int, seconds: float, price: Price | None, waits_until: str = "") -> list[str]:
    """Return how a run stands: how far it is, what failed if anything did, and what it costs.

    Args:
        tally: what was done.
        total: records the run is about.
        seconds: that it has taken so far.
        price: of tokens, None if not known.
        waits_until: the time until which it waits for a limit of the service, "" if it does not.
    """
    done = [f"{tally.done:,} of {total:,}", f"{tally.labelled:,} labelled"]
    if tally.cached:
        done.append(f"{tally.cached:,} of them answered before")
    failed = [f"{tally.failed.total():,} failed: {listed(tally.failed)}"] if tally.failed else []
    costs = [f"{tally.usage.tokens:,} tokens"]
    if price:
        costs.append(dollars(price.cost(tally.usage)))
    if tally.done and seconds:
        rate = tally.done / seconds
        costs += [
            f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min",
            f"ETA {_clock((total - tally.done) / rate)}",
        ]
    if waits_until:
        costs.append(f"waits for a limit until {waits_until}")
    return [" · ".join(parts) for parts in (done, failed, costs) if parts]


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@asynccontextmanager
async def showing(status: Status, done: Callable[[], int], total: int) -> AsyncIterator[None]:
    """Show how things stand until the block ends."""
    if sys.stderr.isatty():
        with _Live(status, done, total):
            yield
        return
    lines = asyncio.create_task(_now_and_then(status))
    try:
        yield
    finally:
        lines.cancel()
        with suppress(asyncio.CancelledError):
            await lines


async def _now_and_then(status: Status) -> None:
    said = ""
    while True:
        await asyncio.sleep(_EVERY)
        if (line := " · ".join(status())) != said:
            note(said := line)


class _Live:
    """The bar; Rich is imported when it is shown."""

    def __init__(self, status: Status, done: Callable[[], int], total: int) -> None:
        from rich.console import Console
        from rich.live import Live

        self._status = status
        self._done = done
        self._total = total
        # Rich would otherwise turn what is written to stdout over to its own console, which is stderr.
        console = Console(stderr=True)
        self._live = Live(
            console=console,
            get_renderable=self._render,
            refresh_per_second=_FRAMES,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> None:
        self._live.start()

    def __exit__(self, *_error: object) -> None:
        self._live.stop()

    def _render(self) -> "RenderableType":
        return rendered(self._status(), self._done(), self._total)


def rendered(lines: Sequence[str], done: int, total: int) -> "RenderableType":
    """Return a bar, and below it what is to be said, each line cut where the screen ends."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(expand=True)  # the bar by itself ends no line
    grid.add_row(ProgressBar(total=max(total, 1), completed=done))
    for line in lines:
        grid.add_row(Text(one_line(line), no_wrap=True, overflow="ellipsis"))
    return grid
