"""The store: what is known of records, judgements, reviews and edits, read and committed."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from trace_tui.calls import Cause, Usage
from trace_tui.errors import StoreError
from trace_tui.labels import Judgement
from trace_tui.records import RecordId, Sentence, Span, Spans
from trace_tui.reviews import Change, Edit, Kept, Place, Status
from trace_tui.scoring.counts import Counts, Summary
from trace_tui.store import committing, comparing
from trace_tui.store.database import Database
from trace_tui.store.failures import explained
from trace_tui.store.rows import (
    EDIT,
    JUDGEMENT,
    KEPT,
    SUMMARY,
    LabelsMemo,
    Reviewed,
    dump,
    load_edit,
    load_judgement,
    load_kept,
    load_summary,
)

T = TypeVar("T")

_AFTER_ALL: Final = 2**63 - 1
_FROM_REVIEWS = "FROM reviews LEFT JOIN judgements ON judgements.id = reviews.judgement"


class Store:
    """One connection to a database of judgements, reviews and edits, used in the thread that opened it.

    A database that was only just made reads as one in which nothing has happened yet: its tables come with the first
    commit. Every method raises `StoreError`, in one clear line, if the file cannot be read or written.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._memo = LabelsMemo()

    @classmethod
    def open(cls, path: Path, *, write: bool = True) -> Self:
        """Open the database, and make the file if it is missing and `write`.

        Raises:
            StoreError: missing and not `write`, newer, damaged, read-only, locked, of another application, no file, or
                in a folder that cannot be written. The file is left as it was.
        """
        return cls(Database(path, write=write))

    @property
    def path(self) -> Path:
        """Where the database is."""
        return self._database.path

    @property
    def notice(self) -> str:
        """A line for the user about an upgrade on opening and the copy made before it, "" if there was none."""
        return self._database.notice

    @property
    def is_in_place(self) -> bool:
        """Whether the file that was opened still stands at `path`."""
        return self._database.is_in_place

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def prepare(self) -> None:
        """Make the tables now, if there are none; the first commit would."""
        self._database.make_tables()

    def commit(self, changes: Sequence[Change]) -> None:
        """Write the changes in one transaction; when this returns they are on the disk.

        Committing a change again does nothing. A review is patched as it stands in the database, cell by cell.

        Raises:
            StoreError: nothing was written; or the file was moved or deleted meanwhile, and it is not known where to.
        """
        self.prepare()
        self._require_place()
        with self._database.transaction():
            committing.commit(self._database, self._memo, changes)
        self._require_place()

    def _require_place(self) -> None:
        if not self._database.is_in_place:
            there = "another file is in its place" if self.path.exists() else "moved or deleted while in use"
            raise StoreError(f"{self.path}: {there}; put the database back, or quit and start again")

    def kept(self, uid: str, annotator: str) -> Kept | None:
        """Return the annotator's review of a record; None if there is none."""
        where = "WHERE reviews.record = ? AND reviews.annotator = ?"
        return next(self._read(load_kept, f"SELECT {KEPT} {_FROM_REVIEWS} {where}", uid, annotator), None)

    def status(self, uid: str, annotator: str) -> Status:
        """Return how far the annotator is with a record; open if there is no review of it."""
        found = self._first("SELECT status FROM reviews WHERE record = ? AND annotator = ?", uid, annotator)
        return Status(found[0]) if found else Status.OPEN

    def has_seen(self, uid: str, annotator: str) -> bool:
        """Return whether the annotator ever saw a judge's output of the record, reviewed or not."""
        sql = "SELECT 1 FROM sightings WHERE record = ? AND annotator = ?"
        return any(self._read(bool, sql, uid, annotator))

    def sentences(self, uid: str) -> list[Sentence]:
        """Return the sentences of a record in reading order, the response last; empty if it is not stored."""
        sql = "SELECT key, text, alias FROM sentences WHERE record = ? ORDER BY position"
        return list(self._read(Sentence._make, sql, uid))

    def spans(self, uid: str) -> Spans | None:
        """Return where the sentences of a record were cut; None if it is not stored or came with its own."""
        record = self._first("SELECT documents FROM records WHERE uid = ? AND split <> 'given'", uid)
        if record is None:
            return None
        passages: list[list[Span]] = [[] for _ in range(record[0] + 1)]
        sql = "SELECT coalesce(document, -1), span_start, span_end FROM sentences WHERE record = ? ORDER BY position"
        for document, start, end in self._read(tuple, sql, uid):
            passages[document].append(Span(start, end))
        return tuple(map(tuple, passages))

    def namesakes(self, record_id: RecordId, uid: str, annotator: str) -> list[tuple[str, Kept]]:
        """Return the annotator's reviews of other content under the same typed id, with the identity of each."""
        sql = f"""SELECT reviews.record, {KEPT} {_FROM_REVIEWS} JOIN records ON records.uid = reviews.record
            WHERE records.record_id = ? AND records.uid <> ? AND reviews.annotator = ? ORDER BY reviews.started_at"""
        if record_id is None:
            return []
        return list(self._read(lambda row: (row[0], load_kept(row[1:])), sql, dump(record_id), uid, annotator))

    def place(self, dataset: str, annotator: str) -> Place | None:
        """Return where the annotator was in a dataset; None at the first visit."""
        sql = "SELECT dataset, annotator, position, record, focus FROM places WHERE dataset = ? AND annotator = ?"
        return next(self._read(lambda row: Place(*row), sql, dataset, annotator), None)

    def summaries(self, annotator: str, versus: str = "") -> list[Summary]:
        """Return what the totals need of each record that the annotator has met, by position.

        Each against the judgement that it was reviewed with, which reads no JSON, or against the newest by the judge of
        the title `versus`.
        """
        if versus:
            with explained(self.path):
                return list(comparing.summaries_versus(self._database, annotator, versus))
        sql = f"SELECT {SUMMARY} {_FROM_REVIEWS} WHERE reviews.annotator = ? ORDER BY reviews.position"
        return list(self._read(load_summary, sql, annotator))

    def summary(self, uid: str, annotator: str) -> Summary | None:
        """Return what the totals need of one record; None if the annotator has not met it."""
        sql = f"SELECT {SUMMARY} {_FROM_REVIEWS} WHERE reviews.record = ? AND reviews.annotator = ?"
        return next(self._read(load_summary, sql, uid, annotator), None)

    def records_reviewed(self, annotator: str) -> Iterator[Reviewed]:
        """Yield the annotator's reviews in full, by position; read them to the end before the next commit."""
        sql = f"""SELECT reviews.record, reviews.mode, reviews.started_at, reviews.seconds, {KEPT}
            {_FROM_REVIEWS} WHERE reviews.annotator = ? ORDER BY reviews.position"""
        return self._read(lambda row: Reviewed(row[0], load_kept(row[4:]), *row[1:4]), sql, annotator)

    def edits(self, annotator: str, before: int | None = None, limit: int = 200) -> list[tuple[int, Edit]]:
        """Return a stretch of the annotator's log, newest first, each with its place in the log.

        Args:
            annotator: whose edits.
            before: only edits that stand before this place; None begins with the newest.
            limit: at most so many.
        """
        sql = f"SELECT {EDIT} FROM edits WHERE annotator = ? AND seq < ? ORDER BY seq DESC LIMIT ?"
        return list(self._read(load_edit, sql, annotator, before or _AFTER_ALL, limit))

    def log(self, annotator: str, after: int) -> list[tuple[int, str, str]]:
        """Return what came into the annotator's log after a place in it: place, edit id and record, oldest first."""
        sql = "SELECT seq, id, record FROM edits WHERE annotator = ? AND seq > ? ORDER BY seq"
        return list(self._read(lambda row: (row[0], row[1], row[2]), sql, annotator, after))

    def judges(self) -> list[tuple[str, int]]:
        """Return the title of every judge whose labels are kept, by name, and of how many records."""
        sql = "SELECT title, count(DISTINCT record) FROM judgements GROUP BY title ORDER BY title"
        return [(title, records) for title, records in self._read(tuple, sql)]

    def judgement(self, uid: str, title: str) -> Judgement | None:
        """Return the newest judgement of a record by the judge of this title; None if there is none."""
        sql = f"SELECT {JUDGEMENT} FROM judgements WHERE record = ? AND title = ? ORDER BY id DESC LIMIT 1"
        return next(self._read(load_judgement, sql, uid, title), None)

    def divided(self, title: str) -> dict[str, float]:
        """Return the records about which the votes of a judge were divided, each with the smallest share of a label."""
        with explained(self.path):
            return comparing.divided(self._database, title)

    def labelled(self, title: str) -> frozenset[str]:
        """Return the records that the judge of this title has labelled."""
        return frozenset(uid for (uid,) in self._read(tuple, "SELECT record FROM judgements WHERE title = ?", title))

    def counts(self, title: str) -> dict[str, Counts]:
        """Return what the scores of a judge follow from, by record, of the newest judgement of each."""
        sql = f"SELECT record, {', '.join(Counts._fields)} FROM judgements WHERE title = ? ORDER BY id"
        return dict(self._read(lambda row: (row[0], Counts._make(row[1:])), sql, title))

    def failures(self, title: str) -> dict[str, Cause]:
        """Return the records that a judge was asked about and has not labelled, with the cause of the last failure."""
        sql = """SELECT record, cause, max(id) FROM calls WHERE judge = ? AND NOT EXISTS (
                SELECT 1 FROM judgements WHERE judgements.record = calls.record AND judgements.title = calls.judge
            ) GROUP BY record"""
        return {uid: Cause(cause) for uid, cause, _ in self._read(tuple, sql, title)}

    def repairs(self, title: str) -> dict[str, int]:
        """Return what was mended in the replies of a judge, and how often over all records, the most frequent first."""
        sql = """SELECT repair.key, sum(repair.value) AS times FROM judgements, json_each(judgements.repairs) AS repair
            WHERE title = ? GROUP BY repair.key ORDER BY times DESC, repair.key"""
        return dict(self._read(lambda row: (row[0], row[1]), sql, title))

    def usage(self, title: str) -> Usage:
        """Return what all calls of a judge cost."""
        sums = ", ".join(f"total({name})" for name in Usage.__dataclass_fields__)
        found = self._first(f"SELECT {sums} FROM calls WHERE judge = ?", title)
        if found is None:
            return Usage()
        requests, prompt, cached, completion, seconds = found
        return Usage(int(requests), int(prompt), int(cached), int(completion), seconds)

    def answer(self, request: str) -> Judgement | None:
        """Return what a model answered to an equal request, about whatever record; None if it never did."""
        sql = f"SELECT {JUDGEMENT} FROM judgements WHERE request = ? AND request <> '' LIMIT 1"
        return next(self._read(load_judgement, sql, request), None)

    def has_consent(self, dataset: str, host: str) -> bool:
        """Return whether somebody agreed that the documents of a dataset may go to a host."""
        return any(self._read(bool, "SELECT 1 FROM consents WHERE dataset = ? AND host = ?", dataset, host))

    def annotators(self) -> list[str]:
        """Return who has reviewed anything, by name."""
        return [name for (name,) in self._read(tuple, "SELECT DISTINCT annotator FROM reviews ORDER BY annotator")]

    def _read(self, load: Callable[[tuple[Any, ...]], T], sql: str, *values: Any) -> Iterator[T]:
        with explained(self.path):
            yield from map(load, self._database.rows(sql, *values))

    def _first(self, sql: str, *values: Any) -> tuple[Any, ...] | None:
        with explained(self.path):
            return self._database.row(sql, *values)
