"""A report as text to read: judges side by side, a block for each question, reasons under what is undefined."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from trace_tui.cli.output import number_of
from trace_tui.cli.reportdata import Group, Report, worth_reading
from trace_tui.display import UNDEFINED, figure, one_line
from trace_tui.scoring import METRICS, SCORE_NAMES, tier
from trace_tui.scoring.agreement import Confusion
from trace_tui.scoring.comparison import Case, Comparison, Diagnosis, JudgeComparison
from trace_tui.scoring.diagnosis import Finding
from trace_tui.scoring.figures import Figure, Interval
from trace_tui.scoring.means import Mean

_DIGITS: Final = 3
_WIDEST: Final = 63  # of a name; a longer one is cut
_HALF: Final = 30  # of each name of a pair
_FIRST: Final = 10  # records that are named
_COUNTS: Final = {"TP": "true_positives", "FP": "false_positives", "FN": "false_negatives", "TN": "true_negatives"}
_SHORT: Final = tuple(metric.removeprefix("context_") for metric in METRICS)


def lines(report: Report) -> Iterator[str]:
    """Yield the lines of the whole report, safe to show."""
    about = [f"{name} {value}" for name, value in report.about.items() if value is not None]
    yield one_line(" · ".join(about))
    for column, tally in report.columns.items():
        if tally.left_out:
            yield one_line(f"column {column.name} ({column.judge}): {tally.used:,} used; left out: {tally.left_out}")
    for group in report.groups:
        yield from _group(group)
    if len(report.groups) > 1:
        yield from _side_by_side(report.groups)


def _group(group: Group) -> Iterator[str]:
    compared = group.comparison
    yield from ("", f"=== {group.mode}: {number_of(compared.records, 'record')} ===", "")
    yield from _means(compared)
    if compared.judges:
        yield from _trust(compared.judges)
        for metric in METRICS:
            yield from _metric(metric, compared.judges)
        yield from _sentences(compared.judges)
        yield from _detection(compared.judges)
        yield from _differences(compared)
    else:
        yield from ("no judge to compare with: label with one, or name a --column or --judge lexical-overlap", "")
    yield from _positions(compared.judges)
    for name, parts in group.slices.items():
        yield from _slices(name, parts)
    yield from _diagnosis(compared.diagnosis, compared.records)
    yield from _look_first(group.cases)


class _Table:
    """Rows under headings, and below them why figures in it are undefined. A row without any figure is left out."""

    def __init__(self, title: str, *headings: str) -> None:
        self._title = title
        self._rows: list[tuple[str, ...]] = [headings]
        self._reasons: dict[tuple[str, str], list[str]] = {}

    def add(self, name: str, *cells: Any) -> None:
        """Add a row. A cell is a text, a number, a figure or an interval."""
        pairs = zip(self._rows[0][1:], cells, strict=True)
        figures = {heading: cell for heading, cell in pairs if isinstance(cell, (Figure, Interval))}
        for why in dict.fromkeys(cell.why for cell in figures.values() if cell.why):
            concerned = [heading for heading, cell in figures.items() if cell.why == why]
            what = "" if len(concerned) == len(figures) else ", ".join(concerned)
            self._reasons.setdefault((what, why), []).append(name)
        if not figures or any(cell[0] is not None for cell in figures.values()):
            self._rows.append((one_line(name)[:_WIDEST], *map(_cell, cells)))

    def __iter__(self) -> Iterator[str]:
        yield self._title
        if len(self._rows) > 1:
            first, *rest = zip(*self._rows, strict=True)
            columns = [_aligned(first, left=True), *(_aligned(column, left=column[0] in _LEFT) for column in rest)]
            yield from (f"  {'  '.join(row)}".rstrip() for row in zip(*columns, strict=True))
        for (what, why), names in self._reasons.items():
            yield one_line(f"  {UNDEFINED} {', '.join(names)}: {what and f'{what}: '}{why}")
        yield ""


_LEFT: Final = frozenset({"judge", "tier", "action", "what is likely wrong"})


def _aligned(column: tuple[str, ...], *, left: bool) -> list[str]:
    """Return the cells of a column as wide as the widest of them."""
    width = max(map(len, column))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in column]


def _cell(cell: Any) -> str:
    match cell:
        case Figure(value, _, _):
            return figure(value, _DIGITS)
        case Interval(low, high, _, _):
            return UNDEFINED if low is None else f"[{figure(low, _DIGITS)}, {figure(high, _DIGITS)}]"
        case float():
            return figure(cell, _DIGITS)
        case None:
            return UNDEFINED
        case int():
            return f"{cell:,}"
        case _:
            return one_line(str(cell))


def _means(compared: Comparison) -> Iterator[str]:
    table = _Table("means (n)", "", *(name.removeprefix("context_") for name in SCORE_NAMES))

    def add(name: str, means: Mapping[str, Mean]) -> None:
        table.add(name, *(f"{figure(mean.mean, _DIGITS)} ({mean.n:,})" for mean in means.values()))

    add("truth", compared.truth)
    for judge in compared.judges:
        add(judge.rater.title, judge.means)
    yield from table


def _trust(judges: Sequence[JudgeComparison]) -> Iterator[str]:
    table = _Table("all scores", "judge", "records", "aggregated RMSE", "consistency", "tier", "action")
    for judge in judges:
        batch = judge.batch
        words = (batch.tier.name, batch.tier.action) if batch.tier else (UNDEFINED, "no score on both sides")
        table.add(judge.rater.title, batch.num_evaluations, batch.aggregated_rmse, batch.consistency_score, *words)
    yield from table


def _metric(metric: str, judges: Sequence[JudgeComparison]) -> Iterator[str]:
    headings = ("n", "truth", "mean", "RMSE", "RMSE 95%", "bias", "bias 95%", "MAE", "r", "tier")
    table = _Table(metric, "judge", *headings)
    for judge in judges:
        found = judge.metrics[metric]
        band = tier(found.rmse.value)
        table.add(
            judge.rater.title,
            found.rmse.n,
            *(found.truth_mean, found.judge_mean, found.rmse, found.rmse_interval, found.bias, found.bias_interval),
            *(found.mean_absolute_error, found.pearson, band.name if band else UNDEFINED),
        )
    yield from table


_AGREEMENT: Final = ("n", "precision", "recall", "F1", "kappa", "agreement", *_COUNTS)


def _agreement(found: Confusion) -> list[Any]:
    return [found.n, *found.figures().values(), *(getattr(found, name) for name in _COUNTS.values())]


def _sentences(judges: Sequence[JudgeComparison]) -> Iterator[str]:
    labelling = [(judge.rater.title, judge.sentences) for judge in judges if judge.sentences]
    for kind, what in _KINDS.items():
        table = _Table(f"{kind}: {what}", "judge", *_AGREEMENT)
        for title, agreement in labelling:
            table.add(title, *_agreement(getattr(agreement, kind)))
        yield from table if labelling else ()


_KINDS: Final = {
    "relevant": "document sentences",
    "utilized": "document sentences",
    "supported": "response sentences that both judged",
    "links": "pairs of response and document sentence",
}


def _detection(judges: Sequence[JudgeComparison]) -> Iterator[str]:
    table = _Table("hallucination: responses, positive = not adherent", "judge", *_AGREEMENT, "AUROC")
    for judge in judges:
        table.add(judge.rater.title, *_agreement(judge.detection.confusion), judge.detection.auroc)
    yield from table


def _differences(compared: Comparison) -> Iterator[str]:
    judges = {judge.rater.title: judge for judge in compared.judges}
    for metric in METRICS:
        table = _Table(
            f"{metric}: difference of RMSE on the same records, below 0 the first is closer",
            *("judges", "n", "first", "second", "difference", "95%"),
        )
        # Why a judge has no figure at all is said where it stands alone.
        scoring = {title for title, judge in judges.items() if judge.metrics[metric].rmse.n}
        pairs = [pair for pair in compared.differences if {pair.first, pair.second} <= scoring]
        for pair in pairs:
            found = pair.metrics[metric]
            names = f"{one_line(pair.first)[:_HALF]} / {one_line(pair.second)[:_HALF]}"
            table.add(names, found.difference.n, *found)
        yield from table if pairs else ()


def _side_by_side(groups: Sequence[Group]) -> Iterator[str]:
    """Set the modes of truth beside each other: judges look better to people who have seen what they say."""
    table = _Table("what being led costs: RMSE (n) by mode", "judge", "mode", *_SHORT, "aggregated")
    for place, rater in enumerate(judge.rater for judge in groups[0].comparison.judges):
        for group in groups:
            judge = group.comparison.judges[place]
            found = (judge.metrics[metric].rmse for metric in METRICS)
            cells = (f"{figure(rmse.value, _DIGITS)} ({rmse.n:,})" for rmse in found)
            table.add(rater.title, group.mode, *cells, judge.batch.aggregated_rmse)
    yield from table


def _positions(judges: Sequence[JudgeComparison]) -> Iterator[str]:
    for judge in judges:
        for kind in ("relevant", "utilized", "links"):
            table = _Table(
                f"{kind}, by position of the document: {one_line(judge.rater.title)}", "document", *_AGREEMENT
            )
            for rank, agreement in enumerate(judge.by_document, 1):
                table.add(f"{rank}.", *_agreement(getattr(agreement, kind)))
            yield from table if judge.by_document else ()


def _slices(by: str, parts: Mapping[str, Comparison]) -> Iterator[str]:
    by = one_line(by)
    table = _Table(f"truth by {by}: mean (n)", by, "records", *_SHORT)
    for part, compared in parts.items():
        means = (compared.truth[metric] for metric in METRICS)
        table.add(part, compared.records, *(f"{figure(mean.mean, _DIGITS)} ({mean.n:,})" for mean in means))
    yield from table
    for place, rater in enumerate(judge.rater for judge in next(iter(parts.values())).judges):
        if not any(compared.judges[place].records for compared in parts.values()):
            continue
        title = rater.title
        table = _Table(f"RMSE by {by} (n): {one_line(title)}", by, *_SHORT, "aggregated", "tier")
        for part, compared in parts.items():
            judge = compared.judges[place]
            found = (judge.metrics[metric].rmse for metric in METRICS)
            band = judge.batch.tier
            table.add(
                part,
                *(f"{figure(rmse.value, _DIGITS)} ({rmse.n:,})" for rmse in found),
                *(judge.batch.aggregated_rmse, band.name if band else UNDEFINED),
            )
        yield from table


def _diagnosis(diagnosis: Diagnosis, records: int) -> Iterator[str]:
    named = zip(diagnosis.symptoms._fields, diagnosis.symptoms, strict=True)
    yield "diagnosis, by the means of the truth: " + ", ".join(f"{name} {figure(mean, 2)}" for name, mean in named)
    yield "  relevance is |R| / N here"
    for finding in diagnosis.findings:
        yield from _finding(finding)
    for name, count in diagnosis.records.items():
        yield f"  {name}: {count:,} of {number_of(records, 'record')}"
    yield ""


def _finding(finding: Finding) -> Iterator[str]:
    yield f"  {finding.name}: {finding.cause}"
    for action in finding.actions:
        yield f"    - {action}"


def _look_first(cases: Sequence[Case]) -> Iterator[str]:
    urgent = worth_reading(cases)[:_FIRST]
    table = _Table("records to look at first", "id", "record", "RMSE", "judge", "tier", "what is likely wrong")
    for case in urgent:
        rmse, title = case.worst() or (None, UNDEFINED)
        band = tier(rmse)
        wrong = "; ".join(finding.name for finding in case.findings)
        where = f" ({', '.join(case.unsupported)})" if case.unsupported else ""
        table.add(str(case.id), case.position + 1, rmse, title, band.name if band else UNDEFINED, wrong + where)
    yield from table if urgent else ()
