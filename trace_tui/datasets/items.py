"""Finds the items of one JSON array in its file.

Only brackets and strings are looked at: an item that is no JSON is an error of its own when it is read, and the scan
takes up again behind it. A raw newline ends a string (JSON allows none in it) and a closing bracket closes whatever
was left open inside, so that a forgotten quote or bracket costs one item wherever items stand on lines of their own.
"""

import re
from collections.abc import Iterator
from typing import Final

from trace_tui.datasets.lines import CHUNK, Add, Collector, Index, Progress, Read

_STRING = rb'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
# Each runs over all complete strings and whatever else does not matter, in one go.
_TO_BRACKET: Final = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+")
_TO_COMMA: Final = re.compile(rb'(?:[^"\[\]{},]++|' + _STRING + rb")*+")
_IN_STRING: Final = re.compile(rb'[^"\\\n]*+')
_SPACE: Final = re.compile(rb"[ \t\r\n]*+")
_OPENED_BY: Final = {ord("]"): ord("["), ord("}"): ord("{")}
_LOOKAHEAD: Final = 64  # bytes
_QUOTE, _BACKSLASH, _NEWLINE, _COMMA = b'"\\\n,'


def index_items(read: Read, start: int, size: int, progress: Progress) -> Index:
    """Index the items of the array whose opening bracket stands at `start`; `progress` is told of every chunk."""
    collector = Collector(read)
    scanner = ItemScanner(read, collector.add)
    for done in scanner.scan(start):
        progress(done, size)
    return collector.finish(scanner.fault)


class ItemScanner:
    """Goes through an array chunk by chunk, and knows what is open at each place.

    `fault` says, once the end was reached, what is wrong with the array itself; "" if nothing is.
    """

    def __init__(self, read: Read, add: Add) -> None:
        self.fault = ""
        self._read = read
        self._add = add
        self._open = bytearray(b"[")
        self._is_closed = False
        self._item: int | None = None  # offset of the item at hand; None in the white space before one
        self._is_first = True
        self._in_string = False
        self._escaped = False

    def scan(self, start: int) -> Iterator[int]:
        """Hand on the items of the array whose opening bracket stands at `start`.

        An item that was cut off by the end of the file is still an item.

        Yields:
            The offset reached, after every chunk and once more at the end.
        """
        base = start + 1
        while chunk := self._read(base, CHUNK):
            self._scan(chunk, base)
            base += len(chunk)
            yield base
        if not self._is_closed:
            self.fault = "the array is cut off: no closing ]"
            if self._item is not None:
                self._add(self._item, base, b"", base)
        yield base

    def _scan(self, chunk: bytes, base: int) -> None:
        at = 0
        while at < len(chunk) and not self._is_closed:
            if self._in_string:
                at = self._skip_string(chunk, at)
            elif self._item is None:
                at = _skip(_SPACE, chunk, at)
                self._item = base + at if at < len(chunk) else None
            else:
                at = _skip(_TO_COMMA if len(self._open) == 1 else _TO_BRACKET, chunk, at)
                if at < len(chunk):
                    self._take(chunk, at, base)
                    at += 1
        if self._is_closed and chunk[at:].strip():
            self.fault = "something stands behind the closing ] of the array"

    def _skip_string(self, chunk: bytes, at: int) -> int:
        if not self._escaped:
            at = _skip(_IN_STRING, chunk, at)
        if at < len(chunk):
            is_end = chunk[at] == _NEWLINE or (chunk[at] == _QUOTE and not self._escaped)
            self._escaped = chunk[at] == _BACKSLASH and not self._escaped
            self._in_string = not is_end
        return at + 1

    def _take(self, chunk: bytes, at: int, base: int) -> None:
        """Take what stopped the scan: a bracket, a comma between items, or a string not ended in its chunk or line."""
        byte = chunk[at]
        if byte == _QUOTE:
            self._in_string = True
        elif byte in b"[{":
            self._open.append(byte)
        elif byte == _COMMA:
            self._end_item(chunk, at, base)
            self._item = None
        else:
            self._close(chunk, at, base)

    def _close(self, chunk: bytes, at: int, base: int) -> None:
        """Close the innermost bracket of the kind and what was left open inside it; ignore one that closes nothing.

        The array itself is closed where no item is open, or where nothing follows: a stray ] costs its item only.
        """
        opened = self._open.rfind(_OPENED_BY[chunk[at]])
        if opened > 0:
            del self._open[opened:]
        elif opened == 0 and (len(self._open) == 1 or not self._read(base + at + 1, _LOOKAHEAD).strip()):
            self._end_item(chunk, at, base)
            self._is_closed = True

    def _end_item(self, chunk: bytes, at: int, base: int) -> None:
        """Hand the item on. Where nothing stands before a comma, the comma itself is the item: an error, not a gap."""
        start, end = self._item, base + at
        is_empty_array = chunk[at] != _COMMA and start == end and self._is_first
        self._is_first = False
        if start is not None and not is_empty_array:
            self._add(start, max(end, start + 1), chunk, base)


def _skip(pattern: re.Pattern[bytes], chunk: bytes, at: int) -> int:
    match = pattern.match(chunk, at)
    return match.end() if match else at
