"""The model that the review asks, against the test server: one record, the rest, consent, and cancelling."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.serving import serving
from tests.cli.sessions import Clock, Journal, write_rows
from tests.rows import make_row
from tests.service.faults import FAULTS
from tests.service.server import Service
from trace_tui.calls import Call, Failure
from trace_tui.cli.asked import AskedModel
from trace_tui.cli.asking import Asking
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.source import open_dataset
from trace_tui.errors import JudgeUnavailableError
from trace_tui.labels import Judgement
from trace_tui.records import Record
from trace_tui.review.ports import Outlook
from trace_tui.reviews import Labelling
from trace_tui.store import Store


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test_0123456789")
    with serving(delay=0.01) as served:
        monkeypatch.setenv("GROQ_BASE_URL", served.base_url)
        yield served


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "rows.jsonl", [make_row(id=n, question=f"Question {n}?") for n in range(9)])


@pytest.fixture
def store(dataset: Path) -> Iterator[Store]:
    with closing(Store.open(dataset.with_suffix(".trace.db"))) as opened:
        opened.prepare()
        yield opened


def asked(dataset: Path, store: Store, **options: Any) -> AskedModel:
    asking = Asking("openai/gpt-oss-20b", **options)
    return AskedModel(asking, dataset, store.path, Journal(store), Clock(), None)


def record_at(dataset: Path, position: int) -> Record:
    with open_dataset(dataset) as opened:
        return Cutter(lambda _: None).record(opened.row(position))


async def rest_of(model: AskedModel, first: int) -> tuple[list[Outlook], list[tuple[Record, Call]]]:
    outlooks, results = [], []
    async for told in model.rest(first):
        if isinstance(told, Outlook):
            outlooks.append(told)
        else:
            results.append(told)
    return outlooks, results


async def test_one_record(dataset: Path, store: Store, service: Service) -> None:
    model = asked(dataset, store)
    call = await model.label(record_at(dataset, 3))
    await model.aclose()
    assert isinstance(call.outcome, Judgement)
    assert call.judge.title == model.title
    assert service.counts["ok"] == 1
    assert model.host in service.base_url


async def test_what_was_answered_is_not_asked_again(dataset: Path, store: Store, service: Service) -> None:
    model, record = asked(dataset, store), record_at(dataset, 3)
    call = await model.label(record)
    store.commit([Labelling(record, call)])
    again = await model.label(record)
    await model.aclose()
    assert again.outcome == call.outcome
    assert again.usage.requests == 0
    assert service.counts["ok"] == 1


async def test_the_rest_from_a_position_on_and_round(dataset: Path, store: Store, service: Service) -> None:
    model, record = asked(dataset, store), record_at(dataset, 6)
    store.commit([Labelling(record, await model.label(record))])
    outlooks, results = await rest_of(model, 5)
    await model.aclose()
    assert outlooks[0].total == 8
    order = [record.id for record, _ in results]
    assert sorted(map(int, map(str, order))) == [0, 1, 2, 3, 4, 5, 7, 8]
    assert set(order[:3]) <= {5, 7, 8, 0}  # four at a time
    assert service.counts["ok"] == 9


async def test_cancelling_ends_the_requests(dataset: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test_0123456789")
    with serving(FAULTS["hang"]) as service:
        monkeypatch.setenv("GROQ_BASE_URL", service.base_url)
        model = asked(dataset, store)
        task = asyncio.create_task(rest_of(model, 0))
        while service.in_flight < 4:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while service.counts["gone"] < 4:
            await asyncio.sleep(0.01)
        await model.aclose()


async def test_what_ends_the_run_is_said(dataset: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test_0123456789")
    with serving(FAULTS["daily"]) as service:
        monkeypatch.setenv("GROQ_BASE_URL", service.base_url)
        model = asked(dataset, store)
        with pytest.raises(JudgeUnavailableError, match="daily limit"):
            await rest_of(model, 0)
        await model.aclose()


async def test_a_failure_is_a_result(dataset: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test_0123456789")
    with serving(FAULTS["prose"]) as service:
        monkeypatch.setenv("GROQ_BASE_URL", service.base_url)
        model = asked(dataset, store)
        _, results = await rest_of(model, 0)
        await model.aclose()
    assert len(results) == 9
    assert all(isinstance(call.outcome, Failure) for _, call in results)


async def test_consent_is_asked_for_once(dataset: Path, store: Store, service: Service) -> None:
    model = asked(dataset, store)
    assert model.needs_consent() == 9
    model.consent()
    assert model.needs_consent() is None
    await model.aclose()
    again = asked(dataset, store)
    assert again.needs_consent() is None
    await again.aclose()
    assert service.chats == []


def test_no_key_is_said_before_anything_is_agreed_upon(
    dataset: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROQ_API_KEY", raising=False)
    with pytest.raises(JudgeUnavailableError, match="GROQ_API_KEY is not set"):
        asked(dataset, store)
