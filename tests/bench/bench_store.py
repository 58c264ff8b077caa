"""What the store costs: commits, start, totals, and rounds of SIGKILL. Run `python -m tests.bench.bench_store`.

Prints figures; nothing here passes or fails but the kills, which must lose nothing.
"""

import gc
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tests.store import samples
from trace_tui.labels import Judgement, Labels, Support, Verdict
from trace_tui.records import Record
from trace_tui.reviews import Change, Introduction, Review
from trace_tui.store import Event, SavedUpTo, Store, Writer

KILLS = 60
REVIEWS = 10_000


def main() -> None:
    gc.collect()  # as the app does once it is on screen
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor(folder / "floor")
        for sizes in ((20, 20, 15, 2), (1950, 50), (19_000, 1_000)):
            commits(folder / f"commits{sum(sizes)}.db", sizes)
        totals(folder / "totals.db")
        kills(folder)


def floor(path: Path) -> None:
    """Report what the disk itself takes for one small write that is to last."""
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)

    def write() -> None:
        os.pwrite(descriptor, b"x" * 4096, 0)
        os.fsync(descriptor)

    report("floor: write 4 KiB and fsync", [timed(write) for _ in range(300)])
    os.close(descriptor)


def timed(call: Callable[[], object]) -> float:
    """Return milliseconds."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def report(what: str, times: list[float]) -> None:
    ordered = sorted(times)
    p50, p99 = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    print(f"{what:<58} p50 {p50:8.2f} ms  p99 {p99:8.2f} ms  n {len(times)}", flush=True)


def labelled(met: Record) -> Labels:
    """Return labels as many as a judge would give: a third relevant, every claim supported by three sentences."""
    keys = list(met.document_keys)
    chosen = random.Random(1)
    supports = {
        key: Support(frozenset(chosen.sample(keys, min(3, len(keys)))), Verdict.SUPPORTED) for key in met.response_keys
    }
    utilized = frozenset(key for support in supports.values() for key in support.keys)
    return Labels(frozenset(keys[::3]) | utilized, utilized, supports)


def toggles(start: Review, count: int) -> Iterator[Change]:
    """Yield edits that each set one more sentence settled and flip one utilized."""
    review = start
    for number in range(count):
        key = f"doc_0_s{number % 20}"
        labels = replace(review.labels, utilized=review.labels.utilized ^ {key})
        after = replace(review, labels=labels)
        yield samples.edit(review, after)
        review = after


def commits(path: Path, sizes: tuple[int, ...]) -> None:
    met = samples.record(sizes=sizes)
    judgement = Judgement(samples.JUDGE, labelled(met))
    introduction = samples.introduction(met, judgement=judgement)
    with closing(Store.open(path)) as store:
        print(f"make the tables: {timed(store.prepare):.0f} ms")
        what = f"{sum(sizes)} sentences"
        report(f"{what}: introduce", [timed(lambda: store.commit([introduction]))])
        report(
            f"{what}: commit an edit", [timed(lambda e=e: store.commit([e])) for e in toggles(introduction.start, 200)]
        )
        report(f"{what}: read the review", [timed(lambda: store.kept("r1", "ann")) for _ in range(50)])
    stalls(path, what, introduction)


def stalls(path: Path, what: str, met: Introduction) -> None:
    """Report how long the writer keeps another thread, as the screen's, from running."""
    saved = threading.Event()

    def on_event(event: Event) -> None:
        if isinstance(event, SavedUpTo):
            saved.set()

    def stall(change: Change) -> float:
        saved.clear()
        writer.submit(change)
        longest, last = 0.0, time.perf_counter()
        while not saved.is_set():
            sum(range(500))  # work of some microseconds, in between which the other thread may take over
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        return longest * 1000

    writer = Writer(path, on_event)
    writer.start()
    again = [replace(met, record=replace(met.record, uid=f"again {number}")) for number in range(5)]
    report(f"{what}: longest stall of another thread, introducing", [stall(change) for change in again])
    report(f"{what}: longest stall of another thread, an edit", [stall(change) for change in toggles(met.start, 60)])
    writer.close()


def totals(path: Path) -> None:
    accepted = samples.accepted(Review(samples.LABELS.without_explanations()))
    with closing(Store.open(path)) as store:
        store.commit(
            [samples.introduction(samples.record(f"r{n}"), start=accepted, position=n) for n in range(REVIEWS)]
        )
    with closing(Store.open(path)) as store:
        report(f"summaries of {REVIEWS} reviews", [timed(lambda: store.summaries("ann")) for _ in range(10)])
        report("open a current database", [timed(lambda: Store.open(path).close()) for _ in range(50)])
        report(f"export of {REVIEWS} reviews", [timed(lambda: list(store.records_reviewed("ann"))) for _ in range(3)])
    print(f"size: {path.stat().st_size / REVIEWS:.0f} bytes a review of {4} sentences")


def kills(folder: Path) -> None:
    lost = acknowledged = 0
    for number in range(KILLS):
        path = folder / f"kill{number}.db"
        command = [sys.executable, "-m", "tests.store.hammer", str(path), "a", "100000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline()]
            time.sleep(random.uniform(0, 0.3))
            process.kill()
            lines += process.stdout.read().splitlines(keepends=True)
        saved = max(int(line.split()[1]) for line in lines if line.endswith("\n"))
        with closing(Store.open(path)) as store:
            kept = {edit.id for _, edit in store.edits("ann", limit=10**6)}
        acknowledged += saved - 1
        lost += len({f"a{n}" for n in range(saved - 1)} - kept)
    print(f"{KILLS} kills: {acknowledged} edits acknowledged, {lost} lost")
    assert lost == 0


if __name__ == "__main__":
    main()
