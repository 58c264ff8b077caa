"""A chat service on 127.0.0.1 that speaks Groq's paths, and those of any OpenAI-compatible server."""

import asyncio
import socket
import time
from asyncio import StreamReader, StreamWriter
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import ceil
from types import TracebackType
from typing import Self

import msgspec

from tests.service.chat import Answer, Answerer, Chat, Manner, error, plausible, tokens_of
from tests.service.faults import limited
from tests.service.windows import MINUTE, Window, as_groq_writes
from tests.service.wire import Request, head_of, read_request

GROQ = "/openai/v1"
COMPATIBLE = "/v1"
MODELS = ("openai/gpt-oss-120b", "openai/gpt-oss-20b", "qwen/qwen3-32b")


class Service:
    """The server: an async context manager that listens while it is open.

    Args:
        answer: what answers a request for a completion; a plausible labelling unless told.
        delay: seconds before every answer.
        requests: the limit of requests a minute that is enforced, and how it is counted.
        tokens: the same for tokens; its headers go out with every answer, as Groq's do.
        key: the key that must be sent; any will do unless told.
        port: where to listen; any free port unless told.
        drip: seconds between the bytes of a dripping body.

    Attributes:
        counts: answers by name; `gone` are clients that closed their connection while they were owed one.
        gone: set once a client did that.
        asked: how often each record was asked for, by the text that was sent of it.
        authorizations: the Authorization headers seen, "" for none, and how often.
        chats: the requests for completions, in the order in which they came.
    """

    def __init__(
        self,
        answer: Answerer = plausible,
        *,
        delay: float = 0.0,
        requests: Window | None = None,
        tokens: Window | None = None,
        models: Sequence[str] = MODELS,
        key: str | None = None,
        port: int = 0,
        drip: float = 1.0,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.authorizations: Counter[str] = Counter()
        self.chats: list[Chat] = []
        self.gone = asyncio.Event()
        self.in_flight = self.most_in_flight = self.connections = 0
        self._answer, self._delay, self._drip = answer, delay, drip
        self._requests, self._tokens, self._models, self._key = requests, tokens, models, key
        self._port = port
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def base_url(self) -> str:
        """What GROQ_BASE_URL is set to."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def compatible_url(self) -> str:
        """What --base-url is set to."""
        return self.base_url + COMPATIBLE

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (request := await read_request(reader)) and await self._serve(request, reader, writer):
                pass
        except ConnectionError:
            self._miss()
        except asyncio.CancelledError:
            pass  # the server ends; asyncio would report the cancelled handler of a connection as an error
        finally:
            writer.close()
            self.connections -= 1
            self._tasks.discard(task)

    async def _serve(self, request: Request, reader: StreamReader, writer: StreamWriter) -> bool:
        """Answer one request; return whether the connection can serve another."""
        self.in_flight += 1
        self.most_in_flight = max(self.in_flight, self.most_in_flight)
        try:
            answer = self._respond(request)
            self.counts[answer.name] += 1
            if self._delay + answer.delay:
                await asyncio.sleep(self._delay + answer.delay)
            return await self._send(answer, reader, writer)
        finally:
            self.in_flight -= 1

    async def _send(self, answer: Answer, reader: StreamReader, writer: StreamWriter) -> bool:
        head = head_of(answer.status, answer.headers, len(answer.body))
        match answer.manner:
            case Manner.WHOLE:
                writer.write(head + answer.body)
                await writer.drain()
                return True
            case Manner.CUT:
                writer.write(head + answer.body[: len(answer.body) // 2])
                await writer.drain()
            case Manner.DRIP:
                writer.write(head_of(answer.status, answer.headers, 1 << 30))
                while not reader.at_eof():
                    writer.write(b" ")
                    await writer.drain()
                    await asyncio.sleep(self._drip)
                self._miss()
            case Manner.HANG:
                await reader.read(1)  # which the client never sends: it goes away
                self._miss()
            case Manner.DROP:
                writer.transport.abort()
        return False

    def _miss(self) -> None:
        self.counts["gone"] += 1
        self.gone.set()

    def _respond(self, request: Request) -> Answer:
        authorization = request.headers.get("authorization", "")
        self.authorizations[authorization] += 1
        if self._key is not None and authorization != f"Bearer {self._key}":
            return error(401, "Invalid API Key", "unauthorized", type="invalid_request_error", code="invalid_api_key")
        match request.method, request.path.removeprefix(GROQ).removeprefix(COMPATIBLE):
            case "GET", "/models":
                return self._list_models()
            case "POST", "/chat/completions":
                return self._complete(request)
        text = f"Unknown request URL: {request.method} {request.path}. Please check the URL for typos."
        return error(404, text, "unknown_url", type="invalid_request_error", code="unknown_url")

    def _list_models(self) -> Answer:
        data = [{"id": name, "object": "model", "owned_by": "test", "active": True} for name in self._models]
        return Answer("models", body=msgspec.json.encode({"object": "list", "data": data}))

    def _complete(self, request: Request) -> Answer:
        try:
            body = msgspec.json.decode(request.body, type=dict)
            chat = Chat(body, self.asked[Chat(body).user])
            cost = sum(tokens_of(chat))
        except (msgspec.DecodeError, KeyError, IndexError, TypeError) as exc:
            return error(400, f"{type(exc).__name__} in the request", "bad_request", type="invalid_request_error")
        self.asked[chat.user] += 1
        self.chats.append(chat)
        answer = self._refusal(cost) or self._answer(chat)
        return replace(answer, headers={**self._limit_headers(), **answer.headers})

    def _refusal(self, cost: int) -> Answer | None:
        """Return a 429 if a limit is reached, else count the request against the limits."""
        now = time.monotonic()
        for window, amount, what in ((self._requests, 1, "requests"), (self._tokens, cost, "tokens")):
            if window and (wait := window.admit(now, amount)):
                headers = {"retry-after": str(ceil(wait))}
                return limited(f"{what} per minute", window.limit, as_groq_writes(wait), headers, "over_limit")
        return None

    def _limit_headers(self) -> dict[str, str]:
        if not self._tokens:
            return {}
        limit, left = self._tokens.limit, self._tokens.remaining(time.monotonic())
        return {
            "x-ratelimit-limit-requests": "14400",
            "x-ratelimit-remaining-requests": str(14400 - len(self.chats)),
            "x-ratelimit-reset-requests": as_groq_writes(6.0 * len(self.chats)),
            "x-ratelimit-limit-tokens": str(limit),
            "x-ratelimit-remaining-tokens": str(left),
            "x-ratelimit-reset-tokens": as_groq_writes((limit - left) * MINUTE / limit),
        }


@contextmanager
def nobody() -> Iterator[str]:
    """Give a base URL at which every connection is refused."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: nobody else can come to listen there
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
