"""What it costs to open 100,000 records and to parse one of 20,000 sentences, against reading the bytes alone.

Run from the root of the project: `python tests/bench/bench_open.py [RECORDS]`.
"""

import gc
import json
import os
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from trace_tui.datasets.rows import record_of
from trace_tui.datasets.source import open_dataset
from trace_tui.normalise import number_to_letters

ROOT = Path(__file__).parents[2]
SENTENCE = "Sentence number {} of this document says something on the topic."

OPEN = """
import resource, sys, time
from pathlib import Path
from trace_tui.datasets.source import open_dataset
before = time.perf_counter()
with open_dataset(Path(sys.argv[1])) as dataset:
    seconds = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    before = time.perf_counter()
    uid = dataset.row(len(dataset) - 1).uid
    row = time.perf_counter() - before
    before = time.perf_counter()
    assert dataset.find_uid(uid) == len(dataset) - 1
    print(f"open {seconds:.3f} s, peak {peak:.0f} MB; the last row {row * 1e6:.0f} µs, ", end="")
    print(f"found by its identity, nothing known, {time.perf_counter() - before:.3f} s")
"""
FLOOR = """
import os, sys, time
before = time.perf_counter()
file, offset = os.open(sys.argv[1], os.O_RDONLY), 0
while chunk := os.pread(file, 1 << 20, offset):
    offset += len(chunk)
print(f"reading the bytes alone {time.perf_counter() - before:.3f} s")
"""


def milliseconds(call: Callable[[], object], number: int = 5) -> float:
    return min(timeit.repeat(call, number=1, repeat=number)) * 1000


def ragbench_row(row_id: object, documents: int, sentences: int) -> dict[str, Any]:
    given = [
        [[f"{number}{number_to_letters(at)}", SENTENCE.format(at)] for at in range(sentences)]
        for number in range(documents)
    ]
    return {
        "id": row_id,
        "question": "What is said?",
        "documents": [" ".join(text for _, text in document) for document in given],
        "response": "Something is said.",
        "documents_sentences": given,
        "response_sentences": [["a", "Something is said."]],
        "all_relevant_sentence_keys": ["0a"],
        "all_utilized_sentence_keys": ["0a"],
        "unsupported_response_sentence_keys": [],
        "sentence_support_information": [{"response_sentence_key": "a", "supporting_sentence_keys": ["0a"]}],
    }


def write(path: Path, records: int) -> None:
    with path.open("w") as file:
        for number in range(records):
            file.write(json.dumps(ragbench_row(f"record-{number}", 4, 4)) + "\n")


def bench_many(directory: Path, records: int) -> None:
    path = directory / "many.jsonl"
    write(path, records)
    print(f"{records:,} records, {path.stat().st_size / 1e6:.0f} MB")
    for script in (FLOOR, OPEN, FLOOR, OPEN):
        command = [sys.executable, "-c", script, str(path)]
        done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, stdout=-1)
        print(" ", done.stdout.decode().strip())


def bench_long(directory: Path) -> None:
    path = directory / "long.jsonl"
    path.write_text(json.dumps(ragbench_row("long", 20, 1000)) + "\n")
    data = path.read_bytes()
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)  # as the app does
    with open_dataset(path) as dataset:
        parsing = milliseconds(lambda: msgspec.json.decode(data), 20)
        whole = milliseconds(lambda: record_of(dataset.row(0), None), 20)
    print(f"one record of 20,000 sentences, {len(data) / 1e6:.1f} MB")
    print(f"  to a record {whole:.1f} ms, of which JSON {parsing:.1f} ms: {whole / parsing:.1f} times the parser alone")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        bench_many(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
        bench_long(Path(temporary))
