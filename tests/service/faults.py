"""The faults that the test server knows by name, and how they are drawn at random."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any
from zlib import crc32

from tests.service.chat import Answer, Answerer, Chat, Manner, completion, error, labelling, plausible

Fault = Callable[[Chat], Answer]

_PAGE = b"<!DOCTYPE html><html><body><h1>Bad gateway</h1></body></html>"
_HTML = {"content-type": "text/html; charset=utf-8"}
_LIMITED = (
    "Rate limit reached for model `m` in organization `org_01test0000000000000000000` service tier `on_demand` on {}: "
    "Limit {}, Used {}, Requested 2000. Please try again in {}. Visit https://console.groq.com/docs/rate-limits."
)


def limited(what: str, limit: int, wait: str, headers: Mapping[str, str], name: str = "limited") -> Answer:
    """Return a 429 in Groq's words."""
    kind = "tokens" if "token" in what else "requests"
    text = _LIMITED.format(what, limit, limit, wait)
    return error(429, text, name, headers, type=kind, code="rate_limit_exceeded")


def _said(*answer: Any, **more: Any) -> Fault:
    return lambda _: error(*answer, **more)


def _unusable(name: str, text: Callable[[Chat], str]) -> Fault:
    said = "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details."
    kind = {"type": "invalid_request_error", "code": "json_validate_failed"}
    return lambda chat: error(400, said, name, **kind, failed_generation=text(chat))


def _manner(name: str, manner: Manner) -> Fault:
    return lambda chat: replace(plausible(chat), name=name, manner=manner)


def _model(name: str, text: str | None, finish_reason: str = "stop", **message: Any) -> Fault:
    return lambda chat: replace(completion(text, chat, finish_reason, **message), name=name)


def _half(chat: Chat) -> str:
    reply = labelling(chat.user)
    return reply[: len(reply) // 2]


# What passes, or concerns one request: what `--faults` draws from.
PASSING: dict[str, Fault] = {
    "limited": lambda _: limited("tokens per minute (TPM)", 6000, "300ms", {"retry-after": "0.3"}),
    "server_error": _said(500, "Internal server error", "server_error", type="internal_server_error"),
    "unavailable": _said(503, "Over capacity", "unavailable", {"retry-after": "0.2"}, type="internal_server_error"),
    "too_large": _said(
        413, "Request too large for model `m`: Limit 6000, Requested 9000", "too_large", code="rate_limit_exceeded"
    ),
    "unusable": _unusable("unusable", _half),
    "salvageable": _unusable("salvageable", lambda chat: f"Here it is: {labelling(chat.user)}"),
    "out_of_budget": _unusable(
        "out_of_budget", lambda _: "max completion tokens reached before generating a valid document"
    ),
    "html": lambda _: Answer("html", 200, _PAGE, _HTML),
    "bad_gateway": lambda _: Answer("bad_gateway", 502, _PAGE, _HTML),
    "bad_json": lambda _: Answer("bad_json", 200, b'{"choices": [{"message": {"content": "oh'),
    "no_choices": lambda _: Answer("no_choices", 200, b'{"choices": []}'),
    "cut_body": _manner("cut_body", Manner.CUT),
    "drip": _manner("drip", Manner.DRIP),
    "drop": _manner("drop", Manner.DROP),
    "hang": _manner("hang", Manner.HANG),
    "refusal": _model("refusal", None, refusal="I cannot help with section 2."),
    "prose": _model("prose", "I'm sorry, but I cannot rate this. See section 2."),
    "empty": _model("empty", ""),
    "cut_reply": lambda chat: replace(completion(_half(chat), chat, "length"), name="cut_reply"),
    "wrong_type": _model("wrong_type", '{"all_relevant_sentence_keys": "all", "sentence_support_information": 7}'),
}

# What no later request will get past.
LASTING: dict[str, Fault] = {
    "unauthorized": _said(401, "Invalid API Key", "unauthorized", type="invalid_request_error", code="invalid_api_key"),
    "forbidden": _said(403, "Access denied for this organization", "forbidden", type="permissions_error"),
    "no_model": _said(
        404,
        "The model `m` does not exist or you do not have access to it.",
        "no_model",
        type="invalid_request_error",
        code="model_not_found",
    ),
    "daily": lambda _: limited("tokens per day (TPD)", 100_000, "2h9m38.016s", {"retry-after": "7779"}, "daily"),
    "redirect": lambda _: Answer("redirect", 307, b"", {"location": "http://127.0.0.1:9/elsewhere"}),
}

FAULTS: dict[str, Fault] = PASSING | LASTING


def drawn(rate: float, seed: int, names: Sequence[str] = tuple(PASSING), otherwise: Answerer = plausible) -> Answerer:
    """Return what answers with a fault in a share `rate` of requests.

    The draw depends on seed, request and attempt alone, not on the order in which requests come: a run is repeatable.
    """

    def answer(chat: Chat) -> Answer:
        random = Random(f"{seed}/{chat.attempt}/{crc32(chat.user.encode())}")
        if random.random() >= rate:
            return otherwise(chat)
        return FAULTS[random.choice(names)](chat)

    return answer
