"""What a report says, computed once and then written as text or as JSON."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from trace_tui.cli.evidence import Evidence
from trace_tui.cli.slices import DOCUMENT_POSITION, parts
from trace_tui.datasets.columns import Column, Tally
from trace_tui.scoring.comparison import Case, Comparison, compare

READ: Final = 20
"""How many records of a group are told sentence by sentence."""


class Group(NamedTuple):
    """The records of one mode of truth, which are never pooled with those of another.

    `slices` has comparisons of parts of the records, by what they are sliced by and the name of the part. `cases` are
    the records, those to look at first foremost.
    """

    mode: str
    comparison: Comparison
    slices: Mapping[str, Mapping[str, Comparison]]
    cases: Sequence[Case]


class Report(NamedTuple):
    """All of a report: what it is about, the columns read and what of them was left out, and its groups."""

    about: Mapping[str, str | int | None]
    columns: Mapping[Column, Tally]
    groups: Sequence[Group]


def group(mode: str, cases: Sequence[Case], evidence: Evidence, by: Sequence[str], seed: int) -> Group:
    """Compute all that is told of the records of one mode."""
    slices = {
        name: {part: compare(some, evidence.raters, seed) for part, some in parts(cases, name).items()}
        for name in by
        if name != DOCUMENT_POSITION
    }
    return Group(mode, compare(cases, evidence.raters, seed), slices, sorted(cases, key=_urgency))


def worth_reading(cases: Sequence[Case]) -> list[Case]:
    """Return the records that a judge and the truth both score, or that call for something to be done, in order."""
    return [case for case in cases if case.worst() or any(finding.actions for finding in case.findings)]


def _urgency(case: Case) -> tuple[float, int, int]:
    """Order records: those on which a judge is furthest from the truth first, then those with more findings."""
    worst = case.worst()
    return -worst[0] if worst else 0.0, -len([one for one in case.findings if one.actions]), case.position
