"""What makes a row this row: its typed id and a hash of all that labels speak of."""

import hashlib
import json
import math
import sys
from array import array
from collections.abc import Sequence
from typing import Any

from trace_tui.records import Passage, RecordId

_as_written = json.JSONEncoder(ensure_ascii=False).encode  # an encoder a call would be half of its cost
_DIGITS = 16  # 64 bits tell the rows of one id apart, and rows without an id in files of millions
_LONGEST_ID = 80


def usable_id(value: Any, warnings: list[str]) -> RecordId:
    """Return the id if it can name a record, else None with a warning; null is no id and needs no warning."""
    if value is None or (isinstance(value, (str, int)) and value != ""):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    warnings.append("id: empty or no text or number, made from the content instead")
    return None


def id_or_uid(row_id: RecordId, uid: str) -> RecordId:
    """Return what a report calls a row: its own id, or its identity where it has none."""
    return uid if row_id is None else row_id


def written_id(row_id: RecordId) -> str:
    """Return the part of an identity that stands before the `#`: the id as JSON, cut short if it is very long."""
    return "" if row_id is None else _as_written(row_id)[:_LONGEST_ID]


def uid_of(row_id: RecordId, *texts: str, passages: Sequence[Passage]) -> str:
    """Return the stable identity of a row: its id as JSON (7 is not "7") and 16 hexadecimal digits of a SHA-256.

    The hash covers the id, `texts`, and of each passage title, text and the sentences that the row brings; not the
    row's own keys, which are names only. Each group of texts is hashed with their number and lengths, so that no two
    rows run together.

    Args:
        row_id: the row's own id; None leaves the identity to the content.
        texts: question and names of models, in an order that callers keep.
        passages: retrieved documents in rank order, then the response.
    """
    content = hashlib.sha256()
    _add(content, (json.dumps(row_id), *texts))
    for passage in passages:
        _add(content, (passage.title, passage.text))
        _add(content, [text for _, text, _ in passage.sentences])
    return f"{written_id(row_id)}#{content.hexdigest()[:_DIGITS]}"


def _add(content: "hashlib._Hash", texts: Sequence[str]) -> None:
    sizes = array("Q", [len(texts), *map(len, texts)])
    if sys.byteorder == "big":
        sizes.byteswap()  # the identity of a row is the same on every machine
    content.update(sizes.tobytes())
    content.update("".join(texts).encode())
