"""Finds the judge that an option names, by its title or how that begins."""

from collections.abc import Sequence

from trace_tui.errors import UsageError
from trace_tui.review.session import Session


def titles_named(name: str, titles: Sequence[str]) -> list[str]:
    """Return the title that is the name, or all that begin with it."""
    return [title for title in titles if title == name] or [title for title in titles if title.startswith(name)]


def set_out(session: Session, judge: str | None, *, uncertain_first: bool) -> None:
    """Have a session, before it opens a record, compare with a judge and step through the records in an order.

    Args:
        session: the session.
        judge: the title of a judge or how it begins; None for each record's own. With `uncertain_first` it can be left
            out where one judge alone was asked for several votes.
        uncertain_first: whether the records on which the judge's votes differed come first.

    Raises:
        UsageError: there is no such judge, or several.
    """
    archive = session.ledger.archive
    titles = [title for title, _ in archive.judges()]
    if judge is not None:
        titles = titles_named(judge, titles)
    if uncertain_first:
        titles = [title for title in titles if archive.divided(title)]
    elif judge is None:
        return
    if len(titles) != 1:
        raise UsageError(_why_not(judge, titles, [title for title, _ in archive.judges()], uncertain_first))
    session.compare(titles[0])
    if uncertain_first:
        session.begin_with_uncertain()


def _why_not(judge: str | None, found: Sequence[str], there: Sequence[str], uncertain_first: bool) -> str:  # noqa: FBT001
    if found:
        return f"several judges: {', '.join(found)}; give more of the title with --judge"
    if uncertain_first:
        by = f" of a judge {judge}" if judge else ""
        return f"--order uncertain: no votes{by} differed on any record; `trace-tui label --votes 3` asks several times"
    return (
        f"no judge {judge} has labelled records here; there is {', '.join(there) or 'none yet'}; without --judge each "
        "record is compared with its own labels"
    )
