"""Asks a service what it offers, before anything of a dataset is sent to it."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from trace_tui.errors import JudgeUnavailableError
from trace_tui.judges.service import ChatClient, ServiceError, Trouble
from trace_tui.judges.tries import backoff

_TRIES: Final = 4
_NEVER: Final = frozenset({Trouble.FATAL, Trouble.DAILY_LIMIT})
_NO_LIST: Final = frozenset({404, 405, 501})


async def offered(
    client: ChatClient, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> frozenset[str] | None:
    """Return the ids of the models that a service offers; None where it has no list to give.

    Raises:
        JudgeUnavailableError: it refuses us, or cannot be reached.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return await client.models()
        except ServiceError as error:
            if error.status in _NO_LIST:
                return None
            if error.trouble in _NEVER or attempt == _TRIES:
                raise JudgeUnavailableError(str(error)) from error
            await sleep(error.retry_after if error.retry_after is not None else backoff(attempt))
    raise AssertionError("every attempt returns or raises")
