"""`trace-tui rmse`: how far judge and human are apart, over lines of their scores."""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from trace_tui.display import one_line
from trace_tui.errors import BadInputError
from trace_tui.scoring import METRICS, BatchRMSE, Definition, RMSECalculator, RunningBatch, Tier, TraceRMSE

if TYPE_CHECKING:
    from trace_tui.datasets.scorelines import Block, Group, ScoreFile

_UNDEFINED: Final = "\N{EN DASH}"
_PATIENCE: Final = 1.0  # seconds before a progress bar is worth its place
_HEADINGS: Final = tuple(metric.removeprefix("context_") for metric in METRICS)
_RECORD_ROW: Final = "{:>10}  {:>9}  {:>11}  {:>12}  {:>9}  {:<10}  {}"


@click.command(
    "rmse",
    epilog="\b\nExample:\n  trace-tui export dataset.jsonl -o truth.jsonl\n  trace-tui rmse truth.jsonl --format json",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--per-record", is_flag=True, help="Compare line by line instead (JSON: one object a line, as it goes).")
@click.option(
    "--definition",
    type=click.Choice([definition.value for definition in Definition]),
    help="Leave out lines whose scores follow another definition; a line that names none stays.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table to read, or JSON.",
)
def rmse(files: tuple[str, ...], *, per_record: bool, definition: str | None, form: str) -> None:
    """Say how far judge and human are apart (RMSE).

    FILE holds a JSON object with "metrics" and "ground_truth_scores" a line, or one JSON array of them, also
    compressed (.gz); - is the standard input. `export` writes such lines. Lines of different judges, definitions,
    annotators, or blind and assisted, are grouped and never pooled; an assisted line that revises a blind judgement
    counts in both groups.

    JSON has the list "groups"; if there is just one, its fields stand at the top as well. A score that is undefined
    on either side is left out, every figure says over how many (n), and over none it is null.
    """
    reading = _Reading(files, definition)
    if per_record:
        _per_record(reading, form)
    else:
        _batch(reading, form)
    reading.finish()


class _Reading:
    """Reads the files one after the other, and tells on stderr what could not be used."""

    def __init__(self, files: tuple[str, ...], definition: str | None) -> None:
        self.several = len(files) > 1
        self._files = files
        self._definition = definition
        self._used = 0
        self._left_out = 0

    def blocks(self, *, bar: bool) -> Iterator[tuple[str, "Block"]]:
        """Yield the name of the file with each block of lines."""
        from trace_tui.datasets.scorelines import open_scores

        for path in self._files:
            with open_scores(path) as file:
                blocks = _with_progress(file) if bar and sys.stderr.isatty() else file.blocks()
                for block in blocks:
                    yield file.name, block
                _tell_errors(file)

    def wants(self, group: "Group", lines: int) -> bool:
        """Whether lines of this group are asked for; counts them."""
        if self._definition and group.definition not in {"", self._definition}:
            self._left_out += lines
            return False
        self._used += lines
        return True

    def finish(self) -> None:
        """Tell what was left out by choice.

        Raises:
            BadInputError: no line could be used.
        """
        if self._left_out:
            _tell(f"{_number(self._left_out, 'comparison')} left out: not of the definition {self._definition}")
        if not self._used:
            raise BadInputError(
                f"nothing to compare in {', '.join(self._files)}: it needs lines with metrics and ground_truth_scores"
                + (f" of the definition {self._definition}" if self._definition else "")
            )


def _batch(reading: _Reading, form: str) -> None:
    from trace_tui.datasets.scorelines import pairs

    running: defaultdict[Group, RunningBatch] = defaultdict(RunningBatch)
    for _, block in reading.blocks(bar=True):
        for group, predicted, truth in pairs(block.lines):
            if reading.wants(group, len(truth)):
                running[group].add_pairs(predicted, truth)
    results = {group: batch.result() for group, batch in sorted(running.items())}
    if form == "table":
        _print_tables(results)
    elif results:
        groups = [{**group._asdict(), **result.to_dict()} for group, result in results.items()]
        single = groups[0] if len(groups) == 1 else {}
        _print_json({**single, "groups": groups}, indent=2)


def _per_record(reading: _Reading, form: str) -> None:
    from trace_tui.datasets.scorelines import pairs

    if form == "table":
        click.echo(_RECORD_ROW.format("aggregated", *_HEADINGS, "tier", "line, record"))
    for name, block in reading.blocks(bar=not sys.stdout.isatty()):
        for number, line in zip(block.numbers, block.lines, strict=True):
            for group, (predicted,), (truth,) in pairs([line]):
                if not reading.wants(group, 1):
                    continue
                result = RMSECalculator.compute_rmse_single_trace_evaluation(predicted, truth)
                if form == "table":
                    where = f"{name}:{number}" if reading.several else str(number)
                    click.echo(_record_row(result, where, line.id, group))
                else:
                    _print_json({"file": name, "line": number, "id": line.id, **group._asdict(), **result.to_dict()})


def _record_row(result: TraceRMSE, where: str, identity: object, group: "Group") -> str:
    about = [where, "" if identity is None else str(identity), *group]
    return _RECORD_ROW.format(
        _figure(result.aggregated_rmse),
        *map(_figure, result.per_metric.values()),
        result.tier.name if result.tier else _UNDEFINED,
        one_line("  ".join(filter(None, about))),
    )


def _print_tables(results: Mapping["Group", BatchRMSE]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for group, result in results.items():
        named = [f"{name} {value}" for name, value in group._asdict().items() if value]
        console.print(Text(one_line(" · ".join(named) or "all lines"), style="bold"))
        table = Table("metric", box=box.SIMPLE_HEAD)
        table.add_column("RMSE", justify="right")
        table.add_column("n", justify="right")
        for metric in METRICS:
            table.add_row(metric, _figure(result.per_metric_rmse[metric]), str(result.n_per_metric[metric]))
        table.add_section()
        table.add_row("aggregated", _figure(result.aggregated_rmse), str(result.num_evaluations))
        table.add_row("consistency", _figure(result.consistency_score), str(result.num_evaluations))
        console.print(table)
        console.print(Text(f"  {_tier(result.tier)}\n"))


def _tier(tier: Tier | None) -> str:
    return f"{tier.name}: {tier.action}" if tier else "undefined: no metric has a score on both sides"


def _figure(value: float | None) -> str:
    return _UNDEFINED if value is None else f"{value:.4f}"


def _print_json(data: Mapping[str, Any], indent: int | None = None) -> None:
    click.echo(json.dumps(data, indent=indent, allow_nan=False))


def _tell(message: str) -> None:
    click.echo(one_line(message), err=True)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _tell_errors(file: "ScoreFile") -> None:
    for error in file.errors:
        column = "" if error.column is None else f":{error.column}"
        _tell(f"{file.name}:{error.line}{column}: {error.reason}")
    if file.error_count:
        more = file.error_count - len(file.errors)
        _tell(
            f"{file.name}: {_number(file.error_count, 'line error')}{f', {more:,} of them not shown' if more else ''}"
        )
    if file.unusable:
        _tell(f"{file.name}: {_number(file.unusable, 'value')} left out: not a number in [0, 1]")


def _with_progress(file: "ScoreFile") -> Iterator["Block"]:
    """Yield the blocks of the file, with a bar on stderr from the second second on."""
    start = time.monotonic()
    blocks = file.blocks()
    for block in blocks:
        yield block
        if time.monotonic() - start > _PATIENCE:
            break
    else:
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True, redirect_stdout=False) as progress:
        task = progress.add_task("reading", total=None)
        for block in blocks:
            done = file.done()
            progress.update(task, total=None if done is None else 1.0, completed=done)
            yield block
