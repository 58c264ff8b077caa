"""The limiter against simulated services, in virtual time."""

import asyncio
from collections.abc import Callable, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.virtual import run_virtually, virtual_time
from tests.service.windows import Bucket, Fixed, Sliding, Window
from trace_tui.judges.limits import Limiter

TEN_MINUTES = 600.0


def make_limiter(rpm: int | None = None) -> Limiter:
    return Limiter(rpm, clock=virtual_time)


def token_headers(limit: int, remaining: int) -> dict[str, str]:
    return {"x-ratelimit-limit-tokens": str(limit), "x-ratelimit-remaining-tokens": str(remaining)}


def request_headers(remaining: int, reset: str) -> dict[str, str]:
    return {
        "x-ratelimit-limit-requests": "1000",
        "x-ratelimit-remaining-requests": str(remaining),
        "x-ratelimit-reset-requests": reset,
    }


async def sent_at(limiter: Limiter, times: list[float], tokens: int = 0) -> None:
    async with limiter.slot(tokens):
        times.append(virtual_time())


async def send_after(limiter: Limiter, tokens: int = 0) -> float:
    """Return how long a request is held back."""
    start, times = virtual_time(), []
    await sent_at(limiter, times, tokens)
    return times[0] - start


class Simulation:
    """Many workers that send requests through a limiter to a window for ten minutes."""

    def __init__(self, window: Window, cost: Callable[[Random], int] = lambda _: 1, *, latency: float = 1.0) -> None:
        self.window, self.cost, self.latency = window, cost, latency
        self.accepted = self.refused = self.spent = 0
        self.random = Random(7)

    def run(self, limit: Callable[[], Limiter], *, workers: int = 8, estimate: int = 0, headers: bool = False) -> None:
        async def main() -> None:
            limiter = limit()
            async with asyncio.TaskGroup() as group:
                for _ in range(workers):
                    group.create_task(self._work(limiter, estimate, headers))

        run_virtually(main())

    async def _work(self, limiter: Limiter, estimate: int, headers: bool) -> None:
        while virtual_time() < TEN_MINUTES:
            async with limiter.slot(estimate):
                await asyncio.sleep(self.random.uniform(0, self.latency))  # on its way
                answer = self._serve(headers)
                await asyncio.sleep(self.random.uniform(0, self.latency))  # on its way back
                limiter.note(answer)

    def _serve(self, headers: bool) -> Mapping[str, str]:
        cost = self.cost(self.random)
        wait = self.window.admit(virtual_time(), cost)
        if virtual_time() < TEN_MINUTES:
            self.accepted += not wait
            self.refused += bool(wait)
            self.spent += 0 if wait else cost
        left = token_headers(self.window.limit, self.window.remaining(virtual_time())) if headers else {}
        return left | ({"retry-after": f"{wait:.3f}"} if wait else {})


@pytest.mark.parametrize(
    "window",
    [Fixed(30), Fixed(30, start=-17.5), Sliding(30), Bucket(30), Bucket(30, burst=2)],
    ids=["fixed", "fixed from within a minute", "sliding", "bucket", "small bucket"],
)
def test_thirty_a_minute_are_used_and_never_passed(window: Window) -> None:
    simulation = Simulation(window)
    simulation.run(lambda: make_limiter(30))
    assert simulation.refused == 0
    assert simulation.accepted >= 0.9 * 300


def test_without_a_pace_the_same_service_refuses() -> None:
    simulation = Simulation(Sliding(30))
    simulation.run(make_limiter)
    assert simulation.refused > 0


@pytest.mark.parametrize("share", [1.0, 0.4], ids=["costs what was estimated", "costs less"])
@pytest.mark.parametrize("workers", [1, 4, 16])
def test_tokens_a_minute_are_used_and_never_passed(workers: int, share: float) -> None:
    simulation = Simulation(Bucket(30_000), lambda random: int(share * random.randint(1_500, 2_000)))
    simulation.run(make_limiter, workers=workers, estimate=2_000, headers=True)
    assert simulation.refused == 0
    could_be_asked = workers * TEN_MINUTES / 1.0 * share * 1_750  # a request takes a second there and back
    assert simulation.spent >= 0.9 * min(30_000 * 10, could_be_asked)


@given(rpm=st.integers(1, 400), latency=st.floats(0, 1))
@settings(max_examples=25, deadline=None)
def test_no_minute_has_more_than_its_number(rpm: int, latency: float) -> None:
    times: list[float] = []

    async def main() -> None:
        limiter = make_limiter(rpm)
        for _ in range(2 * rpm + 2):
            await sent_at(limiter, times)

    run_virtually(main())
    assert all(later - earlier >= 60 + 1.0 for earlier, later in zip(times, times[rpm:], strict=False))


def test_the_first_goes_at_once_and_the_rest_evenly() -> None:
    times: list[float] = []

    async def main() -> None:
        limiter = make_limiter(60)
        await asyncio.gather(*(sent_at(limiter, times) for _ in range(4)))

    run_virtually(main())
    assert times == pytest.approx([0, 1.02, 2.04, 3.06])


def test_a_slow_run_saves_up_nothing() -> None:
    async def main() -> list[float]:
        limiter = make_limiter(60)
        await send_after(limiter)
        await asyncio.sleep(100)
        return [await send_after(limiter) for _ in range(3)]

    assert run_virtually(main()) == pytest.approx([0, 1.02, 1.02])


def test_without_a_number_nothing_waits() -> None:
    async def main() -> list[float]:
        limiter = make_limiter()
        return [await send_after(limiter, 10_000) for _ in range(50)]

    assert run_virtually(main()) == [0.0] * 50


def test_a_pause_holds_all_back_and_the_longest_counts() -> None:
    times: list[float] = []

    async def main() -> None:
        limiter = make_limiter()
        limiter.note({"retry-after": "130.5"})
        limiter.pause(2)
        await asyncio.gather(*(sent_at(limiter, times) for _ in range(3)))

    run_virtually(main())
    assert times == pytest.approx([130.5] * 3)


def test_a_pause_that_comes_while_one_waits_holds_it_too() -> None:
    async def main() -> float:
        limiter = make_limiter(60)
        await send_after(limiter)
        waiting = asyncio.create_task(send_after(limiter))
        await asyncio.sleep(0.5)
        limiter.pause(90)
        return await waiting

    assert run_virtually(main()) == pytest.approx(90.5)


def test_after_a_pause_the_pace_is_kept() -> None:
    times: list[float] = []

    async def main() -> None:
        limiter = make_limiter(60)
        limiter.pause(10)
        await asyncio.gather(*(sent_at(limiter, times) for _ in range(3)))

    run_virtually(main())
    assert times == pytest.approx([10, 11.02, 12.04])


def test_first_come_first_served_and_who_gives_up_is_not_waited_for() -> None:
    served: list[int] = []

    async def ask(limiter: Limiter, number: int) -> None:
        async with limiter.slot():
            served.append(number)

    async def main() -> float:
        limiter = make_limiter(60)
        tasks = [asyncio.create_task(ask(limiter, number)) for number in range(6)]
        await asyncio.sleep(0.5)
        tasks[1].cancel()  # first in line
        tasks[3].cancel()  # within it
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.waiting_until is None
        return virtual_time()

    assert run_virtually(main()) == pytest.approx(3.06)
    assert served == [0, 2, 4, 5]


def test_a_deadline_ends_the_wait() -> None:
    async def main() -> float:
        limiter = make_limiter()
        limiter.pause(1_000)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await send_after(limiter)
        return virtual_time()

    assert run_virtually(main()) == pytest.approx(5)


def test_it_says_until_when_and_for_what_it_waits() -> None:
    async def look(limiter: Limiter) -> tuple[float | None, str]:
        waiting = asyncio.create_task(send_after(limiter, 3_000))
        await asyncio.sleep(0.01)
        said = limiter.waiting_until, limiter.waiting_for
        await waiting
        assert (limiter.waiting_until, limiter.waiting_for) == (None, "")
        return said

    async def main() -> list[tuple[float | None, str]]:
        paced, paused, short = make_limiter(10), make_limiter(), make_limiter()
        await send_after(paced)
        paused.pause(70)
        short.note(token_headers(6_000, 1_000))
        return await asyncio.gather(look(paced), look(paused), look(short))

    paced, paused, short = run_virtually(main())
    assert paced == (pytest.approx(6.12), "requests a minute")
    assert paused == (pytest.approx(70), "the service to take requests again")
    assert short == (pytest.approx(20), "tokens a minute")


def test_what_is_in_flight_counts_against_the_tokens() -> None:
    async def main() -> tuple[float, float]:
        limiter = make_limiter()
        limiter.note(token_headers(6_000, 6_000))
        async with limiter.slot(4_000):
            first = await send_after(limiter, 2_000)
            return first, await send_after(limiter, 600)

    assert run_virtually(main()) == pytest.approx((0, 6))


def test_more_than_the_limit_goes_when_all_is_there() -> None:
    async def main() -> float:
        limiter = make_limiter()
        limiter.note(token_headers(6_000, 0))
        return await send_after(limiter, 50_000)

    assert run_virtually(main()) == pytest.approx(60)


def test_an_answer_that_was_overtaken_gives_back_nothing() -> None:
    async def main() -> float:
        limiter = make_limiter()
        async with limiter.slot(2_000), limiter.slot(2_000):
            limiter.note(token_headers(6_000, 2_000))  # the second, which had both counted
            limiter.note(token_headers(6_000, 6_000))  # the first, which knew of none
        return await send_after(limiter, 3_000)

    assert run_virtually(main()) > 0


def test_the_last_answer_gives_back_what_was_not_used() -> None:
    async def main() -> float:
        limiter = make_limiter()
        limiter.note(token_headers(6_000, 6_000))
        async with limiter.slot(5_000):
            limiter.note(token_headers(6_000, 5_500))
        return await send_after(limiter, 5_000)

    assert run_virtually(main()) == 0


@pytest.mark.parametrize(
    ("remaining", "reset", "wait"),
    [(0, "2.5s", 2.5), (0, "23h59m", 0), (1, "2.5s", 0), (0, "soon", 0)],
    ids=["a minute's", "a day's", "one is left", "unreadable"],
)
def test_no_request_left_holds_back_only_where_more_are_near(remaining: int, reset: str, wait: float) -> None:
    async def main() -> float:
        limiter = make_limiter()
        limiter.note(request_headers(remaining, reset))
        return await send_after(limiter)

    assert run_virtually(main()) == pytest.approx(wait)


@pytest.mark.parametrize("value", ["", "-1", "many", "0", "9" * 400])
def test_headers_that_make_no_sense_change_nothing(value: str) -> None:
    async def main() -> float:
        limiter = make_limiter()
        limiter.note({"x-ratelimit-limit-tokens": value, "x-ratelimit-remaining-tokens": value, "retry-after": "?"})
        return await send_after(limiter, 1_000)

    assert run_virtually(main()) == 0
