"""A dataset on disk: opened by its byte offsets, each record parsed when it is asked for."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from trace_tui.datasets.decode import UnreadableError, decode
from trace_tui.datasets.files import Opened, open_file
from trace_tui.datasets.identity import usable_id, written_id
from trace_tui.datasets.items import index_items
from trace_tui.datasets.lines import CHUNK, Index, LineError, Progress, index_lines, no_progress
from trace_tui.datasets.rows import Row, row_of
from trace_tui.errors import BadInputError
from trace_tui.records import RecordId


class Dataset:
    """The records of one file, by position from 0; a context manager.

    A record is a line that is not blank, or an item of the array; byte-identical ones are one record, counted in
    `repeats`. What is no record still has a position, and so has damage at the end of the file: asking for it raises.
    """

    def __init__(self, path: Path, opened: Opened, index: Index, unit: str) -> None:
        self.path = path
        self.repeats = index.repeats
        self._opened = opened
        self._index = index
        self._unit = unit
        self._fault = index.fault or opened.fault

    def __len__(self) -> int:
        return len(self._index.starts) + bool(self._fault)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; an unpacked copy is gone."""
        self._opened.file.close()

    def line_number(self, position: int) -> int:
        """Return the number, from 1, of the line or item at a position."""
        return self._index.numbers[position] if position < len(self._index.starts) else self._index.last + 1

    def row(self, position: int, *, thorough: bool = False) -> Row:
        """Read one row.

        Args:
            position: 0 … len - 1.
            thorough: also warn of object keys given twice, which takes several times as long.

        Raises:
            LineError: the line or item is no record, or the file is not what it was when it was opened.
            IndexError: there is no such position.
        """
        try:
            return row_of(decode(self._bytes(position), thorough=thorough))
        except UnreadableError as fault:
            number = self.line_number(position)
            raise LineError(str(self.path), self._unit, number, fault.column, fault.reason) from None

    def find_id(self, text: str) -> Iterator[int]:
        """Yield the positions, in order, of the rows whose id reads as `text`; of a row without an id, its identity.

        Goes through the file as it is iterated.
        """
        for position, row_id in self._ids(range(len(self))):
            if row_id is None:
                if text.startswith("#") and self.find_uid(text, position) == position:
                    yield position
            elif str(row_id) == text:
                yield position

    def find_uid(self, uid: str, hint: int = 0) -> int | None:
        """Return where the row with this identity is, looking at `hint` first; None if the file has none."""
        first = [hint] if 0 <= hint < len(self) else []
        wanted = uid.rpartition("#")[0]
        for position, row_id in self._ids((*first, *range(len(self)))):
            with suppress(LineError):
                if written_id(row_id) == wanted and self.row(position).uid == uid:
                    return position
        return None

    def find_uids(self, hints: Mapping[str, int], progress: Progress = no_progress) -> dict[str, int]:
        """Return where the rows with these identities are; one that the file does not have is absent.

        Looks where each is said to be, and then goes once through the file for all that are not there.

        Args:
            hints: the identities, each with the position at which it was last seen.
            progress: told how many hints are done and how many there are.
        """
        found = {}
        for number, (uid, hint) in enumerate(hints.items(), 1):
            if self._uid(hint) == uid:
                found[uid] = hint
            progress(number, len(hints))
        missing = hints.keys() - found.keys()
        wanted = {uid.rpartition("#")[0] for uid in missing}
        for position, row_id in self._ids(range(len(self)) if missing else ()):
            here = self._uid(position) if written_id(row_id) in wanted else None
            if here and here in missing:
                found.setdefault(here, position)
        return found

    def _uid(self, position: int) -> str | None:
        try:
            return self.row(position).uid
        except (LineError, IndexError):
            return None

    def _ids(self, positions: Iterable[int]) -> Iterator[tuple[int, RecordId]]:
        """Yield positions with the ids there, reading no more than the id where that is possible."""
        for position in positions:
            try:
                value = _ID_DECODER.decode(self._bytes(position)).id
            except (UnreadableError, msgspec.DecodeError, RecursionError):
                with suppress(LineError):
                    yield position, self.row(position).id
            else:
                yield position, usable_id(value, [])

    def _bytes(self, position: int) -> bytes:
        if not 0 <= position < len(self):
            raise IndexError(position)
        if position == len(self._index.starts):
            raise UnreadableError(self._fault)
        start, end = self._index.starts[position], self._index.ends[position]
        try:
            data = self._opened.read(start, end - start)
        except OSError as error:
            raise UnreadableError(f"cannot be read: {error.strerror}") from None
        if len(data) < end - start:
            raise UnreadableError("the file has become shorter since it was opened")
        return data


class _IdOnly(msgspec.Struct):
    id: Any = None


_ID_DECODER = msgspec.json.Decoder(_IdOnly)


def open_dataset(path: Path, progress: Progress = no_progress) -> Dataset:
    """Open and index a dataset: JSON lines, or in a `.json` file one array or one object; all of these also in gzip.

    Args:
        path: the file.
        progress: told how many bytes are done, of unpacking first and then of indexing.

    Raises:
        BadInputError: the file cannot be read as a dataset at all, or holds nothing.
    """
    opened = open_file(path, progress)
    try:
        index, unit = _index(path, opened, progress)
    except BaseException:
        opened.file.close()
        raise
    dataset = Dataset(path, opened, index, unit)
    if not dataset:
        dataset.close()
        raise BadInputError(f"{path}: no record in it, the file is empty")
    return dataset


def _index(path: Path, opened: Opened, progress: Progress) -> tuple[Index, str]:
    start = opened.start()
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        head = opened.read(start, CHUNK)
        text = head.lstrip()
        first = start + len(head) - len(text)
        if text.startswith(b"["):
            return index_items(opened.read, first, opened.size, progress), "item"
        if text.startswith(b"{") and not text.partition(b"\n")[0].rstrip().endswith(b"}"):  # one object on many lines
            return Index(array("Q", [first]), array("Q", [opened.size]), array("Q", [1]), 0, 1), "item"
    return index_lines(opened.read, start, opened.size, progress), "line"
