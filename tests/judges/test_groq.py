"""The Groq client, with the real SDK, against the test server."""

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.judges.clients import KEY, REQUEST, SECRET, TROUBLES, all_text_of, closing
from tests.service.chat import Answer, labelling
from tests.service.faults import FAULTS
from tests.service.script import Entry, scripted
from tests.service.server import Service, nobody
from tests.service.windows import Bucket
from trace_tui.errors import UsageError
from trace_tui.judges.address import groq_address
from trace_tui.judges.groq import GroqClient
from trace_tui.judges.limits import Limiter
from trace_tui.judges.service import ServiceError, Trouble

ROOT = Path(__file__).parents[2]
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def client_of(service: Service, limiter: Limiter | None = None) -> GroqClient:
    return GroqClient(SECRET, groq_address(service.base_url), limiter or Limiter())


async def failure_at(url: str) -> ServiceError:
    async with closing(GroqClient(SECRET, groq_address(url), Limiter())) as client:
        with pytest.raises(ServiceError) as caught:
            await client.complete(REQUEST)
    return caught.value


async def test_a_completion_and_what_was_sent_for_it() -> None:
    async with Service() as service, closing(client_of(service)) as client:
        read = await client.complete(REQUEST)
        assert client.host == service.base_url.removeprefix("http://")
    assert (read.text, read.finish_reason, read.refusal) == (labelling(REQUEST.user), "stop", "")
    assert read.prompt_tokens > 0
    assert read.completion_tokens > 0
    assert service.chats[0].body == {
        "model": REQUEST.model,
        "messages": [{"role": "system", "content": "Label this."}, {"role": "user", "content": REQUEST.user}],
        "max_completion_tokens": 2_000,
        "response_format": {"type": "json_object"},
        "reasoning_effort": "low",
        "temperature": 0.0,
    }
    assert service.authorizations == {f"Bearer {KEY}": 1}


async def test_models() -> None:
    async with Service(models=["a", "b"]) as service, closing(client_of(service)) as client:
        assert await client.models() == {"a", "b"}


async def test_a_base_url_with_the_path_is_the_same() -> None:
    async with Service() as service:
        address = groq_address(f"{service.base_url}/openai/v1")
        async with closing(GroqClient(SECRET, address, Limiter())) as client:
            assert (await client.complete(REQUEST)).text


@pytest.mark.parametrize("fault", TROUBLES)
async def test_each_fault_is_told_from_the_others(fault: str) -> None:
    async with Service(FAULTS[fault]) as service, closing(client_of(service)) as client:
        with pytest.raises(ServiceError) as caught:
            await client.complete(REQUEST)
        assert service.counts == {fault: 1}, "asked once: the SDK retries nothing"
    assert caught.value.trouble is TROUBLES[fault]
    assert KEY not in all_text_of(caught.value)


def test_every_fault_that_ends_a_request_is_among_them() -> None:
    silent = {"hang", "drip"}
    of_the_model = {"refusal", "prose", "empty", "cut_reply", "wrong_type"}
    assert TROUBLES.keys() == FAULTS.keys() - silent - of_the_model


async def test_what_goes_with_a_failure() -> None:
    async with Service(FAULTS["salvageable"]) as service, closing(client_of(service)) as client:
        with pytest.raises(ServiceError) as caught:
            await client.complete(REQUEST)
    assert labelling(REQUEST.user) in caught.value.failed_generation


@pytest.mark.parametrize("fault", ["hang", "drip"])
async def test_a_deadline_ends_a_request_and_frees_its_connection(fault: str) -> None:
    async with Service(FAULTS[fault], drip=0.01) as service, closing(client_of(service)) as client:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.complete(REQUEST)
        async with asyncio.timeout(5):
            await service.gone.wait()


async def test_hanging_requests_do_not_use_up_the_connections() -> None:
    async def give_up(client: GroqClient) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await client.complete(REQUEST)

    answer = scripted([Entry(fault="hang", times=25)])
    async with Service(answer) as service, closing(client_of(service)) as client:
        await asyncio.gather(*(give_up(client) for _ in range(20)))
        await asyncio.gather(*(give_up(client) for _ in range(5)))
        assert (await client.complete(REQUEST)).text == labelling(REQUEST.user)


async def test_no_more_than_twenty_are_in_flight() -> None:
    async with Service(delay=0.05) as service, closing(client_of(service)) as client:
        await asyncio.gather(*(client.complete(REQUEST) for _ in range(50)))
    assert service.most_in_flight == 20


async def test_a_redirect_carries_nothing_elsewhere() -> None:
    async with Service() as elsewhere:
        location = {"location": f"{elsewhere.base_url}/openai/v1/chat/completions"}
        async with Service(lambda _: Answer("redirect", 307, b"", location)) as service:
            error = await failure_at(service.base_url)
    assert error.trouble is Trouble.FATAL
    assert not elsewhere.counts
    assert not elsewhere.authorizations


async def test_a_refused_connection_is_said_in_words() -> None:
    with nobody() as url:
        error = await failure_at(url)
    assert error.trouble is Trouble.UNREACHABLE
    assert "connection refused" in str(error)


async def test_a_name_that_is_not_found_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    async def not_found(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", not_found)
    error = await failure_at("https://nowhere.invalid")
    assert error.trouble is Trouble.UNREACHABLE
    assert "name not found" in str(error)


@asynccontextmanager
async def answering(told: bytes, *, ends_with: bytes) -> AsyncIterator[int]:
    """Give the port of a server that says one thing once it has read so far, whatever it is asked."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(ends_with)
        writer.write(told)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_server_that_speaks_no_tls_is_said_in_words() -> None:
    async with answering(b"HTTP/1.1 400 Bad Request\r\n\r\n", ends_with=b"\x03") as port:
        error = await failure_at(f"https://127.0.0.1:{port}")
    assert error.trouble is Trouble.UNREACHABLE
    assert "no encrypted connection" in str(error)


async def test_what_is_no_http_is_garbled() -> None:
    async with answering(b"220 mail ready\r\n\r\n", ends_with=b"resp_s0") as port:
        error = await failure_at(f"http://127.0.0.1:{port}")
    assert error.trouble is Trouble.GARBLED


async def test_the_limiter_hears_of_every_answer() -> None:
    limiter = Limiter(clock=lambda: 0.0)
    async with Service(tokens=Bucket(6_000)) as service, closing(client_of(service, limiter)) as client:
        async with limiter.slot(2_000):
            await client.complete(REQUEST)
        waiting = asyncio.create_task(limiter.slot(5_000).__aenter__())
        await asyncio.sleep(0.01)
        assert limiter.waiting_for == "tokens a minute"
        waiting.cancel()


async def test_the_limiter_hears_when_to_try_again() -> None:
    limiter = Limiter(clock=lambda: 100.0)
    async with Service(FAULTS["daily"]) as service, closing(client_of(service, limiter)) as client:
        with pytest.raises(ServiceError):
            await client.complete(REQUEST)
        waiting = asyncio.create_task(limiter.slot().__aenter__())
        await asyncio.sleep(0.01)
        assert limiter.waiting_until == 100 + 7779
        waiting.cancel()


def echoing(chat: object) -> Answer:
    """Answer as a service does that repeats what it was sent, in the headers too."""
    body = f'{{"error": {{"message": "no: Bearer {KEY} and {KEY[:7]}...{KEY[-4:]}"}}}}'.encode()
    return Answer("echo", 401, body, {"x-echo": f"Bearer {KEY}", "content-type": "application/json"})


@pytest.mark.parametrize("fault", ["echo", "drop", "html", "cut_body"])
async def test_the_key_is_in_no_log_and_no_error(fault: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with Service(FAULTS.get(fault, echoing)) as service, closing(client_of(service)) as client:
        with pytest.raises(ServiceError) as caught:
            await client.complete(REQUEST)
        assert KEY not in repr(vars(client))
    assert KEY not in caplog.text
    assert "doc_0_s0" not in caplog.text
    assert KEY not in all_text_of(caught.value)
    assert KEY[-4:] not in str(caught.value)


async def test_the_environment_changes_neither_key_nor_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login mia password hunter2\n")
    async with Service() as proxy, Service() as service:
        monkeypatch.setenv("NETRC", str(netrc))
        monkeypatch.setenv("GROQ_API_KEY", "another-key")
        monkeypatch.setenv("GROQ_BASE_URL", proxy.base_url)
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.base_url)
        async with closing(client_of(service)) as client:
            await client.complete(REQUEST)
    assert service.authorizations == {f"Bearer {KEY}": 1}
    assert not proxy.authorizations


async def test_https_goes_through_the_proxy_which_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        error = await failure_at("https://groq.invalid")
    assert error.trouble is Trouble.UNREACHABLE
    assert "proxy refused" in str(error)
    assert seen[0].startswith(b"CONNECT groq.invalid:443")
    assert KEY.encode() not in seen[0]


@pytest.mark.parametrize("proxy", ["socks5://mia:hunter2@127.0.0.1:1", "nonsense://hunter2", "http://host:hunter2"])
async def test_a_proxy_that_cannot_be_used_is_named_not_shown(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(UsageError, match="HTTPS_PROXY") as caught:
        GroqClient(SECRET, groq_address(None), Limiter())
    assert "hunter2" not in str(caught.value)


async def test_half_a_surrogate_pair_can_be_sent() -> None:
    request = type(REQUEST)("m", "s", '{"doc_0_s0": "\ud83d"}', 100)
    async with Service() as service, closing(client_of(service)) as client:
        await client.complete(request)
    assert service.chats[0].user == '{"doc_0_s0": "?"}'


DEBUGGING = """
import asyncio
from tests.judges.clients import REQUEST, SECRET
from trace_tui.judges.address import groq_address
from trace_tui.judges.groq import GroqClient
from trace_tui.judges.limits import Limiter
from tests.service.script import Entry, scripted
from tests.service.server import Service

async def main():
    async with Service() as service:
        client = GroqClient(SECRET, groq_address(service.base_url), Limiter())
        await client.complete(REQUEST)
        await client.aclose()

asyncio.run(main())
"""


def test_groq_log_writes_nothing_to_the_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DEBUGGING],
        cwd=ROOT,
        env={"GROQ_LOG": "debug", "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
