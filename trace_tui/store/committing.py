"""Writes changes: what was met, seen and edited. Everything here runs inside one transaction.

A review is read, patched and written again inside the transaction, cell by cell, so that two processes on one record
merge; and each change says by a key of its own whether it is there already, so that committing it twice is
committing it once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from trace_tui.calls import Failure, Usage
from trace_tui.errors import StoreError
from trace_tui.labels import Judgement, Labels, differing
from trace_tui.records import Record, Sentence, Span, response_key, spans_of
from trace_tui.reviews import Change, Consent, Edit, Introduction, Labelling, Place, Review, Sighting, apply
from trace_tui.scoring.counts import Counts, count, tally
from trace_tui.store.database import Database
from trace_tui.store.rows import REVIEW, LabelsMemo, dump, dump_labels, load_review


def commit(database: Database, memo: LabelsMemo, changes: Sequence[Change]) -> None:
    """Write the changes in their order.

    Args:
        database: in a transaction.
        memo: the same from one commit to the next.
        changes: what is to be written.

    Raises:
        StoreError: an edit of a record that was never introduced.
    """
    reviews = _Reviews(database, memo)
    for change in changes:
        match change:
            case Introduction():
                _introduce(database, reviews, change)
            case Edit():
                _edit(database, reviews, change)
            case Sighting():
                database.run(
                    "INSERT INTO sightings (record, annotator, judge, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    *(change.uid, change.annotator, change.judge, change.at),
                )
            case Labelling():
                _label(database, change)
            case Consent():
                database.run(
                    "INSERT INTO consents (dataset, host, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                    *(change.dataset, change.host, change.at),
                )
            case Place():
                database.run(
                    "UPDATE reviews SET position = ? WHERE record = ? AND annotator = ? AND position <> ?",
                    *(change.position, change.uid, change.annotator, change.position),
                )
                database.run(
                    """INSERT INTO places (dataset, annotator, position, record, focus) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (dataset, annotator) DO UPDATE
                    SET position = excluded.position, record = excluded.record, focus = excluded.focus""",
                    *(change.dataset, change.annotator, change.position, change.uid, change.focus),
                )
    reviews.save()


@dataclass
class _Work:
    """A review on its way through a batch, with what its row's numbers are computed from."""

    review: Review
    judged: Labels | None
    sentences: int
    response_sentences: int
    accepted_at: str = ""
    seconds: float = 0.0

    def tally(self, labels: Labels) -> Counts:
        keys = [response_key(number) for number in range(self.response_sentences)]
        return tally(labels, self.sentences, keys)


class _Reviews:
    """The reviews that a batch touches: each is read once and written once."""

    def __init__(self, database: Database, memo: LabelsMemo) -> None:
        self._database = database
        self._memo = memo
        self._touched: dict[tuple[str, str], _Work] = {}

    def find(self, uid: str, annotator: str) -> _Work | None:
        if (uid, annotator) not in self._touched:
            row = self._database.row(
                f"""SELECT {REVIEW}, judgements.labels, reviews.sentences, reviews.response_sentences,
                    reviews.accepted_at, reviews.seconds
                FROM reviews LEFT JOIN judgements ON judgements.id = reviews.judgement
                WHERE reviews.record = ? AND reviews.annotator = ?""",
                *(uid, annotator),
            )
            if row is None:
                return None
            judged = self._memo.load(row[7]) if row[7] else None
            self._touched[uid, annotator] = _Work(load_review(row[:7], self._memo.load), judged, *row[8:])
        return self._touched[uid, annotator]

    def add(self, uid: str, annotator: str, work: _Work) -> None:
        self._touched[uid, annotator] = work

    def save(self) -> None:
        for (uid, annotator), work in self._touched.items():
            columns = _columns(work, self._memo)
            assignments = ", ".join(f"{name} = ?" for name in columns)
            self._database.run(
                f"UPDATE reviews SET {assignments} WHERE record = ? AND annotator = ?",
                *(*columns.values(), uid, annotator),
            )


def _columns(work: _Work, memo: LabelsMemo) -> dict[str, Any]:
    """Return the columns of a review's row that follow from the review."""
    review, human = work.review, work.tally(work.review.labels)
    blind = work.tally(review.blind) if review.blind else None
    counted = ("relevant", "utilized", "common", "unsupported", "unjudged")
    return {
        "labels": memo.dump(review.labels),
        "settled": dump(sorted(review.settled)),
        "status": review.status.value,
        "flagged": review.flagged,
        "adopted": review.adopted,
        "note": review.note,
        "blind": memo.dump(review.blind) if review.blind else None,
        "revised": review.is_revised,
        "accepted_at": work.accepted_at,
        "seconds": work.seconds,
        "overrides": len(differing(review.labels, work.judged)) if work.judged else 0,
        "blind_overrides": len(differing(review.blind, work.judged)) if review.blind and work.judged else 0,
        **{name: getattr(human, name) for name in counted},
        **{f"blind_{name}": getattr(blind, name) if blind else None for name in counted},
    }


def _introduce(database: Database, reviews: _Reviews, change: Introduction) -> None:
    record, annotator = change.record, change.annotator
    _add_record(database, record, change.at)
    judgement = _add_judgement(database, record, change.judgement, change.at) if change.judgement else None
    work = reviews.find(record.uid, annotator)
    if work is None:
        sizes = len(record.document_keys), len(record.response_keys)
        database.run(
            """INSERT INTO reviews (record, annotator, dataset, position, started_at, sentences, response_sentences,
                settled, labels) VALUES (?, ?, ?, ?, ?, ?, ?, '', '')""",
            *(record.uid, annotator, change.dataset, change.position, change.at, *sizes),
        )
        work = _Work(change.start, None, *sizes, accepted_at=change.at if change.start.is_accepted else "")
        reviews.add(record.uid, annotator, work)
    database.run(
        "UPDATE reviews SET position = ?, judgement = coalesce(judgement, ?) WHERE record = ? AND annotator = ?",
        *(change.position, judgement, record.uid, annotator),
    )
    if work.judged is None and change.judgement:
        work.judged = change.judgement.labels


def _edit(database: Database, reviews: _Reviews, edit: Edit) -> None:
    work = reviews.find(edit.uid, edit.annotator)
    if work is None:
        raise StoreError(f"{database.path}: an edit of the record {edit.uid!r}, which the database does not know")
    edit = _unless_seen(database, edit)
    is_new = database.run(
        """INSERT INTO edits (id, at, annotator, record, action, kind, target, seconds, old, new)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING""",
        *(edit.id, edit.at, edit.annotator, edit.uid, edit.action, edit.kind.value, edit.target, edit.seconds),
        *(dump(edit.old), dump(edit.new)),
    )
    if not is_new:
        return
    was_accepted = work.review.is_accepted
    work.review = apply(work.review, edit.new)
    work.seconds += edit.seconds
    if not work.review.is_accepted:
        work.accepted_at = ""
    elif not was_accepted:
        work.accepted_at = edit.at


def _unless_seen(database: Database, edit: Edit) -> Edit:
    """Return the edit without a blind judgement if the annotator has seen the judge's output meanwhile, elsewhere.

    The session that accepts blind looks at the record only after that, and so does its sighting come after its edit.
    """
    if not edit.new.get("blind"):
        return edit
    if not database.row("SELECT 1 FROM sightings WHERE record = ? AND annotator = ?", edit.uid, edit.annotator):
        return edit
    old, new = ({cell: value for cell, value in cells.items() if cell != "blind"} for cells in (edit.old, edit.new))
    return replace(edit, old=old, new=new)


def _add_record(database: Database, record: Record, at: str) -> None:
    is_new = database.run(
        """INSERT INTO records (uid, record_id, generator, annotator_model, split, documents, introduced_at, question,
            response) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uid) DO NOTHING""",
        *(record.uid, dump(record.id), record.generator, record.annotator_model, record.split),
        *(len(record.documents), at, record.question, record.response.text),
    )
    if is_new:
        database.run_many(
            """INSERT INTO sentences (record, position, document, key, text, alias, span_start, span_end)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (record.uid, position, document, *sentence, *(span or (None, None)))
                for position, (document, sentence, span) in enumerate(_sentences(record))
            ),
        )


def _sentences(record: Record) -> Iterator[tuple[int | None, Sentence, Span | None]]:
    """Yield every sentence with the number of its document, None for the response, and its span if we cut it."""
    passages = [*enumerate(record.documents), (None, record.response)]
    spans = [()] * len(passages) if record.split == "given" else spans_of(record)
    for (document, passage), places in zip(passages, spans, strict=True):
        for number, sentence in enumerate(passage.sentences):
            yield document, sentence, places[number] if places else None


def _label(database: Database, change: Labelling) -> None:
    """Keep what came of putting a record to a model: its labels if there are any, and in any case the call."""
    call, outcome = change.call, change.call.outcome
    _add_record(database, change.record, call.at)
    if isinstance(outcome, Failure):
        said = "failed", outcome.cause.value, outcome.detail, outcome.reply
    else:
        said = "labelled", "", "", ""
        _add_judgement(database, change.record, outcome, call.at, call.request)
    columns = "status", "cause", "detail", "reply", "record", "judge", "at", "request", *_USAGE
    database.run(
        f"""INSERT INTO calls ({", ".join(columns)}) VALUES ({", ".join("?" * len(columns))})
        ON CONFLICT (record, judge, at) DO NOTHING""",
        *(*said, call.uid, call.judge.title, call.at, call.request, *(getattr(call.usage, name) for name in _USAGE)),
    )


_USAGE = tuple(field.name for field in fields(Usage))


def _add_judgement(database: Database, record: Record, judgement: Judgement, at: str, request: str = "") -> int:
    judge = judgement.judge
    key = record.uid, judge.name, judge.model, judge.version
    counts = count(judgement.labels, record)
    texts = (judgement.parameters, judgement.confidence, judgement.repairs)
    database.run(
        f"""INSERT INTO judgements (record, judge, model, version, prompt, about, created_at, request,
            {", ".join(Counts._fields)}, parameters, confidence, repairs, labels)
        VALUES ({", ".join("?" * (8 + len(counts) + len(texts) + 1))})
        ON CONFLICT (record, judge, model, version) DO NOTHING""",
        *(*key, judge.prompt, judge.about, at, request, *counts, *map(dump, texts), dump_labels(judgement.labels)),
    )
    row = database.row(
        "SELECT id FROM judgements WHERE record = ? AND judge = ? AND model = ? AND version = ?",
        *key,
    )
    assert row is not None
    return int(row[0])
