"""`trace-tui review`: the screen on which a person checks a judge."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from trace_tui.cli.asking import Asking, asking_options
from trace_tui.cli.judges import set_out
from trace_tui.cli.options import DATASET, DB, SPACY_MODEL, definition_option
from trace_tui.cli.output import note, progress_bar
from trace_tui.cli.saving import Saving
from trace_tui.cli.workbench import Cutter, JudgedDataset, database_path
from trace_tui.datasets.source import open_dataset
from trace_tui.errors import UsageError
from trace_tui.review.ledger import Ledger
from trace_tui.review.ports import Journal, LabelService
from trace_tui.review.session import Session
from trace_tui.scoring import Definition
from trace_tui.store import Event, Failed, Store, Writer

_SWITCH = (
    0.001  # seconds that a key waits at most for a thread that saves or looks ahead; Python's own are five times that
)
_EXIT_WAIT = 30.0  # seconds for the last commits; a disk that sleeps needs a few


class SystemClock:
    """The clocks of this machine."""

    def now(self) -> str:
        """Return the time as ISO 8601 in UTC, to the millisecond."""
        from datetime import UTC, datetime

        return datetime.now(UTC).isoformat(timespec="milliseconds")

    def monotonic(self) -> float:
        """Return seconds that only ever rise."""
        from time import monotonic

        return monotonic()


def default_annotator() -> str:
    """Return the name under which this person is known to the machine."""
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no name for this user id
        return "annotator"


@click.command(epilog="Example: trace-tui review samples/ragbench.jsonl")
@DATASET
@DB
@click.option("--annotator", help="Your name in the store; your login name if absent.")
@click.option("--blind", is_flag=True, help="Hide the judge's output until you have accepted a record.")
@click.option(
    "--judge", metavar="TITLE", help="Compare with this judge, by its title or how that begins; `v` switches."
)
@click.option(
    "--order",
    type=click.Choice(["file", "uncertain"]),
    default="file",
    show_default=True,
    help="What comes first: `uncertain` begins with records on which a judge's votes differed.",
)
@asking_options
@definition_option("How scores follow from labels; `m` switches it on the screen.")
@click.option("--light", is_flag=True, help="Colours for a light terminal; Ctrl+P has more themes.")
@click.option("--keys", "keys_file", type=click.Path(path_type=Path), help="A TOML file of other keys, by name.")
@SPACY_MODEL
def review(
    dataset: Path,
    db: Path | None,
    annotator: str | None,
    *,
    blind: bool,
    judge: str | None,
    order: str,
    asking: Asking,
    definition: Definition,
    light: bool,
    keys_file: Path | None,
    spacy_model: str | None,
) -> None:
    """Review the records of DATASET one by one; every key is saved as you press it.

    DATASET is JSON lines (.jsonl), a JSON array (.json), or either in gzip. Nothing leaves this machine unless you ask
    a model for labels by key, and then only once you have agreed to the host.
    """
    if not sys.stdout.isatty() or not sys.stdin.isatty():
        raise UsageError("review needs a terminal to show the records on; `score` and `export` do not")
    gc.disable()  # nothing that a start makes is garbage; the app turns it on again once it has painted
    keymap = _keymap(keys_file)
    path = database_path(dataset, db)
    who = annotator or default_annotator()
    with session_on(dataset, path, who, spacy_model=spacy_model) as (session, saving):
        session.blind, session.definition = blind, definition
        set_out(session, judge, uncertain_first=order == "uncertain")
        _run(session, saving, keymap, _service(asking, dataset, path, saving, spacy_model), light=light)
    _report(saving, path)


@contextmanager
def session_on(
    dataset: Path, database: Path, annotator: str, *, spacy_model: str | None = None
) -> Iterator[tuple[Session, Saving]]:
    """Open a dataset with its database for one annotator, and wait at the end until all is saved.

    Raises:
        BadInputError: the dataset or the database cannot be used.
    """
    with progress_bar("reading") as progress:
        opened = open_dataset(dataset, progress)
    with opened:
        archive = Store.open(database)
        if archive.notice:
            note(archive.notice)
        saving = Saving(partial(Writer, database))
        try:
            source = JudgedDataset(opened, Cutter(archive.spans, spacy_model))
            yield Session(source, Ledger(archive, saving, SystemClock(), annotator, source.name)), saving
        finally:
            archive.close()
            saving.close(_EXIT_WAIT)


def _keymap(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    from trace_tui.tui.keys import read_keymap

    return read_keymap(path)


def _service(
    asking: Asking, dataset: Path, database: Path, journal: Journal, spacy_model: str | None
) -> Callable[[], LabelService]:
    """Return what makes the model that can be asked, when it is first asked: what it imports no start must wait for."""

    def make() -> LabelService:
        from trace_tui.cli.asked import AskedModel

        return AskedModel(asking, dataset, database, journal, SystemClock(), spacy_model)

    return make


def _run(
    session: Session,
    saving: Saving,
    keymap: dict[str, str],
    make_service: Callable[[], LabelService],
    *,
    light: bool,
) -> None:
    # A frame that follows another waits for the next tick of Textual's clock: at its 60 a second, up to 17 ms.
    os.environ.setdefault("TEXTUAL_FPS", "1000")

    from trace_tui.tui.app import ReviewApp
    from trace_tui.tui.shell import Saved, SaveFailed

    app = ReviewApp(session, saving, keymap, make_service, light=light)

    def notify(event: Event) -> None:
        app.post_message(SaveFailed() if isinstance(event, Failed) else Saved())

    saving.notify = notify
    sys.setswitchinterval(_SWITCH)
    error = app.run()
    if error is not None:
        raise error


def _report(saving: Saving, path: Path) -> None:
    lost = f"; {saving.pending} could not be saved: {saving.failure}" if saving.pending else ""
    note(f"{saving.saved} edits saved in {path}{lost}")
