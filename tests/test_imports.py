"""What each part may import, seen in a process of its own: the contracts in pyproject say the same of the source."""

import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import trace_tui
from tests.rows import make_row
from tests.tui.stage import stage, write_rows

OUTSIDE = ("textual", "rich", "sqlite3", "sqlite_utils", "groq", "httpx", "spacy", "numpy")
CORE = [
    "trace_tui.records",
    "trace_tui.labels",
    "trace_tui.reviews",
    "trace_tui.normalise",
    "trace_tui.display",
    "trace_tui.errors",
    *(
        f"trace_tui.{package}.{module.name}"
        for package in ("review", "scoring")
        for module in pkgutil.iter_modules([str(Path(trace_tui.__file__).parent / package)])
    ),
]


def imported_by(code: str, *arguments: str) -> set[str]:
    """Return which of the packages named above are loaded after the code ran in a fresh interpreter."""
    script = f"import sys\n{code}\nprint(); print([n for n in {OUTSIDE} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1].replace("'", '"')))


def test_the_core_imports_no_terminal_database_network_or_model() -> None:
    assert len(CORE) > 15
    assert imported_by("\n".join(f"import {name}" for name in CORE)) <= {"numpy"}  # statistics may, if asked for


def test_the_first_face_of_scoring_needs_no_numpy() -> None:
    names = [name for name in CORE if not name.startswith("trace_tui.scoring.")]
    assert imported_by("\n".join(f"import {name}" for name in ["trace_tui.scoring", *names])) == set()


def test_the_probe_would_see_it() -> None:
    assert imported_by("import sqlite3, rich") == {"sqlite3", "rich"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["review", "--help"], ["check", "--help"]])
def test_help_imports_none_of_them(arguments: list[str]) -> None:
    code = "from trace_tui.cli.main import main\nassert main(sys.argv[1:]) == 0"
    allowed = {"sqlite3"} if arguments[0] == "review" else set()
    assert imported_by(code, *arguments) <= allowed


REVIEW = """
import asyncio, logging
from pathlib import Path
from trace_tui.cli.review import session_on
from trace_tui.tui.app import ReviewApp

async def look(app):
    async with app.run_test(notifications=True, tooltips=True) as pilot:
        while app._board.painted_at is None:
            await pilot.pause(0.01)

with session_on(Path(sys.argv[1]), Path(sys.argv[2]), "mia") as (session, saving):
    asyncio.run(look(ReviewApp(session, saving)))
"""


@pytest.fixture
async def reviewed(tmp_path: Path) -> tuple[str, str]:
    """Return a dataset with sentences, and a database that is there already."""
    dataset, database = write_rows(tmp_path / "x.jsonl", [make_row()]), tmp_path / "x.trace.db"
    async with stage(dataset, database) as s:
        await s.press("n")
        await s.until_saved()
    return str(dataset), str(database)


def test_review_of_split_data_paints_without_splitter_network_or_migrations(reviewed: tuple[str, str]) -> None:
    assert imported_by(REVIEW, *reviewed) == {"textual", "rich", "sqlite3"}


def test_the_first_screen_needs_no_dialog(reviewed: tuple[str, str]) -> None:
    imported_by(REVIEW + "\nassert 'trace_tui.tui.dialogs' not in sys.modules", *reviewed)
