"""`trace-tui check`: what a dataset holds and everything that is wrong with it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from trace_tui.cli.options import DATASET, format_option
from trace_tui.cli.output import number_of, progress_bar, write, write_json
from trace_tui.datasets.audit import Audit, Difference, Finding, Place, Splitting, audit, sizes
from trace_tui.datasets.source import open_dataset
from trace_tui.display import one_line
from trace_tui.errors import BadInputError


@click.command(epilog="Example: trace-tui check samples/ragbench.jsonl")
@DATASET
@format_option(["text", "json"], "A report to read, or all of it as JSON.")
def check(dataset: Path, form: str) -> None:
    """Say what DATASET holds and everything that is wrong with it.

    Names every line that is no record, every kind of dirt in the labels with the first records that show it, and
    every row whose published RAGBench scores do not follow from its labels, or that has no labels to recompute them
    from. Exits with 3 if a line is no record.
    """
    with progress_bar("indexing") as progress:
        opened = open_dataset(dataset, progress)
    with opened, progress_bar("checking") as progress:
        found = audit(opened, _make_splitting, progress)
    if form == "json":
        write_json(_as_json(dataset, found))
    else:
        write("".join(f"{one_line(line)}\n" for line in _as_text(dataset, found)))
    if found.errors:
        raise click.exceptions.Exit(BadInputError.exit_code)


def _make_splitting() -> Splitting:
    from trace_tui.datasets.sentences import make_splitter

    return make_splitter().checked_split


def _as_text(path: Path, found: Audit) -> Iterator[str]:
    """Yield the report line by line. A line may quote the dataset and must be made safe to show."""
    yield f"{path}"
    yield from _loaded(found)
    yield from _section("line errors", [f"{error.place}: {error.reason}" for error in found.errors])
    yield from _section("warnings", [_finding(text, what) for text, what in found.warnings.items()])
    yield from _section("dirt in the labels", [_finding(kind.value, what) for kind, what in found.dirt.items()])
    relabelled = [f"{_place(place)}: first in line {first}" for place, first in found.relabelled]
    yield from _section("the same record again with other labels or published scores", relabelled)
    differences = [_difference(each) for each in found.differences]
    yield from _section("published scores that do not follow from the labels", differences)
    unfounded = [f"{_place(place)}: no labels to recompute them from" for place in found.unfounded]
    yield from _section("published scores without labels", unfounded)


def _loaded(found: Audit) -> Iterator[str]:
    yield f"  records    {found.records:,} ({found.labelled:,} with labels, {found.published:,} with published scores)"
    yield f"  documents  {found.documents:,}"
    for label, numbers in (("documents", found.document_sentences), ("response", found.response_sentences)):
        if spread := sizes(numbers):
            low, middle, high = spread
            yield f"  sentences  {low:,} / {middle:,} / {high:,} in the {label}, min / median / max of a record"
    if found.uncut:
        yield f"  not split  {found.uncut:,} of them, without sentences and labels of their own; review splits them"
    if found.repeats:
        yield f"  identical  {number_of(found.repeats, 'row')} more, each a record that is there before; counted once"
    if found.relabelled:
        yield f"  relabelled {number_of(len(found.relabelled), 'row')} more, named below; the first of a record holds"
    yield f"  errors     {len(found.errors):,}"


def _section(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield f"{title} ({len(lines):,})"
        yield from (f"  {line}" for line in lines)


def _finding(name: str, finding: Finding) -> str:
    first = ", ".join(map(_place, finding.first))
    more = ", …" if finding.records > len(finding.first) else ""
    return f"{finding.count:,} in {finding.records:,} of the records: {name}: {first}{more}"


def _difference(difference: Difference) -> str:
    recomputed = "undefined" if difference.recomputed is None else f"{difference.recomputed:g}"
    keys = "; ".join(difference.dirt) or "its keys are clean"
    return (
        f"{_place(difference.place)}: {difference.metric} "
        f"published {difference.published:g}, recomputed {recomputed}: {keys}"
    )


def _place(place: Place) -> str:
    return f"line {place.line} ({'no id' if place.id is None else place.id})"


def _as_json(path: Path, found: Audit) -> dict[str, Any]:
    return {
        "dataset": str(path),
        "records": found.records,
        "labelled": found.labelled,
        "with_published_scores": found.published,
        "documents": found.documents,
        "document_sentences": _sizes_json(found.document_sentences),
        "response_sentences": _sizes_json(found.response_sentences),
        "not_split": found.uncut,
        "identical_rows": found.repeats,
        "relabelled": [{**_place_json(place), "first_line": first} for place, first in found.relabelled],
        "line_errors": [{"line": e.number, "column": e.column, "reason": e.reason} for e in found.errors],
        "warnings": [{"warning": text, **_finding_json(what)} for text, what in found.warnings.items()],
        "dirt": [
            {"kind": kind.name.lower(), "meaning": kind.value, **_finding_json(what)}
            for kind, what in found.dirt.items()
        ],
        "score_differences": [
            {
                **_place_json(difference.place),
                "metric": difference.metric,
                "published": difference.published,
                "recomputed": difference.recomputed,
                "keys_clean": not difference.dirt,
                "keys_dirt": [kind.name.lower() for kind in difference.dirt],
            }
            for difference in found.differences
        ],
        "scores_without_labels": [_place_json(place) for place in found.unfounded],
    }


def _sizes_json(numbers: Counter[int]) -> dict[str, int] | None:
    spread = sizes(numbers)
    return None if spread is None else {"min": spread.smallest, "median": spread.median, "max": spread.largest}


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "count": finding.count,
        "records": finding.records,
        "first": [_place_json(place) for place in finding.first],
    }


def _place_json(place: Place) -> dict[str, Any]:
    return {"line": place.line, "id": place.id}
