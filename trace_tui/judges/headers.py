"""Reads the headers in which a service says how much may still be asked of it, and when again. Pure functions."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

_UNITS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_NUMBER: Final = r"[0-9]{1,12}(?:\.[0-9]{0,12})?"  # bounded, so that no header makes an infinity
_PART: Final = re.compile(rf"({_NUMBER})(d|h|ms|m|s|us|µs|ns)")
_DURATION: Final = re.compile(rf"(?:{_PART.pattern})+")
_PLAIN: Final = re.compile(_NUMBER)
_COUNT: Final = re.compile(r"[0-9]{1,15}")


def parse_duration(text: str) -> float | None:
    """Read a duration: `2m59.56s`, `7.66s`, `120ms`, `1h2m3s`, `1d`, or plain seconds, `7`.

    Returns:
        Seconds, None if it is no duration.
    """
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def parse_retry_after(text: str, now: datetime) -> float | None:
    """Read `retry-after`: seconds, whole or not, or an HTTP date (RFC 9110, 10.2.3).

    Args:
        text: the header.
        now: the time, with its zone.

    Returns:
        Seconds from now, never below 0, None if it is neither.
    """
    if (seconds := parse_duration(text)) is not None:
        return seconds
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - now).total_seconds())


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return in how many seconds a request may be repeated, None where the headers do not say."""
    text = headers.get("retry-after")
    return None if text is None else parse_retry_after(text, datetime.now(UTC))


class Allowance(NamedTuple):
    """What is left of a limit: `limit` and `remaining` of them, and the seconds until all are back, None if unsaid."""

    limit: int
    remaining: int
    reset: float | None


def allowance(headers: Mapping[str, str], what: str) -> Allowance | None:
    """Return what is left of `requests` or `tokens`, None where the headers do not say.

    At Groq `requests` are per day and `tokens` per minute, and both come back evenly
    (https://console.groq.com/docs/rate-limits).
    """
    remaining = headers.get(f"x-ratelimit-remaining-{what}", "")
    if not _COUNT.fullmatch(remaining):  # the first look-up is the last where a service has no such headers
        return None
    limit = headers.get(f"x-ratelimit-limit-{what}", "")
    if not _COUNT.fullmatch(limit) or not int(limit):
        return None
    return Allowance(int(limit), int(remaining), parse_duration(headers.get(f"x-ratelimit-reset-{what}", "")))
