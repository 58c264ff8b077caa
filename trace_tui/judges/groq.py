"""The chat client for Groq, through its SDK. Importing this costs a quarter of a second: only who asks Groq does."""

from collections.abc import Awaitable
from typing import Final

import groq
import httpx

from trace_tui.judges.address import Address
from trace_tui.judges.answers import Answer, read_completion, read_models
from trace_tui.judges.connection import body_of, broken, keep_quiet, open_http
from trace_tui.judges.limits import Limiter
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import ChatRequest, Completion

_COMPLETIONS: Final = "/openai/v1/chat/completions"
_MODELS: Final = "/openai/v1/models"


class GroqClient:
    """A `ChatClient` for Groq, or for what stands at `GROQ_BASE_URL` in its place.

    The SDK is asked for the plain response: its typed methods and objects cost twice the CPU (1.7 ms a call against
    0.85), hide headers, and raise another error for every way in which an answer can be no JSON.

    Args:
        secret: the key.
        address: from `groq_address`.
        limiter: is told what every answer says of the limits.

    Raises:
        UsageError: the environment's proxy cannot be used.
    """

    def __init__(self, secret: Secret, address: Address, limiter: Limiter) -> None:
        keep_quiet("groq", "httpx", "httpcore")
        self.host = address.host
        self._secret, self._limiter = secret, limiter
        self._sdk = groq.AsyncGroq(
            api_key=secret.reveal(), base_url=address.url, max_retries=0, http_client=open_http(address)
        )

    async def models(self) -> frozenset[str]:
        """Return the ids of the models that Groq offers to this key."""
        return read_models(await self._answer(self._sdk.get(_MODELS, cast_to=httpx.Response)), self._secret)

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request."""
        sending = self._sdk.post(_COMPLETIONS, body=body_of(request, "max_completion_tokens"), cast_to=httpx.Response)
        return read_completion(await self._answer(sending), self._secret)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    async def _answer(self, sending: Awaitable[httpx.Response]) -> Answer:
        try:
            response = await sending
        except groq.APIStatusError as exc:
            response = exc.response
        except groq.APIConnectionError as exc:  # timeouts too
            raise broken(exc.__cause__ or exc, self._secret) from None
        self._limiter.note(response.headers)
        return Answer(response.status_code, response.headers, response.content)
