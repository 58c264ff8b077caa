"""What all commands share: data to stdout, words and progress to stderr, nothing unseen to a terminal."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator
from typing import Any, Final, TextIO

from trace_tui.datasets.lines import LineErrors, Progress
from trace_tui.display import one_line, visible

_PATIENCE: Final = 1.0  # seconds before a progress bar shows
_encode: Final = json.JSONEncoder(allow_nan=False).encode


def prepare_streams() -> None:
    """Make sure that no character a stream cannot encode ends in an error; redirected data is UTF-8 everywhere."""
    # A stream is None where the caller closed it.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - lives until the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue  # replaced by something that is no file, which encodes nothing
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def write(text: str) -> None:
    """Write data to stdout: exactly as it is where redirected, made safe to show where stdout is a terminal."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def write_json(data: Any) -> None:
    """Write one JSON value, indented, to stdout; see `json_text`."""
    write(json.dumps(data, indent=2, allow_nan=False) + "\n")


def json_text(data: Any) -> str:
    """Return one JSON value on one line. All but ASCII is escaped, so that it is exact and safe everywhere."""
    return _encode(data)


def note(text: str) -> None:
    """Say one line to the user on stderr, if there is still somebody to read it."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{one_line(text)}\n")


def number_of(count: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def note_line_errors(errors: LineErrors, name: str, advice: str = "") -> None:
    """Say on stderr which lines of a file could not be used: the first of them, how many there are, and what to do."""
    for error in errors.first:
        note(str(error))
    if errors.count:
        more = errors.count - len(errors.first)
        hidden = f", {more:,} of them not shown" if more else ""
        note(f"{name}: {number_of(errors.count, 'line error')}{hidden}{advice and f'; {advice}'}")


@contextlib.contextmanager
def progress_bar(label: str, *, among_data: bool = False) -> Iterator[Progress]:
    """Show on stderr how far something is, if that is a terminal and it takes more than a second.

    Args:
        label: what is being done, in our words.
        among_data: data goes to stdout meanwhile; where that is a terminal, the data shows how far things are.

    Yields:
        What is to be called with how much is done and how much there is.
    """
    if not sys.stderr.isatty() or (among_data and sys.stdout.isatty()):
        yield lambda _done, _total: None
        return
    bar = _Bar(label, sys.stderr)
    try:
        yield bar
    finally:
        bar.stop()


class _Bar:
    """Starts Rich, which takes time to import, only when it is needed."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._due = time.monotonic() + _PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        if self._bar is None:
            if time.monotonic() < self._due:
                return
            from rich.console import Console
            from rich.progress import Progress as RichProgress

            # Rich would otherwise turn what is written to stdout over to its own console, which is stderr.
            self._bar = RichProgress(console=Console(file=self._stream), transient=True, redirect_stdout=False)
            self._task = self._bar.add_task(self._label, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
