"""A file that is either written whole or not at all, and never over something that is needed."""

import os
import signal
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from types import FrameType
from typing import Final, Never, TextIO

from trace_tui.cli import output
from trace_tui.errors import TraceError, UsageError

_SQLITE: Final = b"SQLite format 3\0"
_ENDING: Final = (signal.SIGHUP, signal.SIGTERM)
_KILLED: Final = 128  # and the number of the signal, as shells count
_BESIDE_DATABASES: Final = ("-wal", "-shm", "-journal")

Write = Callable[[str], object]


@contextmanager
def open_output(path: Path | None, needed: Sequence[Path], *, force: bool) -> Iterator[Write]:
    """Yield what writes text: to stdout, or to a file that stands at `path` once all is written.

    The file is made beside its place and renamed onto it, after its bytes are on the disk: whoever looks sees the old
    file or the new one, and after any error or signal to end there is nothing new. A link is followed. A new file has
    the permissions that the umask leaves; one that takes another's place has the other's.

    Args:
        path: where to; None or `-` is stdout.
        needed: files that must not be written over, there or not: inputs and databases.
        force: whether it may take the place of a file.

    Raises:
        UsageError: nothing may be written there.
        TraceError: it cannot be written.
    """
    if path is None or str(path) == "-":
        yield output.write
        return
    target = _checked(path, needed, force=force)
    beside = target.with_name(f".trace-tui-{token_hex(8)}.tmp")
    try:
        with _ended_by_exception():
            with _new_file(beside, target) as stream:
                yield stream.write
                stream.flush()
                os.fsync(stream.fileno())
            _refuse_existing(path, force=force)  # it may have come meanwhile
            beside.replace(target)
            _sync_folder(target.parent)
    except OSError as error:
        raise TraceError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _ended_by_exception() -> Iterator[None]:
    """Let signals that end a program on the spot raise an exception, as an interrupt does: so it cleans up."""

    def leave(number: int, _frame: FrameType | None) -> Never:
        raise SystemExit(_KILLED + number)

    changed = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]  # nohup ignores one
    for number in changed:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)


def _checked(path: Path, needed: Sequence[Path], *, force: bool) -> Path:
    """Return the file that `path` names, links followed, if it may be written."""
    try:
        target = path.resolve()
        if not target.parent.is_dir():
            raise UsageError(f"{path}: its folder does not exist; make it, or name another file")
        mode = target.stat().st_mode if target.exists() else stat.S_IFREG
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path}: is a folder; name a file")
        if not stat.S_ISREG(mode):
            raise UsageError(f"{path}: is no regular file; without -o all goes to stdout")
        if any(_is_same(target, other) for other in needed):
            raise UsageError(f"{path}: is the dataset or its database; name another file")
        if any(_is_database(Path(str(target).removesuffix(end))) for end in ("", *_BESIDE_DATABASES)):
            raise UsageError(f"{path}: is a database or belongs to one; name another file")
        _refuse_existing(path, force=force)
    except (OSError, RuntimeError) as error:  # the latter from links that go round in a circle
        raise UsageError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}") from error
    return target


def _refuse_existing(path: Path, *, force: bool) -> None:
    if os.path.lexists(path) and not force:
        raise UsageError(f"{path}: exists already; --force writes over it")


def _is_same(target: Path, other: Path) -> bool:
    return target == other.resolve() or (target.exists() and other.exists() and target.samefile(other))


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _new_file(beside: Path, target: Path) -> TextIO:
    descriptor = os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
    if target.exists():
        os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
    return os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n")


def _sync_folder(folder: Path) -> None:
    """Make the new name last, too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
