"""The client for any OpenAI-compatible server, against the test server."""

import asyncio
import logging

import pytest

from tests.judges.clients import KEY, REQUEST, SECRET, TROUBLES, all_text_of, closing
from tests.service.chat import Answer, labelling
from tests.service.faults import FAULTS
from tests.service.server import Service, nobody
from tests.service.windows import Bucket
from trace_tui.judges.address import compatible_address
from trace_tui.judges.compatible import CompatibleClient
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ServiceError, Trouble


def client_at(url: str, secret: Secret | None = SECRET, limiter: Limiter | None = None) -> CompatibleClient:
    return CompatibleClient(secret, compatible_address(url, with_key=secret is not None), limiter or Limiter())


async def test_a_completion_and_what_was_sent_for_it() -> None:
    async with Service() as service, closing(client_at(service.compatible_url)) as client:
        read = await client.complete(REQUEST)
        assert client.host == service.base_url.removeprefix("http://")
    assert read.text == labelling(REQUEST.user)
    body = service.chats[0].body
    assert body["max_tokens"] == 2_000
    assert "max_completion_tokens" not in body
    assert (body["model"], body["reasoning_effort"]) == (REQUEST.model, "low")
    assert service.authorizations == {f"Bearer {KEY}": 1}


async def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with Service(models=["llama"]) as service, closing(client_at(service.compatible_url, None)) as client:
        assert await client.models() == {"llama"}
        await client.complete(REQUEST)
    assert service.authorizations == {"": 2}


@pytest.mark.parametrize("fault", TROUBLES)
async def test_each_fault_is_told_from_the_others(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with Service(FAULTS[fault]) as service, closing(client_at(service.compatible_url)) as client:
        with pytest.raises(ServiceError) as caught:
            await client.complete(REQUEST)
        assert service.counts == {fault: 1}
        assert KEY not in repr(client._http.headers)
    assert caught.value.trouble is TROUBLES[fault]
    assert KEY not in all_text_of(caught.value)
    assert KEY not in caplog.text


async def test_a_refused_connection_is_said_in_words() -> None:
    with nobody() as url:
        async with closing(client_at(f"{url}/v1")) as client:
            with pytest.raises(ServiceError, match="connection refused") as caught:
                await client.models()
    assert caught.value.trouble is Trouble.UNREACHABLE


@pytest.mark.parametrize("fault", ["hang", "drip"])
async def test_a_deadline_ends_a_request_and_frees_its_connection(fault: str) -> None:
    async with (
        Service(FAULTS[fault], drip=0.01) as service,
        closing(client_at(service.compatible_url)) as client,
    ):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.complete(REQUEST)
        async with asyncio.timeout(5):
            await service.gone.wait()


async def test_a_redirect_carries_nothing_elsewhere() -> None:
    async with Service() as elsewhere:
        location = {"location": f"{elsewhere.compatible_url}/chat/completions"}
        async with (
            Service(lambda _: Answer("redirect", 308, b"", location)) as service,
            closing(client_at(service.compatible_url)) as client,
        ):
            with pytest.raises(ServiceError):
                await client.complete(REQUEST)
    assert not elsewhere.authorizations


async def test_the_limiter_hears_of_every_answer() -> None:
    limiter = Limiter(clock=lambda: 0.0)
    async with (
        Service(tokens=Bucket(3_000)) as service,
        closing(client_at(service.compatible_url, limiter=limiter)) as client,
        limiter.slot(2_000),
    ):
        await client.complete(REQUEST)
    waiting = asyncio.create_task(limiter.slot(2_000).__aenter__())
    await asyncio.sleep(0.01)
    assert limiter.waiting_for == "tokens a minute"
    waiting.cancel()
