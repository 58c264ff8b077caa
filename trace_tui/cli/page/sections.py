"""The sections of a page, in the order in which they answer: how far, where, on which sentences, and what to do."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from trace_tui.cli.output import number_of
from trace_tui.cli.page import pictures, tables
from trace_tui.cli.page.blocks import (
    Card,
    Cards,
    Chapter,
    Findings,
    Fold,
    Picture,
    Pictures,
    Section,
    TableBuilder,
    Words,
    shown,
)
from trace_tui.cli.page.records import Sheets, sheet
from trace_tui.cli.page.tables import SHOWN
from trace_tui.cli.reading import Read
from trace_tui.cli.reportdata import READ, Group, worth_reading
from trace_tui.scoring import METRICS
from trace_tui.scoring.agreement import Confusion
from trace_tui.scoring.comparison import Case, Comparison, JudgeComparison

RECORDED: Final = "recorded"
_LISTED: Final = 200  # records that are listed: a browser must stay quick
_PICTURED: Final = 8  # judges that have pictures of their own


def chapter(group: Group, read: Read) -> Chapter:
    """Return all that is told of the records of one mode of truth."""
    sections = [section for section in _sections(group, read) if section.blocks]
    title = "Against recorded labels" if group.mode == RECORDED else f"{group.mode.capitalize()} reviews"
    return Chapter(group.mode, f"{title} · {number_of(group.comparison.records, 'record')}", sections)


def modes_chapter(groups: Sequence[Group]) -> Chapter:
    """Return what is told of the modes side by side."""
    lead = (
        "The same judges against reviews made blind and reviews made with a judge's labels in view. A judge that looks "
        "better in assisted reviews has led the people who are its measure."
    )
    return Chapter(
        "modes",
        "Blind and assisted",
        [Section("modes-led", "What being led costs", lead, [tables.modes_table(groups)])],
    )


def _sections(group: Group, read: Read) -> Iterator[Section]:
    compared, at = group.comparison, group.mode
    judges, truth = compared.judges, truth_word(group.mode)
    yield Section(
        f"{at}-trust",
        "How far each judge can be trusted",
        _TRUST,
        [*_trust(judges), tables.means_table(truth, compared)],
    )
    if judges:
        yield Section(f"{at}-scores", "Score by score", _SCORES, [*_score_pictures(judges), *_metric_tables(judges)])
        yield Section(f"{at}-points", f"Judge against {truth}", _POINTS, list(_points(group, truth)))
        yield Section(f"{at}-sentences", "Sentence by sentence", _SENTENCES, list(_sentences(judges, truth)))
        yield Section(f"{at}-hallucination", "Finding hallucination", _DETECTION, list(_detection(judges, truth)))
        yield Section(f"{at}-pairs", "Judges against each other", _PAIRS, list(tables.difference_tables(compared)))
        yield Section(
            f"{at}-positions", "By position of the document", _POSITIONS, list(tables.position_tables(judges))
        )
    yield from _slices(group, truth)
    yield Section(f"{at}-diagnosis", "What is likely wrong", _DIAGNOSIS, list(_diagnosis(compared)))
    yield Section(f"{at}-records", "Records to look at first", _FIRST, list(_records(group, truth, read)))


def truth_word(mode: str) -> str:
    """Return what the side that is taken for right is called."""
    return "recorded labels" if mode == RECORDED else "human"


_TRUST: Final = (
    "Aggregated RMSE is the distance from the truth over all scores: 0 is the truth itself, 1 as far as can be. "
    "Consistency is one minus it."
)
_SCORES: Final = (
    "RMSE of each score with its 95% bootstrap interval; the lines at 0.1, 0.2, 0.3 and 0.4 are where the tiers "
    "Excellent, Good, Acceptable and Poor end. A bias above zero means that the judge is too kind."
)
_POINTS: Final = "A circle for all records at a place, larger for more of them. On the line, both sides say the same."
_SENTENCES: Final = (
    "How the labels agree. On the shaded diagonal both sides say the same. The truth decides what is right: precision "
    "is the share of a judge's labels that are, recall the share of the right ones that it finds, kappa the agreement "
    "beyond chance."
)
_DETECTION: Final = (
    "Responses that are not adherent, found by their adherence below 0.5. AUROC is over one minus adherence, of judges "
    "that grade it."
)
_PAIRS: Final = (
    "Over the records that both judges score. Below zero, the judge that is named first is closer to the truth."
)
_POSITIONS: Final = "Agreement on the sentences of the first document, of the second, and so on."
_DIAGNOSIS: Final = (
    "By rule, from the scores of the truth. Relevance is |R| / N here, whatever the definition of the scores."
)
_FIRST: Final = (
    "Where a judge is furthest from the truth. R is relevant, U utilized; ✓ supported, ◐ partly, ✗ not, ? not judged, "
    "each with the sentences that support it. ≠ marks where the two sides differ."
)
_NO_JUDGE: Final = "There is no judge to compare with: label with one, or name a --column or --judge lexical-overlap."


def _trust(judges: Sequence[JudgeComparison]) -> list[Any]:
    if not judges:
        return [Words(_NO_JUDGE)]
    cards = [
        Card(
            judge.rater.title,
            judge.batch.aggregated_rmse,
            judge.batch.tier,
            judge.batch.consistency_score,
            judge.batch.num_evaluations,
        )
        for judge in judges
    ]
    return [Cards(cards), tables.trust_table(judges)]


def _score_pictures(judges: Sequence[JudgeComparison]) -> list[Pictures]:
    def picture(metric: str) -> Picture:
        found = [
            pictures.Dot(judge.rater.title, judge.metrics[metric].rmse, judge.metrics[metric].rmse_interval)
            for judge in judges
        ]
        return Picture(SHOWN[metric], pictures.dots(f"RMSE of {SHOWN[metric].lower()}", found))

    return [Pictures("", [picture(metric) for metric in METRICS], "wide")]


def _metric_tables(judges: Sequence[JudgeComparison]) -> list[Any]:
    return [tables.metric_table(metric, judges) for metric in METRICS]


def _points(group: Group, truth: str) -> Iterator[Pictures]:
    for judge in _pictured(group.comparison.judges):
        title = judge.rater.title
        found = []
        for metric in METRICS:
            compared = judge.metrics[metric]
            if compared.rmse.n:
                points = _pairs(group.cases, title, metric)
                note = f"r {shown(compared.pearson.value, 2)} · n {compared.rmse.n:,}"
                drawn = pictures.scatter(f"{SHOWN[metric]}, {title}", truth, points)
                found.append(Picture(SHOWN[metric], drawn, note))
        if found:
            yield Pictures(title, found, "middle")


def _pairs(cases: Sequence[Case], title: str, metric: str) -> list[pictures.Point]:
    both = ((case.truth, case.judged[title].scores) for case in cases if title in case.judged)
    pairs = ((getattr(truth, metric), getattr(judge, metric)) for truth, judge in both)
    return [(x, y) for x, y in pairs if x is not None and y is not None]


def _sentences(judges: Sequence[JudgeComparison], truth: str) -> Iterator[Any]:
    for judge in _pictured([judge for judge in judges if judge.sentences]):
        agreement = judge.sentences._asdict() if judge.sentences else {}
        title = judge.rater.title
        found = [
            Picture(
                kind.capitalize(),
                pictures.matrix(f"{kind}, {title}", (truth, "judge"), ("yes", "no"), one),
                _kappa(one),
            )
            for kind, one in agreement.items()
        ]
        yield Pictures(title, found, "narrow")
    yield from tables.agreement_tables(judges)


def _detection(judges: Sequence[JudgeComparison], truth: str) -> Iterator[Any]:
    found = []
    for judge in _pictured(judges):
        confusion, title = judge.detection.confusion, judge.rater.title
        if confusion.n:
            about = f"responses that are not adherent, {title}"
            drawn = pictures.matrix(about, (truth, "judge"), ("not adherent", "adherent"), confusion)
            found.append(Picture(title, drawn, _kappa(confusion)))
    if found:
        yield Pictures("", found, "narrow")
    yield tables.detection_table(judges)


def _kappa(confusion: Confusion) -> str:
    return f"κ {shown(confusion.kappa.value, 2)} · n {confusion.n:,}"


def _pictured(judges: Sequence[JudgeComparison]) -> list[JudgeComparison]:
    return [judge for judge in judges if judge.records][:_PICTURED]


def _slices(group: Group, truth: str) -> Iterator[Section]:
    for place, (by, parts) in enumerate(group.slices.items()):
        folds = [
            Fold(f"All figures of {name} ({number_of(part.records, 'record')})", list(_everything(part, truth)))
            for name, part in parts.items()
        ]
        yield Section(f"{group.mode}-slice-{place}", f"By {by}", "", [*tables.slice_tables(parts), *folds])


def _everything(part: Comparison, truth: str) -> Iterator[Any]:
    yield tables.trust_table(part.judges)
    yield tables.means_table(truth, part)
    yield from _metric_tables(part.judges)
    yield from tables.agreement_tables(part.judges)
    yield tables.detection_table(part.judges)
    yield from tables.difference_tables(part)
    yield from tables.position_tables(part.judges)
    yield from _diagnosis(part)


def _diagnosis(compared: Comparison) -> Iterator[Any]:
    found = compared.diagnosis
    yield Findings([finding for finding in found.findings if finding.actions] or found.findings)
    means = TableBuilder("Means", *("Side", *(name.capitalize() for name in found.symptoms._fields)))
    means.add("truth", *found.symptoms)
    yield means.table()
    counts = TableBuilder("Records with each finding", "Finding", "Records", "Of")
    for name, count in found.records.items():
        counts.add(name, count, compared.records)
    yield counts.table()


def _records(group: Group, truth: str, read: Read) -> Iterator[Any]:
    urgent = worth_reading(group.cases)
    if urgent:
        sheets = [sheet(number, truth, read(group.mode, case)) for number, case in enumerate(urgent[:READ], 1)]
        yield Sheets(truth, sheets)
    if len(urgent) > READ:
        yield Words(f"{number_of(len(urgent) - READ, 'further record')} not shown in full: their scores stand below.")
    listed = group.cases[:_LISTED]
    blocks: list[Any] = [tables.cases_table(listed, group.comparison.judges)]
    if len(group.cases) > len(listed):
        more = number_of(len(group.cases) - len(listed), "further record")
        blocks.append(Words(f"{more} not listed: --format json has them all."))
    yield Fold(f"Scores of {number_of(len(listed), 'record')}", blocks)
