"""Reviews with random keys in a pseudo-terminal, kills the process at random moments, and looks for what was lost.

Run from the root of the project: `python -m tests.bench.killer [ROUNDS] [SEED]`. After every kill: the log of edits
holds at least what the saved marks on the screen had acknowledged, every review is the fold of its edits over the
judge's labels, and the next start opens the record where the last one stood.
"""

import os
import random
import re
import sys
import tempfile
import time
from contextlib import closing
from functools import reduce
from pathlib import Path

from tests.bench import data
from tests.bench.terminal import Terminal, review
from trace_tui.reviews import Review, apply
from trace_tui.store import Store

ANNOTATOR = "killer"
RECORDS = 30
RESTS = 0.3  # share of the rounds in which the screen is still when the kill comes
KEYS = (*"rusjkJKxXzZ!-.,dmgG123456789", " ", " ", "y", "n", "a", "\t", "\x1b[6~", "\x1b[5~")
_RECORD = re.compile(r"record (\d+) / \d+")
_SAVED = re.compile(r"✓ saved (\d+)")


class Typist:
    """Types at random into one review, and remembers what its screen showed.

    `saved` is the highest saved mark; `records` are the numbers of the records shown since that mark came, in order.
    """

    def __init__(self, dataset: Path, database: Path, source: random.Random) -> None:
        self.terminal = Terminal(review(dataset, database, "--annotator", ANNOTATOR), columns=120, lines=40)
        self.saved = 0
        self.records: list[int] = []
        self._source = source
        self.terminal.await_text(lambda text: bool(_RECORD.search(text) and _SAVED.search(text)))
        self.look(0)

    def type_for(self, seconds: float) -> None:
        """Type at random, sometimes faster than the screen follows."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.terminal.send(self._source.choice(KEYS))
            self.look(self._source.choice([0, 0.001, 0.01, 0.03]))

    def look(self, timeout: float) -> None:
        """Read on, and take in what the screen then shows."""
        self.terminal.read(timeout)
        self._take_in(self.terminal.text)

    def rest(self) -> None:
        """Wait until the screen is still: what was typed is done and committed."""
        while self.terminal.read(0.3):
            self._take_in(self.terminal.text)

    def kill(self) -> None:
        """Kill the process, and take in what it had painted before."""
        self.terminal.kill()
        self._take_in(self.terminal.text)

    def leave(self) -> None:
        """Quit with `q`, which waits until all is saved."""
        self.rest()
        self.terminal.send("q")
        self.terminal.process.wait(30)
        self.terminal.kill()

    def _take_in(self, text: str) -> None:
        saved, record = _SAVED.search(text), _RECORD.search(text)
        if saved and int(saved[1]) > self.saved:
            self.saved = int(saved[1])
            self.records.clear()
        if record and int(record[1]) not in self.records[-1:]:
            self.records.append(int(record[1]))


def make_dataset(folder: Path) -> Path:
    """Write rows of six to a hundred sentences."""
    source = random.Random(1)
    return data.write(
        folder / "killer.jsonl",
        (data.row(n, source.randint(6, 100), source.randint(1, 9)) for n in range(RECORDS)),
    )


def edits_in(database: Path) -> int:
    """Count the log, through a connection that has seen nothing before."""
    if not database.exists():
        return 0
    with closing(Store.open(database)) as store:
        return len(store.edits(ANNOTATOR, limit=10**9))


def check(database: Path, edits_before: int, acknowledged: int) -> int:
    """Compare the reopened store with what was acknowledged, and every review with the fold of its edits.

    Returns:
        How many edits there are now.

    Raises:
        AssertionError: something was lost.
    """
    with closing(Store.open(database)) as store:
        log = [edit for _, edit in reversed(store.edits(ANNOTATOR, limit=10**9))]
        reviews = list(store.records_reviewed(ANNOTATOR))
    kept = len(log) - edits_before
    assert kept >= acknowledged, f"{acknowledged} edits acknowledged, {kept} kept"
    for reviewed in reviews:
        judgement = reviewed.kept.judgement
        start = Review(judgement.labels.without_explanations()) if judgement else Review()
        patches = [edit.new for edit in log if edit.uid == reviewed.uid]
        assert patches, f"{reviewed.uid}: a review without an edit"
        assert reduce(apply, patches, start) == reviewed.kept.review, f"{reviewed.uid}: not what its edits make of it"
    assert {edit.uid for edit in log} <= {reviewed.uid for reviewed in reviews}
    return len(log)


def kill_round(dataset: Path, database: Path, source: random.Random) -> tuple[int, int]:
    """Type for a while, kill, check, and start again to see where that opens.

    Returns:
        Edits acknowledged, and edits kept although no mark had said so yet.
    """
    before = edits_in(database)
    typist = Typist(dataset, database, source)
    typist.type_for(source.uniform(0, 1.5))
    rested = source.random() < RESTS
    if rested:
        typist.rest()
    typist.kill()
    kept = check(database, before, typist.saved) - before
    with closing(Store.open(database)) as store:
        place = store.place(dataset.name, ANNOTATOR)
    again = Typist(dataset, database, source)
    again.kill()
    assert again.records == [place.position + 1 if place else 1], f"opened at {again.records}, left at {place}"
    assert not rested or again.records == typist.records[-1:], f"opened at {again.records}, left at {typist.records}"
    return typist.saved, kept - typist.saved


def shared_round(dataset: Path, database: Path, source: random.Random) -> tuple[int, int]:
    """Let two processes of one annotator type into one database by turns; one is killed, the other quits.

    Returns:
        As `kill_round`, of both together.
    """
    before = edits_in(database)
    typists = [Typist(dataset, database, source) for _ in range(2)]
    for _ in range(source.randint(3, 12)):
        for typist in typists:
            typist.type_for(0.1)
    killed, left = typists
    killed.kill()
    left.leave()
    acknowledged = killed.saved + left.saved
    return acknowledged, check(database, before, acknowledged) - before - acknowledged


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    print(f"{rounds} rounds, seed {seed}, load {os.getloadavg()[0]:.2f}")
    source = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        dataset, database = make_dataset(Path(name)), Path(name) / "killer.db"
        for what, play, count in (
            ("killed while typing", kill_round, rounds),
            ("two processes, one killed", shared_round, max(1, rounds // 10)),
        ):
            results = [play(dataset, database, source) for _ in range(count)]
            acknowledged, more = (sum(column) for column in zip(*results, strict=True))
            print(f"{what}: {count} rounds, {acknowledged} edits acknowledged, 0 lost, {more} more kept", flush=True)


if __name__ == "__main__":
    main()
