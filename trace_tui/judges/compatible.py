"""The chat client for any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp."""

from collections.abc import Awaitable

import httpx

from trace_tui.judges.address import Address
from trace_tui.judges.answers import Answer, read_completion, read_models
from trace_tui.judges.connection import body_of, broken, keep_quiet, open_http
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatRequest, Completion


class CompatibleClient:
    """A `ChatClient` for an OpenAI-compatible server.

    The budget goes by the name of `max_tokens`, which all three have; Ollama knows no `max_completion_tokens`, and
    there are servers that refuse a request with both.

    Args:
        secret: the key, None where the server wants none.
        address: from `compatible_address`.
        limiter: is told what every answer says of the limits.

    Raises:
        UsageError: the environment's proxy cannot be used.
    """

    def __init__(self, secret: Secret | None, address: Address, limiter: Limiter) -> None:
        keep_quiet("httpx", "httpcore")
        self.host = address.host
        self._url, self._secret, self._limiter = address.url, secret, limiter
        self._http = open_http(address)
        if secret is not None:
            self._http.headers["authorization"] = f"Bearer {secret.reveal()}"

    async def models(self) -> frozenset[str]:
        """Return the ids of the models that the server offers."""
        return read_models(await self._answer(self._http.get(f"{self._url}/models")), self._secret)

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request."""
        sending = self._http.post(f"{self._url}/chat/completions", json=body_of(request, "max_tokens"))
        return read_completion(await self._answer(sending), self._secret)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def _answer(self, sending: Awaitable[httpx.Response]) -> Answer:
        try:
            response = await sending
        except httpx.HTTPError as exc:
            raise broken(exc, self._secret) from None
        self._limiter.note(response.headers)
        return Answer(response.status_code, response.headers, response.content)
