"""`trace-tui score`: the TRACE scores of a dataset's records, by what a judge or a person says of them."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click

from trace_tui.cli.accepted import Accepted, accepted, note_modes
from trace_tui.cli.options import DATASET, DB, SPACY_MODEL, definition_option, format_option
from trace_tui.cli.output import progress_bar
from trace_tui.cli.scorers import scorer
from trace_tui.cli.scoresheet import FORMATS, Scored, Sheet
from trace_tui.cli.workbench import database_path, open_reviews, stored
from trace_tui.datasets.identity import id_or_uid
from trace_tui.datasets.source import Dataset, open_dataset
from trace_tui.errors import UsageError
from trace_tui.judges import lexical, recorded
from trace_tui.scoring import Definition, scores


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
    help=f"{recorded.NAME} (the labels of the row), {lexical.NAME}, or the title of a model that labelled records, or "
    "how it begins; the first if the first row has labels. With --source human, only records compared with this judge.",
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
            with stored(dataset, db) as store:
                by_judge = scorer(opened, store, spacy_model, judge, definition)
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
