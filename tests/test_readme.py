"""What the README says is what the program does."""

import re
from pathlib import Path

import click
import pytest

from tests.readme_table import key_table
from trace_tui.cli.main import COMMANDS, cli
from trace_tui.tui.help import legend

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_key_table_is_the_live_one() -> None:
    assert "\n".join(key_table()) in README, "run `python -m tests.readme_table` and put it there"


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_and_option_is_in_the_readme(name: str) -> None:
    (row,) = [line for line in README.splitlines() if line.startswith(f"| `trace-tui {name} ")]
    for parameter in command(name).params:
        if isinstance(parameter, click.Option):
            assert f"`{parameter.opts[0]}`" in row, parameter.opts
    mentioned = set(re.findall(r"`(--?[a-z-]+)`", row))
    known = {option for parameter in command(name).params for option in parameter.opts}
    assert mentioned <= known


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_help_of_every_command_has_an_example_and_explains_every_option(name: str) -> None:
    found = command(name)
    text = found.get_help(click.Context(found, info_name=name))
    assert "Example" in text
    assert f"trace-tui {name} " in text
    for parameter in found.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


def test_every_sign_of_the_legend_is_in_the_readme() -> None:
    signs = {line[0][0].strip() for line in legend() if len(line) > 1}
    for sign in signs - {"R·", "·U", "RU", "··", "ru", "●○", "7", "◆ 2↑ 1↓", "R T C A", "you?", "Δ"}:
        assert f"`{sign}`" in README, sign


def test_the_picture_is_there() -> None:
    (picture,) = re.findall(r"!\[[^]]+\]\((\S+\.svg)\)", README)
    assert (ROOT / picture).read_text(encoding="utf-8").startswith("<svg")


def test_every_file_the_readme_names_exists() -> None:
    for name in re.findall(r"samples/[\w.]+", README):
        assert (ROOT / name).exists(), name
