"""Start to first paint beside an empty Textual app, and what 100,000 records cost to open in time and memory.

Run from the root of the project: `python -m tests.bench.bench_start [RUNS] [RECORDS]`. The first paint is the first
byte of a sentence key, `resp_s0`. Runs alternate, so that a busy moment meets all of them. Passes or fails nothing.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.bench import data
from tests.bench.floor import READY
from tests.bench.terminal import Terminal, review

MEGABYTES_OF_100_000 = 300


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    records = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    print(f"load {os.getloadavg()[0]:.2f}, {runs} runs each, median and least; milliseconds")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = data.write(folder / "small.jsonl", (data.row(n, 57) for n in range(20)))
        large = data.write_many(folder / "large.jsonl", records, MEGABYTES_OF_100_000 * records // 100_000)
        known = folder / "known.db"
        _first_paint(review(small, known), b"resp_s0")
        times: dict[str, list[float]] = defaultdict(list)
        memory: list[tuple[float, float]] = []
        for run in range(runs):
            times["interpreter alone"].append(_interpreter())
            times["empty Textual app"].append(_first_paint([sys.executable, "-m", "tests.bench.floor"], READY)[0])
            times["review, new database"].append(_first_paint(review(small, folder / f"{run}.db"), b"resp_s0")[0])
            times["review, known database"].append(_first_paint(review(small, known), b"resp_s0")[0])
            seconds, used = _first_paint(review(large, folder / f"large{run}.db"), b"resp_s0")
            times[f"review, {records:,} records"].append(seconds)
            memory.append(used)
        size = large.stat().st_size / 1e6
    _report(times)
    peaks, residents = zip(*memory, strict=True)
    print(f"{records:,} records, {size:.0f} MB: peak {max(peaks):.0f} MB, resident {max(residents):.0f} MB")


def _report(times: dict[str, list[float]]) -> None:
    floor = statistics.median(times["empty Textual app"])
    least_floor = min(times["empty Textual app"])
    for name, seconds in times.items():
        middle, least = statistics.median(seconds), min(seconds)
        ratios = f"{middle / floor:5.2f} and {least / least_floor:5.2f} empty apps"
        print(f"{name:<28} {middle * 1000:6.0f} {least * 1000:6.0f}   {ratios}")


def _interpreter() -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    return time.perf_counter() - start


def _first_paint(command: list[str], painted: bytes) -> tuple[float, tuple[float, float]]:
    """Return the seconds to the first paint, then megabytes of memory: the peak, and what is resident at rest."""
    with Terminal(command, columns=120, lines=40) as terminal:
        seconds = terminal.await_bytes(painted)
        terminal.settle()
        return seconds, terminal.memory()


if __name__ == "__main__":
    main()
