"""Lines of `metrics` and `ground_truth_scores`: what `export` writes and `rmse` reads.

A score is a number in [0, 1]; true and false count as 1 and 0; null and absent are undefined. Any other value (NaN,
1.2, "0.8") is undefined too, and counted as unusable.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Final, NamedTuple

import msgspec

from trace_tui.datasets.decode import UnreadableError, named
from trace_tui.records import RecordId
from trace_tui.reviews import Mode
from trace_tui.scoring import METRICS

_Score = Annotated[float, msgspec.Meta(ge=0, le=1)] | bool | None


class Scores(msgspec.Struct, frozen=True, gc=False):
    """The four scores of one side, each in [0, 1], None if undefined."""

    context_relevance: _Score = None
    context_utilization: _Score = None
    completeness: _Score = None
    adherence: _Score = None


class BlindJudgement(msgspec.Struct, frozen=True, gc=False):
    """What was accepted before the judge's output was seen; an assisted line may carry it."""

    ground_truth_scores: Scores


class ScoreLine(msgspec.Struct, frozen=True, gc=False):
    """One line: the judge's scores, the human's, and what tells groups apart."""

    metrics: Scores
    ground_truth_scores: Scores
    id: RecordId = None
    judge: str | None = None
    judge_model: str | None = None
    judge_prompt: str | None = None
    definition: str | None = None
    mode: str | None = None
    annotator: str | None = None
    blind_judgement: BlindJudgement | None = None


_DECODER: Final = msgspec.json.Decoder(ScoreLine)


def decode_lines(texts: Sequence[bytes]) -> list[ScoreLine]:
    """Decode lines quickly; nothing unless all of them are valid and no value is unusable."""
    try:
        if not all(map(bytes.isascii, texts)):
            b"\n".join(texts).decode()  # msgspec looks only at the fields it keeps
        return list(map(_DECODER.decode, texts))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return []


def line_of(value: object) -> tuple[ScoreLine, int]:
    """Make a line of any JSON value, with whatever of it can be used; also return how many values are no score.

    Raises:
        UnreadableError: it has no two sides to compare.
    """
    if not isinstance(value, Mapping):
        raise UnreadableError("not a JSON object")
    sides = [value.get(name, ()) for name in ("metrics", "ground_truth_scores")]
    if not all(side is None or isinstance(side, Mapping) for side in sides):
        raise UnreadableError(f"needs the objects metrics and ground_truth_scores; it has {named(value) or 'no field'}")
    blind = value.get("blind_judgement")
    then = blind.get("ground_truth_scores") if isinstance(blind, Mapping) else None
    (metrics, unusable), (truth, more), (before, others) = map(_scores_of, (*sides, then))
    line = ScoreLine(
        metrics,
        truth,
        id=_identity(value.get("id")),
        judge=_word(value.get("judge")),
        judge_model=_word(value.get("judge_model")),
        judge_prompt=_word(value.get("judge_prompt")),
        definition=_word(value.get("definition")),
        mode=_word(value.get("mode")),
        annotator=_word(value.get("annotator")),
        blind_judgement=BlindJudgement(before) if isinstance(then, Mapping) else None,
    )
    return line, unusable + more + others


def _scores_of(side: object) -> tuple[Scores, int]:
    values = list(map(side.get, METRICS)) if isinstance(side, Mapping) else []
    usable = [value if isinstance(value, int | float) and 0 <= value <= 1 else None for value in values]
    return Scores(*usable), usable.count(None) - values.count(None)


def _identity(value: object) -> RecordId:
    if isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return None


def _word(value: object) -> str | None:
    """Read a name; of anything but text the JSON, which still tells apart."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


class Group(NamedTuple):
    """What may be pooled: one judge with its model, one definition, one mode, one annotator; "" if not named."""

    judge: str = ""
    definition: str = ""
    mode: str = ""
    annotator: str = ""


class Pairs(NamedTuple):
    """Scores of one group, the judge's and the human's, of equal number."""

    group: Group
    predicted: list[Scores]
    truth: list[Scores]


_group_key = attrgetter("judge", "judge_model", "judge_prompt", "definition", "mode", "annotator")


def pairs(lines: Sequence[ScoreLine]) -> Iterator[Pairs]:
    """Yield the pairs of scores in the lines, group by group as they follow each other.

    An assisted line that carries a blind judgement revises it, so it counts twice: as assisted, and as blind.
    """
    for (judge, model, prompt, definition, mode, annotator), run in groupby(lines, _group_key):
        same = list(run)
        title = " ".join(filter(None, (judge, model, prompt and f"@{prompt}")))
        group = Group(title, definition or "", mode or "", annotator or "")
        yield Pairs(group, [line.metrics for line in same], [line.ground_truth_scores for line in same])
        if mode == Mode.ASSISTED:
            blind = [(line.metrics, line.blind_judgement) for line in same if line.blind_judgement]
            if blind:
                predicted = [metrics for metrics, _ in blind]
                truth = [then.ground_truth_scores for _, then in blind]
                yield Pairs(group._replace(mode=Mode.BLIND.value), predicted, truth)
