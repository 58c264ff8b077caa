"""The scores of an exported line under another definition than it was exported with, counted anew from its labels."""

from collections.abc import Iterable
from typing import Final

import msgspec

from trace_tui.datasets.scorelines import BlindJudgement, ScoreLine, Scores
from trace_tui.labels import Labels
from trace_tui.scoring import Definition, scores
from trace_tui.scoring.counts import tally


class _Blind(msgspec.Struct):
    labels: Labels


class _Labelled(msgspec.Struct):
    """What `trace_line` writes and counts follow from."""

    labels: Labels | None
    ground_truth_labels: Labels
    sentences: dict[str, msgspec.Raw]  # their texts are not looked at
    blind_judgement: _Blind | None = None


_DECODER: Final = msgspec.json.Decoder(_Labelled)


def rescored(line: ScoreLine, text: bytes, definition: Definition) -> ScoreLine:
    """Return a line under this definition if it names another and carries the labels; else as it is.

    Args:
        line: the line as it was read.
        text: what it was read from.
        definition: how its scores are to follow from its labels.
    """
    if line.definition in {None, definition.value}:
        return line
    try:
        found = _DECODER.decode(text)
        score = _Scoring(found.sentences, definition).scores
        blind = found.blind_judgement
        return msgspec.structs.replace(
            line,
            definition=definition.value,
            metrics=score(found.labels) if found.labels else Scores(),
            ground_truth_scores=score(found.ground_truth_labels),
            blind_judgement=BlindJudgement(score(blind.labels)) if blind else None,
        )
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return line


class _Scoring:
    """Scores labels of the sentences that a line has."""

    def __init__(self, sentences: Iterable[str], definition: Definition) -> None:
        keys = frozenset(sentences)
        self._responses = [key for key in keys if key.startswith("resp_")]
        self._documents = keys.difference(self._responses)
        self._definition = definition

    def scores(self, labels: Labels) -> Scores:
        """Score one side.

        Raises:
            ValueError: the labels speak of sentences that are not there.
        """
        if not labels.relevant | labels.utilized <= self._documents:
            raise ValueError("labels of a sentence that the line does not have")
        found = scores(tally(labels, len(self._documents), self._responses), self._definition)
        return Scores(found.context_relevance, found.context_utilization, found.completeness, found.adherence)
