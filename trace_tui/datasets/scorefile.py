"""Reads files of score lines in a stream: a JSON object a line, or one JSON array of such objects, also in gzip."""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from trace_tui.datasets.decode import UnreadableError, decode
from trace_tui.datasets.files import Opened, open_file, open_stream
from trace_tui.datasets.items import ItemScanner
from trace_tui.datasets.lines import LineError, LineErrors, Progress, no_progress
from trace_tui.datasets.rescoring import rescored
from trace_tui.datasets.scorelines import ScoreLine, decode_lines, line_of
from trace_tui.errors import BadInputError
from trace_tui.scoring import Definition

_BLOCK: Final = 1 << 17  # bytes of lines at a time: large against the cost of a call, small against memory
_ARRAY: Final = re.compile(rb"\s*\[(?=\s*(?:\{|\]\s*\Z))")  # `[1, 2]` is no array of lines but a line that is no object


class Block(NamedTuple):
    """Some lines that follow each other, with the numbers (from 1) of the lines or items that they are."""

    numbers: Sequence[int]
    lines: Sequence[ScoreLine]


class ScoreFile:
    """A file of score lines, read once from start to end.

    `errors` holds the line errors; `unusable` counts the values that are no score. Both grow while `blocks` is read.
    """

    def __init__(self, name: str, opened: Opened, definition: Definition | None = None) -> None:
        """Read from an open file; see `open_scores`."""
        self.name = name
        self.errors = LineErrors()
        self.unusable = 0
        self._opened = opened
        self._definition = definition
        self._unit = "line"

    def blocks(self, progress: Progress = no_progress) -> Iterator[Block]:
        """Yield the lines in order; what cannot be used is counted in `errors`, and the next goes on.

        Args:
            progress: told of every block how many bytes are done.

        Raises:
            BadInputError: the file is empty, or cannot be read to its end.
        """
        start = self._opened.start()
        try:
            head = self._opened.read(start, _BLOCK)
            if not head.strip():
                raise BadInputError(f"{self.name} is empty: it needs a line with metrics and ground_truth_scores")
            array = _ARRAY.match(head)
            yield from self._items(start + array.end() - 1, progress) if array else self._lines(start, progress)
        except OSError as error:
            raise BadInputError(f"{self.name}: cannot be read: {error.strerror}") from error

    def _lines(self, start: int, progress: Progress) -> Iterator[Block]:
        file, first = self._opened.file, 1
        file.seek(start)
        while texts := file.readlines(_BLOCK):
            yield self._block(texts, range(first, first + len(texts)))
            first += len(texts)
            progress(file.tell(), self._opened.size)
        self._refuse_rest(first, self._opened.fault)

    def _items(self, start: int, progress: Progress) -> Iterator[Block]:
        self._unit = "item"
        read, first = self._opened.read, 1
        texts: list[bytes] = []

        def add(start: int, end: int, chunk: bytes, base: int) -> None:
            texts.append(chunk[start - base : end - base] if start >= base else read(start, end - start))

        scanner = ItemScanner(read, add)
        for done in scanner.scan(start):
            yield self._block(texts, range(first, first + len(texts)))
            first += len(texts)
            texts.clear()
            progress(done, self._opened.size)
        self._refuse_rest(first, scanner.fault or self._opened.fault)

    def _block(self, texts: Sequence[bytes], numbers: Sequence[int]) -> Block:
        lines: Sequence[ScoreLine] = decode_lines(texts)
        if not lines:  # one is blank, broken or unusual: line by line, so that each stands for itself
            usable = list(self._one_by_one(texts, numbers))
            numbers = [number for number, _, _ in usable]
            texts, lines = [text for _, text, _ in usable], [line for _, _, line in usable]
        if self._definition is not None:
            lines = [rescored(line, text, self._definition) for line, text in zip(lines, texts, strict=True)]
        return Block(numbers, lines)

    def _one_by_one(self, texts: Iterable[bytes], numbers: Iterable[int]) -> Iterator[tuple[int, bytes, ScoreLine]]:
        for number, text in zip(numbers, texts, strict=True):
            try:
                if text.strip():
                    yield number, text, self._line(text)
            except UnreadableError as fault:
                self.errors.add(LineError(self.name, self._unit, number, fault.column, fault.reason))

    def _line(self, text: bytes) -> ScoreLine:
        if decoded := decode_lines([text]):
            return decoded[0]
        line, unusable = line_of(decode(text.rstrip()).value)
        self.unusable += unusable
        return line

    def _refuse_rest(self, number: int, fault: str) -> None:
        if fault:
            self.errors.add(LineError(self.name, self._unit, number, None, fault))


@contextmanager
def open_scores(
    path: str, definition: Definition | None = None, progress: Progress = no_progress
) -> Iterator[ScoreFile]:
    """Open a file of score lines, a pipe, or with `-` the standard input.

    Args:
        path: what to open.
        definition: lines of another definition that carry labels are scored anew under this one; None leaves all as
            they are.
        progress: told how much of a pipe is copied, or of what is packed unpacked.

    Raises:
        BadInputError: it cannot be opened, or is not in UTF-8.
    """
    name = "standard input" if path == "-" else path
    opened = _opened(path, name, progress)
    with closing(opened.file):
        yield ScoreFile(name, opened, definition)


def _opened(path: str, name: str, progress: Progress) -> Opened:
    if path == "-":
        if sys.stdin is None:
            raise BadInputError(f"{name}: is closed")
        return open_stream(name, sys.stdin.buffer, progress)
    if Path(path).is_fifo():
        with Path(path).open("rb") as pipe:
            return open_stream(name, pipe, progress)
    return open_file(Path(path), progress)
