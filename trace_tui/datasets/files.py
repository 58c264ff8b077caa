"""Opens what a user names so that it can be read at any offset, in UTF-8.

A regular file is read where it is; of what is packed or comes through a pipe a private copy is made.
"""

import codecs
import gzip
import os
import stat
import tempfile
import zlib
from collections.abc import Callable
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
    """A file to read records from: the one that was named or a private copy that goes when it is closed.

    `fault` says why the copy ends before its time, "" if it does not.
    """

    file: BinaryIO
    size: int
    fault: str = ""

    def read(self, offset: int, size: int) -> bytes:
        """Read from an offset a number of bytes; fewer at the end of the file."""
        return os.pread(self.file.fileno(), size, offset)

    def start(self) -> int:
        """Return the offset at which the text begins: behind a byte order mark."""
        return len(codecs.BOM_UTF8) if self.read(0, len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0


def open_file(path: Path, progress: Progress) -> Opened:
    """Open a regular file for reading at any offset.

    Raises:
        BadInputError: it is not there, not readable, no regular file, packed and damaged from the start, or not
            in UTF-8.
    """
    file = _open(path)
    return _readable(str(path), Opened(file, os.fstat(file.fileno()).st_size), progress)


def open_stream(name: str, stream: IO[bytes], progress: Progress) -> Opened:
    """Copy what a stream brings to its end, and open that for reading at any offset.

    Raises:
        BadInputError: it cannot be read or kept, is packed and damaged from the start, or not in UTF-8.
    """

    def copy(spool: IO[bytes]) -> str:
        while chunk := stream.read(CHUNK):
            spool.write(chunk)
            progress(spool.tell(), None)
        return ""

    return _readable(name, _spool(name, copy), progress)


def _readable(name: str, opened: Opened, progress: Progress) -> Opened:
    """Return the file unpacked if need be, and checked; closed after any error."""
    try:
        if opened.read(0, len(_GZIP)) == _GZIP:
            with opened.file:
                opened = _unpack(name, opened, progress)
        _check_encoding(name, opened.read(0, 4))
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
    except ValueError:
        raise BadInputError(f"{path}: a name with a NUL byte in it is no file's") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    reason = next((reason for is_kind, reason in _NOT_REGULAR if is_kind(mode)), "is no regular file")
    raise BadInputError(f"{path}: {reason}")


def _check_encoding(name: str, head: bytes) -> None:
    """Refuse UTF-16 and UTF-32, by their mark or by the NUL bytes that ASCII has in them."""
    encoding = next((encoding for mark, encoding in _MARKS if head.startswith(mark)), None)
    if encoding is None and b"\0" in head:
        encoding = "UTF-32" if head.count(0) > 2 else "UTF-16"  # noqa: PLR2004 - of four bytes
    if encoding:
        raise BadInputError(f"{name}: is in {encoding}, not UTF-8; convert it: iconv -f {encoding} -t UTF-8")


def _spool(name: str, copy: Callable[[IO[bytes]], str]) -> Opened:
    """Fill a file without a name that only this process can read; `copy` returns why it ends before its time, or ""."""
    try:
        spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as what was opened
        try:
            fault = copy(spool)
            size = spool.tell()
            spool.seek(0)  # writes what is left, too
        except BaseException:
            spool.close()
            raise
    except OSError as error:
        reason = f"cannot be copied to a temporary file: {error.strerror}; TMPDIR can name another place"
        raise BadInputError(f"{name}: {reason}") from None
    return Opened(cast("BinaryIO", spool), size, fault)


def _unpack(name: str, packed: Opened, progress: Progress) -> Opened:
    unpacked = _spool(name, lambda spool: _copy_unpacked(packed, spool, progress))
    if unpacked.fault and not unpacked.size:
        unpacked.file.close()
        raise BadInputError(f"{name}: {unpacked.fault}")
    return unpacked


def _copy_unpacked(packed: Opened, spool: IO[bytes], progress: Progress) -> str:
    """Unpack as far as possible; return what is wrong with the rest, "" if nothing is."""
    try:
        with gzip.GzipFile(fileobj=packed.file) as stream:
            while chunk := stream.read1(CHUNK):  # unlike read, hands on what comes before damage
                spool.write(chunk)
                progress(packed.file.tell(), packed.size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        return f"the gzip file is damaged from here on: {error}"
    return ""
