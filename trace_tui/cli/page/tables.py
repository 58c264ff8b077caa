"""The figures of a comparison as tables: all that the JSON of a report has, a table for each question."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trace_tui.cli.page.blocks import Cell, Table, TableBuilder, brief
from trace_tui.cli.reportdata import Group
from trace_tui.datasets.columns import Column, Tally
from trace_tui.display import UNDEFINED
from trace_tui.scoring import METRICS, SCORE_NAMES, tier
from trace_tui.scoring.agreement import Confusion
from trace_tui.scoring.comparison import Case, Comparison, JudgeComparison, MetricComparison

SHOWN: Final[Mapping[str, str]] = {
    "context_relevance": "Relevance",
    "context_utilization": "Utilization",
    "completeness": "Completeness",
    "adherence": "Adherence",
    "average": "Average",
    "rmse_aggregation": "Balance",
}
"""Scores, and what follows from them, by the names that people read."""

KINDS: Final[Mapping[str, str]] = {
    "relevant": "document sentences",
    "utilized": "document sentences",
    "supported": "response sentences on which both have a verdict",
    "links": "pairs of a response sentence and a document sentence",
}
"""Kinds of labels, and the items of each."""

_COUNTS: Final = ("TP", "FP", "FN", "TN")
_AGREEMENT: Final = ("Judge", "n", "Precision", "Recall", "F1", "Kappa", "Agreement", *_COUNTS)
_HEADING: Final = 30  # characters of a title in a heading
_NO_SCORE: Final = "no score is defined on both sides"


def columns_table(columns: Mapping[Column, Tally]) -> Table:
    """Say which fields of the dataset are judges, and which of their values could not be used."""
    table = TableBuilder("", "Column", "Judge", "Score", "Used", "Null", "Not a number", "Outside 0–1")  # noqa: RUF001
    for column, tally in columns.items():
        counts = (tally.used, tally.missing, tally.not_a_number, tally.outside)
        table.add(column.name, column.judge, SHOWN[column.metric], *counts)
    return table.table()


def trust_table(judges: Sequence[JudgeComparison]) -> Table:
    """Say how far each judge can be trusted, over all scores."""
    table = TableBuilder("", "Judge", "Records", "Compared", "Aggregated RMSE", "Consistency", "Tier", "What to do")
    for judge in judges:
        batch = judge.batch
        band = batch.tier
        why = "" if band else _NO_SCORE
        table.add(
            judge.rater.title,
            *(judge.records, batch.num_evaluations),
            *(Cell("figure", numbers=(one,), why=why) for one in (batch.aggregated_rmse, batch.consistency_score)),
            *(band or UNDEFINED, band.action if band else UNDEFINED),
        )
    return table.table()


def means_table(truth: str, compared: Comparison) -> Table:
    """Set the means of every side beside each other, each over the records where that side has the score."""
    table = TableBuilder("Means", "Side", *(SHOWN[name] for name in SCORE_NAMES))
    table.add(truth, *compared.truth.values())
    for judge in compared.judges:
        table.add(judge.rater.title, *judge.means.values())
    return table.table()


def metric_table(metric: str, judges: Sequence[JudgeComparison]) -> Table:
    """Compare every judge with the truth on one score."""
    headings = ("n", "Truth", "Judge's mean", "RMSE", "RMSE 95%", "Bias", "Bias 95%", "MAE", "Pearson r", "Tier")
    table = TableBuilder(SHOWN[metric], "Judge", *headings, "What to do")
    for judge in judges:
        table.add(judge.rater.title, *_compared(judge.metrics[metric]))
    return table.table()


def _compared(found: MetricComparison) -> tuple[Any, ...]:
    band = tier(found.rmse.value)
    return (
        *(found.rmse.n, found.truth_mean, found.judge_mean, found.rmse, found.rmse_interval, found.bias),
        *(found.bias_interval, found.mean_absolute_error, found.pearson),
        *(band or UNDEFINED, band.action if band else UNDEFINED),
    )


def agreement_tables(judges: Sequence[JudgeComparison]) -> Iterator[Table]:
    """Compare judges of labels with the truth sentence by sentence, a table for each kind of label."""
    labelling = [(judge.rater.title, judge.sentences) for judge in judges if judge.sentences]
    for kind, items in KINDS.items() if labelling else ():
        table = TableBuilder(kind.capitalize(), *_AGREEMENT, note=items)
        for title, agreement in labelling:
            table.add(title, *_agreement(getattr(agreement, kind)))
        yield table.table()


def detection_table(judges: Sequence[JudgeComparison]) -> Table:
    """Say how judges find the responses that are not adherent."""
    table = TableBuilder("", *_AGREEMENT, "AUROC")
    for judge in judges:
        table.add(judge.rater.title, *_agreement(judge.detection.confusion), judge.detection.auroc)
    return table.table()


def difference_tables(compared: Comparison) -> Iterator[Table]:
    """Compare every two judges on the records that both of them and the truth score."""
    headings = ("Judges", "n", "RMSE of the first", "RMSE of the second", "Difference", "Difference 95%")
    judges = {judge.rater.title: judge for judge in compared.judges}
    for metric in METRICS:
        # Why a judge has no figure at all is said where it stands alone.
        scoring = {title for title, judge in judges.items() if judge.metrics[metric].rmse.n}
        table = TableBuilder(SHOWN[metric], *headings)
        pairs = [pair for pair in compared.differences if {pair.first, pair.second} <= scoring]
        for pair in pairs:
            found = pair.metrics[metric]
            table.add(f"{pair.first} against {pair.second}", found.difference.n, *found)
        if pairs:
            yield table.table()


def position_tables(judges: Sequence[JudgeComparison]) -> Iterator[Table]:
    """Compare judges with the truth on the sentences of the first document, of the second, and so on."""
    for judge in judges:
        for kind in ("relevant", "utilized", "links") if judge.by_document else ():
            table = TableBuilder(f"{judge.rater.title}: {kind}", "Document", *_AGREEMENT[1:])
            for rank, agreement in enumerate(judge.by_document, 1):
                table.add(f"{rank}.", *_agreement(getattr(agreement, kind)))
            yield table.table()


def slice_tables(parts: Mapping[str, Comparison]) -> Iterator[Table]:
    """Compare parts of the records: means of the truth, then the RMSE of each judge."""
    names = [SHOWN[metric] for metric in METRICS]
    table = TableBuilder("Means of the truth", "Part", "Records", *names)
    for part, compared in parts.items():
        table.add(part, compared.records, *(compared.truth[metric] for metric in METRICS))
    yield table.table()
    for place, judge in enumerate(next(iter(parts.values())).judges):
        table = TableBuilder(f"RMSE of {judge.rater.title}", "Part", *names, "Aggregated", "Tier")
        for part, compared in parts.items():
            table.add(part, *_errors(compared.judges[place]))
        yield table.table()


def modes_table(groups: Sequence[Group]) -> Table:
    """Set the modes of truth beside each other: judges look better to people who have seen what they say."""
    names = [SHOWN[metric] for metric in METRICS]
    table = TableBuilder("", "Judge", "Mode", *names, "Aggregated", "Tier", note="RMSE by the mode of the reviews")
    for place, judge in enumerate(groups[0].comparison.judges):
        for group in groups:
            table.add(judge.rater.title, group.mode, *_errors(group.comparison.judges[place]))
    return table.table()


def _errors(judge: JudgeComparison) -> tuple[Any, ...]:
    found = (judge.metrics[metric].rmse for metric in METRICS)
    cells = (Cell("figure", numbers=(rmse.value,), n=rmse.n, why=rmse.why) for rmse in found)
    batch = judge.batch
    why = "" if batch.tier else _NO_SCORE
    return *cells, Cell("figure", numbers=(batch.aggregated_rmse,), why=why), batch.tier or UNDEFINED


def cases_table(cases: Sequence[Case], judges: Sequence[JudgeComparison]) -> Table:
    """List records: the scores of the truth, how far each judge is from it, and what is likely wrong."""
    titles = [judge.rater.title for judge in judges]
    headings = ("Id", "Record", *(SHOWN[name] for name in SCORE_NAMES), "|R| / N")
    table = TableBuilder(
        "", *headings, *(f"RMSE: {brief(title, _HEADING)}" for title in titles), "What is likely wrong"
    )
    for case in cases:
        wrong = "; ".join(finding.name for finding in case.findings)
        compared = (case.compare(title) for title in titles)
        table.add(
            str(case.id),
            case.position + 1,
            *case.truth.to_dict().values(),
            case.relevant_share,
            *(found and found.aggregated_rmse for found in compared),
            wrong + (f" ({', '.join(case.unsupported)})" if case.unsupported else ""),
        )
    return table.table()


def _agreement(found: Confusion) -> tuple[Any, ...]:
    return found.n, *found.figures().values(), *found
