"""Reads reviews beside the labels of another judge than the one that they were compared with."""

import json
from collections.abc import Iterator, Sequence

from trace_tui.labels import Judge, Judgement
from trace_tui.scoring.counts import Summary
from trace_tui.store.database import Database
from trace_tui.store.rows import SUMMARY, load_labels, load_summary

_SUMMARIES = f"""SELECT
    CASE WHEN judgements.id IS NOT reviews.judgement THEN reviews.labels END,
    CASE WHEN judgements.id IS NOT reviews.judgement THEN reviews.blind END,
    CASE WHEN judgements.id IS NOT reviews.judgement THEN judgements.labels END,
    {SUMMARY}
FROM reviews LEFT JOIN judgements ON judgements.id = (
    SELECT max(named.id) FROM judgements AS named WHERE named.record = reviews.record AND named.title = ?
) WHERE reviews.annotator = ? ORDER BY reviews.position"""


def summaries_versus(database: Database, annotator: str, title: str) -> Iterator[Summary]:
    """Yield what the totals need of each record that the annotator has met, against the newest labels of one judge."""
    for row in database.rows(_SUMMARIES, title, annotator):
        yield _load(row[:3], title, load_summary(row[3:]))


def _load(texts: Sequence[str | None], title: str, summary: Summary) -> Summary:
    """What differs is counted in the row for the judgement that the review was compared with, and else here."""
    human, blind, judged = texts
    if human is None:
        return summary
    judgement = Judgement(Judge(title), load_labels(judged)) if judged else None
    return summary.compared_with(judgement, load_labels(human), load_labels(blind) if blind else None)


def divided(database: Database, title: str) -> dict[str, float]:
    """Return the records that have a label on which a judge's votes were not unanimous, with the smallest share each.

    The share is of the votes asked for, and that of those which agree with the label.
    """
    rows = database.rows(
        """SELECT record, confidence FROM judgements WHERE title = ? AND confidence <> '{}' AND id = (
            SELECT max(id) FROM judgements AS named WHERE named.record = judgements.record AND named.title = ?
        )""",
        *(title, title),
    )
    return {uid: min(json.loads(confidence).values()) for uid, confidence in rows}
