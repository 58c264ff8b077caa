"""What `export` writes of an accepted record and `rmse` reads: judge and human side by side, scores and labels."""

from collections.abc import Iterable, Mapping
from typing import Any

from trace_tui.datasets.identity import id_or_uid
from trace_tui.labels import Judge, Labels, differing
from trace_tui.records import Record
from trace_tui.reviews import Kept
from trace_tui.scoring import AdvancedTRACEScores, Definition, count, scores

_NOBODY = Judge("")


def trace_line(record: Record, kept: Kept, annotator: str, definition: Definition) -> dict[str, Any]:
    """Return one accepted record as plain JSON data.

    `metrics` are the judge's scores, `ground_truth_scores` the annotator's, each the four and what follows from them.
    `labels` and `ground_truth_labels` say it sentence by sentence, in reading order, under the keys of `sentences`.
    `blind_judgement` is what was accepted before the judge's output was seen where it was changed afterwards, else
    null: `ground_truth_scores` are then blind themselves (`mode` says so), or nothing was accepted blind.
    """
    review, judgement = kept.review, kept.judgement
    judge = judgement.judge if judgement else _NOBODY
    return {
        "id": id_or_uid(record.id, record.uid),
        "uid": record.uid,
        "judge": judge.name or None,
        "judge_model": judge.model,
        "judge_version": judge.version,
        "judge_prompt": judge.prompt,
        "annotator": annotator,
        "mode": review.mode.value,
        "definition": definition.value,
        "metrics": _scores(judgement.labels if judgement else None, record, definition),
        "ground_truth_scores": _scores(review.labels, record, definition),
        "blind_judgement": {
            "ground_truth_scores": _scores(review.blind, record, definition),
            "labels": _labels(review.blind, record),
        }
        if review.blind is not None and review.is_revised
        else None,
        "labels": _labels(judgement.labels, record) if judgement else None,
        "ground_truth_labels": _labels(review.labels, record),
        "overrides": len(differing(review.labels, judgement.labels)) if judgement else None,
        "flagged": review.flagged,
        "note": review.note,
        "reference": record.reference,
        "question": record.question,
        "response": record.response.text,
        "sentences": {s.key: s.text for s in (*record.document_sentences(), *record.response.sentences)},
    }


def _scores(labels: Labels | None, record: Record, definition: Definition) -> dict[str, float | None]:
    found = AdvancedTRACEScores() if labels is None else scores(count(labels, record), definition)
    return found.to_dict()


def _labels(labels: Labels, record: Record) -> dict[str, Any]:
    """Return the labels as `Labels.to_json` does, with every response sentence, unjudged ones too."""
    order = record.document_numbers
    return {
        **labels.to_json(),
        "relevant": _sorted(labels.relevant, order),
        "utilized": _sorted(labels.utilized, order),
        "supports": {
            key: {**labels.support(key).to_json(), "keys": _sorted(labels.support(key).keys, order)}
            for key in record.response_keys
        },
    }


def _sorted(keys: Iterable[str], order: Mapping[str, int]) -> list[str]:
    return sorted(keys, key=order.__getitem__)
