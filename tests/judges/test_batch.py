"""Many records, several at a time: each is kept before the next is begun, and what ends one ends all."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.store.samples import labelling, record
from trace_tui.calls import Call
from trace_tui.judges.batch import label_all
from trace_tui.records import Record


async def records(count: int) -> AsyncIterator[Record]:
    for number in range(count):
        yield record(f"r{number}")


class Work:
    """Labels and keeps, and sees to it that no more is begun than may be."""

    def __init__(self, most: int, failing: str = "") -> None:
        self.kept: list[str] = []
        self.begun = 0
        self._most = most
        self._failing = failing

    async def label(self, asked: Record) -> Call:
        self.begun += 1
        assert self.begun - len(self.kept) <= self._most
        await asyncio.sleep(0)
        if asked.uid == self._failing:
            raise ValueError(asked.uid)
        return labelling(asked).call

    async def keep(self, asked: Record, call: Call) -> None:
        await asyncio.sleep(0)
        assert asked.uid == call.uid
        self.kept.append(asked.uid)


@pytest.mark.parametrize("concurrency", [1, 3, 50])
async def test_every_record_is_kept_once(concurrency: int) -> None:
    work = Work(concurrency)
    await label_all(records(20), work.label, work.keep, concurrency)
    assert sorted(work.kept) == sorted(f"r{number}" for number in range(20))


async def test_the_first_error_ends_it() -> None:
    work = Work(3, failing="r5")
    with pytest.raises(ValueError, match="r5"):
        await label_all(records(20), work.label, work.keep, 3)
    assert "r5" not in work.kept
    assert work.begun <= 5 + 3


async def test_cancelling_ends_it() -> None:
    async def hang(_: Record) -> Call:
        await asyncio.Event().wait()
        raise AssertionError

    work = Work(3)
    task = asyncio.create_task(label_all(records(20), hang, work.keep, 3))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.kept == []
