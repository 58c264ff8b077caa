"""Where the records of a file stand: the byte offsets of its lines, without blank lines and repeats; and line errors.

The file is read once in chunks and nothing of it is kept but offsets, so that 300 MB open in a quarter of a second.
"""

from array import array
from collections.abc import Callable
from hashlib import sha256
from typing import Final, NamedTuple

from trace_tui.errors import BadInputError

CHUNK: Final = 1 << 20  # bytes; larger ones are no faster
_SAMPLE: Final = 64  # bytes; what stands at start, middle and end tells nearly all rows apart
_SPACE: Final = b" \t\r\n"  # what JSON takes for white space
_KEPT: Final = 20  # line errors: as many as are told in full

Read = Callable[[int, int], bytes]
"""Reads from an offset a number of bytes; fewer at the end of the file."""

Add = Callable[[int, int, bytes, int], None]
"""Takes the byte range [start, end) of a line or item, and the file's bytes from an offset on to its end or further.

The range may begin before that offset: what came in earlier chunks is to be read again.
"""

Progress = Callable[[int, int | None], None]
"""Told how much is done and how much there is; None where that is not known, as of a pipe."""


def no_progress(_done: int, _total: int | None) -> None:
    """Tell nobody."""


class LineError(BadInputError):
    """One line or item that cannot be used; every other one still can.

    `number` counts lines or items from 1, `column` code points in it from 1, None where no place can be named.
    """

    def __init__(self, name: str, unit: str, number: int, column: int | None, reason: str) -> None:
        place = f"{unit} {number}" + (f", column {column}" if column else "")
        super().__init__(f"{name}: {place}: {reason}")
        self.number = number
        self.column = column
        self.place = place
        self.reason = reason


class LineErrors:
    """Counts line errors and keeps the first of them, so that a file of nothing else takes no memory."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[LineError] = []

    def add(self, error: LineError) -> None:
        """Take in one more."""
        self.count += 1
        if len(self.first) < _KEPT:
            self.first.append(error)


class Index(NamedTuple):
    """Byte ranges [start, end) of the records in order, and of each the number, from 1, of its line or item.

    `repeats` counts the ranges left out because the same bytes were there before. `fault` says what is wrong with
    the file behind its last record, "" if nothing is; `last` is the number of the last line or item.
    """

    starts: "array[int]"
    ends: "array[int]"
    numbers: "array[int]"
    repeats: int
    last: int
    fault: str = ""


class Collector:
    """Takes byte ranges in order; leaves out what is blank, and what was there before byte for byte.

    White space at the end is not part of a range. Ranges are compared by samples and, where these are equal, by
    digest: a file of rows that differ in a few bytes costs one digest a row, never a comparison of each with each.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._starts = array("Q")
        self._ends = array("Q")
        self._numbers = array("Q")
        self._repeats = 0
        self._number = 0
        self._first: dict[int, int] = {}  # hash of the samples -> position of the first range that has them
        self._digests: dict[int, set[bytes]] = {}  # the same -> digests of all ranges, once there is a second

    def add(self, start: int, end: int, chunk: bytes, base: int) -> None:
        """Take the next line or item; `chunk` holds the file's bytes from the offset `base` to `end` or further."""
        self._number += 1
        if start < base:  # begun in an earlier chunk, as one range of each chunk is
            chunk, base = self._read(start, end - start), start
            end = start + len(chunk)
        low, high = start - base, end - base
        if low < high and chunk[high - 1] in _SPACE:
            high = low + len(chunk[low:high].rstrip(_SPACE))
        if low == high:
            return
        if self._is_repeat(chunk, low, high):
            self._repeats += 1
            return
        self._starts.append(start)
        self._ends.append(base + high)
        self._numbers.append(self._number)

    def finish(self, fault: str = "") -> Index:
        """Return what was taken."""
        return Index(self._starts, self._ends, self._numbers, self._repeats, self._number, fault)

    def _is_repeat(self, chunk: bytes, low: int, high: int) -> bool:
        size = high - low
        if size <= 3 * _SAMPLE:
            sample = hash(chunk[low:high])
        else:
            middle = (low + high) // 2
            parts = chunk[low : low + _SAMPLE], chunk[middle : middle + _SAMPLE], chunk[high - _SAMPLE : high]
            sample = hash((size, parts))
        position = self._first.setdefault(sample, len(self._starts))
        if position == len(self._starts):
            return False
        if sample not in self._digests:
            start = self._starts[position]
            self._digests[sample] = {sha256(self._read(start, self._ends[position] - start)).digest()}
        digests = self._digests[sample]
        digest = sha256(chunk[low:high]).digest()
        is_repeat = digest in digests
        digests.add(digest)
        return is_repeat


def index_lines(read: Read, start: int, size: int, progress: Progress) -> Index:
    r"""Index a file of JSON lines. Lines end at \n only; a last one without it counts.

    Args:
        read: reads the file.
        start: offset of the first line: behind a byte order mark.
        size: bytes of the file, for `progress`.
        progress: told of every chunk.
    """
    collector = Collector(read)
    base = start
    while chunk := read(base, CHUNK):
        found = chunk.find(b"\n")
        while found >= 0:
            collector.add(start, base + found, chunk, base)
            start = base + found + 1
            found = chunk.find(b"\n", found + 1)
        base += len(chunk)
        progress(base, size)
    if start < base:
        collector.add(start, base, b"", base)
    return collector.finish()
