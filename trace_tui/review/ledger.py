"""What an annotator's session leaves behind: edits on their way to the store, and the totals that follow from them."""

from dataclasses import replace
from uuid import uuid4

from trace_tui.labels import differing
from trace_tui.review.desk import Desk
from trace_tui.review.history import History
from trace_tui.review.ports import Archive, Clock, Journal
from trace_tui.review.totals import Totals
from trace_tui.reviews import Edit, EditKind, Introduction, Kept, Place, Review, Sighting, diff
from trace_tui.scoring import Definition, Summary, count


class Ledger:
    """One annotator's reviews of one dataset: what earlier sessions left, and what this one adds."""

    def __init__(self, archive: Archive, journal: Journal, clock: Clock, annotator: str, dataset: str) -> None:
        self.annotator = annotator
        self.archive = archive
        self.history = History(archive, annotator)
        self._journal = journal
        self._clock = clock
        self._dataset = dataset
        self._totals: Totals | None = None
        self._unsaved: dict[str, Kept] = {}
        self._since = clock.monotonic()

    def totals(self, definition: Definition) -> Totals:
        """Return the totals; read from the store when first asked for, which is after the first paint."""
        if self._totals is None:
            self._totals = Totals(self.archive.summaries(self.annotator), definition)
        elif self._totals.definition != definition:
            self._totals.redefine(definition)
        return self._totals

    def position_of(self, uid: str) -> int:
        """Return where a reviewed record stood when last seen: a hint, 0 if nothing is known."""
        known = self._totals.of(uid) if self._totals else None
        return known.position if known else 0

    def kept(self, uid: str) -> Kept | None:
        """Return the annotator's review of a record, committed or on its way."""
        return self._unsaved.get(uid) or self.archive.kept(uid, self.annotator)

    def place(self) -> Place | None:
        """Return where the annotator was in this dataset."""
        return self.archive.place(self._dataset, self.annotator)

    def all_saved(self) -> None:
        """Note that everything submitted is committed: from now on the store is read again."""
        self._unsaved.clear()

    def start_watch(self) -> None:
        """Measure the time that the next edit took from here."""
        self._since = self._clock.monotonic()

    def sight(self, desk: Desk) -> Desk:
        """Return the desk as seen, writing down that the annotator looks at the judge's output, if that is so."""
        return desk if desk.seen or desk.judge_labels is None else self.mark_seen(desk)

    def mark_seen(self, desk: Desk) -> Desk:
        """Return the desk as seen, and write that down: nothing accepted on it from now on is blind."""
        judgement = desk.loaded.judgement
        if judgement is None:
            return desk
        self._journal.submit(Sighting(desk.record.uid, self.annotator, judgement.judge.title, self._clock.now()))
        return replace(desk, seen=True)

    def keep_place(self, desk: Desk) -> None:
        """Write down where the annotator is."""
        place = Place(self._dataset, self.annotator, desk.position, desk.record.uid, desk.focused_key or "")
        self._journal.submit(place)

    def write(
        self, desk: Desk, review: Review, action: str, kind: EditKind = EditKind.EDIT, target: str | None = None
    ) -> Desk:
        """Return the desk with that review, and log what it changes: always one edit, undone in one step."""
        old, new = diff(desk.review, review)
        if not new:
            return desk
        at, now = self._clock.now(), self._clock.monotonic()
        self._introduce(desk, at)
        edit = Edit(
            id=uuid4().hex,
            at=at,
            annotator=self.annotator,
            uid=desk.record.uid,
            action=action,
            old=old,
            new=new,
            seconds=round(now - self._since, 3),
            kind=kind,
            target=target,
        )
        self._since = now
        self._journal.submit(edit)
        if kind is EditKind.EDIT:
            self.history.record(edit)
        desk = self._take_in(replace(desk, review=review), at)
        self.keep_place(desk)
        return desk

    def _introduce(self, desk: Desk, at: str) -> None:
        """Hand the record itself to the store, before the first edit of it."""
        if self._known(desk.record.uid):
            return
        self._journal.submit(
            Introduction(
                record=desk.record,
                judgement=desk.loaded.judgement,
                annotator=self.annotator,
                start=desk.review,
                dataset=self._dataset,
                position=desk.position,
                at=at,
            )
        )

    def _known(self, uid: str) -> bool:
        return self._totals is not None and self._totals.of(uid) is not None

    def _take_in(self, desk: Desk, at: str) -> Desk:
        uid = desk.record.uid
        self._unsaved[uid] = Kept(desk.review, desk.loaded.judgement, desk.seen)
        assert self._totals is not None  # the session asks for the totals before any edit
        before = self._totals.of(uid)
        self._totals.put(summarise(desk, before.accepted_at if before else "", at))
        return desk


def summarise(desk: Desk, accepted_before: str, at: str) -> Summary:
    """Return what the totals need of the record on the desk.

    Args:
        desk: the record after an edit.
        accepted_before: when it was accepted before that edit, "" if it was not.
        at: when the edit was made.
    """
    review, judgement = desk.review, desk.loaded.judgement
    return Summary(
        uid=desk.record.uid,
        position=desk.position,
        status=review.status.value,
        flagged=review.flagged,
        judge=judgement.judge.title if judgement else "",
        judged=desk.judge_counts,
        human=desk.human_counts,
        blind=count(review.blind, desk.record) if review.blind is not None else None,
        revised=review.blind is not None and bool(differing(review.labels, review.blind)),
        seen=desk.seen,
        overrides=len(differing(review.labels, judgement.labels)) if judgement else 0,
        accepted_at=(accepted_before or at) if review.is_accepted else "",
    )
