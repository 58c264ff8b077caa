"""What scoring costs, and a million lines through `rmse` against the JSON parser alone.

Run from the root of the project: `python tests/bench/bench_scoring.py [LINES]`.
"""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from trace_tui.datasets.scorelines import ScoreLine
from trace_tui.scoring import METRICS, AdvancedTRACEScores, RMSECalculator

ROOT = Path(__file__).parents[2]
MEGABYTE = 1024 * 1024


def milliseconds(call: Callable[[], object], number: int) -> float:
    return min(timeit.repeat(call, number=number, repeat=5)) / number * 1000


def random_scores(source: random.Random) -> dict[str, float]:
    relevant, common = source.randint(1, 20), source.random()
    values = (relevant / 20, source.randint(1, relevant) / relevant, common, float(source.random() < 0.7))
    return dict(zip(METRICS, values, strict=True))


def one_line(source: random.Random, number: int, *, exported: bool) -> dict[str, Any]:
    """Return a line of nothing but scores, or one as `export` writes it, with the labels of both sides."""
    line: dict[str, Any] = {"metrics": random_scores(source), "ground_truth_scores": random_scores(source)}
    if exported:
        keys = [f"doc_{n}_s{source.randint(0, 9)}" for n in range(5)]
        supports = {f"resp_s{n}": {"keys": keys[:2], "verdict": "supported", "reason": None} for n in range(3)}
        labels = {"relevant": keys, "utilized": keys[:3], "supports": supports}
        about = {"judge": "recorded", "judge_model": "gpt", "annotator": "ann", "mode": "blind"}
        line |= {"id": number, **about, "definition": "ragbench", "labels": labels, "ground_truth_labels": labels}
        line |= {"blind_judgement": None, "note": "", "flagged": False}
        line["sentences"] = dict.fromkeys(
            [*(f"doc_{n}_s{s}" for n in range(5) for s in range(10)), *supports], "Words."
        )
    return line


def write(path: Path, lines: int, *, exported: bool) -> None:
    source = random.Random(1)
    with path.open("w") as file:
        for number in range(lines):
            file.write(json.dumps(one_line(source, number, exported=exported)) + "\n")


def parser_alone(path: Path, decode: Callable[[bytes], object]) -> float:
    start = time.perf_counter()
    with path.open("rb") as file:
        for line in file:
            decode(line)
    return time.perf_counter() - start


def command(path: Path, *options: str) -> tuple[float, float]:
    """Run `rmse` on the file; return the seconds and the peak of its memory in megabytes."""
    program = "import sys; from trace_tui.cli.rmse import rmse; rmse(sys.argv[1:])"
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", program, path, *options], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return seconds, usage.ru_maxrss * 1024 / MEGABYTE


def report_stream(lines: int, *, exported: bool) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path, tenth = Path(directory, "all.jsonl"), Path(directory, "tenth.jsonl")
        write(path, lines, exported=exported)
        write(tenth, lines // 10, exported=exported)
        print(f"\n{lines:,} {'exported' if exported else 'plain'} lines, {path.stat().st_size / MEGABYTE:.0f} MB")
        seconds, memory = command(path)
        _, memory_of_a_tenth = command(tenth)
        print(
            f"  rmse                     {seconds:6.2f} s   peak {memory:.0f} MB ({memory_of_a_tenth:.0f} for a tenth)"
        )
        if exported:
            seconds_anew, memory = command(path, "--definition", "gpt-labeling")
            print(f"  rmse, all scored anew    {seconds_anew:6.2f} s   peak {memory:.0f} MB")
        for name, decode in (
            ("msgspec, our fields", msgspec.json.Decoder(ScoreLine).decode),
            ("msgspec, everything", msgspec.json.decode),
            ("json, everything", json.loads),
        ):
            alone = parser_alone(path, decode)
            print(f"  {name:<24} {alone:6.2f} s   rmse runs at {alone / seconds:.0%} of its speed")


def main() -> None:
    source = random.Random(1)
    predicted = [AdvancedTRACEScores(**random_scores(source)) for _ in range(50)]
    truth = [AdvancedTRACEScores(**random_scores(source)) for _ in range(50)]
    one, other = predicted[0], truth[0]
    compare = RMSECalculator.compute_rmse_single_trace_evaluation
    for name, limit, call, number in (
        ("one rmse_aggregation", 0.1, one.rmse_aggregation, 20_000),
        ("one comparison", 0.2, lambda: compare(one, other).to_dict(), 5_000),
        ("a batch of 50", 10, lambda: RMSECalculator.compute_rmse_all_metrics(predicted, truth).to_dict(), 1_000),
    ):
        print(f"{name:<22} {milliseconds(call, number):.4f} ms (limit {limit})")
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    report_stream(lines, exported=False)
    report_stream(lines, exported=True)
    print(f"\nthis script's own peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE:.0f} MB")


if __name__ == "__main__":
    main()
