"""What is told of a labelling: over all records of the dataset how many are labelled and failed, costs and means."""

from dataclasses import dataclass, field
from typing import Any, Final

from trace_tui.calls import Cause, Usage
from trace_tui.cli.asking import Asking
from trace_tui.cli.labelling import Plan
from trace_tui.cli.labelprogress import dollars
from trace_tui.cli.output import write, write_json
from trace_tui.cli.workbench import Cutter
from trace_tui.datasets.identity import id_or_uid
from trace_tui.datasets.lines import Progress
from trace_tui.datasets.source import Dataset
from trace_tui.display import figure, one_line
from trace_tui.judges.models import AS_OF
from trace_tui.records import RecordId
from trace_tui.scoring import SCORE_NAMES, Definition, RunningMeans, scores
from trace_tui.store import Store

_SHOWN_IDS: Final = 5


@dataclass(frozen=True)
class Report:
    """How a dataset stands with one judge, or in a dry run what labelling the rest of it would take.

    `failed` holds the ids of the records that were asked about and have no labels, by cause. `usage` is that of all
    calls of this judge kept in the database, or the estimate; `repairs` counts what was mended in its replies; `means`
    is None in a dry run.
    """

    judge: str
    host: str
    records: int
    labelled: int
    usage: Usage
    cost: float | None
    is_estimate: bool = False
    failed: dict[Cause, list[RecordId]] = field(default_factory=dict)
    repairs: dict[str, int] = field(default_factory=dict)
    definition: Definition | None = None
    means: RunningMeans | None = None

    @property
    def missing(self) -> int:
        """Records that were never asked about."""
        return self.records - self.labelled - sum(map(len, self.failed.values()))


def report(asking: Asking, dataset: Dataset, store: Store, found: Plan, definition: Definition) -> Report:
    """Read from the store how the dataset stands now, over all runs."""
    means = RunningMeans()
    title = asking.judge.title
    for uid, counts in store.counts(title).items():
        if uid in found.uids:
            means.add(scores(counts, definition))
    failures = {uid: cause for uid, cause in store.failures(title).items() if uid in found.uids}
    places = dataset.find_uids(dict.fromkeys(failures, 0))
    failed: dict[Cause, list[RecordId]] = {}
    for uid, cause in failures.items():
        failed.setdefault(cause, []).append(id_or_uid(dataset.row(places[uid]).id, uid))
    usage = store.usage(title)
    return Report(
        judge=title,
        host=asking.host,
        records=len(found.uids),
        labelled=means.records,
        usage=usage,
        cost=asking.known_price.cost(usage) if asking.known_price else None,
        failed=failed,
        repairs=store.repairs(title),
        definition=definition,
        means=means,
    )


def estimate(asking: Asking, dataset: Dataset, cutter: Cutter, found: Plan, progress: Progress) -> Report:
    """Estimate what labelling the records of a plan takes, completions at their longest; sends nothing."""
    from trace_tui.judges.labeller import question_of

    usage = Usage()
    for number, position in enumerate(found.positions, 1):
        usage += question_of(cutter.record(dataset.row(position)), asking.settings, asking.judge).estimate
        progress(number, len(found.positions))
    return Report(
        judge=asking.judge.title,
        host=asking.host,
        records=len(found.uids),
        labelled=found.labelled,
        usage=usage,
        cost=asking.known_price.cost(usage) if asking.known_price else None,
        is_estimate=True,
    )


def write_text(told: Report) -> None:
    """Write a report to read."""
    lines = [
        f"{told.judge} at {told.host}",
        f"records      {told.records:>9,}",
        f"labelled     {told.labelled:>9,}",
    ]
    if told.is_estimate:
        lines += [
            f"to label     {told.usage.requests:>9,} requests; nothing was sent",
            f"prompts      {told.usage.prompt_tokens:>9,} tokens, estimated",
            f"completions  {told.usage.completion_tokens:>9,} tokens at most, reasoning included",
        ]
    else:
        lines += [f"failed       {sum(map(len, told.failed.values())):>9,}", *_failures(told)]
        lines.append(f"not asked    {told.missing:>9,}")
        lines.append(f"requests     {told.usage.requests:>9,} in all runs")
        lines.append(f"tokens       {told.usage.prompt_tokens:>9,} of prompts, {_share(told.usage)} from the cache")
        lines.append(f"             {told.usage.completion_tokens:>9,} of completions")
        lines += [f"mended       {times:>9,} {what}" for what, times in told.repairs.items()]
    if told.cost is not None:
        most = " at most" if told.is_estimate else ""
        lines.append(f"cost         {dollars(told.cost):>9}{most}, by --price or prices of {AS_OF}")
    write("".join(f"{one_line(line)}\n" for line in [*lines, *_means(told)]))


def _failures(told: Report) -> list[str]:
    lines = []
    for cause, ids in sorted(told.failed.items(), key=lambda item: -len(item[1])):
        some = ", ".join(map(str, ids[:_SHOWN_IDS])) + (" …" if len(ids) > _SHOWN_IDS else "")
        lines.append(f"  {len(ids):,} {cause.value}: {some}")
    return lines


def _share(usage: Usage) -> str:
    return f"{usage.cached_tokens / usage.prompt_tokens:.0%}" if usage.prompt_tokens else "0%"


def _means(told: Report) -> list[str]:
    if told.means is None or told.definition is None:
        return []
    failed = sum(map(len, told.failed.values()))
    head = f"means by {told.definition.value}: {told.labelled:,} scored, {failed:,} failed, {told.missing:,} not asked"
    rows = [f"  {name:<20} {figure(mean.mean, 4):>7}  n {mean.n:,}" for name, mean in told.means.result().items()]
    return ["", head, *rows]


def write_data(told: Report) -> None:
    """Write a report as one JSON object; what is not known is null."""
    usage = told.usage
    data: dict[str, Any] = {
        "judge": told.judge,
        "host": told.host,
        "is_estimate": told.is_estimate,
        "records": told.records,
        "labelled": told.labelled,
        "failed": {cause.value: ids for cause, ids in told.failed.items()},
        "not_asked": told.missing,
        "repairs": told.repairs,
        "requests": usage.requests,
        "prompt_tokens": usage.prompt_tokens,
        "cached_tokens": usage.cached_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": told.cost,
        "definition": told.definition.value if told.definition else None,
        "means": None,
    }
    if told.means:
        result = told.means.result()
        data["means"] = {name: {"mean": result[name].mean, "n": result[name].n} for name in SCORE_NAMES}
    write_json(data)


FORMATS: Final = {"table": write_text, "json": write_data}
"""What writes a report, by the word for it."""
