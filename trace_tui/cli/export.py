"""`trace-tui export`: what a person accepted, as ground truth for other tools."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import click

from trace_tui.cli.accepted import Accepted, accepted, note_modes
from trace_tui.cli.options import DATASET, DB, definition_option, format_option
from trace_tui.cli.outfile import open_output
from trace_tui.cli.output import json_text, note, number_of, progress_bar
from trace_tui.cli.workbench import Cutter, database_path, open_reviews
from trace_tui.datasets.ragbench import ragbench_row
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.datasets.spreadsheet import csv_line
from trace_tui.datasets.tracelines import trace_line
from trace_tui.errors import BadInputError
from trace_tui.records import Record
from trace_tui.scoring import SCORE_NAMES, Definition
from trace_tui.store import Reviewed, Store


@click.command(
    epilog="\b\nExamples:\n  trace-tui export samples/ragbench.jsonl -o truth.jsonl\n"
    "  trace-tui export dataset.jsonl --format csv --annotator mia -o truth.csv"
)
@DATASET
@DB
@click.option(
    "--judge", metavar="NAME", help="Only what this judge labelled, beside its labels; needed if there are several."
)
@click.option("--annotator", metavar="NAME", help="Whose accepted records; needed if there are several.")
@definition_option("How scores follow from labels; the scores of ragbench rows are always by ragbench.")
@format_option(["trace", "ragbench", "csv"], "What a line is: see above.")
@click.option(
    "-o", "--output", "out", metavar="FILE", type=click.Path(path_type=Path), help="Write here, not to stdout."
)
@click.option("--force", is_flag=True, help="Let -o take the place of a file.")
def export(
    dataset: Path,
    *,
    db: Path | None,
    judge: str | None,
    annotator: str | None,
    definition: Definition,
    form: str,
    out: Path | None,
    force: bool,
) -> None:
    """Write the accepted records of DATASET, each on a line.

    trace: JSON with the scores of the judge ("metrics") and of the annotator ("ground_truth_scores"), the labels of
    both by sentence key with the sentences themselves, the row's reference answer, judge, annotator, definition, mode
    (blind or assisted), note and flag; "blind_judgement" is what was accepted blind, where it was revised after the
    reveal. `rmse` reads it.

    ragbench: the row with the annotator's labels and the scores that follow from them, for `review` and other tools
    that read RAGBench. Records with an unjudged sentence are left out and counted: it would come back as supported.

    csv: a table for a spreadsheet, scores and no labels; text that would start a formula gets an apostrophe.

    With nothing to export it fails (exit code 3), and -o writes nothing; nor does it after any error.
    """
    path = database_path(dataset, db)
    with progress_bar("indexing") as progress:
        opened = open_dataset(dataset, progress)
    with (
        opened,
        open_output(out, [dataset, path, database_path(dataset, None)], force=force) as write,
        closing(open_reviews(path)) as store,
    ):
        found = accepted(store, opened, annotator, judge, one_judge=True)
        exporting = _Exporting(form, found.annotator, definition)
        with progress_bar("exporting", among_data=out is None) as progress:
            for number, item in enumerate(_items(store, opened, found), 1):
                write(exporting.text(item))
                progress(number, len(found.summaries))
        exporting.finish(path)


class _Item(NamedTuple):
    row: Row
    record: Record
    reviewed: Reviewed


class _Format(NamedTuple):
    """How a record is written: a function of it, the annotator and the definition. Raises ValueError if it cannot."""

    text: Callable[[_Item, str, Definition], str]
    header: str = ""


def _items(store: Store, dataset: Dataset, found: Accepted) -> Iterator[_Item]:
    """Yield the chosen reviews with their records, one at a time."""
    places = {summary.uid: (position, summary.judge) for position, summary in found.summaries.items()}
    cutter = Cutter(store.spans)
    for reviewed in store.records_reviewed(found.annotator):
        if reviewed.uid in places and reviewed.kept.review.is_accepted:
            position, judge = places[reviewed.uid]
            row = dataset.row(position)
            kept = reviewed.kept
            if found.is_judge_named:
                kept = replace(kept, judgement=store.judgement(reviewed.uid, judge))
            yield _Item(row, cutter.record(row), reviewed._replace(kept=kept))


class _Exporting:
    """Turns one record after the other into text, and counts what it could and could not do."""

    def __init__(self, form: str, annotator: str, definition: Definition) -> None:
        self._format = _FORMATS[form]
        self._annotator = annotator
        self._definition = definition
        self._modes: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()

    def text(self, item: _Item) -> str:
        """Return the text of one record, "" if the format cannot hold it; the header stands before the first."""
        try:
            text = self._format.text(item, self._annotator, self._definition)
        except ValueError as error:
            self._left_out[str(error)] += 1
            return ""
        header = "" if self._modes else self._format.header
        self._modes[item.reviewed.kept.review.mode] += 1
        return header + text

    def finish(self, path: Path) -> None:
        """Say on stderr what was written and what was not.

        Raises:
            BadInputError: nothing was written.
        """
        for reason, times in self._left_out.items():
            note(f"{number_of(times, 'record')} left out: {reason}")
        if not self._modes:
            raise BadInputError(f"{path}: nothing to export")
        note_modes(self._modes)


def _line(item: _Item, annotator: str, definition: Definition) -> dict[str, Any]:
    reviewed = item.reviewed
    line = trace_line(item.record, reviewed.kept, annotator, definition)
    return line | {"accepted_at": reviewed.kept.accepted_at, "seconds": reviewed.seconds}


def _trace(item: _Item, annotator: str, definition: Definition) -> str:
    return json_text(_line(item, annotator, definition)) + "\n"


def _ragbench(item: _Item, annotator: str, _: Definition) -> str:
    labels = item.reviewed.kept.review.labels
    row = ragbench_row(item.record, labels, item.row.fields, f"human: {annotator}")
    return json_text(row) + "\n"


def _csv(item: _Item, annotator: str, definition: Definition) -> str:
    line = _line(item, annotator, definition)
    blind = line["blind_judgement"] or {"ground_truth_scores": {}}
    sides = line["metrics"], line["ground_truth_scores"], blind["ground_truth_scores"]
    figures = (side.get(name) for side in sides for name in SCORE_NAMES)
    return csv_line([*(line[name] for name in _FACTS), *figures, *(line[name] for name in _TEXTS)])


_FACTS: Final = (
    *("id", "annotator", "mode", "judge", "judge_model", "judge_version", "judge_prompt", "definition"),
    *("overrides", "flagged", "accepted_at", "seconds"),
)
_TEXTS: Final = ("note", "question", "response", "reference", "uid")
_HEADER: Final = csv_line(
    [*_FACTS, *(f"{side}_{name}" for side in ("judge", "human", "blind") for name in SCORE_NAMES), *_TEXTS]
)
_FORMATS: Final[Mapping[str, _Format]] = {
    "trace": _Format(_trace),
    "ragbench": _Format(_ragbench),
    "csv": _Format(_csv, header=_HEADER),
}
