"""Key to last byte of the repaint in a pty, on records of 57 to 20,000 sentences, beside an empty Textual app.

Run from the root of the project: `python -m tests.bench.bench_keys [--quick] [--size 200x60] [--sentences N]`.
`first` is the end of the first frame that a key leads to, `last` the last byte before 40 ms of quiet: for a label that
is the saved mark, which waits for the disk. Prints figures; nothing here passes or fails.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

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
IGNORED = {"relevant": "j"}  # keys that only make room for the next one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="30 keys a cell instead of 200")
    parser.add_argument("--size", choices=SIZES, action="append")
    parser.add_argument("--sentences", type=int, action="append")
    parser.add_argument("--cell", choices=CELLS, action="append")
    chosen = parser.parse_args()
    count = 30 if chosen.quick else 200
    print(f"load {os.getloadavg()[0]:.2f}, {os.cpu_count()} processors, n {count}; milliseconds")
    with tempfile.TemporaryDirectory() as name:
        for size in chosen.size or SIZES:
            floor = _floor(size, count)
            for sentences in chosen.sentences or SENTENCES:
                _cells(Path(name), size, sentences, count, floor, chosen.cell or list(CELLS))
    print(f"load {os.getloadavg()[0]:.2f}")


def _floor(size: str, count: int) -> float:
    columns, lines = map(int, size.split("x"))
    with Terminal([sys.executable, "-m", "tests.bench.floor"], columns=columns, lines=lines) as terminal:
        terminal.await_bytes(READY)
        terminal.settle()
        times = [terminal.press("x") for _ in range(count)]
    print(f"\n{size}")
    _report("empty Textual app", times[_WARM_UP:], None)
    return statistics.median(time.last for time in times[_WARM_UP:])


def _cells(folder: Path, size: str, sentences: int, count: int, floor: float, names: Sequence[str]) -> None:
    columns, lines = map(int, size.split("x"))
    dataset = folder / f"{sentences}.jsonl"
    if not dataset.exists():
        data.write(dataset, (data.row(n, sentences, 26 if n % 2 else 4) for n in range(_RECORDS)))
    for name in names:
        database = folder / f"{sentences}-{size}-{name}.db"
        with Terminal(review(dataset, database), columns=columns, lines=lines) as terminal:
            terminal.await_bytes(b"resp_s0")
            terminal.settle()
            if name in {"move", "page", "relevant"}:
                terminal.press("\t")
                terminal.press("g")
            times = _press(terminal, CELLS[name](), count, IGNORED.get(name, ""))
        _report(f"{sentences:>6} {name}", times, floor)


def _press(terminal: Terminal, keys: Iterator[str], count: int, ignored: str) -> list[Repaint]:
    times: list[Repaint] = []
    for number in itertools.count():
        key = next(keys)
        time = terminal.press(key)
        if key not in ignored and number >= _WARM_UP:
            times.append(time)
        if len(times) == count:
            return times
    raise AssertionError


def _report(name: str, times: Sequence[Repaint], floor: float | None) -> None:
    for field in ("first", "last"):
        ordered = sorted(getattr(time, field) for time in times)
        p50, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
        ratio = f"  {p50 / floor:4.1f} floors" if floor else ""
        if field == "last" and all(time.first == time.last for time in times):
            return
        print(f"{name:<30} {field:<5} p50 {p50:6.1f}  p99 {p99:6.1f}  max {ordered[-1]:6.1f}{ratio}", flush=True)


if __name__ == "__main__":
    main()
