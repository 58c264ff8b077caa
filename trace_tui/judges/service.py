"""What a chat service is to the labeller, whatever client speaks to it: request, completion, and what goes wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request for a completion.

    `system` are the fixed instructions, `user` the record as JSON. `budget` is the most tokens that the completion,
    reasoning included, may have. `response_format` is None where none is asked for. `options` are the model's further
    parameters by the name that the service has for them (`reasoning_effort`, `temperature`, `seed`).
    """

    model: str
    system: str
    user: str
    budget: int
    response_format: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion as it came: `text` is never trusted. `finish_reason` is `length` where the budget cut it off."""

    text: str
    finish_reason: str = ""
    refusal: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0


class Trouble(Enum):
    """What kind of thing went wrong: what can be done about it follows from this."""

    UNREACHABLE = auto()  # no connection, or it broke
    GARBLED = auto()  # 200, but HTML, no JSON, a cut-off body, or no completion in it
    SERVER_ERROR = auto()  # 5xx, 408, 409, 498
    LIMITED = auto()  # 429, for a while
    DAILY_LIMIT = auto()  # 429, until tomorrow or so
    TOO_LARGE = auto()  # 413
    UNUSABLE_REPLY = auto()  # 400 json_validate_failed and the like: the model's reply did not fit the schema
    TRUNCATED_REPLY = auto()  # the same, because the budget cut it off
    REJECTED = auto()  # other 4xx: this request will never do
    FATAL = auto()  # 401, 403, 404 model_not_found: no request will do


class ServiceError(Exception):
    """A request that brought no completion.

    The message is one line, free of secrets. `retry_after` is in seconds, None where the service did not say.
    `failed_generation` is the model's reply that the service itself found unusable, "" where there is none.
    `status` is the HTTP status, None where there was none.
    """

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        *,
        status: int | None = None,
        retry_after: float | None = None,
        failed_generation: str = "",
    ) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.status = status
        self.retry_after = retry_after
        self.failed_generation = failed_generation


class ChatClient(Protocol):
    """A connection to one service, for one event loop. Retries nothing, and waits for nothing but the answer.

    Every answer's rate-limit headers go to the `Limiter` that the client was made with, failed ones too. Cancelling a
    request, as `asyncio.timeout` does, ends it and frees its connection.
    """

    host: str  # where requests go, as it is shown: host and port

    async def models(self) -> frozenset[str]:
        """Return the ids of the models that the service offers.

        Raises:
            ServiceError: it cannot be asked.
        """

    async def complete(self, request: ChatRequest) -> Completion:
        """Send one request.

        Raises:
            ServiceError: it brought no completion.
        """

    async def aclose(self) -> None:
        """Close all connections."""
