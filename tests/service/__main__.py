"""Runs the test server from a shell, so that anyone can try `trace-tui label` without an account.

    python -m tests.service --port 8765 --delay 0.2 --faults 0.1 --seed 7

It prints the line to enter in another shell, and on Ctrl-C what it was asked for.
"""

import argparse
import asyncio
import signal
import sys
import time
from pathlib import Path

import msgspec

from tests.service.faults import FAULTS, PASSING, drawn
from tests.service.script import read_script, scripted
from tests.service.server import MODELS, Service
from tests.service.windows import WINDOWS, Bucket


def main() -> None:
    asked = _arguments()
    answer = drawn(asked.faults, asked.seed, asked.fault or tuple(PASSING))
    if asked.script:
        try:
            answer = scripted(read_script(asked.script), answer)
        except (OSError, msgspec.DecodeError) as exc:
            sys.exit(f"{asked.script}: {exc}")
    service = Service(
        answer,
        delay=asked.delay,
        requests=WINDOWS[asked.window](asked.rpm) if asked.rpm else None,
        tokens=Bucket(asked.tpm) if asked.tpm else None,
        models=asked.model or MODELS,
        key=asked.key,
        port=asked.port,
    )
    asyncio.run(_serve(service, asked.key or "test"))
    _report(service)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.service", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--delay", type=float, default=0.0, metavar="SECONDS", help="before every answer")
    parser.add_argument("--faults", type=float, default=0.0, metavar="SHARE", help="of the requests that go wrong")
    parser.add_argument(
        "--fault", action="append", choices=FAULTS, metavar="NAME", help="draw only these: " + ", ".join(FAULTS)
    )
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--script", type=Path, metavar="FILE", help="answers as in tests/service/script.py")
    parser.add_argument("--rpm", type=int, help="requests a minute that are let through; more are answered with 429")
    parser.add_argument("--window", choices=WINDOWS, default="sliding", help="how they are counted")
    parser.add_argument("--tpm", type=int, help="tokens a minute, as a bucket")
    parser.add_argument("--model", action="append", metavar="NAME", help="offered; several are possible")
    parser.add_argument("--key", help="the only key that is let in; any is, unless given")
    return parser.parse_args()


async def _serve(service: Service, key: str) -> None:
    try:
        async with service:
            print(f"export GROQ_BASE_URL={service.base_url} GROQ_API_KEY={key}", flush=True)
            print(f"any other client: --base-url {service.compatible_url}. Ctrl-C ends this server.", file=sys.stderr)
            await _until_told()
    except OSError as exc:
        sys.exit(f"port is not free: {exc.strerror}; give another --port")


async def _until_told() -> None:
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    await told.wait()


def _report(service: Service) -> None:
    total, most = sum(service.asked.values()), max(service.asked.values(), default=0)
    print(
        f"\n{total} requests for {len(service.asked)} records, at most {most} for one; "
        f"at most {service.most_in_flight} at once; CPU {time.process_time():.2f} s",
        file=sys.stderr,
    )
    for name, count in service.counts.most_common():
        print(f"{count:>8} {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
