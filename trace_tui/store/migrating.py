"""Makes the tables in an empty database, and brings an older one up to date after copying it."""

import itertools
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

from trace_tui.store import opening
from trace_tui.store.failures import explained
from trace_tui.store.schema import migrations

_PAUSE = 0.01  # seconds between two attempts


def migrate(connection: sqlite3.Connection, path: Path) -> str:
    """Apply the migrations that the database lacks, all or none.

    Returns:
        A line for the user that names the copy that was made, "" if there was nothing to copy.

    Raises:
        StoreError: the disk is full, the database locked, the folder read-only; the database is as it was.
    """
    with explained(path):
        _use_wal(connection)
        with opening.immediate(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version >= opening.VERSION:  # another process was faster
                return ""
            notice = _copied(path, version) if version else ""
            migrations.apply(Database(connection, recursive_triggers=False, execute_plugins=False))
            connection.execute(f"PRAGMA application_id = {opening.APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {opening.VERSION}")
    return notice


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, which SQLite refuses at once, without patience, while another process does the same."""
    deadline = time.monotonic() + opening.PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _copied(path: Path, version: int) -> str:
    """Copy the database to a new file beside it, through a second connection: the first holds the write lock."""
    copy = next(name for name in _names(path, version) if not name.exists())
    opening.reserve(copy)
    try:
        with closing(opening.connect(path, write=False)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return f"{path} was upgraded from version {version} to {opening.VERSION}; a copy of what it was is {copy}"


def _names(path: Path, version: int) -> itertools.chain[Path]:
    first = path.with_name(f"{path.name}.v{version}.bak")
    return itertools.chain([first], (path.with_name(f"{first.name}.{n}") for n in itertools.count(2)))
