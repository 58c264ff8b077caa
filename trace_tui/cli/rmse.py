"""`trace-tui rmse`: how far judge and human are apart, over lines of their scores."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

import click

from trace_tui.cli.options import definition_option, format_option
from trace_tui.cli.output import json_text, note, note_line_errors, number_of, progress_bar, write, write_json
from trace_tui.datasets.scorefile import Block, ScoreFile, open_scores
from trace_tui.datasets.scorelines import Group, pairs
from trace_tui.display import UNDEFINED, figure, one_line
from trace_tui.errors import BadInputError
from trace_tui.scoring import METRICS, BatchRMSE, Definition, RMSECalculator, RunningBatch, Tier, TraceRMSE

_DIGITS: Final = 4
_HEADINGS: Final = tuple(metric.removeprefix("context_") for metric in METRICS)
_RECORD_ROW: Final = "{:>10}  {:>9}  {:>11}  {:>12}  {:>9}  {:<10}  {}\n"


@click.command(
    "rmse",
    epilog="\b\nExample:\n  trace-tui export dataset.jsonl -o truth.jsonl\n  trace-tui rmse truth.jsonl --format json",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--per-record", is_flag=True, help="Compare line by line instead (JSON: one object a line, as it goes).")
@definition_option(
    "Compare under this definition: lines of another are scored anew from their labels, or left out if they carry "
    "none; a line that names none stays.",
    default=None,
)
@format_option(["table", "json"], "A table to read, or JSON.")
def rmse(files: tuple[str, ...], *, per_record: bool, definition: Definition | None, form: str) -> None:
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

    def __init__(self, files: tuple[str, ...], definition: Definition | None) -> None:
        self.several = len(files) > 1
        self._files = files
        self._definition = definition
        self._used = 0
        self._left_out = 0

    def blocks(self, *, among_data: bool = False) -> Iterator[tuple[str, Block]]:
        """Yield the name of the file with each block of lines."""
        for path in self._files:
            with (
                progress_bar("reading", among_data=among_data) as progress,
                open_scores(path, self._definition, progress) as file,
            ):
                for block in file.blocks(progress):
                    yield file.name, block
            _tell_errors(file)

    def wants(self, group: Group, lines: int) -> bool:
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
            note(
                f"{number_of(self._left_out, 'comparison')} left out: not of the definition {self._definition}, and "
                "without labels to score anew"
            )
        if not self._used:
            raise BadInputError(
                f"nothing to compare in {', '.join(self._files)}: it needs lines with metrics and ground_truth_scores"
                + (f" of the definition {self._definition}" if self._definition else "")
            )


def _batch(reading: _Reading, form: str) -> None:
    running: defaultdict[Group, RunningBatch] = defaultdict(RunningBatch)
    for _, block in reading.blocks():
        for group, predicted, truth in pairs(block.lines):
            if reading.wants(group, len(truth)):
                running[group].add_pairs(predicted, truth)
    results = {group: batch.result() for group, batch in sorted(running.items())}
    if form == "table":
        _print_tables(results)
    elif results:
        groups = [{**group._asdict(), **result.to_dict()} for group, result in results.items()]
        single = groups[0] if len(groups) == 1 else {}
        write_json({**single, "groups": groups})


def _per_record(reading: _Reading, form: str) -> None:
    if form == "table":
        write(_RECORD_ROW.format("aggregated", *_HEADINGS, "tier", "line, record"))
    for name, block in reading.blocks(among_data=True):
        for number, line in zip(block.numbers, block.lines, strict=True):
            for group, (predicted,), (truth,) in pairs([line]):
                if not reading.wants(group, 1):
                    continue
                result = RMSECalculator.compute_rmse_single_trace_evaluation(predicted, truth)
                if form == "table":
                    where = f"{name}:{number}" if reading.several else str(number)
                    write(_record_row(result, where, line.id, group))
                else:
                    about = {"file": name, "line": number, "id": line.id, **group._asdict()}
                    write(json_text({**about, **result.to_dict()}) + "\n")


def _record_row(result: TraceRMSE, where: str, identity: object, group: Group) -> str:
    about = [where, "" if identity is None else str(identity), *group]
    return _RECORD_ROW.format(
        figure(result.aggregated_rmse, _DIGITS),
        *(figure(error, _DIGITS) for error in result.per_metric.values()),
        result.tier.name if result.tier else UNDEFINED,
        one_line("  ".join(filter(None, about))),
    )


def _print_tables(results: Mapping[Group, BatchRMSE]) -> None:
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
            table.add_row(metric, figure(result.per_metric_rmse[metric], _DIGITS), str(result.n_per_metric[metric]))
        table.add_section()
        table.add_row("aggregated", figure(result.aggregated_rmse, _DIGITS), str(result.num_evaluations))
        table.add_row("consistency", figure(result.consistency_score, _DIGITS), str(result.num_evaluations))
        console.print(table)
        console.print(Text(f"  {_tier(result.tier)}\n"))


def _tier(tier: Tier | None) -> str:
    return f"{tier.name}: {tier.action}" if tier else "undefined: no metric has a score on both sides"


def _tell_errors(file: ScoreFile) -> None:
    note_line_errors(file.errors, file.name)
    if file.unusable:
        note(f"{file.name}: {number_of(file.unusable, 'value')} left out: not a number in [0, 1]")
