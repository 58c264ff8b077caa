"""`trace-tui score`: the TRACE scores of a dataset's records, by what a judge or a person says of them."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import click

from trace_tui.cli.accepted import Accepted, accepted, note_modes
from trace_tui.cli.options import DATASET, DB, SPACY_MODEL, definition_option, format_option
from trace_tui.cli.output import note, note_line_errors, number_of, progress_bar
from trace_tui.cli.scoresheet import FORMATS, Scored, Sheet
from trace_tui.cli.workbench import Cutter, database_path, open_reviews, stored_spans
from trace_tui.datasets.identity import id_or_uid
from trace_tui.datasets.lines import LineError, LineErrors
from trace_tui.datasets.rows import Row
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.errors import BadInputError, JudgeUnavailableError, UsageError
from trace_tui.judges import lexical, recorded
from trace_tui.scoring import AdvancedTRACEScores, Definition, count, scores

_JUDGES: Final = (recorded.NAME, lexical.NAME)


@click.command(
    epilog="\b\nExamples:\n  trace-tui score samples/ragbench.jsonl --definition ragbench\n"
    "  trace-tui score dataset.jsonl --source human --format json"
)
@DATASET
@DB
@click.option(
    "--source",
    type=click.Choice(["judge", "human"]),
    default="judge",
    show_default=True,
    help="Whose labels are scored.",
)
@click.option(
    "--judge",
    metavar="NAME",
    help=f"{recorded.NAME} (the labels of the row) or {lexical.NAME}; the first if the first row has labels. "
    "With --source human, only the records that were compared with this judge.",
)
@click.option("--annotator", metavar="NAME", help="Whose accepted records, with --source human.")
@definition_option("How scores follow from labels.")
@format_option(list(FORMATS), "A table to read, or data.")
@SPACY_MODEL
def score(
    dataset: Path,
    *,
    db: Path | None,
    source: str,
    judge: str | None,
    annotator: str | None,
    definition: Definition,
    form: str,
    spacy_model: str | None,
) -> None:
    """Print the scores of DATASET, a line a record, by a judge's labels or by what a person accepted.

    A line has id, context_relevance, context_utilization, completeness, adherence, average, rmse_aggregation, and the
    judge, or for a person the mode, blind or assisted. What is undefined is a dash, null in JSON, empty in CSV.

    Table and JSON end with means, each over the n records that define the score. Different judges, and blind and
    assisted, have means of their own. A blind judgement that was revised after the reveal counts among the blind (JSON
    has it as "blind_judgement"), its revision among the assisted.

    JSON is {"definition", "source", …, "records": [a line each], "groups": [{"judge" or "mode", "records", "means":
    {metric: {"mean", "n"}}}], "means"}; "means" are those of the group if there is just one, else null.
    """
    if annotator is not None and source == "judge":
        raise UsageError("--annotator is for --source human: the scores of a judge are nobody's review")
    with progress_bar("indexing") as progress:
        opened = open_dataset(dataset, progress)
    about: dict[str, str | None] = {"dataset": str(dataset), "definition": definition.value, "source": source}
    with opened:
        if source == "human":
            with closing(open_reviews(database_path(dataset, db))) as store:
                found = accepted(store, opened, annotator, judge)
            about |= {"judge": judge, "annotator": found.annotator}
            FORMATS[form](Sheet(_by_human(opened, found, definition), "mode", about))
            note_modes(summary.mode for summary in found.summaries.values())
        else:
            with stored_spans(dataset, db) as spans:
                by_judge = _ByJudge(opened, Cutter(spans, spacy_model), judge, definition)
                about |= {"judge": by_judge.judge, "annotator": None}
                FORMATS[form](Sheet(by_judge.records(), "judge", about))
            by_judge.tell()


def _by_human(dataset: Dataset, found: Accepted, definition: Definition) -> Iterator[Scored]:
    with progress_bar("scoring", among_data=True) as progress:
        for number, (position, summary) in enumerate(found.summaries.items(), 1):
            before = scores(summary.blind, definition) if summary.blind and summary.revised else None
            row_id = id_or_uid(dataset.row(position).id, summary.uid)
            yield Scored(row_id, scores(summary.human, definition), summary.mode.value, before)
            progress(number, len(found.summaries))


class _ByJudge:
    """Scores a dataset by the labels of one judge, row by row, and remembers what there is to tell afterwards."""

    def __init__(self, dataset: Dataset, cutter: Cutter, judge: str | None, definition: Definition) -> None:
        """Choose the judge.

        Raises:
            UsageError: there is no judge of that name.
            BadInputError: no row can be read.
            JudgeUnavailableError: the labels of the rows are wanted, and none has any.
        """
        self.judge = _choose(dataset, judge)
        self._is_named = judge is not None
        self._dataset = dataset
        self._cutter = cutter
        self._definition = definition
        self._lexical = lexical.LexicalOverlap()
        self._errors = LineErrors()
        self._doubles = dataset.repeats
        self._labelled = 0
        self._unlabelled = 0

    def records(self) -> Iterator[Scored]:
        """Yield the scores of every record, in the order of the file."""
        seen = set()
        with progress_bar("scoring", among_data=True) as progress:
            for position in range(len(self._dataset)):
                try:
                    row = self._dataset.row(position)
                except LineError as error:
                    self._errors.add(error)
                else:
                    if row.uid in seen:
                        self._doubles += 1
                    else:
                        seen.add(row.uid)
                        yield self._score(row)
                progress(position + 1, len(self._dataset))

    def _score(self, row: Row) -> Scored:
        self._labelled += row.labels is not None
        self._unlabelled += row.labels is None
        row_id = id_or_uid(row.id, row.uid)
        if self.judge == recorded.NAME and row.labels is None:
            return Scored(row_id, AdvancedTRACEScores(), None)
        record = self._cutter.record(row)
        if self.judge == recorded.NAME and row.labels is not None:
            judgement = recorded.judge_recorded(record, row.labels)
        else:
            judgement = self._lexical.label(record)
        return Scored(row_id, scores(count(judgement.labels, record), self._definition), judgement.judge.title)

    def tell(self) -> None:
        """Say on stderr what a reader of the scores should know."""
        note_line_errors(self._errors, str(self._dataset.path), "`trace-tui check` names every one")
        if self._doubles:
            note(f"{number_of(self._doubles, 'row')} left out: the same record was there before")
        if self.judge == lexical.NAME:
            note(f"{lexical.NAME}: {lexical.ABOUT}")
            if self._labelled and not self._is_named:
                note(f"{number_of(self._labelled, 'row')} with labels: --judge {recorded.NAME} scores by those")
        elif self._unlabelled:
            note(f"{number_of(self._unlabelled, 'record')} without labels: scores undefined")


def _choose(dataset: Dataset, named: str | None) -> str:
    if named is not None and named not in _JUDGES:
        raise UsageError(f"no judge {named} scores here; there is {' and '.join(_JUDGES)}")
    rows = _readable(dataset)
    first = next(rows, None)
    if first is None:
        raise BadInputError(_why_nothing(dataset))
    if named == recorded.NAME and first.labels is None and all(row.labels is None for row in rows):
        raise JudgeUnavailableError(f"{dataset.path}: no row has labels; --judge {lexical.NAME} needs none")
    return named or (lexical.NAME if first.labels is None else recorded.NAME)


def _why_nothing(dataset: Dataset) -> str:
    others = f"; nor is any of the {len(dataset) - 1:,} others a record" if len(dataset) > 1 else ""
    try:
        dataset.row(0)
    except LineError as error:
        return f"{error}{others}"
    raise AssertionError("a row that could not be read can be read")


def _readable(dataset: Dataset) -> Iterator[Row]:
    for position in range(len(dataset)):
        with suppress(LineError):
            yield dataset.row(position)
