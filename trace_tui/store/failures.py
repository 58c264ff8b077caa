"""Says in one line what SQLite or the file system refused, where, and what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trace_tui.errors import StoreError

_ELSEWHERE = "or name another place with --db"

# Names of SQLite's result codes; the longest that an error's own name starts with is taken.
_SAID = {
    "SQLITE_BUSY": "locked by another program; wait until it is done, or close it",
    "SQLITE_LOCKED": "locked by another program; wait until it is done, or close it",
    "SQLITE_FULL": "the disk is full; free some space",
    "SQLITE_READONLY": f"the file or its folder is read-only; make both writable, {_ELSEWHERE}",
    "SQLITE_CANTOPEN": f"cannot be opened, or its folder cannot be written; see to the permissions, {_ELSEWHERE}",
    "SQLITE_PERM": f"may not be opened; see to the permissions, {_ELSEWHERE}",
    "SQLITE_NOTADB": "not an SQLite database, or damaged; restore a copy, or name another file with --db",
    "SQLITE_CORRUPT": "the database is damaged; restore a copy, or rescue what is left with `sqlite3 FILE .recover`",
    "SQLITE_IOERR": "the disk refuses to be read or written (full, over quota, or broken?); see to it",
}


def failure(path: Path, error: Exception) -> StoreError:
    """Return what to tell the user of an error that the file system or SQLite raised for the database at `path`."""
    if isinstance(error, OSError):
        return StoreError(f"{path}: {error.strerror or error}; see to it, {_ELSEWHERE}")
    name = getattr(error, "sqlite_errorname", None) or ""
    matching = max((code for code in _SAID if name.startswith(code)), key=len, default=None)
    return StoreError(f"{path}: {_SAID[matching] if matching else f'the database refuses: {error}'}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the file system raise into a `StoreError`, and unreadable rows as well."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise failure(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # JSON that is not what was written
        raise StoreError(f"{path}: a row is damaged ({error}); restore a copy of the database") from error
