"""Requests a second and CPU a request through limiter and client, against the test server in a process of its own.

    python -m tests.bench.bench_client [--delay 0.2] [--seconds 5] [--compatible]

The ideal is `in flight / delay` requests a second: no client can do more.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trace_tui.judges.address import compatible_address, groq_address
from trace_tui.judges.compatible import CompatibleClient
from trace_tui.judges.groq import GroqClient
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatClient, ChatRequest

ROOT = Path(__file__).parents[2]
KEY = Secret("a-key-for-the-bench")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--seconds", type=float, default=5.0, help="that a perfect client would take for each line")
    parser.add_argument("--compatible", action="store_true", help="the client for other servers, not the SDK's")
    asked = parser.parse_args()
    with serving(asked.delay) as url:
        for in_flight in (1, 4, 16):
            asyncio.run(measure(url, in_flight, asked))


@contextmanager
def serving(delay: float) -> Iterator[str]:
    command = [sys.executable, "-m", "tests.service", "--port", "0", "--delay", str(delay)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[1].partition("=")[2]
        finally:
            process.terminate()


def client_for(url: str, limiter: Limiter, *, compatible: bool) -> ChatClient:
    if compatible:
        return CompatibleClient(KEY, compatible_address(f"{url}/v1", with_key=True), limiter)
    return GroqClient(KEY, groq_address(url), limiter)


def request_of(number: int) -> ChatRequest:
    """Return a request of the size of a real one: 6,000 characters of instructions, 20 sentences."""
    documents = {f"doc_0_s{sentence}": f"Sentence {sentence} of record {number}. " * 4 for sentence in range(20)}
    record = {"documents": documents, "response": {"resp_s0": "It is so.", "resp_s1": "It is not."}}
    return ChatRequest("openai/gpt-oss-20b", "Read with care. " * 375, json.dumps(record), 2_000)


async def measure(url: str, in_flight: int, asked: argparse.Namespace) -> None:
    limiter = Limiter()
    client = client_for(url, limiter, compatible=asked.compatible)
    numbers = iter(range(int(asked.seconds * in_flight / asked.delay)))

    async def work() -> int:
        done = 0
        for number in numbers:
            async with limiter.slot(4_000):
                await client.complete(request_of(number))
            done += 1
        return done

    await client.models()
    start, cpu = time.perf_counter(), time.process_time()
    done = sum(await asyncio.gather(*(work() for _ in range(in_flight))))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    await client.aclose()
    rate, ideal = done / seconds, in_flight / asked.delay
    print(
        f"{in_flight:>2} in flight: {done} requests, {rate:.2f}/s, {rate / ideal:.1%} of {ideal:.0f}/s, "
        f"{1000 * cpu / done:.2f} ms CPU a request"
    )


if __name__ == "__main__":
    main()
