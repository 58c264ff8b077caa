"""What the side panel, the strip and the header say: pure functions from a session's state to lines."""

from collections.abc import Sequence

from rich.cells import cell_len

from trace_tui.display import figure, one_line
from trace_tui.review.desk import Desk
from trace_tui.review.runs import Run
from trace_tui.review.session import Session
from trace_tui.review.totals import Agreement, Progress
from trace_tui.reviews import Mode, Status
from trace_tui.scoring import METRICS, AdvancedTRACEScores, Definition, RMSECalculator, TraceRMSE, tier
from trace_tui.tui.lines import Line, Part, wrap
from trace_tui.tui.theme import Role

NAMES = {
    "context_relevance": "relevance",
    "context_utilization": "utilization",
    "completeness": "completeness",
    "adherence": "adherence",
}
_SHORT = dict(zip(METRICS, "RTCA", strict=True))
_BARS = " ▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int) -> str:
    """Return the latest values, each in [0, 1], as bars; half a unit fills the height, since few RMSEs are above."""
    return "".join(_BARS[min(8, 1 + int(value * 2 * 7.999))] for value in values[-width:])


def panel(session: Session, width: int, height: int) -> list[Line]:
    """Return the side panel: this record above, the dataset so far below."""
    desk, progress = session.desk, session.progress()
    lines: list[Line] = [_rule(f"this record, {session.definition.value}", width)]
    if desk:
        lines += _record(desk, session.definition)
    lines += [(), _rule(f"{progress.accepted} accepted of {progress.total}", width)]
    lines += _dataset(progress, blind=session.blind, width=width)
    lines += [(), _rule("judge", width), *_judge(desk, session.run, width)]
    if desk and desk.review.note:
        lines += [(), _rule("note", width)]
        lines += [((line, Role.PLAIN),) for line in wrap(one_line(desk.review.note), width)]
    return lines[:height]


def strip(session: Session) -> Line:
    """Return the one line that stands for the panel on a small screen."""
    desk, definition = session.desk, session.definition
    if desk is None:
        return ()
    judge, human = desk.judge_scores(definition), desk.human_scores(definition)
    parts: list[Part] = []
    if judge:
        parts += [("judge ", Role.DIM), (_four(judge), Role.JUDGE), (" ", Role.DIM)]
    parts += [(_you(desk), Role.DIM), (" ", Role.DIM), (_four(human), Role.HUMAN)]
    if judge:
        rmse = _compare(judge, human)
        parts += [(" RMSE ", Role.DIM), (figure(rmse.aggregated_rmse, 3), Role.STRONG)]
    batch = _shown(session.progress(), blind=session.blind).rmse
    parts += [(" · all ", Role.DIM), (figure(batch.aggregated_rmse, 3), Role.STRONG)]
    parts += [(f" n={batch.num_evaluations}", Role.DIM)]
    return tuple(parts)


def _you(desk: Desk) -> str:
    """The annotator's scores exist once the record is accepted; before, they are what they would be."""
    return "you" if desk.review.is_accepted else "you?"


def _four(scores: AdvancedTRACEScores) -> str:
    return " ".join(f"{_SHORT[metric]}{figure(getattr(scores, metric), 2)}".replace("0.", ".") for metric in METRICS)


def _record(desk: Desk, definition: Definition) -> list[Line]:
    judge, human = desk.judge_scores(definition), desk.human_scores(definition)
    yours = Role.HUMAN if desk.review.is_accepted else Role.PLAIN
    if judge is None:
        head: Line = ((f"{'':<13}{_you(desk):>7}", Role.DIM),)
        rows: list[Line] = [
            ((f"{NAMES[m]:<13}", Role.PLAIN), (f"{figure(getattr(human, m), 2):>7}", yours)) for m in METRICS
        ]
        return [head, *rows, _balance(None, human), *_would_be(desk)]
    rmse = _compare(judge, human)
    head = ((f"{'':<13}{'judge':>6}{_you(desk):>7}{'Δ':>6}", Role.DIM),)
    rows = []
    for metric in METRICS:
        error = rmse.per_metric[metric]
        theirs, ours = getattr(judge, metric), getattr(human, metric)
        sign = "" if not error else "+" if ours > theirs else "-"
        rows.append(
            (
                (f"{NAMES[metric]:<13}", Role.PLAIN),
                (f"{figure(theirs, 2):>6}", Role.JUDGE),
                (f"{figure(ours, 2):>7}", yours),
                (f"{sign + figure(error, 2):>6} ", Role.OVERRIDE if error else Role.DIM),
                (_bar(error, 5), Role.OVERRIDE),
            )
        )
    total: Line = (
        (f"{'RMSE':<13}", Role.PLAIN),
        (f"{figure(rmse.aggregated_rmse, 3):>6}", Role.STRONG),
        (f"  {_tier(rmse.aggregated_rmse)}", Role.PLAIN),
    )
    return [head, *rows, total, _balance(judge, human), *_would_be(desk)]


def _compare(judge: AdvancedTRACEScores, human: AdvancedTRACEScores) -> TraceRMSE:
    return RMSECalculator.compute_rmse_single_trace_evaluation(judge, human)


def _balance(judge: AdvancedTRACEScores | None, human: AdvancedTRACEScores) -> Line:
    yours = human.rmse_aggregation()
    parts: list[Part] = [(f"{'balance':<13}", Role.PLAIN)]
    if judge is not None:
        parts.append((f"{figure(judge.rmse_aggregation(), 2):>6}", Role.JUDGE))
    parts += [(f"{figure(yours, 2):>7}", Role.PLAIN), (f"  {_tier(yours)}", Role.DIM)]
    return tuple(parts)


def _would_be(desk: Desk) -> list[Line]:
    return [] if desk.review.is_accepted else [(("you? = once you accept the record", Role.DIM),)]


def _dataset(progress: Progress, *, blind: bool, width: int) -> list[Line]:
    shown = _shown(progress, blind=blind)
    batch = shown.rmse
    lines: list[Line] = [
        (
            (f"{NAMES[metric]:<13}", Role.PLAIN),
            (f"{figure(batch.per_metric_rmse[metric], 3):>6}", Role.STRONG),
            (f"  n {batch.n_per_metric[metric]:<5}", Role.DIM),
            (_bar(batch.per_metric_rmse[metric], 8), Role.OVERRIDE),
        )
        for metric in METRICS
    ]
    aggregated = batch.aggregated_rmse
    share = f" ({shown.overrides / shown.decided:.1%})" if shown.decided else ""
    lines += [
        (
            (f"{'RMSE':<13}", Role.PLAIN),
            (f"{figure(aggregated, 3):>6}", Role.STRONG),
            (f"  {_tier(aggregated)}", Role.PLAIN),
        ),
        ((f"{'consistency':<13}", Role.PLAIN), (f"{figure(batch.consistency_score, 3):>6}", Role.STRONG)),
        (("per record   ", Role.DIM), (sparkline(shown.trend, width - 13), Role.SUPPORTED)),
        (
            ("overrides ", Role.DIM),
            (f"{shown.overrides} of {shown.decided}{share}", Role.PLAIN),
        ),
        (
            ("blind ", Role.DIM),
            (f"n = {progress.agreement[Mode.BLIND].rmse.num_evaluations}", Role.PLAIN),
            (" · assisted ", Role.DIM),
            (f"n = {progress.agreement[Mode.ASSISTED].rmse.num_evaluations}", Role.PLAIN),
        ),
        ((f"{progress.skipped} skipped · {progress.flagged} flagged", Role.DIM),),
        _done(progress, width),
    ]
    return lines


def _done(progress: Progress, width: int) -> Line:
    """How much of the dataset is accepted, and how much skipped, as one bar."""
    accepted = _cells(progress.accepted, progress.total, width)
    skipped = _cells(progress.skipped, progress.total, width - accepted)
    rest = width - accepted - skipped
    return (("━" * accepted, Role.GOOD), ("╍" * skipped, Role.WARNING), ("─" * rest, Role.RULE))


def _cells(part: int, whole: int, width: int) -> int:
    """Return the cells of a bar that stand for a part; at least one if there is anything at all."""
    return min(width, max(bool(part), part * width // whole)) if whole else 0


def _shown(progress: Progress, *, blind: bool) -> Agreement:
    return progress.agreement[Mode.BLIND if blind else Mode.ASSISTED]


def _judge(desk: Desk | None, run: Run | None, width: int) -> list[Line]:
    """Return who is compared, how far a run in the background is, and what the judge says of the record."""
    judgement = desk.judgement if desk else None
    running = _running(run)
    if judgement is None:
        name = f"not labelled yet by {one_line(desk.versus)}" if desk and desk.versus else "none: label it yourself"
        said = [(name, Role.DIM), *running]
    elif desk and desk.is_hidden:
        said = [("hidden until you accept", Role.DIM), *running]
    else:
        said = [
            (one_line(judgement.judge.title), Role.PLAIN),
            (one_line(judgement.judge.about), Role.DIM),
            *((f"mended: {times} {one_line(what)}", Role.DIM) for what, times in judgement.repairs.items()),
            *running,
            (_quoted(judgement.labels.relevance_explanation), Role.JUDGE),
            (_quoted(judgement.labels.overall_explanation), Role.JUDGE),
        ]
    return [((line, role),) for text, role in said if text for line in wrap(text, width)]


def _running(run: Run | None) -> list[Part]:
    """Return how far a run in the background is: done, failed by cause, and what it waits for or how it ended."""
    if run is None:
        return []
    state = f"labelling {_done_of(run)}" if not run.ended else f"{run.ended.partition(':')[0]} at {_done_of(run)}"
    causes = (f"{times} {cause.value}" for cause, times in sorted(run.failed.items(), key=lambda item: -item[1]))
    failed = f"{run.done - run.labelled} failed: {', '.join(causes)}" if run.failed else ""
    waits = f"waits until {run.waits_until} for a limit" if run.waits_until else ""
    why = run.ended.partition(": ")[2]
    return [
        (f"▸ {one_line(run.title)}", Role.PLAIN),
        (f"  {state}", Role.GOOD),
        (f"  {waits or one_line(why)}".rstrip(), Role.WARNING),
        (f"  {failed}".rstrip(), Role.BAD),
    ]


def _done_of(run: Run) -> str:
    return f"{run.done} of {'…' if run.total is None else run.total}"


def _quoted(text: str) -> str:
    return f"“{one_line(text).strip()}”" if text.strip() else ""


def _tier(rmse: float | None) -> str:
    band = tier(rmse)
    return band.name if band else ""


def _bar(share: float | None, width: int) -> str:
    """Return a bar of `width` cells for a share in [0, 1]; nothing for zero or undefined."""
    halves = round((share or 0.0) * width * 2)
    return ("━" * (halves // 2) + "╸" * (halves % 2))[:width].ljust(width)


def _rule(title: str, width: int) -> Line:
    return (("── ", Role.RULE), (title, Role.TITLE), (" " + "─" * max(width - len(title) - 4, 0), Role.RULE))


def header(session: Session, saved: Part, width: int) -> Line:
    """Return the top line: dataset and record at the left, who, what judge and what is saved at the right."""
    desk = session.desk
    left: list[Part] = [
        (" trace-tui ", Role.TITLE),
        (f"· {one_line(session.name)}", Role.DIM),
        (f"  record {session.position + 1} / {len(session)}", Role.STRONG),
    ]
    if desk:
        left += [(f"  {one_line(desk.record.shown_id)[:24]}", Role.DIM), *_state(desk)]
    right: list[Part] = []
    if session.run and not session.run.ended:
        waits = f"waits until {session.run.waits_until}" if session.run.waits_until else "labelling"
        right.append((f"{waits} {session.run.done}/{session.run.total or '…'} · ", Role.WARNING))
    right.append((f"{one_line(session.annotator)[:16]}", Role.DIM))
    if desk and session.blind:
        right.append((" · blind" if not desk.seen else " · seen", Role.WARNING))
    right += [(" · ", Role.DIM), saved, (" ", Role.PLAIN)]
    return _spread(left, right, width)


def _state(desk: Desk) -> list[Part]:
    parts: list[Part] = []
    match desk.review.status:
        case Status.ACCEPTED:
            parts.append(("  ✓ accepted", Role.GOOD))
        case Status.SKIPPED:
            parts.append(("  ~ skipped", Role.WARNING))
        case Status.OPEN:
            pass
    if desk.review.flagged:
        parts.append(("  ⚑ flagged", Role.WARNING))
    if desk.review.note:
        parts.append(("  ✎ note", Role.DIM))
    if desk.loaded.notices:
        count = len(desk.loaded.notices)
        parts.append((f"  {count} repair{'' if count == 1 else 's'}", Role.DIM))
    return parts


def _spread(left: list[Part], right: list[Part], width: int) -> Line:
    gap = width - sum(cell_len(text) for text, _ in (*left, *right))
    # Where room is short the record's state and id go first, then the dataset's name; the number stays.
    for index in [*range(len(left) - 1, 2, -1), 1]:
        if gap >= 1:
            break
        text, _ = left.pop(index)
        gap += cell_len(text)
    return (*left, (" " * max(gap, 1), Role.PLAIN), *right)


def question(desk: Desk | None, fault: str, width: int, height: int) -> list[Line]:
    """Return the question in at most `height` lines, or why there is none to show."""
    if desk is None:
        faults: list[Line] = [((" ! ", Role.BAD), (line, Role.BAD)) for line in wrap(one_line(fault), width - 4)]
        return faults[:height]
    lines = wrap(one_line(desk.record.question).strip() or "(no question)", width - 5)
    if len(lines) > height:
        lines = [*lines[: height - 1], f"{lines[height - 1][: width - 7]}…"]
    marks = [(" Q ", Role.FOCUS), *[("   ", Role.PLAIN)] * (height - 1)]
    return [(mark, (line, Role.STRONG)) for mark, line in zip(marks, lines, strict=False)]
