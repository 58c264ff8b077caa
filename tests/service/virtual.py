"""An event loop whose time jumps to the next thing that is due: ten minutes of asyncio in a moment, always the same."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time stands still while anything can run. For code that waits for nothing outside the process."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__()

    def time(self) -> float:
        return self._now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self._now = max(self._now, self._scheduled[0].when())
        super()._run_once()


def run_virtually(main: Coroutine[Any, Any, Result]) -> Result:
    """Do as `asyncio.run` does, in virtual time from 0."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def virtual_time() -> float:
    """Return the seconds of the running loop's time."""
    return asyncio.get_running_loop().time()
