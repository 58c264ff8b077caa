"""Arguments and options that several commands take."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from trace_tui.scoring import Definition

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

DATASET: Final = click.argument("dataset", type=click.Path(path_type=Path))
DB: Final = click.option(
    "--db", type=click.Path(path_type=Path), help="Where reviews are kept; DATASET with .trace.db if absent."
)
SPACY_MODEL: Final = click.option(
    "--spacy-model", metavar="NAME", help="Split plain text with this installed spaCy pipeline."
)


def definition_option(help_text: str, default: Definition | None = Definition.GPT_LABELING) -> Decorator[Any]:
    """Make `--definition`, which hands the command a `Definition`; None where it has no default and is not given."""
    return click.option(
        "--definition",
        type=click.Choice([definition.value for definition in Definition]),
        default=default.value if default else None,
        show_default=default is not None,
        callback=lambda _context, _parameter, value: value and Definition(value),
        help=help_text,
    )


def format_option(forms: Sequence[str], help_text: str) -> Decorator[Any]:
    """Make `--format`, handed on as `form`; the first of the forms is the default."""
    return click.option(
        "--format", "form", type=click.Choice(forms), default=forms[0], show_default=True, help=help_text
    )
