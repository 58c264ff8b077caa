"""Puts many records to a judge, several at a time. Whoever stops it loses only what is in flight."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from trace_tui.calls import Call
from trace_tui.judges.labeller import Question
from trace_tui.records import Record


async def label_all(
    questions: AsyncIterator[Question],
    label: Callable[[Question], Awaitable[Call]],
    keep: Callable[[Record, Call], Awaitable[None]],
    concurrency: int,
) -> None:
    """Ask questions until there are none.

    A call is kept before the next question is asked in its place, so that of those not kept never more than
    `concurrency` were asked.

    Args:
        questions: what to ask; one is got ready ahead, while answers are awaited.
        label: asks one.
        keep: commits what came of it, and returns when it is on the disk.
        concurrency: how many are asked at a time.

    Raises:
        Exception: the first that `questions`, `label` or `keep` raised; what else was in flight is cancelled.
    """
    ready: asyncio.Queue[Question | None] = asyncio.Queue(maxsize=1)

    async def get_ready() -> None:
        async for question in questions:
            await ready.put(question)
        for _ in range(concurrency):
            await ready.put(None)

    async def work() -> None:
        while (question := await ready.get()) is not None:
            await keep(question.record, await label(question))

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(get_ready())
            for _ in range(concurrency):
                group.create_task(work())
    except BaseExceptionGroup as errors:
        first = errors.exceptions[0]
        raise first from first.__cause__
