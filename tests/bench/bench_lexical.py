"""How `lexical-overlap` compares with the recorded labels of real RAGBench rows, and what it costs.

    python tests/bench/bench_lexical.py ../shared/data/ragbench/*.jsonl

The recorded labels are a model's, not the truth: the figures say how far two judges agree.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.rows import make_record, raw_of_row, record_of_row  # noqa: E402  # tests are no package: the path comes first
from trace_tui.judges.lexical import LexicalOverlap  # noqa: E402
from trace_tui.judges.recorded import judge_recorded  # noqa: E402
from trace_tui.labels import Labels, Verdict  # noqa: E402
from trace_tui.records import Record  # noqa: E402

BANDS = {Verdict.SUPPORTED: "covered", Verdict.UNJUDGED: "needs review", Verdict.UNSUPPORTED: "not covered"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    files = parser.parse_args().files
    for path in files:
        report(path.stem, [path])
    if files:
        report("all", files)
    for sentences in (1_000, 20_000):
        print(f"{sentences} x 25 sentences: {1000 * cost(sentences):.0f} ms")


def report(name: str, paths: Iterable[Path]) -> None:
    rows = [json.loads(line) for path in paths for line in path.read_bytes().split(b"\n") if line]
    records = [record_of_row(row) for row in rows]
    recorded = [judge_recorded(record, raw_of_row(row)).labels for record, row in zip(records, rows, strict=True)]
    judge = LexicalOverlap()
    ours = [judge.label(record).labels for record in records]
    print(f"{name}: {len(rows)} records")
    report_bands(records, ours, recorded)
    print("  relevant", f1((mine.relevant, theirs.relevant) for mine, theirs in zip(ours, recorded, strict=True)))
    print("  utilized", f1((mine.utilized, theirs.utilized) for mine, theirs in zip(ours, recorded, strict=True)))


def report_bands(records: list[Record], ours: list[Labels], recorded: list[Labels]) -> None:
    pairs = Counter(
        (mine.support(key).verdict, theirs.support(key).verdict)
        for record, mine, theirs in zip(records, ours, recorded, strict=True)
        for key in record.response_keys
    )
    for verdict, band in BANDS.items():
        supported, unsupported = pairs[verdict, Verdict.SUPPORTED], pairs[verdict, Verdict.UNSUPPORTED]
        total = supported + unsupported
        if total:
            print(f"  {band:12} n={total:5} recorded supported {supported / total:.2f}", end="")
            print(f", unsupported {unsupported / total:.2f}")


def f1(pairs: Iterable[tuple[frozenset[str], frozenset[str]]]) -> str:
    """Micro-averaged over all document sentences."""
    both = mine = theirs = 0
    for ours, recorded in pairs:
        both += len(ours & recorded)
        mine += len(ours)
        theirs += len(recorded)
    if not (mine and theirs and both):
        return "undefined"
    return f"precision {both / mine:.2f}, recall {both / theirs:.2f}, F1 {2 * both / (mine + theirs):.2f}"


def cost(sentences: int) -> float:
    """Return the seconds of one labelling, best of five, of sentences of 20 words with a natural skew."""
    rng = random.Random(1)
    vocabulary = [f"{a}{b}{c}" for a in "bdfghklmnprst" for b in "aeiou" for c in ("ran", "tel", "mos", "vik", "lund")]
    frequencies = [1 / rank for rank in range(1, len(vocabulary) + 1)]

    def sentence() -> str:
        return " ".join(rng.choices(vocabulary, frequencies, k=20)) + f" {rng.randrange(2000)}."

    record = make_record(sentence(), [[sentence() for _ in range(sentences)]], [sentence() for _ in range(25)])
    judge = LexicalOverlap()
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        judge.label(record)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
