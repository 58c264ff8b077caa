"""Reads what a chat service answered, whatever client brought it: a completion, a list of models, or trouble."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import msgspec

from trace_tui.judges.limits import parse_duration, parse_retry_after
from trace_tui.judges.secrets import Secret, redact
from trace_tui.judges.service import Completion, ServiceError, Trouble

_LONGEST: Final = 300  # characters of a service's own words in a message
_LONG_WAIT: Final = 1800.0  # seconds from which on a limit is not one of minutes
_DAILY: Final = re.compile(r"\bper day\b|\b[RT]PD\b", re.IGNORECASE)
_OUT_OF_BUDGET: Final = re.compile(r"max(?:imum)?[ _](?:completion[ _])?tokens reached", re.IGNORECASE)
_TOO_LONG: Final = frozenset({"context_length_exceeded", "request_too_large"})
_UNUSABLE: Final = frozenset({"json_validate_failed", "output_parse_failed", "tool_use_failed"})
_OK: Final = 200
_SERVER: Final = 500


class _Details(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Details | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Chat(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class _Model(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: list[_Model]


_chat: Final = msgspec.json.Decoder(_Chat)
_models: Final = msgspec.json.Decoder(_Models)


class Answer(NamedTuple):
    """An HTTP answer as it came; header names in lower case. `host` is who gave it, as it is shown."""

    host: str
    status: int
    headers: Mapping[str, str]
    body: bytes


def read_completion(answer: Answer, secret: Secret | None) -> Completion:
    """Read the answer to a request for a completion.

    Args:
        answer: what came.
        secret: the key that was sent, which is taken out of whatever is kept.

    Raises:
        ServiceError: it is no completion.
    """
    _require_success(answer, secret)
    try:
        chat = _chat.decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _garbled(answer, str(error)) from error
    if not chat.choices:
        raise _garbled(answer, "no choice in it")
    choice, usage = chat.choices[0], chat.usage or _Usage()
    return Completion(
        text=_without(secret, choice.message.content or ""),
        finish_reason=choice.finish_reason or "",
        refusal=_without(secret, choice.message.refusal or ""),
        prompt_tokens=max(0, usage.prompt_tokens or 0),
        cached_tokens=max(0, (usage.prompt_tokens_details or _Details()).cached_tokens or 0),
        completion_tokens=max(0, usage.completion_tokens or 0),
    )


def read_models(answer: Answer, secret: Secret | None) -> frozenset[str]:
    """Read the list of models.

    Raises:
        ServiceError: it is none.
    """
    _require_success(answer, secret)
    try:
        return frozenset(model.id for model in _models.decode(answer.body).data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _garbled(answer, str(error)) from error


def unreachable(host: str, error: BaseException) -> ServiceError:
    """Return what a failed connection is, in words: clients hide the reason in the chain of causes."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        cause = cause.__cause__ or cause.__context__
    said = next((str(one) for one in reversed(seen) if str(one)), type(error).__name__)
    known = next((words for pattern, words in _REASONS if any(pattern.search(str(one)) for one in seen)), said)
    return ServiceError(Trouble.UNREACHABLE, f"{host}: {known[:_LONGEST]}")


_REASONS: Final = (
    (re.compile(r"\[Errno 111\]|\[Errno 61\]|refused|All connection attempts failed"), "connection refused"),
    (re.compile(r"\[Errno -[235]\]|Name or service not known|getaddrinfo|nodename nor servname"), "no such host"),
    (re.compile(r"CERTIFICATE_VERIFY_FAILED|certificate"), "its certificate cannot be trusted"),
    (re.compile(r"incomplete|without sending (?:a )?complete|peer closed"), "the connection broke off"),
    (re.compile(r"disconnected|reset by peer"), "the connection was dropped"),
    (re.compile(r"timed out|Timeout", re.IGNORECASE), "no answer in time"),
)


class _Complaint(NamedTuple):
    """What a service says is wrong."""

    message: str
    code: str
    failed_generation: str


def _require_success(answer: Answer, secret: Secret | None) -> None:
    """Raise what an answer that brought nothing amounts to."""
    if answer.status == _OK:
        return
    said = _complaint(answer, secret)
    trouble = _trouble(answer, said)
    retry_after = parse_retry_after(answer.headers.get("retry-after", ""))
    message = f"{answer.host}: {said.message} ({answer.status})"
    if trouble is Trouble.DAILY_LIMIT:
        retry_after = retry_after if retry_after is not None else _wait_in(said.message)
        message += _when(retry_after)
    raise ServiceError(
        trouble,
        message,
        status=answer.status,
        retry_after=retry_after,
        failed_generation=said.failed_generation,
    )


def _complaint(answer: Answer, secret: Secret | None) -> _Complaint:
    """Read an error body of any shape: Groq's, another server's, a proxy's page."""
    try:
        body: Any = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Complaint(_reason(answer.status), "", "")
    error = body.get("error", body) if isinstance(body, dict) else body
    fields: Mapping[str, Any] = error if isinstance(error, dict) else {"message": error}
    message, code, failed = (fields.get(name) for name in ("message", "code", "failed_generation"))
    said = " ".join(message.split()) if isinstance(message, str) else _reason(answer.status)
    return _Complaint(
        _without(secret, said)[:_LONGEST],
        code if isinstance(code, str) else "",
        _without(secret, failed) if isinstance(failed, str) else "",
    )


def _reason(status: int) -> str:
    return "error of the service" if status >= _SERVER else "the request was refused without a reason"


_BY_STATUS: Final = {
    401: Trouble.FATAL,
    403: Trouble.FATAL,
    404: Trouble.FATAL,
    408: Trouble.SERVER_ERROR,
    409: Trouble.SERVER_ERROR,
    413: Trouble.TOO_LARGE,
    425: Trouble.SERVER_ERROR,
    429: Trouble.LIMITED,
    498: Trouble.SERVER_ERROR,  # Groq: no capacity for the flexible tier
    499: Trouble.SERVER_ERROR,
}


def _trouble(answer: Answer, said: _Complaint) -> Trouble:
    trouble = _BY_STATUS.get(answer.status, Trouble.SERVER_ERROR if answer.status >= _SERVER else Trouble.REJECTED)
    if trouble is Trouble.LIMITED and _is_daily(answer.headers, said):
        return Trouble.DAILY_LIMIT
    if trouble is not Trouble.REJECTED:
        return trouble
    if said.code in _TOO_LONG:
        return Trouble.TOO_LARGE
    if said.code in _UNUSABLE or said.failed_generation:
        is_cut = _OUT_OF_BUDGET.search(f"{said.message} {said.failed_generation}")
        return Trouble.TRUNCATED_REPLY if is_cut else Trouble.UNUSABLE_REPLY
    return Trouble.REJECTED


def _is_daily(headers: Mapping[str, str], said: _Complaint) -> bool:
    if _DAILY.search(said.message):
        return True
    reset = parse_duration(headers.get("x-ratelimit-reset-requests", "")) or 0.0
    return headers.get("x-ratelimit-remaining-requests", "").strip() == "0" and reset > _LONG_WAIT


def _wait_in(message: str) -> float | None:
    found = re.search(r"try again in ([0-9.hmsd]+?)\.?(?:\s|$)", message)
    return parse_duration(found[1]) if found else None


def _when(seconds: float | None) -> str:
    """Say when to come back, as a time and as a while."""
    if seconds is None:
        return "; run it again tomorrow to go on"
    then = datetime.now().astimezone() + timedelta(seconds=seconds)
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"; come back at {then:%a %H:%M} (in {hours} h {minutes} min) and run it again to go on"


def _garbled(answer: Answer, why: str) -> ServiceError:
    kind = answer.headers.get("content-type", "").partition(";")[0][:40]
    what = kind if kind and "json" not in kind else f"JSON, but {why[:80]}"
    return ServiceError(Trouble.GARBLED, f"{answer.host}: the answer is no completion: {what}", status=answer.status)


def _without(secret: Secret | None, text: str) -> str:
    return redact(text, secret) if text else ""
