"""What is tried next when a request brought no labels, and when it is given up."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from trace_tui.calls import Cause, Failure
from trace_tui.errors import JudgeUnavailableError
from trace_tui.judges.models import Model
from trace_tui.judges.service import ChatRequest, ServiceError, Trouble
from trace_tui.judges.tokens import larger

SMALLEST_BUDGET: Final = 512
"""Tokens of a completion; no labelling fits into fewer."""

_TRIES: Final = 4  # of one request while the service fails
_LIMITED_TRIES: Final = 20  # of one request that the service puts off; each waits as long as the service says
_FIRST_PAUSE: Final = 0.5  # seconds, doubled with each try
_LONGEST_PAUSE: Final = 20.0

_CAUSES: Final[Mapping[Trouble, Cause]] = {
    Trouble.UNREACHABLE: Cause.UNREACHABLE,
    Trouble.GARBLED: Cause.GARBLED,
    Trouble.SERVER_ERROR: Cause.SERVER_ERROR,
    Trouble.LIMITED: Cause.LIMITED,
    Trouble.TOO_LARGE: Cause.TOO_LONG,
    Trouble.UNUSABLE_REPLY: Cause.UNUSABLE,
}
_PASSING: Final = frozenset({Trouble.UNREACHABLE, Trouble.GARBLED, Trouble.SERVER_ERROR})


class GaveUpError(Exception):
    """No labels from this request, and why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class Tries:
    """What is tried next with one request, and when it is given up."""

    def __init__(self, request: ChatRequest, model: Model) -> None:
        self.request = request
        self._model = model
        self._failed = 0
        self._limited = 0
        self._is_enlarged = False
        self._is_asked_again = False

    def after_truncation(self, text: str, detail: str) -> None:
        """Go on once with a larger budget.

        Raises:
            GaveUpError: that was done, or the model has no larger one.
        """
        budget = larger(self.request.budget, self._model)
        if self._is_enlarged or budget <= self.request.budget:
            raise GaveUpError(Failure(Cause.TRUNCATED, detail, text))
        self._is_enlarged = True
        self.request = replace(self.request, budget=budget)

    def after_error(self, error: ServiceError) -> float | None:
        """Return how many seconds to wait before the next try.

        Raises:
            GaveUpError: there is none.
            JudgeUnavailableError: nor is there for any other request.
        """
        match error.trouble:
            case Trouble.FATAL | Trouble.DAILY_LIMIT:
                raise JudgeUnavailableError(str(error)) from error
            case Trouble.LIMITED if self._limited < _LIMITED_TRIES:
                self._limited += 1
                return error.retry_after if error.retry_after is not None else backoff(self._limited)
            case trouble if trouble in _PASSING and self._failed + 1 < _TRIES:
                self._failed += 1
                return max(error.retry_after or 0.0, backoff(self._failed))
            case Trouble.TOO_LARGE if self.request.budget > SMALLEST_BUDGET:
                self.request = replace(self.request, budget=max(self.request.budget // 2, SMALLEST_BUDGET))
                return None
            case Trouble.TRUNCATED_REPLY:
                self.after_truncation(error.failed_generation, str(error))
                return None
            case Trouble.UNUSABLE_REPLY if not self._is_asked_again:
                self._is_asked_again = True
                return None
            case _:
                raise GaveUpError(failure_of(error)) from error


def failure_of(error: ServiceError) -> Failure:
    """Return what is kept of a record when nothing more is tried."""
    cause = _CAUSES.get(error.trouble, Cause.REJECTED)
    return Failure(cause, str(error), error.failed_generation)


def backoff(tries: int) -> float:
    """Return seconds, doubled with each try, of which a random half: those that fail together come back apart."""
    longest = min(_FIRST_PAUSE * float(2 ** (tries - 1)), _LONGEST_PAUSE)
    return longest * (0.5 + random.random() / 2)  # noqa: S311 - no secret depends on it
