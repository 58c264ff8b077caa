"""The parts into which a report slices its records: by a field of the dataset, or by how large a record is."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from trace_tui.display import UNDEFINED
from trace_tui.records import Record
from trace_tui.scoring.comparison import Case

RESPONSE_LENGTH: Final = "response-length"
DOCUMENT_COUNT: Final = "document-count"
DOCUMENT_POSITION: Final = "document-position"
"""Slices the sentences of documents and not the records: it belongs to no record as a whole."""

BUILT_IN: Final = (RESPONSE_LENGTH, DOCUMENT_COUNT, DOCUMENT_POSITION)

_MOST: Final = 30  # parts of one kind; further ones are taken together
_BANDS: Final = (0, 1, 2, 3, 6, 11, 21)  # where bands of sizes begin


def slices_of(record: Record, fields: Mapping[str, Any], by: Sequence[str]) -> dict[str, str]:
    """Return the part that a record belongs to, by what is sliced."""
    return {name: _SIZES[name](record) if name in _SIZES else _shown(fields.get(name)) for name in by}


def parts(cases: Sequence[Case], by: str) -> dict[str, list[Case]]:
    """Return the cases part by part, numbers in their order; beyond the largest thirty parts all as one."""
    sizes = Counter(case.slices[by] for case in cases)
    kept = {name for name, _ in sizes.most_common(_MOST)}
    rest = f"{len(sizes) - len(kept):,} further"
    found: dict[str, list[Case]] = {name: [] for name in sorted(kept, key=_order)}
    for case in cases:
        name = case.slices[by]
        found.setdefault(name if name in kept else rest, []).append(case)
    return found


def _band(size: int) -> str:
    """Return a size as the band it is in: `2`, `3-5`, `21+`."""
    place = bisect_right(_BANDS, size)
    if place == len(_BANDS):
        return f"{_BANDS[-1]}+"
    low, high = _BANDS[place - 1], _BANDS[place] - 1
    return str(low) if low == high else f"{low}-{high}"


_SIZES: Final[Mapping[str, Callable[[Record], str]]] = {
    RESPONSE_LENGTH: lambda record: _band(len(record.response_keys)),
    DOCUMENT_COUNT: lambda record: _band(len(record.documents)),
}


def _shown(value: Any) -> str:
    return UNDEFINED if value is None else str(value)


def _order(name: str) -> tuple[float, str]:
    digits = name.partition("-")[0].rstrip("+")
    return (int(digits) if digits.isdecimal() and len(digits) < 16 else float("inf")), name  # noqa: PLR2004 - exact
