"""The scores of an exported line under another definition than it was exported with, counted anew from its labels."""

from typing import Final

import msgspec

from trace_tui.datasets.scorelines import BlindJudgement, ScoreLine, Scores
from trace_tui.labels import Labels
from trace_tui.scoring import METRICS, Definition, scores
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
        metrics, truth, blind = (
            _scores(labels, found.sentences, definition)
            for labels in (
                found.labels,
                found.ground_truth_labels,
                found.blind_judgement.labels if found.blind_judgement else None,
            )
        )
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return line
    return msgspec.structs.replace(
        line,
        definition=definition.value,
        metrics=metrics,
        ground_truth_scores=truth,
        blind_judgement=BlindJudgement(blind) if found.blind_judgement else None,
    )


def _scores(labels: Labels | None, sentences: dict[str, msgspec.Raw], definition: Definition) -> Scores:
    """Score labels; undefined where there are none.

    Raises:
        ValueError: the labels speak of sentences that are not there.
    """
    if labels is None:
        return Scores()
    documents = {key for key in sentences if key.startswith("doc_")}
    if not documents >= labels.relevant | labels.utilized:
        raise ValueError("labels of a sentence that the line does not have")
    counts = tally(labels, len(documents), [key for key in sentences if key.startswith("resp_")])
    found = scores(counts, definition)
    return Scores(*(getattr(found, metric) for metric in METRICS))
