"""Puts many records to a judge, several at a time. Whoever stops it loses only what is in flight."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from trace_tui.calls import Call
from trace_tui.records import Record


async def label_all(
    records: AsyncIterator[Record],
    label: Callable[[Record], Awaitable[Call]],
    keep: Callable[[Record, Call], Awaitable[None]],
    concurrency: int,
) -> None:
    """Label records until there are none.

    A record is kept before the next is begun in its place, so that of those not kept never more than `concurrency`
    were begun.

    Args:
        records: what to label; taken one at a time, when there is room for one.
        label: asks about one.
        keep: commits what came of it, and returns when it is on the disk.
        concurrency: how many are asked about at a time.

    Raises:
        Exception: the first that `records`, `label` or `keep` raised; what else was in flight is cancelled.
    """
    taking = asyncio.Lock()

    async def work() -> None:
        while True:
            async with taking:
                record = await anext(records, None)
            if record is None:
                return
            await keep(record, await label(record))

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(concurrency):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        first = errors.exceptions[0]
        raise first from first.__cause__
