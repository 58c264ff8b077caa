"""The judge `recorded`: labels that came with the row, brought to the record's sentence keys."""

from hashlib import sha256
from typing import Final

from trace_tui.labels import Judge, Judgement, Labels
from trace_tui.normalise import RawLabels, normalise
from trace_tui.records import Record

NAME: Final = "recorded"
_DIGITS: Final = 12  # 48 bits tell the labels apart that one record has had


def judge_recorded(record: Record, raw: RawLabels) -> Judgement:
    """Return the labels that a row brought along as a judgement by the model that the row names.

    Its version is a hash of the labels: where a row's labels change, that is another judgement.

    Args:
        record: the record, cut into the row's own sentences.
        raw: the row's label fields, untouched. What is mended in them is what `normalise` says.
    """
    labels = normalise(raw, record).labels
    about = "labels that came with the dataset"
    return Judgement(Judge(NAME, record.annotator_model, _version(labels, record), about), labels)


def _version(labels: Labels, record: Record) -> str:
    """Return a hash of all that the labels say, sentence by sentence in the record's order."""
    marks = bytes((key in labels.relevant) + 2 * (key in labels.utilized) for key in record.document_keys)
    content = sha256(marks)
    for support in map(labels.support, record.response_keys):
        said = sorted(support.keys), support.verdict.value, support.reason and support.reason.value, support.explanation
        content.update(ascii(said).encode())
    content.update(ascii((labels.relevance_explanation, labels.overall_explanation)).encode())
    return content.hexdigest()[:_DIGITS]
