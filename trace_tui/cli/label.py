"""`trace-tui label`: has a model label the records of a dataset, resumable at any moment."""

import asyncio
import signal
import sys
import time
from collections.abc import Coroutine, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final

import click

from trace_tui.cli.asking import PRICE, Asking, asking_options
from trace_tui.cli.labelling import Ceiling, Choice, Plan, Run, committing, consent_to, dataset_name, plan, until
from trace_tui.cli.labelprogress import showing, status
from trace_tui.cli.labelreport import FORMATS, estimate, report
from trace_tui.cli.options import DATASET, DB, SPACY_MODEL, definition_option, format_option
from trace_tui.cli.output import note, note_line_errors, number_of, progress_bar, write
from trace_tui.cli.review import SystemClock
from trace_tui.cli.workbench import Cutter, database_path
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.errors import BadInputError, JudgeUnavailableError, SignalledError, StoreError, UsageError
from trace_tui.scoring import Definition
from trace_tui.store import Store

INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count
_WORTH_SAYING: Final = 1.5  # seconds of waiting for a limit
_MOST_AT_A_TIME: Final = 20  # in flight; one client is sound up to that


@click.command(
    epilog="\b\nExamples:\n  trace-tui label dataset.jsonl --dry-run\n"
    "  trace-tui label dataset.jsonl --model openai/gpt-oss-20b --limit 100\n"
    "  trace-tui label dataset.jsonl --base-url http://localhost:11434/v1 --model qwen3"
)
@DATASET
@DB
@PRICE
@asking_options
@click.option(
    "--concurrency",
    type=click.IntRange(1, _MOST_AT_A_TIME),
    default=4,
    show_default=True,
    help="Records asked about at a time.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Label at most so many records in this run.")
@click.option("--only", multiple=True, metavar="IDS", help="Only the records with these ids, with commas between.")
@click.option("--retry-failed", is_flag=True, help="Only records that failed, not those never asked about.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Stop before this run takes more tokens.")
@click.option(
    "--max-cost", type=click.FloatRange(min=0, min_open=True), help="Stop before this run costs more dollars."
)
@click.option("--dry-run", is_flag=True, help="Say how many calls, tokens and dollars it would take, and send nothing.")
@click.option("--show-prompt", metavar="ID", help="Print what would be asked about this record, and send nothing.")
@click.option("--yes", is_flag=True, help="Send the documents without asking first.")
@definition_option("How scores follow from labels.")
@format_option(list(FORMATS), "The report at the end: to read, or data.")
@SPACY_MODEL
def label(
    dataset: Path,
    *,
    db: Path | None,
    asking: Asking,
    concurrency: int,
    limit: int | None,
    only: Sequence[str],
    retry_failed: bool,
    max_tokens: int | None,
    max_cost: float | None,
    dry_run: bool,
    show_prompt: str | None,
    yes: bool,
    definition: Definition,
    form: str,
    spacy_model: str | None,
) -> int:
    """Have a model label the records of DATASET: relevant, utilized and supporting sentences, and verdicts.

    It sends question, documents and response of each record to Groq, or to the server of GROQ_BASE_URL or --base-url,
    and to nobody else; the first time for a dataset and host it asks. Every result is saved as it arrives: run it
    again to go on with what is missing or failed. `trace-tui review --judge groq` compares with the labels.
    """
    ceiling = Ceiling(max_tokens, max_cost, asking.known_price)
    if max_cost is not None and ceiling.price is None:
        raise UsageError(f"--max-cost: no price of {asking.model} at {asking.host} is known; give one with --price")
    path = database_path(dataset, db)
    with progress_bar("indexing") as progress:
        opened = open_dataset(dataset, progress)
    with opened, ExitStack() as stack:
        is_sending = not dry_run and show_prompt is None
        # What sends nothing writes nothing, and makes no database.
        store = (
            stack.enter_context(closing(Store.open(path, write=is_sending))) if is_sending or path.exists() else None
        )
        cutter = Cutter(store.spans if store else lambda _: None, spacy_model)
        if show_prompt is not None:
            _show_prompt(opened, cutter, asking, show_prompt)
            return 0
        with progress_bar("looking up records") as progress:
            found = plan(opened, store, asking.judge, Choice(only, limit, failed_only=retry_failed), progress)
        note_line_errors(found.errors, str(dataset), "`trace-tui check` names every one")
        if store is None or not is_sending:
            with progress_bar("estimating") as progress:
                FORMATS[form](estimate(asking, opened, cutter, found, progress))
            return 0
        _ = asking.key  # one that is missing is said before anything is agreed upon
        _agree(store, dataset, asking, found, yes=yes)
        code = _label(Run(opened, cutter, store, ceiling), path, asking, found, concurrency)
        FORMATS[form](report(asking, opened, store, found, definition))
    return code


def _label(run: Run, path: Path, asking: Asking, found: Plan, concurrency: int) -> int:
    """Label what is to be labelled, and return the exit code: the report over all follows whatever ended it."""
    try:
        asyncio.run(_unless_told(_run(run, path, asking, found, concurrency)))
    except KeyboardInterrupt:
        note("interrupted; what was labelled is saved, run it again to go on")
        return INTERRUPTED
    except (JudgeUnavailableError, SignalledError, StoreError) as error:
        note(f"error: {error}")
        return error.exit_code
    if run.is_at_ceiling:
        note("stopped: one more record would pass the ceiling of --max-tokens or --max-cost; run it again to go on")
    return 0


async def _unless_told(work: Coroutine[Any, Any, None]) -> None:
    """Do some work, until another program or the terminal tells this one to end.

    Raises:
        SignalledError: it did.
    """
    task = asyncio.ensure_future(work)
    told: list[int] = []

    def end(number: int) -> None:
        told.append(number)
        task.cancel()

    for number in (signal.SIGTERM, signal.SIGHUP):
        with suppress(NotImplementedError, RuntimeError):  # not on every system, nor off the main thread
            asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        await task
    except asyncio.CancelledError:
        if told:
            raise SignalledError(told[0]) from None
        raise


async def _run(run: Run, path: Path, asking: Asking, found: Plan, concurrency: int) -> None:
    if not found.positions:
        return
    async with asking.labeller(SystemClock().now) as labeller:
        started = time.monotonic()

        def now() -> list[str]:
            waits = labeller.waits()
            waits_until = until(waits) if waits > _WORTH_SAYING else ""
            seconds = time.monotonic() - started
            return status(run.tally, len(found.positions), seconds, asking.known_price, waits_until)

        with committing(path) as committer:
            async with showing(now, lambda: run.tally.done, len(found.positions)):
                await run.go(labeller, committer, found.positions, concurrency)


def _show_prompt(dataset: Dataset, cutter: Cutter, asking: Asking, text: str) -> None:
    from trace_tui.judges.prompt import user_message

    position = next(dataset.find_id(text), None)
    if position is None:
        raise BadInputError(f"{dataset.path}: no record has the id {text}")
    record = cutter.record(dataset.row(position))
    write(f"{asking.settings.prompt.instructions.rstrip()}\n\n{user_message(record)}\n")


def _agree(store: Store, dataset: Path, asking: Asking, found: Plan, *, yes: bool) -> None:
    """Ask, the first time, whether documents may go to that host.

    Raises:
        UsageError: there is nobody to ask.
        click.Abort: they may not.
    """
    if not found.positions or store.has_consent(dataset_name(dataset), asking.host):
        return
    question = f"{number_of(len(found.positions), 'record')} of {dataset.name} will be sent to {asking.host}"
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"{question}, for the first time; --yes agrees to that")
        click.confirm(f"{question}, with question, documents and response. Send?", abort=True, err=True)
    store.commit([consent_to(asking.host, dataset, SystemClock().now())])
