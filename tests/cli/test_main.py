import os
import subprocess
import sys
from importlib.util import find_spec

import click
import pytest

from trace_tui import __version__
from trace_tui.cli import main as module
from trace_tui.cli.main import COMMANDS, cli, main
from trace_tui.errors import JudgeUnavailableError, UsageError

HEAVY = ("textual", "rich", "spacy", "groq", "sqlite_utils", "numpy", "msgspec")


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch):  # noqa: ANN201 - a function, which its users show
    """Return a function that makes `trace-tui boom` raise."""

    def arrange(error: BaseException) -> None:
        @click.command()
        def boom() -> None:
            raise error

        monkeypatch.setattr(module.LazyGroup, "get_command", lambda *_: boom)

    return arrange


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from trace_tui.cli.main import main; code = main(sys.argv[1:]);"
        f"print([name for name in {HEAVY} if name in sys.modules], code)"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")][
        -len(COMMANDS) - 1 : -1
    ] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec(COMMANDS[name].module) is None:
        pytest.skip(f"{COMMANDS[name].module} is not there yet")
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: trace-tui {name} ")
    assert f"trace-tui {name} " in out.partition("Example")[2]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["check"], ["check", "a", "b"], ["check", "--format", "x", "a"], []]
)
def test_wrong_usage_is_two(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: trace-tui")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UsageError("one\ntwo \x1b[2J"), 2, "error: one two ␛[2J\n"),
        (JudgeUnavailableError("no key"), 4, "error: no key\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (click.Abort(), 130, "interrupted\n"),
        (PermissionError(13, "Permission denied", "a\x1b"), 1, "error: Permission denied: a␛\n"),
        (
            ZeroDivisionError("\x1b"),
            1,
            "error: a bug in trace-tui, ZeroDivisionError: ␛; TRACE_TUI_DEBUG=1 shows where\n",
        ),
        (click.exceptions.Exit(3), 3, ""),
    ],
)
def test_errors_are_one_line_and_a_code(
    raising,  # noqa: ANN001 - as the fixture
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    said: str,
) -> None:
    raising(error)
    assert main(["boom"]) == code
    assert capsys.readouterr().err.lstrip() == said


def test_a_bug_shows_where_if_asked(raising, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN001 - as the fixture
    monkeypatch.setenv("TRACE_TUI_DEBUG", "1")
    raising(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        main(["boom"])


def test_a_reader_that_goes_away_is_met_with_silence() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with subprocess.Popen(
        [sys.executable, "-m", "trace_tui", "--help"], stdout=writing, stderr=subprocess.PIPE
    ) as process:
        os.close(writing)
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")  # noqa: PTH110 - a device
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-m", "trace_tui", "--help"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (done.returncode, done.stderr) == (1, b"error: No space left on device\n")


def test_closed_streams_and_narrow_encodings_are_survived(tmp_path) -> None:  # noqa: ANN001 - a path
    path = tmp_path / "dé\u241b.jsonl"
    path.write_text('{"question": "q", "documents": [], "response": "r"}\n')
    command = f'{sys.executable} -m trace_tui check "$0"'
    for shell in (f"{command} >&-", f"PYTHONIOENCODING=ascii {command}", f"PYTHONIOENCODING=latin-1 {command}"):
        done = subprocess.run(["sh", "-c", shell, str(path)], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_group_is_the_console_script() -> None:
    assert list(cli.list_commands(click.Context(cli))) == list(COMMANDS)
