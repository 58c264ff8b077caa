"""One connection to the database file: statements in, rows and clear errors out."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from trace_tui.errors import StoreError
from trace_tui.store import opening
from trace_tui.store.failures import explained


class Database:
    """An open database file, used in the thread that opened it.

    A file without tables reads as one in which every table is empty; the tables are made before the first write.
    `notice` is a line for the user about what was done on opening, "" if nothing.
    """

    def __init__(self, path: Path, *, write: bool) -> None:
        """Check the file and connect; make it if it is missing and to be written; upgrade it if it is older.

        Raises:
            StoreError: see `opening.check`, or an older version and not `write`.
        """
        self.path = path
        self.notice = ""
        if write:
            opening.reserve(path)
        self._version = opening.check(path, write=write)
        with explained(path):
            self._connection = opening.connect(path, write=write)
        self._identity = opening.identity_of(path)
        try:
            self._settle(write=write)
        except BaseException:
            self.close()
            raise

    def _settle(self, *, write: bool) -> None:
        outdated = opening.EMPTY < self._version < opening.VERSION
        if outdated and not write:
            raise StoreError(f"{self.path}: written by an older trace-tui; open it once with `trace-tui review`")
        if outdated:
            self.make_tables()
        elif write:
            with self.transaction():  # finds a lock or a folder that cannot be written; changes nothing
                pass

    def make_tables(self) -> None:
        """Bring the file to the present version; nothing to do if it has it."""
        if self._version == opening.VERSION:
            return
        # It imports sqlite-utils, which takes 0.14 s: a current database needs none of it.
        from trace_tui.store.migrating import migrate  # noqa: PLC0415  # see above

        self.notice = migrate(self._connection, self.path)
        self._version = opening.VERSION

    @property
    def is_empty(self) -> bool:
        """Whether no table has been made yet, by this process or another."""
        if self._version == opening.EMPTY:
            (self._version,) = self._connection.execute("PRAGMA user_version").fetchone()
        return self._version == opening.EMPTY

    @property
    def is_in_place(self) -> bool:
        """Whether the file that was opened still stands where it was; SQLite itself never looks again."""
        return opening.identity_of(self.path) == self._identity

    def rows(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; none while there are no tables."""
        if not self.is_empty:
            yield from self._connection.execute(sql, bindable(values))

    def row(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        """Return the first row of a query; None if there is none."""
        if self.is_empty:
            return None
        found: tuple[Any, ...] | None = self._connection.execute(sql, bindable(values)).fetchone()
        return found

    def run(self, sql: str, *values: Any) -> int:
        """Execute one writing statement and return how many rows it changed."""
        return self._connection.execute(sql, bindable(values)).rowcount

    def run_many(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Execute one writing statement for each row of values."""
        self._connection.executemany(sql, map(bindable, rows))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock from the start, and commit all or nothing."""
        with explained(self.path), opening.immediate(self._connection):
            yield

    def close(self) -> None:
        """Close the connection; the last one to close folds the WAL into the file."""
        self._connection.close()


def bindable(values: tuple[Any, ...]) -> tuple[Any, ...]:
    r"""Return the values with lone surrogates, which SQLite refuses, written out: `\udc80`.

    In JSON text that is an escape, which reads back as what it was.
    """
    return tuple(
        value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) and not value.isascii() else value
        for value in values
    )
