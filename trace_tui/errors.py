"""The errors a user can meet: each is one clear line and an exit code."""

from signal import Signals


class TraceError(Exception):
    """Something the user must know: says what, where, and what to do, in one line."""

    exit_code = 1


class UsageError(TraceError):
    """The command was called in a way that has no single meaning."""

    exit_code = 2


class BadInputError(TraceError):
    """A file, a database or a row that cannot be used as it is."""

    exit_code = 3


class StoreError(BadInputError):
    """The database cannot be opened, read or written."""


class JudgeUnavailableError(TraceError):
    """The judge that was asked for cannot label here: nothing installed, no key, no labels."""

    exit_code = 4


class SignalledError(TraceError):
    """Another program, or the terminal going away, told this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {Signals(number).name}; what was done is saved")
        self.exit_code = 128 + number  # as shells count
