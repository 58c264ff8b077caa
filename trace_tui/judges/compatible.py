"""Speaks to any server with OpenAI's chat API (vLLM, Ollama, llama.cpp), through httpx alone."""

from typing import Any

import httpx
import msgspec

from trace_tui.judges.address import address_of
from trace_tui.judges.answers import Answer, read_completion, read_models, unreachable
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatRequest, Completion
from trace_tui.judges.transport import http_client


class CompatibleClient:
    """A `ChatClient` of the server at a base URL."""

    def __init__(self, secret: Secret | None, base_url: str, limiter: Limiter) -> None:
        """Open no connection yet.

        Raises:
            UsageError: the base URL is none, or the key would go to another machine over plain http.
        """
        address = address_of(base_url, has_key=secret is not None)
        self.host = address.host
        self._secret = secret
        self._limiter = limiter
        self._url = address.url
        headers = {"Authorization": f"Bearer {secret.reveal()}"} if secret else {}
        self._client = http_client(address, {"Content-Type": "application/json", **headers})

    async def models(self) -> frozenset[str]:
        """Return the ids of the models on offer."""
        return read_models(await self._answer("GET", "models"), self._secret)

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request; the budget goes by the name that all servers know."""
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            "max_tokens": request.budget,
            **request.options,
        }
        if request.response_format:
            body["response_format"] = request.response_format
        return read_completion(await self._answer("POST", "chat/completions", msgspec.json.encode(body)), self._secret)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def _answer(self, method: str, path: str, body: bytes | None = None) -> Answer:
        try:
            response = await self._client.request(method, f"{self._url}/{path}", content=body)
        except httpx.HTTPError as error:
            raise unreachable(self.host, error) from error
        self._limiter.note(response.headers)
        return Answer(self.host, response.status_code, response.headers, response.content)
