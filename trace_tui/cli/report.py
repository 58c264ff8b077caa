"""`trace-tui report`: how far each judge can be trusted, and what is likely wrong with what was judged."""

import json
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trace_tui.cli.options import DATASET, DB, SPACY_MODEL, definition_option, format_option
from trace_tui.cli.output import progress_bar
from trace_tui.datasets.columns import RAGBENCH_EVALUATORS, Column
from trace_tui.errors import UsageError
from trace_tui.scoring import METRICS, Definition

if TYPE_CHECKING:
    from trace_tui.cli.reading import Reader
    from trace_tui.cli.reportdata import Report

_HUMAN: Final = "human"


@click.command(
    epilog="\b\nExamples:\n  trace-tui report dataset.jsonl\n"
    "  trace-tui report samples/ragbench.jsonl --truth recorded --judge lexical-overlap\n"
    "  trace-tui report dataset.jsonl --format html -o report.html"
)
@DATASET
@DB
@click.option(
    "--truth",
    type=click.Choice([_HUMAN, "recorded"]),
    default=_HUMAN,
    show_default=True,
    help="What judges are compared with: what a person accepted, or the labels of the rows.",
)
@click.option("--annotator", metavar="NAME", help="Whose accepted records are the truth.")
@click.option(
    "--judge",
    "judges",
    metavar="NAME",
    multiple=True,
    help="Only this judge: its first word, which takes in all its models, or its whole title; may be repeated.",
)
@click.option(
    "--column",
    "columns",
    metavar="NAME=METRIC",
    multiple=True,
    help=f"Take a numeric field of the dataset for a judge's score; METRIC is one of {', '.join(METRICS)}. May be "
    "repeated.",
)
@click.option(
    "--ragbench-evaluators", is_flag=True, help="Take RAGBench's columns of GPT-3.5, RAGAS and TruLens for judges."
)
@click.option(
    "--by",
    metavar="FIELD",
    multiple=True,
    help="Also slice by a field of the dataset, or by response-length, document-count or document-position; may be "
    "repeated.",
)
@definition_option("How scores follow from labels; ragbench with --ragbench-evaluators, else gpt-labeling.", None)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the resampling.")
@format_option(["text", "json", "html"], "To read, JSON with everything, or a page with pictures.")
@click.option(
    "-o", "--output", "out", metavar="FILE", type=click.Path(path_type=Path), help="Write here, not to stdout."
)
@click.option("--force", is_flag=True, help="Let -o take the place of a file.")
@SPACY_MODEL
def report(
    dataset: Path,
    *,
    db: Path | None,
    truth: str,
    annotator: str | None,
    judges: tuple[str, ...],
    columns: tuple[str, ...],
    ragbench_evaluators: bool,
    by: tuple[str, ...],
    definition: Definition | None,
    seed: int,
    form: str,
    out: Path | None,
    force: bool,
    spacy_model: str | None,
) -> None:
    """Say how far the judges of DATASET can be trusted.

    Every judge whose labels are kept, the labels of the rows, and the columns that are named are compared with the
    truth, side by side, each over the n records that both score; the difference of two judges is over the records that
    both of them score. Intervals are of 95%, by bootstrap over records. What is undefined is a dash with its reason
    below, null in JSON. Blind and assisted reviews are told apart and never pooled.

    Sentences: how judge and human agree on each label. Hallucination: how a judge finds responses that are not
    adherent, with AUROC where it gives a graded score. Diagnosis: what is likely wrong, and what to do.
    """
    from trace_tui.cli.evidence import Asked, Gatherer, reviews_of
    from trace_tui.cli.outfile import open_output
    from trace_tui.cli.reading import Reader
    from trace_tui.cli.reportdata import Report, group
    from trace_tui.cli.workbench import Cutter, database_path
    from trace_tui.datasets.source import open_dataset

    if form == "html" and (out is None or str(out) == "-") and sys.stdout.isatty():
        raise UsageError("--format html: a page is no text for a terminal; name a file with -o")
    if annotator is not None and truth != _HUMAN:
        raise UsageError("--annotator is for --truth human: the labels of the rows are nobody's review")
    chosen = definition or (Definition.RAGBENCH if ragbench_evaluators else Definition.GPT_LABELING)
    asked = Asked(judges, _columns(columns, ragbench=ragbench_evaluators), tuple(dict.fromkeys(by)), chosen)
    with progress_bar("indexing") as progress:
        opened = open_dataset(dataset, progress)
    needed = [dataset, database_path(dataset, db), database_path(dataset, None)]
    with (
        opened,
        open_output(out, needed, force=force) as write,
        reviews_of(dataset, db, needed=truth == _HUMAN) as store,
    ):
        cutter = Cutter(store.spans if store else lambda _uid: None, spacy_model)
        gatherer = Gatherer(opened, store, cutter, asked)
        evidence = gatherer.by_human(store, annotator) if store and truth == _HUMAN else gatherer.by_recorded()
        about = {
            "dataset": str(dataset),
            "truth": truth,
            "annotator": evidence.annotator,
            "definition": chosen.value,
            "seed": seed,
        }
        groups = [group(mode, cases, evidence, asked.by, seed) for mode, cases in evidence.groups.items()]
        reader = Reader(opened, store, cutter, gatherer, evidence.annotator)
        _write(Report(about, gatherer.reader.tallies, groups), form, reader, write)


def _write(found: "Report", form: str, reader: "Reader", write: Callable[[str], object]) -> None:
    if form == "json":
        from trace_tui.cli.reportjson import as_json

        write(json.dumps(as_json(found, reader.read), indent=2, allow_nan=False) + "\n")
    elif form == "html":
        logging.getLogger("matplotlib").setLevel(logging.ERROR)  # it would tell on stderr where it keeps its fonts
        from trace_tui.cli.page import html

        write(html(found, reader.read))
    else:
        from trace_tui.cli.reporttext import lines

        for line in lines(found):
            write(line + "\n")


def _columns(named: Sequence[str], *, ragbench: bool) -> list[Column]:
    found = list(RAGBENCH_EVALUATORS) if ragbench else []
    for text in named:
        name, equals, metric = text.rpartition("=")
        if not (name and equals and metric in METRICS):
            raise UsageError(f"--column {text}: it takes NAME=METRIC, where METRIC is one of {', '.join(METRICS)}")
        found.append(Column(name, metric, f"column {name}"))
    return list(dict.fromkeys(found))
