"""The judge `recorded`: labels that came with the row, brought to the record's sentence keys."""

from typing import Final

from trace_tui.labels import Judge, Judgement
from trace_tui.normalise import RawLabels, normalise
from trace_tui.records import Record

NAME: Final = "recorded"


def judge_recorded(record: Record, raw: RawLabels) -> Judgement:
    """Return the labels that a row brought along as a judgement by the model that the row names.

    Args:
        record: the record, cut into the row's own sentences.
        raw: the row's label fields, untouched. What is mended in them is what `normalise` says.
    """
    judge = Judge(name=NAME, model=record.annotator_model, about="labels that came with the dataset")
    return Judgement(judge, normalise(raw, record).labels)
