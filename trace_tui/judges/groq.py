"""Speaks to Groq through its SDK: one client for one event loop, which retries nothing and follows nothing."""

import logging
from typing import Any, Final

import groq
import httpx
from groq import AsyncGroq

from trace_tui.judges.address import groq_address
from trace_tui.judges.answers import Answer, read_completion, read_models, unreachable
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatRequest, Completion
from trace_tui.judges.transport import http_client

# What the SDK and its HTTP client log at debug level has whole requests in it: documents, and headers.
_TALKATIVE: Final = ("groq", "httpx", "httpcore")


class GroqClient:
    """A `ChatClient` of Groq, or of whatever stands at GROQ_BASE_URL."""

    def __init__(self, secret: Secret, base_url: str | None, limiter: Limiter) -> None:
        """Open no connection yet.

        Raises:
            UsageError: the base URL is none, or the key would go to another machine over plain http.
        """
        address = groq_address(base_url)
        self.host = address.host
        self._secret = secret
        self._limiter = limiter
        self._client = AsyncGroq(
            api_key=secret.reveal(), base_url=address.url, max_retries=0, http_client=http_client(address)
        )
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)

    async def models(self) -> frozenset[str]:
        """Return the ids of the models on offer."""
        return read_models(await self._answer(self._client.models.with_raw_response.list()), self._secret)

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request."""
        parameters: dict[str, Any] = dict(request.options)
        if request.response_format:
            parameters["response_format"] = request.response_format
        asked = self._client.chat.completions.with_raw_response.create(
            model=request.model,
            messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            max_completion_tokens=request.budget,
            **parameters,
        )
        return read_completion(await self._answer(asked), self._secret)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def _answer(self, asked: Any) -> Answer:
        try:
            response: httpx.Response = (await asked).http_response
        except groq.APIStatusError as error:
            response = error.response
        except (groq.APIConnectionError, httpx.HTTPError) as error:
            raise unreachable(self.host, error) from error
        self._limiter.note(response.headers)
        return Answer(self.host, response.status_code, response.headers, response.content)
