"""What is said of a run while it goes on."""

import asyncio
import io
from collections import Counter
from collections.abc import Sequence

import pytest
from rich.console import Console

from tests.store.samples import FAILED, labelling
from trace_tui.calls import Cause, Usage
from trace_tui.cli import labelprogress
from trace_tui.cli.labelling import Tally
from trace_tui.cli.labelprogress import dollars, rendered, showing, status
from trace_tui.judges.models import Price


def test_how_far_what_failed_and_what_it_costs() -> None:
    tally = Tally(40, 5, Counter({Cause.DEADLINE: 2, Cause.EMPTY: 1}), Usage(43, 1_000_000, 0, 500_000))
    done, failed, costs = status(tally, 100, 86.0, Price(1.0, 1.0, 2.0), "14:03:12")
    assert done == "43 of 100 · 40 labelled · 5 of them answered before"
    assert failed == "3 failed: deadline passed 2, empty reply 1"
    assert costs == "1,500,000 tokens · $2.00 · 30.0/min · ETA 1:54 · waits for a limit until 14:03:12"


def test_what_is_not_known_is_not_said() -> None:
    assert status(Tally(), 7, 0.0, None) == ["0 of 7 · 0 labelled", "0 tokens"]


@pytest.mark.parametrize(("amount", "said"), [(None, ""), (0.00012, "$0.0001"), (0.5, "$0.5000"), (12.345, "$12.35")])
def test_money_has_as_many_digits_as_say_something(amount: float | None, said: str) -> None:
    assert dollars(amount) == said


def test_a_tally_counts_what_each_call_came_to() -> None:
    tally = Tally()
    tally.add(labelling().call)
    tally.add(labelling(outcome=FAILED).call)
    tally.add(labelling(usage=Usage()).call)
    assert (tally.labelled, tally.cached, tally.failed, tally.done) == (2, 1, {FAILED.cause: 1}, 3)
    assert tally.usage.requests == 2


async def test_plain_lines_where_stderr_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = [["1 of 2", "10 tokens"], ["1 of 2", "10 tokens"], ["2 of 2", "20\x1b[2J tokens"]]
    is_over = asyncio.Event()

    def now() -> Sequence[str]:
        if len(said) == 1:
            is_over.set()
            return said[0]
        return said.pop(0)

    monkeypatch.setattr(labelprogress, "_EVERY", 0)
    async with showing(now, lambda: 0, 2):
        await asyncio.wait_for(is_over.wait(), 5)
    assert capsys.readouterr().err == "1 of 2 · 10 tokens\n2 of 2 · 20␛[2J tokens\n"


def test_every_line_stands_below_the_bar_and_fits() -> None:
    console = Console(file=io.StringIO(), width=30, force_terminal=True, color_system=None)
    console.print(rendered(["3 of 9", "x" * 50, "[bold]\x1b[2J[/]"], 3, 9))
    bar, done, long, hostile = console.file.getvalue().splitlines()  # type: ignore[attr-defined]  # it is a StringIO
    assert set(bar) <= set("━╸╺ ")
    assert done.rstrip() == "3 of 9"
    assert long == "x" * 29 + "…"
    assert hostile.rstrip() == "[bold]␛[2J[/]"
