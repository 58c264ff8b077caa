"""A JSON array read element by element, so that its size does not matter."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, NamedTuple

from trace_tui.errors import BadInputError

_BLOCK: Final = 1 << 17  # bytes
_LONGEST: Final = 1 << 24  # characters; an element that is longer counts as broken, not as unfinished
_GAP: Final = re.compile(r"[\s,]*")
_JSON: Final = json.JSONDecoder()


class Element(NamedTuple):
    """One element: the line (from 1) on which it begins, its text, and its value.

    A byte that is not UTF-8 stands in `text` as a lone surrogate (U+DC80 … U+DCFF).
    """

    line: int
    text: str
    value: Any


class BrokenArrayError(BadInputError):
    """The rest of the array cannot be read; `line` (from 1) says from where on."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"{reason}; the rest of the array was not read")
        self.line = line


class ArrayElements:
    """Iterates once over the elements of an array, with little more than one of them in memory.

    Commas are taken for white space: what is between them is what matters.
    """

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        """Start from `head`, the first bytes with the opening bracket in them; `stream` has those after."""
        self._utf8 = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._stream = stream
        self._text = self._utf8.decode(head)
        self._at = 0
        self._line = 1
        self._move(self._text.index("[") + 1)

    def __iter__(self) -> Iterator[Element]:
        """Yield the elements in order.

        Raises:
            BrokenArrayError: an element is not JSON, after which nothing tells where the next begins; or the array
                does not end, or something stands behind its end.
        """
        while (character := self._next_character()) != "]":
            if not character:
                raise BrokenArrayError(self._line, "the array does not end")
            value, end = self._decode()
            yield Element(self._line, self._text[self._at : end], value)
            self._move(end)
        self._move(self._at + 1)
        if self._next_character():
            raise BrokenArrayError(self._line, "text after the end of the array")

    def _next_character(self) -> str:
        """Move over the gap to what comes next, and return its first character; "" at the end of the stream."""
        while (end := self._gap_end()) == len(self._text):
            self._move(end)
            if not self._extend():
                return ""
        self._move(end)
        return self._text[end]

    def _gap_end(self) -> int:
        gap = _GAP.match(self._text, self._at)
        assert gap, "the pattern matches the empty string"
        return gap.end()

    def _decode(self) -> tuple[Any, int]:
        """Return the value at hand and where it ends, reading on while it is unfinished."""
        while True:
            try:
                return _JSON.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise BrokenArrayError(self._line, "nested too deeply") from error
            except ValueError as error:
                if not self._extend():
                    reason = (
                        f"not JSON: {error.msg}"
                        if isinstance(error, json.JSONDecodeError)
                        else "a number has too many digits"
                    )
                    raise BrokenArrayError(self._line, reason) from error

    def _move(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _extend(self) -> bool:
        """Drop what was passed and read on, as much again as is left: so a long element takes time by its size only."""
        left = len(self._text) - self._at
        more = self._stream.read(max(_BLOCK, left)) if left < _LONGEST else b""
        self._text = self._text[self._at :] + self._utf8.decode(more)
        self._at = 0
        return bool(more)
