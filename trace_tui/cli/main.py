"""The `trace-tui` command: runs a subcommand, turns whatever goes wrong into one line and an exit code."""

import importlib
import io
import os
import sys
from typing import Any, Final, NamedTuple

import click

from trace_tui import __version__
from trace_tui.cli.output import note, prepare_streams
from trace_tui.display import visible
from trace_tui.errors import TraceError

_INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count
_FAILED: Final = 1
_DEBUG: Final = "TRACE_TUI_DEBUG"


class Listed(NamedTuple):
    """Where a subcommand is, and what it does in a line: known without importing it."""

    module: str
    help: str


COMMANDS: Final = {
    "review": Listed("trace_tui.cli.review", "Review the labels of a dataset, sentence by sentence, on the screen."),
    "check": Listed("trace_tui.cli.check", "Say what a dataset holds and everything that is wrong with it."),
    "label": Listed("trace_tui.cli.label", "Have a model label the records of a dataset."),
    "score": Listed("trace_tui.cli.score", "Print the TRACE scores of a dataset's records."),
    "report": Listed("trace_tui.cli.report", "Say how far the judges can be trusted, and what is likely wrong."),
    "export": Listed("trace_tui.cli.export", "Write what was reviewed: ground truth, RAGBench rows or a table."),
    "rmse": Listed("trace_tui.cli.rmse", "Compute how far judge and human are apart, over exported files."),
}
"""The subcommands in the order of the work. Each is the attribute of its module that has its name."""


class LazyGroup(click.Group):
    """A group that imports a subcommand when it runs, and not for its own help."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order of the work."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Import one subcommand."""
        listed = COMMANDS.get(name)
        if listed is None:
            return None
        command: click.Command = getattr(importlib.import_module(listed.module), name)
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the subcommands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, listed.help) for name, listed in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: trace-tui review samples/ragbench.jsonl",
)
@click.version_option(__version__, prog_name="trace-tui")
def cli() -> None:
    """Review an LLM judge's sentence labels of RAG answers, and measure how far the judge can be trusted."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    0 done; 1 the output cannot be written or nobody reads it, or a bug; 2 wrong usage; 3 bad input; 4 judge not
    available; 130 interrupted, and 129 or 143 where `export -o` was hung up or terminated.

    Args:
        arguments: what follows the program's name; None takes it from the process.
    """
    prepare_streams()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        _abandon_output()
        if not isinstance(error, BrokenPipeError):
            note(f"error: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        return _FAILED
    return code


def _abandon_output() -> None:
    """Where stdout takes no more, see to it that closing it at exit does not fail once more."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _run(arguments: list[str] | None) -> int:
    try:
        result: Any = cli.main(arguments, prog_name="trace-tui", standalone_mode=False)
    except TraceError as error:
        note(f"error: {error}")
        return error.exit_code
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        sys.stderr.write(visible(said.getvalue()))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        note("interrupted")
        return _INTERRUPTED
    except SystemExit as error:  # click's way to say that nobody reads the output
        return error.code if isinstance(error.code, int) else _FAILED
    except OSError:
        raise
    except Exception as error:
        if os.environ.get(_DEBUG):
            raise
        note(f"error: a bug in trace-tui, {type(error).__name__}: {error}; {_DEBUG}=1 shows where")
        return _FAILED
    return result if isinstance(result, int) else 0
