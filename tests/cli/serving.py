"""The test server in a thread of its own, for commands that run an event loop themselves."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.service.server import Service


@contextmanager
def serving(*arguments: Any, **options: Any) -> Iterator[Service]:
    """Run a `Service` made with these arguments until the block ends."""
    service = Service(*arguments, **options)
    loop = asyncio.new_event_loop()
    opened, closing = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with service:
            opened.set()
            await closing.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert opened.wait(10)
    try:
        yield service
    finally:
        loop.call_soon_threadsafe(closing.set)
        thread.join(10)
        loop.close()
