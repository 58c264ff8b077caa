"""Runs the program in a real terminal and keeps every byte that it writes there."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Sequence


def run_in_pty(arguments: Sequence[str], keys: Sequence[bytes], size: tuple[int, int], **environment: str) -> bytes:
    """Run trace-tui in a terminal, press keys once the screen has come to rest, and return every byte it wrote."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ.update({"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment})
        os.execv(sys.executable, [sys.executable, "-m", "trace_tui", *arguments])
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGWINCH)
    said = _until_quiet(master, 0.6, first=True)
    for key in keys:
        with contextlib.suppress(OSError):
            os.write(master, key)
        said += _until_quiet(master, 0.13)  # slower than auto-repeat
    said += _until_quiet(master, 0.5)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(master)
    return said.replace(b"\x1b]22;default\x07", b"")  # Textual's shape of the mouse pointer


def _until_quiet(master: int, quiet: float, *, first: bool = False) -> bytes:
    said, deadline = b"", time.monotonic() + (20 if first else quiet)
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.05)[0]:
            try:
                chunk = os.read(master, 65_536)
            except OSError:
                break
            said += chunk
            if not first or b"record" in said:
                deadline = time.monotonic() + quiet
    return said
