"""What comes of putting a record to a model: labels, or a failure with its cause, and what either cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from trace_tui.labels import Judge, Judgement


class Cause(StrEnum):
    """Why a model gave no labels for a record. The value is what progress and totals print."""

    EMPTY = "empty reply"
    NO_OBJECT = "no JSON object in the reply"
    TRUNCATED = "reply cut off"
    WRONG_TYPE = "wrong type in the reply"
    AMBIGUOUS = "several different answers in one reply"
    UNUSABLE = "reply refused by the service"
    ECHO = "reply copied from the record"
    REFUSED = "the model refused"
    NO_MAJORITY = "too few valid votes"
    TOO_LONG = "too long for the model"
    DEADLINE = "deadline passed"
    UNREACHABLE = "no connection"
    GARBLED = "answer of the service not readable"
    SERVER_ERROR = "error of the service"
    REJECTED = "request rejected"
    LIMITED = "rate limit"


@dataclass(frozen=True, slots=True)
class Usage:
    """What calls cost. `cached_tokens` of the `prompt_tokens` came from the service's prefix cache.

    `completion_tokens` include reasoning. `requests` counts every request sent, the failed ones too; `seconds` is the
    time from the first to the last answer.
    """

    requests: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.requests + other.requests,
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Failure:
    """No labels and no score: why, in detail, and the raw reply as far as there is one, free of secrets."""

    cause: Cause
    detail: str
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """One record put to one judge.

    `request` is a hash of all that was asked: equal requests have equal answers, and need not be asked twice.
    `at` is ISO 8601 in UTC.
    """

    uid: str
    judge: Judge
    request: str
    at: str
    usage: Usage
    outcome: Judgement | Failure


Causes = Mapping[Cause, int]
"""How many records failed, by cause."""


def listed(causes: Causes) -> str:
    """Return how many records failed for what cause, the most frequent first: `deadline passed 3, rate limit 1`."""
    return ", ".join(f"{cause.value} {count:,}" for cause, count in sorted(causes.items(), key=lambda item: -item[1]))
