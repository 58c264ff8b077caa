"""A process that edits one record without pause, to be killed, doubled or starved by the tests.

`python -m tests.store.hammer DATABASE PREFIX COUNT` commits COUNT edits whose ids begin with PREFIX through a
`Writer`, and prints a line per event: `saved N`, `failed`, `recovered`, and `closed True` at the end.
"""

import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tests.store import samples
from trace_tui.reviews import Change, Edit, Review, diff
from trace_tui.store import Failed, Recovered, SavedUpTo, Writer
from trace_tui.store.writer import Event

START = Review(samples.LABELS.without_explanations())


def changes(prefix: str, count: int, *, padding: int = 0) -> Iterator[Change]:
    """Yield the introduction and then `count` edits, each of which flips a sentence of its prefix and sets the note."""
    yield samples.introduction()
    review = START
    key = f"resp_s{ord(prefix[-1]) % 2}"
    for number in range(count):
        after = replace(review, settled=review.settled ^ {key}, note=f"{prefix}{number}".ljust(padding, "."))
        yield Edit(f"{prefix}{number}", samples.NOON, "ann", "r1", "test", *diff(review, after), 1.0)
        review = after


def say(event: Event) -> None:
    match event:
        case SavedUpTo(number):
            print("saved", number, flush=True)
        case Failed(message, _):
            print("failed", message, flush=True)
        case Recovered():
            print("recovered", flush=True)


def main(path: str, prefix: str, count: int) -> None:
    writer = Writer(Path(path), say)
    writer.start()
    for change in changes(prefix, count):
        writer.submit(change)
        time.sleep(0.0005)  # lets the commits be many and small
    print("closed", writer.close(60), flush=True)


def starve(path: str, size: int) -> None:
    """Write with files limited to `size` bytes until that fails, then without the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))

    def relieve(event: Event) -> None:
        say(event)
        if isinstance(event, Failed):
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
            writer.retry()

    writer = Writer(Path(path), relieve)
    writer.start()
    for change in changes("a", 40, padding=20_000):
        writer.submit(change)
    print("closed", writer.close(60), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "starve":
        starve(sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
