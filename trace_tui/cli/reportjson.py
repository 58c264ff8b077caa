"""A report as plain JSON data: everything it says, each figure with its n, and the reason where it is undefined."""

from collections.abc import Mapping
from typing import Any

from trace_tui.cli.reading import Read, Reading
from trace_tui.cli.reportdata import READ, Group, Report, worth_reading
from trace_tui.records import Passage
from trace_tui.scoring import tier
from trace_tui.scoring.agreement import Confusion, LabelAgreement
from trace_tui.scoring.comparison import (
    Case,
    Comparison,
    Diagnosis,
    Difference,
    JudgeComparison,
    MetricComparison,
    MetricDifference,
)
from trace_tui.scoring.diagnosis import Finding
from trace_tui.scoring.figures import Figure, Interval
from trace_tui.scoring.intervals import LEVEL, RESAMPLES
from trace_tui.scoring.means import Mean

Json = dict[str, Any]


def as_json(report: Report, read: Read) -> Json:
    """Return the whole report; `read` reads the records that are told sentence by sentence."""
    return {
        **report.about,
        "interval": {"level": LEVEL, "resamples": RESAMPLES, "method": "percentile bootstrap"},
        "columns": [
            {
                "column": column.name,
                "metric": column.metric,
                "judge": column.judge,
                "used": tally.used,
                "null": tally.missing,
                "not_a_number": tally.not_a_number,
                "outside": tally.outside,
            }
            for column, tally in report.columns.items()
        ],
        "groups": [_group(group, read) for group in report.groups],
    }


def _group(group: Group, read: Read) -> Json:
    return {
        "mode": group.mode,
        **_comparison(group.comparison),
        "slices": {
            name: [{"value": value, **_comparison(part)} for value, part in parts.items()]
            for name, parts in group.slices.items()
        },
        "by_record": [_case(case) for case in group.cases],
        "to_read": [_reading(read(group.mode, case)) for case in worth_reading(group.cases)[:READ]],
    }


def _comparison(comparison: Comparison) -> Json:
    return {
        "records": comparison.records,
        "truth": _means(comparison.truth),
        "judges": [_judge(judge) for judge in comparison.judges],
        "differences": [_difference(difference) for difference in comparison.differences],
        "diagnosis": _diagnosis(comparison.diagnosis),
    }


def _judge(judge: JudgeComparison) -> Json:
    return {
        "judge": judge.rater.title,
        "graded": judge.rater.graded,
        "records": judge.records,
        "means": _means(judge.means),
        "metrics": {metric: _metric(compared) for metric, compared in judge.metrics.items()},
        **judge.batch.to_dict(),
        "sentences": judge.sentences and _sentences(judge.sentences),
        "document_positions": [
            {"document": rank, **_sentences(agreement)} for rank, agreement in enumerate(judge.by_document)
        ],
        "hallucination": {**_confusion(judge.detection.confusion), "auroc": _figure(judge.detection.auroc)},
    }


def _metric(compared: MetricComparison) -> Json:
    band = tier(compared.rmse.value)
    return {**_figures(compared), "tier": band and band.name, "action": band and band.action}


def _figures(compared: MetricComparison | MetricDifference) -> Json:
    return {
        name: _interval(value) if isinstance(value, Interval) else _figure(value)
        for name, value in compared._asdict().items()
    }


def _difference(difference: Difference) -> Json:
    metrics = {metric: _figures(compared) for metric, compared in difference.metrics.items()}
    return {"first": difference.first, "second": difference.second, "metrics": metrics}


def _sentences(agreement: LabelAgreement) -> Json:
    return {kind: _confusion(confusion) for kind, confusion in agreement._asdict().items()}


def _confusion(confusion: Confusion) -> Json:
    figures = {name: _figure(figure) for name, figure in confusion.figures().items()}
    return {"n": confusion.n, **figures, "confusion": confusion._asdict()}


def _diagnosis(diagnosis: Diagnosis) -> Json:
    return {
        "means": diagnosis.symptoms._asdict(),
        "findings": [_finding(finding) for finding in diagnosis.findings],
        "records": dict(diagnosis.records),
    }


def _case(case: Case) -> Json:
    return {
        "id": case.id,
        "uid": case.uid,
        "position": case.position,
        "truth": case.truth.to_dict(),
        "relevant_share": case.relevant_share,
        "judges": {
            title: {
                "scores": judged.scores.to_dict(),
                **(compared.to_dict() if (compared := case.compare(title)) else {}),
            }
            for title, judged in case.judged.items()
        },
        "findings": [_finding(finding) for finding in case.findings],
        "unsupported_sentences": list(case.unsupported),
        "slices": dict(case.slices),
    }


def _reading(reading: Reading) -> Json:
    record, judgement = reading.record, reading.judgement
    return {
        "id": reading.case.id,
        "uid": reading.case.uid,
        "question": record.question,
        "documents": [{"title": one.title, "sentences": _texts(one)} for one in record.documents],
        "response": _texts(record.response),
        "truth": reading.truth.to_json(),
        "judge": judgement and judgement.judge.title,
        "judge_labels": judgement and judgement.labels.to_json(),
    }


def _texts(passage: Passage) -> list[Json]:
    return [{"key": sentence.key, "text": sentence.text} for sentence in passage.sentences]


def _finding(finding: Finding) -> Json:
    return {"name": finding.name, "cause": finding.cause, "actions": list(finding.actions)}


def _means(means: Mapping[str, Mean]) -> Json:
    return {name: mean._asdict() for name, mean in means.items()}


def _figure(figure: Figure) -> Json:
    return {"value": figure.value, "n": figure.n} | ({"why": figure.why} if figure.why else {})


def _interval(interval: Interval) -> Json:
    return {"low": interval.low, "high": interval.high, "n": interval.n} | (
        {"why": interval.why} if interval.why else {}
    )
