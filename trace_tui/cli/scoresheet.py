"""Writes the scores of records to stdout one by one, and their means at the end: table, JSON, JSON lines or CSV."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from trace_tui.cli.output import json_text, number_of, write
from trace_tui.datasets.spreadsheet import csv_line
from trace_tui.display import UNDEFINED, figure, one_line
from trace_tui.records import RecordId
from trace_tui.reviews import Mode
from trace_tui.scoring import SCORE_NAMES, AdvancedTRACEScores, RunningMeans

_LOOKED_AT: Final = 100  # records whose ids decide how wide that column is: the rest is written as it comes
_WIDEST: Final = 32
_DIGITS: Final = 4


class Scored(NamedTuple):
    """The scores of one record.

    `group` says with which others they may be pooled: the title of the judge, or whether a person scored blind; None
    where nobody has scored the record. `before` are the scores of a blind judgement that was revised afterwards, if
    there is one, and count among the blind.
    """

    id: RecordId
    scores: AdvancedTRACEScores
    group: str | None
    before: AdvancedTRACEScores | None = None


class Sheet(NamedTuple):
    """What is written: the records, what they are grouped by (`judge` or `mode`), and what is said of all of them."""

    records: Iterable[Scored]
    grouped_by: str
    about: Mapping[str, str | None]


def write_table(sheet: Sheet) -> None:
    """Write a line a record, and below them the means of each group with the n of each."""
    groups = _Groups()
    records = groups.collect(sheet.records)
    first = list(islice(records, _LOOKED_AT))
    width = min(_WIDEST, max(map(len, ["mean", *(_shown(scored.id) for scored in first)])))

    def write_line(name: str, figures: Mapping[str, str], group: str = "") -> None:
        cells = " ".join(figures[column].rjust(len(column)) for column in SCORE_NAMES)
        write(f"{name:<{width}} {cells}  {one_line(group)}".rstrip() + "\n")

    write_line("id", {name: name for name in SCORE_NAMES}, sheet.grouped_by)
    for scored in chain(first, records):
        write_line(_shown(scored.id), _figures(scored.scores.to_dict()), scored.group or UNDEFINED)
    said = "".join(f", {name} {sheet.about[name]}" for name in ("definition", "annotator") if sheet.about[name])
    for group, means in groups:
        about = f"{sheet.grouped_by} {group}{said}: {number_of(means.records, 'record')}"
        result = means.result()
        write(f"\n{one_line(about)}\n")
        write_line("mean", _figures({name: result[name].mean for name in SCORE_NAMES}))
        write_line("n", {name: str(result[name].n) for name in SCORE_NAMES})


def write_json(sheet: Sheet) -> None:
    """Write one object: what the scores are, `records`, `groups` with their means, and `means` if there is one group.

    The records go out as they come, each on a line of its own.
    """
    write(json_text(sheet.about)[:-1] + ', "records": [')
    groups = _Groups()
    for number, scored in enumerate(groups.collect(sheet.records)):
        write(("," if number else "") + "\n" + json_text(_as_json(scored, sheet.grouped_by)))
    listed = [
        {
            sheet.grouped_by: group,
            "records": means.records,
            "means": {name: mean._asdict() for name, mean in means.result().items()},
        }
        for group, means in groups
    ]
    single = listed[0]["means"] if len(listed) == 1 else None
    write(f'\n],\n"groups": {json_text(listed)},\n"means": {json_text(single)}}}\n')


def write_jsonl(sheet: Sheet) -> None:
    """Write one object a record, each on a line."""
    for scored in sheet.records:
        write(json_text(_as_json(scored, sheet.grouped_by)) + "\n")


def write_csv(sheet: Sheet) -> None:
    """Write a header and a line a record; an undefined score is an empty cell."""
    write(csv_line(["id", *SCORE_NAMES, sheet.grouped_by]))
    for scored in sheet.records:
        write(csv_line([scored.id, *scored.scores.to_dict().values(), scored.group]))


FORMATS: Final = {"table": write_table, "json": write_json, "jsonl": write_jsonl, "csv": write_csv}


class _Groups:
    """The means of each group of records; iterates over them by name."""

    def __init__(self) -> None:
        self._means: defaultdict[str, RunningMeans] = defaultdict(RunningMeans)

    def collect(self, records: Iterable[Scored]) -> Iterator[Scored]:
        """Yield the records, each taken in."""
        for scored in records:
            if scored.group is not None:
                self._means[scored.group].add(scored.scores)
            if scored.before is not None:
                self._means[Mode.BLIND].add(scored.before)
            yield scored

    def __iter__(self) -> Iterator[tuple[str, RunningMeans]]:
        yield from sorted(self._means.items())


def _as_json(scored: Scored, grouped_by: str) -> dict[str, Any]:
    before = {} if scored.before is None else {"blind_judgement": scored.before.to_dict()}
    return {"id": scored.id, **scored.scores.to_dict(), grouped_by: scored.group, **before}


def _figures(values: Mapping[str, float | None]) -> dict[str, str]:
    return {name: figure(value, _DIGITS) for name, value in values.items()}


def _shown(row_id: RecordId) -> str:
    return one_line(str(row_id))
