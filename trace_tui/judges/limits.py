"""Holds requests back so that a service's limits are used and not passed. One limiter for all requests of a run."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from trace_tui.judges.headers import allowance, retry_after

MINUTE: Final = 60.0
MARGIN: Final = 1.02
"""How much longer than 60/rpm seconds two requests are apart.

It is room for the network: the last of any `rpm` + 1 requests leaves 61.2 s after the first, and so arrives in another
minute even if the first was 1.2 s longer on its way. 98% of the limit remain.
"""

_NAP: Final = 1.0  # s; what a waiter waits for can come nearer meanwhile: it looks again
_SHORT: Final = 60.0  # s


@dataclass(slots=True)
class _Bucket:
    """Tokens that may be spent: `level` of them at the time `at`, refilled evenly by `limit` a minute."""

    limit: int
    level: float
    at: float

    def level_at(self, now: float) -> float:
        return min(self.limit, self.level + (now - self.at) * self.limit / MINUTE)

    def set(self, level: float, now: float) -> None:
        self.level, self.at = level, now

    def ready(self, tokens: int, now: float) -> float:
        """Return when so many can be spent; more than it ever holds can when it is full."""
        return now + max(0.0, min(tokens, self.limit) - self.level_at(now)) * MINUTE / self.limit


class Limiter:
    """Lets requests through one by one, first come, first served.

    A request waits for three things: its turn at an even pace of `rpm` a minute (a burst would pass a limit that is
    counted over another minute than ours); a pause that the service asked for to end; and enough tokens in the
    service's bucket, which `note` reads from the headers of each answer.

    Args:
        rpm: requests a minute, None for no pace.
        clock: seconds, rising.
        sleep: waits so many seconds of that clock.

    Attributes:
        waiting_until: when the first in line may go, on `clock` (`time.monotonic` unless given), None if none waits.
        waiting_for: what it waits for, in words, "" if none waits.
    """

    def __init__(
        self,
        rpm: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.waiting_until: float | None = None
        self.waiting_for = ""
        self._clock, self._sleep = clock, sleep
        self._interval = MARGIN * MINUTE / rpm if rpm else 0.0
        self._turn = self._paused_until = clock()
        self._tokens: _Bucket | None = None
        self._in_flight: dict[object, int] = {}
        self._crowded = False  # more than one in flight since there was none
        self._line = asyncio.Lock()  # its waiters are served in order, and leave it when cancelled

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[None]:
        """Wait until a request may be sent, and be in flight until the block ends.

        Args:
            tokens: the most that it can cost: those of the prompt, and the budget of the completion.
        """
        async with self._line:
            await self._wait(tokens)
            ticket = self._admit(tokens)
        try:
            yield
        finally:
            del self._in_flight[ticket]
            self._crowded = self._crowded and bool(self._in_flight)

    def note(self, headers: Mapping[str, str]) -> None:
        """Take in what an answer says of the limits. To be called while its request is in flight."""
        if (seconds := retry_after(headers)) is not None:
            self.pause(seconds)
        if left := allowance(headers, "tokens"):
            self._note_tokens(left.limit, left.remaining)
        left = allowance(headers, "requests")
        # Groq's are per day: only a refusal says when one more will do. Where others count by the minute, wait.
        if left and not left.remaining and left.reset is not None and left.reset <= _SHORT:
            self.pause(left.reset)

    def pause(self, seconds: float) -> None:
        """Hold all requests back for so many seconds, or for longer where that was asked for before."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    async def _wait(self, tokens: int) -> None:
        try:
            while True:
                now = self._clock()
                ready, reason = self._ready(tokens, now)
                if ready <= now:
                    return
                self.waiting_until, self.waiting_for = ready, reason
                await self._sleep(min(ready - now, _NAP))
        finally:
            self.waiting_until, self.waiting_for = None, ""

    def _ready(self, tokens: int, now: float) -> tuple[float, str]:
        refilled = self._tokens.ready(tokens, now) if self._tokens else now
        return max(
            (self._turn, "requests a minute"),
            (refilled, "tokens a minute"),
            (self._paused_until, "the service to take requests again"),
        )

    def _admit(self, tokens: int) -> object:
        now = self._clock()
        self._turn = now + self._interval
        if self._tokens:
            self._tokens.set(self._tokens.level_at(now) - tokens, now)
        self._crowded = bool(self._in_flight)
        ticket = object()
        self._in_flight[ticket] = tokens
        return ticket

    def _note_tokens(self, limit: int, remaining: int) -> None:
        """Correct the bucket's level by what the service says is left.

        Of requests that overlap, the service may not have counted all, and answers overtake each other: that more is
        left than we thought is believed of a request that was alone. Where tokens are short, there soon is one.
        """
        now, flying = self._clock(), len(self._in_flight)
        level = float(remaining)
        if self._crowded:
            level -= sum(self._in_flight.values()) * (flying - 1) / flying  # the others
            if self._tokens and self._tokens.limit == limit:
                level = min(level, self._tokens.level_at(now))
        self._tokens = _Bucket(limit, level, now)
