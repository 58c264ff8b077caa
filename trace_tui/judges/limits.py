"""Holds requests back so that no limit of the service is met: pacing, its own rate-limit headers, and retry-after."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

_MINUTE: Final = 60.0
_MARGIN: Final = 1.02  # of the pace, so that a request that travels faster than the one before it meets no limit
_STEP: Final = 1.0  # seconds that a wait sleeps at a time: what it waits for may come sooner
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART: Final = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)(ms|[smhd])")
_DURATION: Final = re.compile(rf"(?:{_PART.pattern})+")


def parse_duration(text: str) -> float | None:
    """Return the seconds of a duration as the service writes it, `2m59.56s` or `120ms` or `7`; None if it is none."""
    text = text.strip().lower()
    if _DURATION.fullmatch(text):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    return float(text) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text) else None


def parse_retry_after(text: str, now: datetime | None = None) -> float | None:
    """Return the seconds of a `retry-after` header, which may be a number, a duration or a date; None if it is none."""
    seconds = parse_duration(text)
    if seconds is not None:
        return seconds
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds())


class Limiter:
    """Lets the requests of one run go, one after the other in the order in which they came.

    Requests a minute are paced evenly: that keeps a limit whether the service counts by fixed windows, sliding windows
    or a bucket that refills. Tokens a minute follow the service's headers (`note`), those in flight counted in.
    """

    def __init__(
        self,
        rpm: int | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """Begin with no request sent.

        Args:
            rpm: requests a minute; None for no limit but the service's own.
            clock: seconds that only ever rise.
            sleep: waits.
        """
        self._interval = _MINUTE / rpm * _MARGIN if rpm else 0.0
        self._clock = clock
        self._sleep = sleep
        self._turn = asyncio.Lock()  # first come, first served
        self._next = 0.0
        self._paused_until = 0.0
        self._waits_until = 0.0
        self._limit = 0.0  # tokens a minute; 0 while the service has not said
        self._left = 0.0
        self._left_at = 0.0
        self._in_flight = 0.0

    @asynccontextmanager
    async def slot(self, tokens: float) -> AsyncIterator[None]:
        """Wait until a request of about so many tokens may be sent, and count it as in flight until the block ends."""
        async with self._turn:
            while (wait := self._wait(tokens)) > 0:
                await self._sleep(min(wait, _STEP))
            now = self._clock()
            self._next = max(self._next, now - self._interval) + self._interval
            self._in_flight += tokens
        try:
            yield
        finally:
            self._in_flight -= tokens

    def pause(self, seconds: float) -> None:
        """Hold all requests back for so long."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    def note(self, headers: Mapping[str, str]) -> None:
        """Take in what an answer says of the tokens that are left. Header names are in lower case."""
        limit = parse_duration(headers.get("x-ratelimit-limit-tokens", ""))
        left = parse_duration(headers.get("x-ratelimit-remaining-tokens", ""))
        if limit and left is not None:
            self._limit, self._left, self._left_at = limit, left, self._clock()

    def waits(self) -> float:
        """Return for how many more seconds all requests wait for a limit of the service; 0 if they do not."""
        until = max(self._paused_until, self._waits_until)
        return max(0.0, until - self._clock())

    def _wait(self, tokens: float) -> float:
        now = self._clock()
        for_tokens = self._wait_for_tokens(tokens, now)
        self._waits_until = now + for_tokens
        return max(self._next - now, self._paused_until - now, for_tokens)

    def _wait_for_tokens(self, tokens: float, now: float) -> float:
        if not self._limit:
            return 0.0
        a_second = self._limit / _MINUTE
        available = min(self._limit, self._left + (now - self._left_at) * a_second) - self._in_flight
        # A request larger than the whole limit goes when all of it is there: the service will say what it thinks of it.
        lacking = min(tokens, self._limit) - available
        return max(0.0, lacking) / a_second
