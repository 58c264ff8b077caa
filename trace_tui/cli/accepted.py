"""Finds the accepted records of one annotator in a store, and where they stand in the dataset now."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trace_tui.cli.judges import titles_named
from trace_tui.cli.output import note, number_of, progress_bar
from trace_tui.datasets.source import Dataset
from trace_tui.errors import BadInputError, UsageError
from trace_tui.reviews import Mode, Status
from trace_tui.scoring import Summary
from trace_tui.store import Store


class Accepted(NamedTuple):
    """What one annotator accepted of a dataset: summaries by position, in the order of the file.

    They are against the judge that each record was compared with, or if `is_judge_named` against that one.
    """

    annotator: str
    summaries: Mapping[int, Summary]
    is_judge_named: bool


def accepted(
    store: Store, dataset: Dataset, annotator: str | None, judge: str | None, *, one_judge: bool = False
) -> Accepted:
    """Choose an annotator's accepted records that are in the dataset; say on stderr how many are not.

    Args:
        store: where reviews are.
        dataset: what they are reviews of.
        annotator: whose; None if there is only one.
        judge: only records that this judge has labelled, against those labels, even if they were compared with others:
            its title or how that begins, so that the first word takes in all its models.
        one_judge: whether the judge must be clear if it is not named.

    Raises:
        UsageError: there are several annotators, or judges, and none was named, or one that is not there was; or
            several judges of the name have labelled the same record.
        BadInputError: nothing was accepted.
    """
    by_annotator = _accepted_by(store, annotator)
    hints = {summary.uid: summary.position for summaries in by_annotator.values() for summary in summaries}
    with progress_bar("finding the records") as progress:
        places = dataset.find_uids(hints, progress)
    _note_stale(store, dataset, len(hints) - len(places))
    present = {name: here for name, all_ in by_annotator.items() if (here := [s for s in all_ if s.uid in places])}
    if not present:
        who = f" by {annotator}" if annotator else ""
        raise BadInputError(
            f"{store.path}: no record of {dataset.path} is accepted yet{who}; `trace-tui review` is where that is done"
        )
    name = _only("annotator", sorted(present), "name one with --annotator")
    if judge is not None:
        chosen = _labelled_by(judge, store, name, present[name])
    else:
        chosen = present[name]
        if one_judge:
            titles = sorted({summary.judge for summary in chosen})
            _only("judge", titles, "name one with --judge; its first word alone takes in all its models")
    in_order = {places[s.uid]: s for s in sorted(chosen, key=lambda s: places[s.uid])}
    return Accepted(name, in_order, is_judge_named=judge is not None)


def note_modes(modes: Iterable[str]) -> None:
    """Say on stderr how many records are blind and how many assisted."""
    counts = Counter(modes)
    note(f"{number_of(counts.total(), 'record')}: " + ", ".join(f"{counts[mode]:,} {mode.value}" for mode in Mode))


def _accepted_by(store: Store, annotator: str | None) -> dict[str, list[Summary]]:
    names = store.annotators()
    if annotator is not None and annotator not in names:
        raise UsageError(f"{store.path}: no annotator {annotator}; there is {_listed(names)}")
    return {
        name: [summary for summary in store.summaries(name) if summary.status == Status.ACCEPTED]
        for name in ([annotator] if annotator is not None else names)
    }


def _note_stale(store: Store, dataset: Dataset, stale: int) -> None:
    if stale:
        note(
            f"{number_of(stale, 'accepted record')} in {store.path} left out, not in {dataset.path.name} as it is now: "
            "the row was changed or removed (its labels are kept, and `trace-tui review` offers them for a row of the "
            "same id), or is of another dataset"
        )


def _labelled_by(judge: str, store: Store, annotator: str, summaries: Sequence[Summary]) -> Sequence[Summary]:
    """Return the records against the labels of the judge of this name, as far as it has labelled them."""
    titles = [title for title, _ in store.judges()]
    accepted_ones = {summary.uid for summary in summaries}
    found: dict[str, Summary] = {}
    for title in titles_named(judge, titles):
        for summary in store.summaries(annotator, title):
            if summary.judged is None or summary.uid not in accepted_ones:
                continue
            if summary.uid in found:
                both = f"{found[summary.uid].judge}, {title}"
                raise UsageError(
                    f"several judges named {judge} labelled the same record: {both}; give more of the title"
                )
            found[summary.uid] = summary
    if not found:
        raise UsageError(f"no accepted record was compared with the judge {judge}; there is {_listed(titles)}")
    return list(found.values())


def _only(role: str, names: Sequence[str], what_to_do: str) -> str:
    if len(names) > 1:
        raise UsageError(f"several {role}s: {_listed(names)}; {what_to_do}")
    return names[0]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(name or "none" for name in names) or "none"
