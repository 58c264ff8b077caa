"""Reads what a service answered: a completion, or what went wrong. Pure functions, the same for every client.

The errors are Groq's (https://console.groq.com/docs/errors); those of vLLM, Ollama and llama.cpp are read as well.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from trace_tui.judges.headers import allowance, parse_duration, retry_after
from trace_tui.judges.secrets import Secret, redact
from trace_tui.judges.service import Completion, ServiceError, Trouble

_LONGEST: Final = 300  # characters of a message
_READ: Final = 5_000  # characters that a message is made of
_HOUR: Final = 3600.0  # s
_SUCCESS: Final = 2  # the class of an HTTP status, its first digit
_UNUSABLE: Final = "json_validate_failed"
_OUT_OF_BUDGET: Final = "max completion tokens reached"
_PER_DAY: Final = re.compile(r"per day|\b(?:RPD|TPD)\b", re.IGNORECASE)
_TOO_LONG: Final = re.compile(r"context[_ ](?:length|window|size)", re.IGNORECASE)
_TRY_AGAIN: Final = re.compile(r"try again in ([0-9][0-9.a-zµ]*[0-9a-zµ])", re.IGNORECASE)
_HOPELESS: Final = frozenset(
    {"model_not_found", "model_decommissioned", "model_terms_required", "invalid_api_key", "insufficient_quota"}
)

_KINDS: Final[Mapping[int, tuple[Trouble, str]]] = {
    401: (Trouble.FATAL, "the key was not accepted"),
    402: (Trouble.FATAL, "the service asks for a payment"),
    403: (Trouble.FATAL, "access denied"),
    404: (Trouble.FATAL, "no such model or path"),
    405: (Trouble.FATAL, "no such path"),
    408: (Trouble.SERVER_ERROR, "the service timed out"),
    409: (Trouble.SERVER_ERROR, "conflict in the service"),
    413: (Trouble.TOO_LARGE, "request too large"),
    429: (Trouble.LIMITED, "rate limit reached"),
    498: (Trouble.SERVER_ERROR, "the service is at its capacity"),
    499: (Trouble.SERVER_ERROR, "the service gave up the request"),
}


class Answer(NamedTuple):
    """What came back. Header names are looked up in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Chat(msgspec.Struct):
    choices: list[_Choice]
    usage: Any = None  # for the accounts only: nothing in it spoils a completion


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


_Body = TypeVar("_Body", _Chat, _Models)


def read_completion(answer: Answer, secret: Secret | None) -> Completion:
    """Return the completion, without the key should the service have put that into it.

    Its text is the content of the first choice; what a model says under `reasoning` is no part of it.

    Raises:
        ServiceError: there is none.
    """
    chat = _read(answer, _Chat, secret)
    if not chat.choices:
        raise ServiceError(Trouble.GARBLED, "no completion in the answer", status=answer.status)
    choice = chat.choices[0]
    return Completion(
        text=_without(secret, choice.message.content or ""),
        finish_reason=choice.finish_reason or "",
        refusal=_without(secret, choice.message.refusal or ""),
        prompt_tokens=_count(chat.usage, "prompt_tokens"),
        cached_tokens=_count(chat.usage, "prompt_tokens_details", "cached_tokens"),
        completion_tokens=_count(chat.usage, "completion_tokens"),
    )


def read_models(answer: Answer, secret: Secret | None) -> frozenset[str]:
    """Return the ids of the models in an answer to `/models`.

    Raises:
        ServiceError: it is no list of models.
    """
    return frozenset(model.id for model in _read(answer, _Models, secret).data)


def message_line(text: str, secret: Secret | None) -> str:
    """Return what a service or a library said as one line, cut to a readable length, without secrets."""
    start = " ".join(text.split())[:_READ]  # a body has no bounds
    line = redact(start, secret)  # before the last cut: half a key is not recognised
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _read(answer: Answer, kind: type[_Body], secret: Secret | None) -> _Body:
    if answer.status // 100 != _SUCCESS:
        raise _refusal(answer, secret)
    if "text/html" in answer.headers.get("content-type", ""):
        raise ServiceError(Trouble.GARBLED, "an HTML page instead of JSON; check the base URL", status=answer.status)
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.DecodeError, RecursionError) as exc:
        said = _Said.of(answer.body).message or str(exc)
        text = message_line(f"the answer is not what was asked for: {said}", secret)
        raise ServiceError(Trouble.GARBLED, text, status=answer.status) from None


class _Said(NamedTuple):
    """What the body of an error says, as far as it does."""

    message: str = ""
    code: str = ""
    failed_generation: str = ""

    @classmethod
    def of(cls, body: bytes) -> "_Said":
        """Read an error in the form of OpenAI (an object under `error`), Ollama (a text there), or FastAPI."""
        try:
            data = msgspec.json.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return cls()
        error = data.get("error", data) if isinstance(data, dict) else None
        if not isinstance(error, dict):
            return cls(_text(error))
        message = _text(error.get("message")) or _text(error.get("detail"))
        code = _text(error.get("code")) or _text(error.get("type"))
        return cls(message, code, _text(error.get("failed_generation")))


def _refusal(answer: Answer, secret: Secret | None) -> ServiceError:
    said = _Said.of(answer.body)
    trouble, meaning = _kind(answer, said)
    wait = _wait(answer, said)
    if trouble is Trouble.DAILY_LIMIT:
        meaning = f"{meaning}, {_come_back(wait)}"
    text = f"{meaning} ({answer.status})" + (f": {said.message}" if said.message else "")
    return ServiceError(
        trouble,
        message_line(text, secret),
        status=answer.status,
        retry_after=wait,
        failed_generation=_without(secret, said.failed_generation),
    )


def _wait(answer: Answer, said: _Said) -> float | None:
    """Return the seconds until a request may be repeated: by the header, the words, or the daily count."""
    seconds = retry_after(answer.headers)
    if seconds is not None or answer.status != HTTPStatus.TOO_MANY_REQUESTS:
        return seconds
    if found := _TRY_AGAIN.search(said.message):
        return parse_duration(found[1])
    left = allowance(answer.headers, "requests")
    return left.reset if left and not left.remaining else None


def _kind(answer: Answer, said: _Said) -> tuple[Trouble, str]:
    """Tell what kind of refusal it is, and its meaning in words."""
    if said.code in _HOPELESS:
        return Trouble.FATAL, _KINDS.get(answer.status, (Trouble.FATAL, "no request will do"))[1]
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS and _is_daily(answer.headers, said.message):
        return Trouble.DAILY_LIMIT, "daily limit reached"
    if answer.status in _KINDS:
        return _KINDS[answer.status]
    match answer.status // 100:
        case 4:
            return _kind_of_bad_request(said)
        case 5:
            return Trouble.SERVER_ERROR, "error of the service"
        case _:
            return Trouble.FATAL, "the service points to another address, which is not followed; check the base URL"


def _kind_of_bad_request(said: _Said) -> tuple[Trouble, str]:
    if said.code == _UNUSABLE or said.failed_generation:
        if _OUT_OF_BUDGET in f"{said.message} {said.failed_generation}".lower():
            return Trouble.TRUNCATED_REPLY, "the reply did not fit the budget"
        return Trouble.UNUSABLE_REPLY, "the reply did not fit the schema"
    if _TOO_LONG.search(f"{said.code} {said.message}"):
        return Trouble.TOO_LARGE, "too long for the model"
    return Trouble.REJECTED, "request rejected"


def _is_daily(headers: Mapping[str, str], message: str) -> bool:
    if _PER_DAY.search(message):
        return True
    left = allowance(headers, "requests")
    return left is not None and not left.remaining and (left.reset or 0.0) >= _HOUR


def _come_back(wait: float | None) -> str:
    """Say when a request will do again: as local time, and as a duration."""
    if wait is None:
        return "and the service does not say until when"
    minutes = round(wait / 60) or 1
    hours, minutes = divmod(minutes, 60)
    duration = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    try:
        until = (datetime.now(UTC) + timedelta(seconds=wait)).astimezone()
    except OverflowError:
        return f"for {duration}"
    return f"until {until:%Y-%m-%d %H:%M} (in {duration})"


def _without(secret: Secret | None, text: str) -> str:
    return secret.hide_in(text) if secret else text


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(usage: object, *path: str) -> int:
    """Return a number of tokens, 0 where the service does not say."""
    for name in path:
        usage = usage.get(name) if isinstance(usage, dict) else None
    return usage if isinstance(usage, int) and not isinstance(usage, bool) and usage > 0 else 0
