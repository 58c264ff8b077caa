"""Bytes of one JSON value to Python data: exact numbers, no lone surrogates, one reason when it cannot be read.

msgspec reads what is plain JSON, several times faster than `json`; it refuses NaN, 1e400 and lone surrogates, which
real files hold, so what it refuses is read again with `json`. What both read, both read to equal values.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

_DECODER = msgspec.json.Decoder()
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES_SHOWN = 5

SURROGATES_REPLACED = "half of a surrogate pair, replaced by U+FFFD"


class UnreadableError(Exception):
    """Why a value or a row cannot be read; whoever knows the file adds where it stands.

    `column` counts code points from 1; None where no place can be named.
    """

    def __init__(self, reason: str, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.column = column


class Decoded(NamedTuple):
    """A JSON value and what had to be mended or is doubtful in it."""

    value: Any
    warnings: tuple[str, ...] = ()


def decode(data: bytes, *, thorough: bool = False) -> Decoded:
    """Read one JSON value.

    Args:
        data: the bytes of the value, white space around it allowed.
        thorough: also look for objects that hold a key twice, which takes several times as long. The last one wins
            in any case.

    Raises:
        UnreadableError: not UTF-8, not JSON, nested too deeply, or with an integer of thousands of digits.
    """
    data = data.removeprefix(codecs.BOM_UTF8)  # also inside a file, where two files were joined
    try:
        decoded = _decode(data)
        repeated = _repeated_keys(data) if thorough else []
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    if not repeated:
        return decoded
    return Decoded(decoded.value, (*decoded.warnings, f"object keys given twice, the last wins: {named(repeated)}"))


def named(names: Iterable[str]) -> str:
    """Join names for a message: the first few, none of them long."""
    listed = list(dict.fromkeys(names))
    shown = [name if len(name) <= 40 else f"{name[:39]}…" for name in listed[:_NAMES_SHOWN]]  # noqa: PLR2004 - a width
    return ", ".join(shown) + (f" and {len(listed) - _NAMES_SHOWN} more" if len(listed) > _NAMES_SHOWN else "")


def _decode(data: bytes) -> Decoded:
    try:
        return Decoded(_DECODER.decode(data))
    except msgspec.DecodeError:
        value = _decode_leniently(data)
    mended, found = _without_lone_surrogates(value)
    return Decoded(mended, (SURROGATES_REPLACED,) if found else ())


def _decode_leniently(data: bytes) -> Any:
    try:
        return json.loads(data.decode())
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode()) + 1
        raise UnreadableError(f"byte 0x{data[error.start]:02X} is not UTF-8", column) from None
    except json.JSONDecodeError as error:
        said = error.msg.removesuffix(" starting at")
        raise UnreadableError(f"not JSON: {said[:1].lower()}{said[1:]}", error.pos + 1) from None
    except ValueError:  # the interpreter's limit on the digits of an integer
        raise UnreadableError("an integer of too many digits") from None


def _without_lone_surrogates(value: Any) -> tuple[Any, bool]:
    """Return the value with each lone surrogate as U+FFFD, in keys too, and whether there was one."""
    if isinstance(value, str):
        mended, found = _LONE_SURROGATE.subn("\N{REPLACEMENT CHARACTER}", value)
        return mended, found > 0
    if isinstance(value, list):
        items = [_without_lone_surrogates(item) for item in value]
        return [item for item, _ in items], any(found for _, found in items)
    if isinstance(value, dict):
        keys = [_without_lone_surrogates(key) for key in value]
        items = [_without_lone_surrogates(item) for item in value.values()]
        mended_object = {key: item for (key, _), (item, _) in zip(keys, items, strict=True)}
        return mended_object, any(found for _, found in (*keys, *items))
    return value, False


def _repeated_keys(data: bytes) -> list[str]:
    repeated: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        counts = Counter(key for key, _ in pairs)
        if len(counts) < len(pairs):
            repeated.extend(_LONE_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", key) for key in counts if counts[key] > 1)

    json.loads(data.decode(), object_pairs_hook=look)
    return repeated
