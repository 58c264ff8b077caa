"""Opens what a user names as a dataset: regular files only, unpacked if need be, in UTF-8."""

import codecs
import gzip
import os
import stat
import tempfile
import zlib
from pathlib import Path
from typing import IO, BinaryIO, Final, NamedTuple, cast

from trace_tui.datasets.lines import CHUNK, Progress
from trace_tui.errors import BadInputError

_GZIP: Final = b"\x1f\x8b"
_NOT_REGULAR: Final = (
    (stat.S_ISDIR, "is a directory; name a file in it"),
    (stat.S_ISFIFO, "is a pipe, which cannot be read twice; write it to a file first"),
)
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class Opened(NamedTuple):
    """A file to read records from: the dataset itself or a private unpacked copy that goes when it is closed.

    `fault` says why the copy ends before its time, "" if it does not.
    """

    file: BinaryIO
    size: int
    fault: str = ""


def open_file(path: Path, progress: Progress) -> Opened:
    """Open a dataset for reading at any offset.

    Raises:
        BadInputError: it is not there, not readable, no regular file, packed and damaged from the start, or not
            in UTF-8.
    """
    file = _open(path)
    opened = Opened(file, os.fstat(file.fileno()).st_size)
    try:
        if os.pread(file.fileno(), len(_GZIP), 0) == _GZIP:
            with file:
                opened = _unpack(path, opened, progress)
        _check_encoding(path, os.pread(opened.file.fileno(), 4, 0))
    except BaseException:
        opened.file.close()
        raise
    return opened


def _open(path: Path) -> BinaryIO:
    try:
        # Without O_NONBLOCK opening a pipe would wait for somebody to write to it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror}") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    reason = next((reason for is_kind, reason in _NOT_REGULAR if is_kind(mode)), "is no regular file")
    raise BadInputError(f"{path}: {reason}")


def _check_encoding(path: Path, head: bytes) -> None:
    """Refuse UTF-16 and UTF-32, by their mark or by the NUL bytes that ASCII has in them."""
    encoding = next((name for mark, name in _MARKS if head.startswith(mark)), None)
    if encoding is None and b"\0" in head:
        encoding = "UTF-32" if head.count(0) > 2 else "UTF-16"  # noqa: PLR2004 - of four bytes
    if encoding:
        raise BadInputError(f"{path}: is in {encoding}, not UTF-8; convert it: iconv -f {encoding} -t UTF-8")


def _unpack(path: Path, packed: Opened, progress: Progress) -> Opened:
    """Unpack gzip into a file without a name that only this process can read."""
    try:
        spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the dataset
        try:
            fault = _copy(packed, spool, progress)
            spool.flush()
        except BaseException:
            spool.close()
            raise
    except OSError as error:
        reason = f"cannot be unpacked to a temporary file: {error.strerror}; TMPDIR can name another place"
        raise BadInputError(f"{path}: {reason}") from None
    unpacked = Opened(cast("BinaryIO", spool), spool.tell(), fault)
    if fault and not unpacked.size:
        spool.close()
        raise BadInputError(f"{path}: {fault}")
    return unpacked


def _copy(packed: Opened, spool: IO[bytes], progress: Progress) -> str:
    """Unpack as far as possible; return what is wrong with the rest, "" if nothing is."""
    try:
        with gzip.GzipFile(fileobj=packed.file) as stream:
            while chunk := stream.read1(CHUNK):  # unlike read, hands on what comes before damage
                spool.write(chunk)
                progress(packed.file.tell(), packed.size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        return f"the gzip file is damaged from here on: {error}"
    return ""
