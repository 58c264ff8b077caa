"""Finds out what a database file is before anything is written to it, and connects to it."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from trace_tui.errors import StoreError
from trace_tui.store.failures import explained

APPLICATION_ID: Final = 0x54524345  # "TRCE", in the header of every database of this program
VERSION: Final = 2  # the number of migrations in `schema`, known here so that a current database needs no import
_SMALLEST: Final = 512  # bytes of the smallest page, and so of the smallest database
EMPTY: Final = 0  # the version of a file in which no table has been made yet
_SERIALIZED: Final = 3  # DB-API level at which threads may share connections
PATIENCE: Final = 3.0  # seconds that a lock held by another program is waited for


class Identity(NamedTuple):
    """What tells a file from another one that was put in its place."""

    device: int
    inode: int


def identity_of(path: Path) -> Identity | None:
    """Return the identity of the file that stands at `path` now; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return Identity(found.st_dev, found.st_ino)


def reserve(path: Path) -> None:
    """Make an empty file that its owner alone can read, so that a place that cannot be written is known at once.

    Does nothing if there is a file. SQLite gives the files it puts beside it the same permissions.

    Raises:
        StoreError: the folder is missing or cannot be written.
    """
    if path.is_symlink() and not path.exists():
        raise StoreError(f"{path}: a link to a file that is gone; remove it, or name another file with --db")
    with explained(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except FileNotFoundError as error:
            raise StoreError(f"{path}: its folder does not exist; make it, or name another with --db") from error


def check(path: Path, *, write: bool) -> int:
    """Return the version of the database, having written nothing; `EMPTY` for a file without tables.

    Raises:
        StoreError: missing, no regular file, not readable, not writable though `write`, not an SQLite database, of
            another application, or of a newer version of this program.
    """
    with explained(path):
        if not path.exists():
            raise StoreError(f"{path}: no database there; `trace-tui review` makes one, or name another with --db")
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            kind = "a folder" if stat.S_ISDIR(found.st_mode) else "not a regular file"
            raise StoreError(f"{path}: {kind}, not a database; name a file with --db")
        if 0 < found.st_size < _SMALLEST:
            # SQLite takes so short a file, whatever is in it, for an empty database, and writes over it.
            raise StoreError(f"{path}: not an SQLite database; name another file with --db")
        if write and not _writable(path):
            # SQLite would go on: in WAL mode only a checkpoint writes to the file itself.
            raise StoreError(f"{path}: the file is read-only; make it writable, or name another place with --db")
        with closing(_connect_to_look(path)) as connection:
            return _version(connection, path)


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Connect to an existing file.

    Threads may share the connection for reading, where SQLite takes care of that itself, as nearly everywhere.
    A commit is on the disk when it returns. Transactions are begun by hand: a deferred one that wants to write later
    fails at once if another program is writing, whatever the patience.
    """
    if not write and not _writable(path.parent) and not _beside(path, "-wal").exists():
        return _connected(path, "mode=ro&immutable=1")  # where SQLite cannot make the files it reads WAL through
    connection = _connected(path, "mode=rw" if write else "mode=ro")
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def immediate(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock from the start, and commit all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _connect_to_look(path: Path) -> sqlite3.Connection:
    # Reading through WAL leaves files beside the database; without a WAL none is needed to read the header.
    return _connected(path, "mode=ro" if _beside(path, "-wal").exists() else "mode=ro&immutable=1")


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{mode}"
    shared = sqlite3.threadsafety >= _SERIALIZED
    return sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=not shared)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    application, version = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
    )
    if application == APPLICATION_ID:
        if version > VERSION:
            raise StoreError(f"{path}: written by a newer trace-tui; upgrade this one, or name another file with --db")
        return int(version)
    if application or version or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise StoreError(f"{path}: the database of another application; name another file with --db")
    return EMPTY


def _writable(path: Path) -> bool:
    # Not by opening it: closing a file drops all locks that this process holds on it.
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)
