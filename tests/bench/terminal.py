"""A program in a pseudo-terminal: keys in, bytes out with the time at which they came, and the screen they make."""

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Self

import pyte

ROOT = Path(__file__).parents[2]
QUIET = 0.04  # seconds without a byte that end a repaint: more than two frames of Textual's 60 Hz
_CHUNK = 1 << 16
_ANSWERS = {
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",  # synchronized output: known, and off for now
    b"\x1b[?2048$p": b"\x1b[?2048;0$y",  # resizing told in band: not known
    b"\x1b[c": b"\x1b[?62;22c",
    b"\x1b[6n": b"\x1b[1;1R",
}
_START_OF_FRAME = b"\x1b[?2026h"
_END_OF_FRAME = b"\x1b[?2026l"
_SEQUENCES_BEYOND_PYTE = re.compile(rb"\x1b\[[<>=?][0-9;]*[a-zA-Z$]p?")


class Repaint(NamedTuple):
    """Milliseconds from a key to the end of the first frame it led to, and to the last byte before the quiet."""

    first: float
    last: float
    bytes: int


class Terminal:
    """Runs a command on a screen of its own; a context manager that kills what is left of it.

    A wait that fails kills it too, and raises what the screen shows.
    """

    def __init__(self, command: Sequence[str], *, columns: int = 200, lines: int = 60, **environment: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        named = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**inherited, **named, **environment},
            # Its controlling terminal: should this process end without a word, the kernel hangs up on the program.
            preexec_fn=lambda: os.login_tty(slave),  # noqa: PLW1509 - no other thread holds a lock that it takes
        )
        os.close(slave)
        os.set_blocking(self._master, False)
        self._screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self._screen)
        self._unshown = bytearray()
        self._tail = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End the program as a crash would; the screen then shows all that it had painted, but no half of a frame."""
        self.process.kill()
        self.process.wait()
        if self._master >= 0:
            while self.read(0):
                pass
            whole, begin, _half = self._unshown.rpartition(_START_OF_FRAME)
            if begin and _END_OF_FRAME not in _half:
                self._unshown = whole
            os.close(self._master)
            self._master = -1

    def processor_seconds(self) -> float:
        """Return the time that the program's threads have spent on a processor, whatever else the machine does."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def memory(self) -> tuple[float, float]:
        """Return the megabytes of memory that the program held at most, and holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak, now = (int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ("VmHWM", "VmRSS"))
        return peak / 1024, now / 1024

    def send(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def read(self, timeout: float) -> bytes:
        """Return what comes next, b"" if nothing does within `timeout` seconds or the program has ended."""
        ready, _, _ = select.select([self._master], [], [], timeout)
        if not ready:
            return b""
        try:
            data = os.read(self._master, _CHUNK)
        except OSError:  # the other end is closed
            return b""
        self._answer(data)
        self._unshown += data
        return data

    def _answer(self, data: bytes) -> None:
        seen = self._tail + data
        for query, answer in _ANSWERS.items():
            if query in seen and query not in self._tail:
                self.send(answer)
        self._tail = seen[-16:]

    def press(self, keys: str | bytes, quiet: float = QUIET) -> Repaint:
        """Type, and time what is painted until nothing more comes for `quiet` seconds."""
        start = time.perf_counter()
        self.send(keys)
        first = last = start
        size = 0
        # A key may paint nothing at all; one that paints late has a second.
        while data := self.read(quiet if size else 1.0):
            last = time.perf_counter()
            size += len(data)
            if first == start and _END_OF_FRAME in data:
                first = last
        return Repaint((first - start) * 1000, (last - start) * 1000, size)

    def settle(self, quiet: float = 0.25, timeout: float = 30.0) -> None:
        """Wait until nothing more is painted."""
        deadline = time.monotonic() + timeout
        while self.read(quiet) and time.monotonic() < deadline:
            pass

    def await_bytes(self, wanted: bytes, timeout: float = 30.0) -> float:
        """Return the seconds from the start of the program to the bytes that hold `wanted`.

        Raises:
            TimeoutError: they did not come, or the program ended.
        """
        deadline, seen = time.monotonic() + timeout, b""
        while time.monotonic() < deadline:
            data = self.read(0.1)
            now = time.perf_counter()
            seen = seen[-len(wanted) :] + data
            if wanted in seen:
                return now - self.started
            if not data and self.process.poll() is not None:
                break
        raise self._given_up(f"{wanted!r} was not painted")

    def await_text(self, shows: Callable[[str], bool], timeout: float = 30.0) -> str:
        """Return the text of the screen as soon as it is as wanted.

        Raises:
            TimeoutError: it did not become so, or the program ended.
        """
        deadline = time.monotonic() + timeout
        while not shows(self.text):
            ended = self.process.poll() is not None
            if not self.read(0.05) and (ended or time.monotonic() > deadline):
                raise self._given_up("not what was waited for")
        return self.text

    def _given_up(self, why: str) -> TimeoutError:
        self.kill()
        return TimeoutError(f"{why}; the screen shows:\n{self.text}")

    @property
    def text(self) -> str:
        """The screen as lines of text."""
        if self._unshown:
            self._stream.feed(_SEQUENCES_BEYOND_PYTE.sub(b"", bytes(self._unshown)))
            self._unshown.clear()
        return "\n".join(self._screen.display)


def review(dataset: Path, database: Path, *options: str) -> list[str]:
    """Return the command line that reviews a dataset."""
    return [sys.executable, "-m", "trace_tui", "review", str(dataset), "--db", str(database), *options]
