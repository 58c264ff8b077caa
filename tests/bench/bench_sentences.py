"""Measures the splitter: agreement with RAGBench's own boundaries, speed, and growth on hostile input.

Run where the project is installed: `python tests/bench/bench_sentences.py [SPACY_PIPELINE]`. The real rows are looked
for beside the project.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from trace_tui.datasets.sentences import Splitter, make_splitter
from trace_tui.records import Passage, Sentence, locate

ROWS = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "ragbench"

HOSTILE: dict[str, Callable[[int], str]] = {
    "one long word": lambda n: "a" * n,
    "brackets": lambda n: "(" * n,
    "hashes": lambda n: "#" * n,
    "full stops": lambda n: "." * n,
    "spaced full stops": lambda n: ". " * (n // 2),
    "question marks": lambda n: "?" * n,
    "stops and quotes": lambda n: ".'" * (n // 2) + " A",
    "spaces": lambda n: "A." + " " * n + "B",
    "newlines": lambda n: "A." + "\n" * n + "B",
    "backticks": lambda n: "`" * n,
    "opened fences": lambda n: "```\n" * (n // 4),
    "wordless lines": lambda n: "-\n" * (n // 2),
    "short lines": lambda n: "A\n" * (n // 2),
    "sentences of a letter": lambda n: "Ab. " * (n // 4),
    "list numbers": lambda n: "1) A " * (n // 5),
    "citations": lambda n: "It is. [1] " * (n // 11),
    "citation opened": lambda n: "." + "[1" * (n // 2),
    "CJK full stops": lambda n: "水。" * (n // 2),
    "JSON rows": lambda n: "[" + "[1], " * (n // 5) + "[2]]",
    "HTML rows": lambda n: "<tr>a</tr>" * (n // 10),
    "German": lambda n: "Das ist z.B. die Nr. 5 und der Rest. " * (n // 37),
    "prose": lambda n: "Water boils at 100 degrees, e.g. in a pot. It cools again.\n" * (n // 59),
}


def passages(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the texts of the rows in a file and their own sentences."""
    for line in path.read_bytes().splitlines():
        row = json.loads(line)
        texts = [*row["documents"], row["response"]]
        sentences = [*row["documents_sentences"], row["response_sentences"]]
        for text, keyed in zip(texts, sentences, strict=False):
            yield text, [sentence for _, sentence in keyed]


def agreement(splitter: Splitter, path: Path) -> tuple[int, int, int]:
    """Count boundaries inside texts: common to both, ours, the row's own."""
    common = ours = theirs = 0
    for text, sentences in passages(path):
        found = locate(Passage(text, tuple(Sentence("", sentence, "") for sentence in sentences)))
        last = len(text.rstrip())
        own = {span.end for span in splitter.split(text)} - {last}
        given = {span.end for span in found if span} - {last}
        common += len(own & given)
        ours += len(own)
        theirs += len(given)
    return common, ours, theirs


def print_agreement(splitter: Splitter) -> None:
    print(f"{'rows':<14}{'precision':>10}{'recall':>8}{'F1':>8}  boundaries (theirs, ours)")
    for path in sorted(ROWS.glob("*.jsonl")):
        common, ours, theirs = agreement(splitter, path)
        figures = (common / ours, common / theirs, 2 * common / (ours + theirs))
        print(f"{path.stem:<14}{figures[0]:>10.1%}{figures[1]:>8.1%}{figures[2]:>8.1%}  {theirs}, {ours}")


def seconds(splitter: Splitter, text: str) -> float:
    start = time.process_time()
    splitter.split(text)
    return time.process_time() - start


def print_growth(splitter: Splitter, size: int) -> None:
    print(f"\n{'input':<24}{'Mchar/s':>8}{'t(2n)/t(n)':>12}  n = {size}; 2 is linear, 4 quadratic")
    for name, make in HOSTILE.items():
        once, twice = (min(seconds(splitter, make(n)) for _ in range(3)) for n in (size, 2 * size))
        print(f"{name:<24}{2 * size / twice / 1e6:>8.2f}{twice / once:>12.2f}")


def main() -> None:
    splitter = make_splitter(sys.argv[1] if len(sys.argv) > 1 else None)
    print(splitter.name)
    splitter.split("Warm up.")
    if ROWS.is_dir():
        print_agreement(splitter)
    print_growth(splitter, 200_000)


if __name__ == "__main__":
    main()
