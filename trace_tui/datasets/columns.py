"""Numeric columns of a dataset taken as scores: those of other evaluators, as RAGBench has them, or any other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple


class Column(NamedTuple):
    """A field of the rows, the score that it stands for, and the judge whose score it is."""

    name: str
    metric: str
    judge: str


RAGBENCH_EVALUATORS: Final = (
    Column("gpt3_context_relevance", "context_relevance", "GPT-3.5"),
    Column("gpt35_utilization", "context_utilization", "GPT-3.5"),
    Column("gpt3_adherence", "adherence", "GPT-3.5"),
    Column("ragas_context_relevance", "context_relevance", "RAGAS"),
    Column("ragas_faithfulness", "adherence", "RAGAS"),
    Column("trulens_context_relevance", "context_relevance", "TruLens"),
    Column("trulens_groundedness", "adherence", "TruLens"),
)
"""The columns with which the RAGBench paper compares (Friel, Belyi, Sanyal 2024, table of evaluators)."""


@dataclass(slots=True)
class Tally:
    """How many values of a column could be used as scores, and how many were left out, and why."""

    used: int = 0
    missing: int = 0
    not_a_number: int = 0
    outside: int = 0

    @property
    def left_out(self) -> str:
        """The values left out in words, "" if none was."""
        said = {"null": self.missing, "not a number": self.not_a_number, "outside 0 to 1": self.outside}
        return ", ".join(f"{count:,} {why}" for why, count in said.items() if count)


class ColumnReader:
    """Reads scores from the columns of one row after the other, and keeps count of what cannot be one."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.tallies = {column: Tally() for column in columns}

    def read(self, fields: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Return the scores of a row by judge and metric; a judge that has none here is absent."""
        found: dict[str, dict[str, float]] = {}
        for column, tally in self.tallies.items():
            value = _score(fields.get(column.name), tally)
            if value is not None:
                found.setdefault(column.judge, {})[column.metric] = value
        return found


def _score(value: Any, tally: Tally) -> float | None:
    if value is None:
        tally.missing += 1
    elif not isinstance(value, (int, float)):
        tally.not_a_number += 1
    elif not 0 <= value <= 1:  # which NaN and infinity are not either
        tally.outside += 1
    else:
        tally.used += 1
        return float(value)
    return None
