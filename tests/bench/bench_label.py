"""How fast `label` is beside a service that answers after 200 ms, which runs in a process of its own.

    python -m tests.bench.bench_label [DATASET] [--records 100] [--in-flight 1 4 16] [--delay 0.2]

Prints for each number in flight the seconds from the first request to the last commit, records a second with their
share of the ideal (in flight / delay), CPU milliseconds a record in that time, and the prompt tokens of a record beyond
its own text, both as the service's rule of four characters counts them. A bare httpx client with the same requests is
the floor, measured in the same run.
"""

import argparse
import asyncio
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from trace_tui.cli.asking import Asking
from trace_tui.cli.labelling import Ceiling, Run, committing
from trace_tui.cli.review import SystemClock
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.judges.labeller import Settings
from trace_tui.judges.prompt import response_format, user_message
from trace_tui.records import Record
from trace_tui.store import Store

SAMPLE = Path(__file__).parents[2] / "samples" / "ragbench.jsonl"


@contextmanager
def service(delay: float) -> Iterator[str]:
    """Run the test server, and yield its base URL."""
    command = [sys.executable, "-m", "tests.service", "--delay", str(delay), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        found = re.search(r"GROQ_BASE_URL=(\S+)", process.stdout.readline())
        assert found
        try:
            yield found[1]
        finally:
            process.terminate()


def records_of(dataset: Dataset, count: int) -> list[Record]:
    """Return as many records as are wanted, with questions of their own where the dataset has fewer."""
    cutter = Cutter(lambda _: None)
    cut = [cutter.record(dataset.row(position)) for position in range(len(dataset))]
    return [
        replace(record, uid=f"{record.uid}-{number}", question=f"{record.question} ({number})")
        for number, record in enumerate(itertools.islice(itertools.cycle(cut), count))
    ]


class Prepared(Run):
    """A run over records that are there already."""

    def __init__(self, store: Store, records: list[Record]) -> None:
        super().__init__(None, None, store, Ceiling())  # type: ignore[arg-type]  # it reads none itself
        self._prepared = records

    def _record(self, position: int) -> Record:
        return self._prepared[position]


async def ours(records: list[Record], in_flight: int, folder: Path) -> tuple[float, float]:
    path = folder / f"{in_flight}.trace.db"
    with closing(Store.open(path)) as store:
        store.prepare()
        with committing(path) as committer:
            async with Asking("openai/gpt-oss-120b").labeller(SystemClock().now) as labeller:
                started, cpu = time.perf_counter(), time.process_time()
                run = Prepared(store, records)
                await run.go(labeller, committer, range(len(records)), in_flight)
                took = time.perf_counter() - started, time.process_time() - cpu
        assert run.tally.labelled == len(records), run.tally
    return took


async def bare(records: list[Record], in_flight: int, settings: Settings) -> tuple[float, float]:
    bodies = [
        {
            "model": settings.model.name,
            "messages": [
                {"role": "system", "content": settings.prompt.instructions},
                {"role": "user", "content": user_message(record)},
            ],
            "response_format": response_format(settings.model.format),
        }
        for record in records
    ]
    url = f"{os.environ['GROQ_BASE_URL']}/openai/v1/chat/completions"
    todo = iter(bodies)
    async with httpx.AsyncClient() as client:

        async def work() -> None:
            for body in todo:
                (await client.post(url, json=body)).json()

        await client.get(url)
        started, cpu = time.perf_counter(), time.process_time()
        async with asyncio.TaskGroup() as group:
            for _ in range(in_flight):
                group.create_task(work())
        return time.perf_counter() - started, time.process_time() - cpu


def beyond_own_text(records: list[Record], settings: Settings) -> float:
    """Return the mean number of tokens of a prompt that are not the row's own text, four characters each."""
    sent = sum(len(settings.prompt.instructions) + len(user_message(record)) for record in records)
    own = sum(
        len(record.question) + sum(len(s.text) for s in (*record.document_sentences(), *record.response.sentences))
        for record in records
    )
    return (sent - own) / 4 / len(records)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", type=Path, nargs="?", default=SAMPLE)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--in-flight", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--delay", type=float, default=0.2)
    given = parser.parse_args()
    os.environ["GROQ_API_KEY"] = "test"
    with service(given.delay) as url, tempfile.TemporaryDirectory() as folder, open_dataset(given.dataset) as dataset:
        os.environ["GROQ_BASE_URL"] = url
        records = records_of(dataset, given.records)
        settings = Asking("openai/gpt-oss-120b").settings
        print(f"{given.records} records, {given.delay * 1000:.0f} ms latency")
        print(f"prompt beyond the row's own text: {beyond_own_text(records, settings):.0f} tokens a record")
        for in_flight in given.in_flight:
            floor, floor_cpu = asyncio.run(bare(records, in_flight, settings))
            seconds, cpu = asyncio.run(ours(records, in_flight, Path(folder)))
            ideal = in_flight / given.delay
            print(
                f"{in_flight:>3} in flight: {seconds:6.2f} s (bare httpx {floor:.2f}), "
                f"{given.records / seconds:5.1f}/s = {given.records / seconds / ideal:.1%} of {ideal:g}, "
                f"CPU {1000 * cpu / given.records:.1f} ms a record (bare {1000 * floor_cpu / given.records:.1f})"
            )


if __name__ == "__main__":
    main()
