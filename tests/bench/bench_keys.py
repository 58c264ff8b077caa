"""Key to last byte of the repaint in a pty, on records of 57 to 20,000 sentences, beside an empty Textual app.

Run from the root of the project: `python -m tests.bench.bench_keys [--quick] [--size 200x60] [--sentences N]`.
`first` is the end of the first frame that a key leads to, `last` the last byte before 40 ms of quiet: for a label that
is the saved mark, which waits for the disk. `cpu` is the processor's time for a key, which the load of the machine does
not blur. Prints figures; nothing here passes or fails.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.bench import data
from tests.bench.floor import READY
from tests.bench.terminal import Repaint, Terminal, review

SIZES = ("200x60", "120x40")
SENTENCES = (57, 2_000, 20_000)
PAGE_DOWN, PAGE_UP = "\x1b[6~", "\x1b[5~"
_RECORDS = 14  # more than the session keeps parsed, less than a run of distinct records may need
_WARM_UP = 5


def _run(*keys: str) -> Iterator[str]:
    """Yield a number of each key by turns: there and back again."""
    return itertools.cycle(key for key in keys for _ in range(25))


def _pages() -> Iterator[str]:
    return itertools.cycle([PAGE_DOWN] * 3 + [PAGE_UP] * 3)


CELLS: dict[str, Callable[[], Iterator[str]]] = {
    "move": lambda: _run("j", "k"),
    "page": _pages,
    "relevant": lambda: itertools.cycle("rjuj"),
    "link": lambda: itertools.cycle("1223"),
    "sentence": lambda: itertools.cycle("JJKK"),
    "record, back and forth": lambda: itertools.cycle(".,"),
    "record, one by one": lambda: itertools.cycle("." * (_RECORDS - 1) + "," * (_RECORDS - 1)),
}
IN_DOCUMENTS = {"move", "page", "relevant"}
IGNORED = {"relevant": "j"}  # keys that only make room for the next one


@dataclass(frozen=True)
class Plan:
    """What to measure: keys a cell, and runs of it, of which the best counts: others use the machine too."""

    folder: Path
    count: int
    tries: int
    cells: Sequence[str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="30 keys a cell instead of 200")
    parser.add_argument("--tries", type=int, default=1, help="runs of each cell; the one with the lowest p99 counts")
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--sentences", type=int, action="append")
    parser.add_argument("--cell", choices=CELLS, action="append")
    chosen = parser.parse_args()
    count = 30 if chosen.quick else 200
    print(
        f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} processors, n {count}, best of {chosen.tries}; milliseconds"
    )
    with tempfile.TemporaryDirectory() as name:
        plan = Plan(Path(name), count, chosen.tries, chosen.cell or list(CELLS))
        for size in chosen.size or SIZES:
            floor = _floor(plan, size)
            for sentences in chosen.sentences or SENTENCES:
                _cells(plan, size, sentences, floor)
    print(f"load {os.getloadavg()[0]:.2f}")


def _floor(plan: Plan, size: str) -> float:
    runs = []
    for _ in range(plan.tries):
        with _terminal([sys.executable, "-m", "tests.bench.floor"], size) as terminal:
            terminal.await_bytes(READY)
            terminal.settle()
            runs.append(_press(terminal, itertools.repeat("x"), plan.count))
    best = min(runs, key=lambda run: run.p99)
    print(f"\n{size}")
    _report("empty Textual app", best, None)
    return statistics.median(time.last for time in best.times)


def _cells(plan: Plan, size: str, sentences: int, floor: float) -> None:
    dataset = plan.folder / f"{sentences}.jsonl"
    if not dataset.exists():
        data.write(dataset, (data.row(n, sentences, 26 if n % 2 else 4) for n in range(_RECORDS)))
    for name in plan.cells:
        runs = []
        for run in range(plan.tries):
            database = plan.folder / f"{sentences}-{size}-{name}-{run}.db"
            with _terminal(review(dataset, database), size) as terminal:
                terminal.await_bytes(b"resp_s0")
                terminal.settle()
                if name in IN_DOCUMENTS:
                    terminal.press("\t")
                    terminal.press("g")
                runs.append(_press(terminal, CELLS[name](), plan.count, IGNORED.get(name, "")))
        _report(f"{sentences:>6} {name}", min(runs, key=lambda run: run.p99), floor)


def _terminal(command: Sequence[str], size: str) -> Terminal:
    columns, lines = map(int, size.split("x"))
    return Terminal(command, columns=columns, lines=lines)


class Run(NamedTuple):
    """The repaints of one run of a cell, and milliseconds of the processor for a key."""

    times: Sequence[Repaint]
    cpu: float

    @property
    def p99(self) -> float:
        return sorted(time.last for time in self.times)[int(len(self.times) * 0.99)]


def _press(terminal: Terminal, keys: Iterator[str], count: int, ignored: str = "") -> Run:
    for key in itertools.islice(keys, _WARM_UP):
        terminal.press(key)
    before = terminal.processor_seconds()
    pressed = [(key, terminal.press(key)) for key in itertools.islice(keys, count)]
    cpu = (terminal.processor_seconds() - before) * 1000 / count
    return Run([time for key, time in pressed if key not in ignored], cpu)


def _report(name: str, run: Run, floor: float | None) -> None:
    for field in ("first", "last"):
        ordered = sorted(getattr(time, field) for time in run.times)
        p50, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
        ratio = f"  {p50 / floor:4.1f} floors" if floor else ""
        if field == "last" and all(time.first == time.last for time in run.times):
            return
        print(
            f"{name:<30} {field:<5} p50 {p50:6.1f}  p99 {p99:6.1f}  max {ordered[-1]:6.1f}  cpu {run.cpu:4.1f}{ratio}",
            flush=True,
        )


if __name__ == "__main__":
    main()
