from datetime import UTC, datetime
from math import isfinite

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.windows import as_groq_writes
from trace_tui.judges.headers import Allowance, allowance, parse_duration, parse_retry_after

NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2m59.56s", 179.56),
        ("7.66s", 7.66),
        ("120ms", 0.12),
        ("1h2m3s", 3723),
        ("1d", 86_400),
        ("1d2h", 93_600),
        ("6.780999999s", 6.780999999),
        ("300µs", 0.0003),
        (" 7 ", 7),
        ("2.5", 2.5),
        ("0s", 0),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "7 s", "-7s", "1h x", "soon", "nan", "inf", "1e9", "٣s", "9" * 400, "1..2s"])
def test_no_durations(text: str) -> None:
    assert parse_duration(text) is None


@given(st.floats(0, 1e6))
def test_reads_what_groq_writes(seconds: float) -> None:
    assert parse_duration(as_groq_writes(seconds)) == pytest.approx(seconds, abs=2e-3)


@given(st.text() | st.from_regex(r"[0-9.dhmsuµn ]*", fullmatch=True))
def test_any_text_is_a_finite_duration_or_none(text: str) -> None:
    seconds = parse_duration(text)
    assert seconds is None or (isfinite(seconds) and seconds >= 0)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2", 2),
        ("0.25", 0.25),
        ("7779", 7779),
        ("Tue, 01 Sep 2026 12:01:30 GMT", 90),
        ("Tue, 01 Sep 2026 11:00:00 GMT", 0),
        ("Tue, 01 Sep 2026 14:00:30 +0200", 30),
        ("tomorrow", None),
        ("", None),
        ("-5", None),
    ],
)
def test_retry_after(text: str, seconds: float | None) -> None:
    assert parse_retry_after(text, NOW) == seconds


@given(st.text())
def test_any_retry_after_is_seconds_or_none(text: str) -> None:
    seconds = parse_retry_after(text, NOW)
    assert seconds is None or seconds >= 0


def test_allowances() -> None:
    headers = {
        "x-ratelimit-limit-requests": "14400",
        "x-ratelimit-remaining-requests": "14370",
        "x-ratelimit-reset-requests": "2m59.56s",
        "x-ratelimit-limit-tokens": "18000",
        "x-ratelimit-remaining-tokens": "17997",
    }
    assert allowance(headers, "requests") == Allowance(14_400, 14_370, 179.56)
    assert allowance(headers, "tokens") == Allowance(18_000, 17_997, None)
    assert allowance({}, "tokens") is None
