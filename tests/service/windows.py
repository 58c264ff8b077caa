"""The ways in which services count requests or tokens against a limit a minute. Pure: the caller brings the time."""

from collections import deque
from math import ceil
from typing import Protocol

MINUTE = 60.0


class Window(Protocol):
    """A limit; `admit` returns 0.0 if something of that cost may pass at `now`, else the seconds until it might."""

    limit: int

    def admit(self, now: float, cost: int = 1) -> float: ...

    def remaining(self, now: float) -> int: ...


class Fixed:
    """So many in each minute of the clock."""

    def __init__(self, limit: int, start: float = 0.0) -> None:
        self.limit = limit
        self._start = start
        self._used = 0

    def _turn(self, now: float) -> None:
        if now - self._start >= MINUTE:
            self._start += (now - self._start) // MINUTE * MINUTE
            self._used = 0

    def admit(self, now: float, cost: int = 1) -> float:
        self._turn(now)
        if self._used + cost > self.limit:
            return self._start + MINUTE - now
        self._used += cost
        return 0.0

    def remaining(self, now: float) -> int:
        self._turn(now)
        return self.limit - self._used


class Sliding:
    """So many in any 60 seconds."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._passed: deque[tuple[float, int]] = deque()
        self._used = 0

    def _forget(self, now: float) -> None:
        while self._passed and self._passed[0][0] <= now - MINUTE:
            self._used -= self._passed.popleft()[1]

    def admit(self, now: float, cost: int = 1) -> float:
        self._forget(now)
        if self._used + cost > self.limit:
            return self._passed[0][0] + MINUTE - now if self._passed else MINUTE
        self._passed.append((now, cost))
        self._used += cost
        return 0.0

    def remaining(self, now: float) -> int:
        self._forget(now)
        return self.limit - self._used


class Bucket:
    """A bucket that holds `burst`, a minute's worth unless told, and fills evenly by `limit` a minute, as Groq does."""

    def __init__(self, limit: int, burst: int | None = None) -> None:
        self.limit = limit
        self._burst = limit if burst is None else burst
        self._level = float(self._burst)
        self._at = 0.0

    def _fill(self, now: float) -> None:
        self._level = min(self._burst, self._level + max(0.0, now - self._at) * self.limit / MINUTE)
        self._at = now

    def admit(self, now: float, cost: int = 1) -> float:
        self._fill(now)
        if self._level < cost:
            return (cost - self._level) * MINUTE / self.limit
        self._level -= cost
        return 0.0

    def remaining(self, now: float) -> int:
        self._fill(now)
        return int(self._level)


WINDOWS = {"fixed": Fixed, "sliding": Sliding, "bucket": Bucket}


def as_groq_writes(seconds: float) -> str:
    """Return a duration as the `x-ratelimit-reset-*` headers have it: `120ms`, `7.66s`, `2m59.56s`, `1h2m3s`."""
    if seconds < 1:
        return f"{ceil(seconds * 1000)}ms"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(int(minutes), 60)
    parts = (f"{hours}h" * (hours > 0), f"{minutes}m" * (hours > 0 or minutes > 0))
    return "".join(parts) + f"{seconds:.3f}".rstrip("0").rstrip(".") + "s"
