from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_tui.judges.answers import Answer, read_completion, read_models
from trace_tui.judges.secrets import Secret
from trace_tui.judges.service import Completion, ServiceError, Trouble

KEY = "gsk_Zx81kQw9LmT2vB7cYd0pRs"
SECRET = Secret(KEY)
JSON = {"content-type": "application/json"}


def answer(body: Any, status: int = 200, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, JSON | named, body if isinstance(body, bytes) else msgspec.json.encode(body))


def chat(message: Any, finish_reason: Any = "stop", **more: Any) -> Answer:
    return answer({"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}], **more})


def failure(given_answer: Answer) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read_completion(given_answer, SECRET)
    error = caught.value
    assert error.__cause__ is None
    assert len(str(error)) <= 300
    assert "\n" not in str(error)
    return error


def error_body(message: str = "", **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def test_a_completion_with_what_it_cost() -> None:
    usage = {"prompt_tokens": 120, "completion_tokens": 30, "prompt_tokens_details": {"cached_tokens": 64}, "new": [1]}
    message = {"role": "assistant", "content": "{}", "reasoning": '{"no": 1}'}
    read = read_completion(chat(message, usage=usage, id="x", x_groq={"id": "y"}), SECRET)
    assert read == Completion("{}", "stop", "", 120, 64, 30)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        7,
        [],
        {},
        {"prompt_tokens": None},
        {"prompt_tokens": "5", "prompt_tokens_details": 3},
        {"prompt_tokens": True},
        {"completion_tokens": -1},
    ],
)
def test_a_usage_that_says_nothing_spoils_nothing(usage: Any) -> None:
    assert read_completion(chat({"content": "x"}, usage=usage), SECRET) == Completion("x", "stop")


@pytest.mark.parametrize(
    ("message", "finish_reason", "expected"),
    [
        ({"content": None}, "length", Completion("", "length")),
        ({"reasoning": "only"}, "stop", Completion("", "stop")),
        ({"content": None, "refusal": "No."}, "stop", Completion("", "stop", "No.")),
        ({"content": ""}, None, Completion("", "")),
    ],
)
def test_completions_without_content(message: Any, finish_reason: Any, expected: Completion) -> None:
    assert read_completion(chat(message, finish_reason), SECRET) == expected


def test_a_completion_is_kept_without_the_key_and_else_as_it_is() -> None:
    text = f"key {KEY}, org_01kjh7p9n8f1qs6nz2bz77vy6b\n"
    assert read_completion(chat({"content": text}), SECRET).text == text.replace(KEY, "[hidden]")
    assert read_completion(chat({"content": text}), None).text == text


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        b"\xff\xfe",
        b'{"choices": null}',
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{"message": {"content": ["x"]}}]}',
        b'{"choices": [{"message": {"content": {"text": "x"}}}]}',
        b'{"choices": [{"message": {"content": "x"}}]} more',
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
        b'{"usage": ' + b"[" * 100_000,
        b'{"error": {"message": "upstream failed"}}',
    ],
)
def test_a_200_that_is_no_completion_is_garbled(body: bytes) -> None:
    assert failure(answer(body)).trouble is Trouble.GARBLED


def test_a_page_is_garbled() -> None:
    page = Answer(200, {"content-type": "text/html; charset=utf-8"}, b"<html>")
    assert failure(page).trouble is Trouble.GARBLED
    assert "HTML" in str(failure(page))


@given(st.binary(max_size=200), st.sampled_from([200, 204, 302, 400, 401, 404, 413, 418, 429, 500, 599]))
def test_no_body_brings_another_error(body: bytes, status: int) -> None:
    assert failure(Answer(status, JSON, body)).status == status


INVALID = {"type": "invalid_request_error"}
UNUSABLE = {"code": "json_validate_failed", **INVALID}


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (401, error_body("Invalid API Key", code="invalid_api_key"), Trouble.FATAL),
        (402, error_body("Insufficient balance"), Trouble.FATAL),
        (403, error_body("Forbidden"), Trouble.FATAL),
        (404, error_body("The model `m` does not exist", code="model_not_found"), Trouble.FATAL),
        (404, b"<html>not here</html>", Trouble.FATAL),
        (404, {"error": "model 'm' not found, try pulling it first"}, Trouble.FATAL),
        (400, error_body("The model `m` has been decommissioned", code="model_decommissioned"), Trouble.FATAL),
        (302, b"", Trouble.FATAL),
        (307, b"", Trouble.FATAL),
        (413, error_body("Request too large", code="rate_limit_exceeded"), Trouble.TOO_LARGE),
        (400, error_body("too long", code="context_length_exceeded"), Trouble.TOO_LARGE),
        (400, {"object": "error", "message": "This model's maximum context length is 4096"}, Trouble.TOO_LARGE),
        (400, error_body("request exceeds", type="exceed_context_size_error"), Trouble.TOO_LARGE),
        (400, error_body("Failed", failed_generation='{"a"', **UNUSABLE), Trouble.UNUSABLE_REPLY),
        (400, error_body("max completion tokens reached before …", **UNUSABLE), Trouble.TRUNCATED_REPLY),
        (400, error_body(failed_generation="max completion tokens reached", **UNUSABLE), Trouble.TRUNCATED_REPLY),
        (400, error_body("`logprobs` is not supported", **INVALID), Trouble.REJECTED),
        (422, {"detail": "unprocessable"}, Trouble.REJECTED),
        (418, b"", Trouble.REJECTED),
        (429, error_body("Rate limit reached on tokens per minute (TPM): try again in 1s"), Trouble.LIMITED),
        (429, error_body("Rate limit reached on tokens per day (TPD): Limit 100000"), Trouble.DAILY_LIMIT),
        (429, error_body("on requests per day (RPD): Limit 1000"), Trouble.DAILY_LIMIT),
        (429, b"slow down", Trouble.LIMITED),
        (408, b"", Trouble.SERVER_ERROR),
        (409, b"", Trouble.SERVER_ERROR),
        (498, b"", Trouble.SERVER_ERROR),
        (499, b"", Trouble.SERVER_ERROR),
        (500, error_body("oops"), Trouble.SERVER_ERROR),
        (502, b"<html>", Trouble.SERVER_ERROR),
        (503, error_body("over capacity"), Trouble.SERVER_ERROR),
        (599, b"[]", Trouble.SERVER_ERROR),
    ],
)
def test_what_a_refusal_is(status: int, body: Any, trouble: Trouble) -> None:
    error = failure(answer(body, status))
    assert (error.trouble, error.status) == (trouble, status)
    assert str(status) in str(error)


def test_the_services_words_are_in_the_message() -> None:
    assert str(failure(answer(error_body("Over\n capacity"), 503))) == "error of the service (503): Over capacity"
    assert "try pulling" in str(failure(answer({"error": "try pulling it first"}, 404)))


def test_the_reply_that_the_service_refused_is_kept_without_the_key() -> None:
    error = failure(answer(error_body("Failed", failed_generation=f'{{"a": "{KEY}"}}', **UNUSABLE), 400))
    assert error.failed_generation == '{"a": "[hidden]"}'


def test_no_message_holds_a_secret_or_has_no_end() -> None:
    said = f"Wrong key {KEY} (gsk_Zx81…0pRs) of org_01kjh7p9n8f1qs6nz2bz77vy6b. " + "x" * 290 + KEY + "y" * 1_000_000
    error = failure(answer(error_body(said), 401))
    for part in (KEY, "Zx81", "0pRs", "org_"):
        assert part not in str(error)
    assert str(error).endswith("…")


@pytest.mark.parametrize(
    ("message", "headers", "seconds"),
    [
        ("", {"retry_after": "7"}, 7),
        ("try again in 9m38.016s. Need", {"retry_after": "0.5"}, 0.5),
        ("Please try again in 9m38.016s. Need more tokens?", {}, 578.016),
        ("Please try again in 644ms.", {}, 0.644),
        ("Please try again in a while.", {}, None),
        ("", {}, None),
    ],
)
def test_when_to_try_again(message: str, headers: Mapping[str, str], seconds: float | None) -> None:
    assert failure(answer(error_body(message), 429, **headers)).retry_after == seconds


def test_an_error_of_the_server_may_say_when_too() -> None:
    assert failure(answer(b"", 503, retry_after="3")).retry_after == 3


def test_the_daily_limit_says_when_to_come_back() -> None:
    error = failure(answer(error_body("on tokens per day (TPD): Limit 100000"), 429, retry_after="7779"))
    assert error.retry_after == 7779
    assert "(in 2 h 10 min)" in str(error)
    assert "until 20" in str(error)


def test_no_requests_left_for_hours_is_the_daily_limit() -> None:
    headers = {
        "x_ratelimit_limit_requests": "1000",
        "x_ratelimit_remaining_requests": "0",
        "x_ratelimit_reset_requests": "5h30m",
    }
    error = failure(answer(error_body("Too many"), 429, **headers))
    assert (error.trouble, error.retry_after) == (Trouble.DAILY_LIMIT, 19_800)


@pytest.mark.parametrize("wait", ["999999999999", "99999999d"])
def test_a_day_beyond_the_calendar_is_no_crash(wait: str) -> None:
    assert failure(answer(error_body("per day"), 429, retry_after=wait)).trouble is Trouble.DAILY_LIMIT


def test_models() -> None:
    body = {"object": "list", "data": [{"id": "a", "active": True}, {"id": "b"}]}
    assert read_models(answer(body), SECRET) == {"a", "b"}
    with pytest.raises(ServiceError):
        read_models(answer({"data": [{}]}), SECRET)
