"""What an RMSE means in words, and what to do about it."""

import math
from typing import Final, NamedTuple


class Tier(NamedTuple):
    """A band of RMSE: its name, the value it ends below, and the action it calls for."""

    name: str
    below: float
    action: str


TIERS: Final = (
    Tier("Excellent", 0.10, "no action"),
    Tier("Good", 0.20, "monitor"),
    Tier("Acceptable", 0.30, "investigate specific metrics"),
    Tier("Poor", 0.40, "review the RAG pipeline"),
    Tier("Critical", math.inf, "act now"),
)

_DIGITS: Final = 12  # 0.9 - 0.8 is a little less than 0.1 in binary; noise of that size must not pick the tier


def tier(rmse: float | None) -> Tier | None:
    """Return the tier of an RMSE (at least 0); None if it is undefined.

    For modes 2 and 3 the tier carries its action; of mode 1 only its name is meant, as the balance of the record.
    """
    if rmse is None:
        return None
    return next(band for band in TIERS if round(rmse, _DIGITS) < band.below)
