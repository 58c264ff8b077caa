"""What an annotator's session leaves behind: edits on their way to the store, and the totals that follow from them."""

from collections import defaultdict
from dataclasses import replace
from uuid import uuid4

from trace_tui.calls import Call
from trace_tui.labels import Judgement, differing
from trace_tui.records import Record
from trace_tui.review.desk import Desk
from trace_tui.review.history import History
from trace_tui.review.ports import Archive, Clock, Journal, Source
from trace_tui.review.stock import Stock
from trace_tui.review.tail import Tail
from trace_tui.review.totals import Totals
from trace_tui.review.versus import Versus
from trace_tui.reviews import Edit, EditKind, Introduction, Kept, Labelling, Place, Review, Sighting, Status, diff
from trace_tui.scoring import Summary, count


class Ledger:
    """One annotator's reviews of one dataset: what earlier sessions left, what this one adds, what other windows do."""

    def __init__(self, archive: Archive, journal: Journal, clock: Clock, annotator: str, dataset: str) -> None:
        newest = archive.edits(annotator, None, 1)
        log_end = newest[0][0] if newest else 0
        self.annotator = annotator
        self.archive = archive
        self.history = History(archive, annotator, log_end, self.is_here)
        self._tail = Tail(archive, annotator, log_end)
        self._journal = journal
        self._clock = clock
        self._dataset = dataset
        self.versus = Versus(archive)
        self._stock = Stock(Totals(), frozenset())
        self.has_totals = False
        self._unsaved: dict[str, Kept] = {}
        self._introduced: set[str] = set()
        self._seen: defaultdict[str, set[str]] = defaultdict(set)  # by record, whose output
        self._since = clock.monotonic()

    # ------------------------------------------------------------------ what earlier sessions left

    @property
    def totals(self) -> Totals:
        """The reviewed records of this dataset, each against its own judge; before stock was taken, this session's."""
        return self._stock.totals

    @property
    def gone(self) -> frozenset[str]:
        """Reviewed records that have left this dataset; none before stock was taken."""
        return self._stock.gone

    def take_over(self, stock: Stock) -> None:
        """Use a stock from now on, with what happened since it was begun; a second one is not needed."""
        self.versus.take_over(stock)
        if not (stock.versus or self.has_totals):
            for summary in self.totals:
                stock.totals.put(summary)
            self._stock, self.has_totals = stock, True

    def is_here(self, uid: str) -> bool:
        """Whether a record is reviewed and in this dataset."""
        return self.totals.of(uid) is not None

    def kept(self, uid: str) -> Kept | None:
        """Return the annotator's review of a record, committed or on its way."""
        kept = self._unsaved.get(uid) or self.archive.kept(uid, self.annotator)
        if kept is not None:
            self._introduced.add(uid)
        return kept

    def status(self, uid: str) -> Status:
        """Return how far the annotator is with a record."""
        unsaved = self._unsaved.get(uid)
        return unsaved.review.status if unsaved else self.archive.status(uid, self.annotator)

    def place(self) -> Place | None:
        """Return where the annotator was in this dataset."""
        return self.archive.place(self._dataset, self.annotator)

    # ------------------------------------------------------------------ what other windows do

    def catch_up(self, source: Source) -> frozenset[str]:
        """Take in what this annotator's other windows committed meanwhile, and return the records they changed."""
        changed = self._tail.read()
        on_their_way = self._tail.expected
        self._unsaved = {uid: kept for uid, kept in self._unsaved.items() if uid in on_their_way}
        for uid in changed:
            summary = self.archive.summary(uid, self.annotator)
            if summary is None:
                continue
            if (known := self.totals.of(uid)) is not None:
                self.totals.put(summary._replace(position=known.position))
            elif source.uid_at(summary.position) == uid:  # the other window may be on another dataset
                self.totals.put(summary)
            self.pair_anew(uid)
        return changed

    # ------------------------------------------------------------------ which judge is compared

    def compare(self, title: str) -> None:
        """Compare with the judge of this title from now on, or with each record's own."""
        for uid in self.versus.compare(title, self._unsaved):
            self.pair_anew(uid)

    def pair_anew(self, uid: str) -> None:
        """Bring the totals against the judge in use up to date with a reviewed record, and know the others are not."""
        summary = self.totals.of(uid)
        kept = self.kept(uid) if summary else None
        if summary is None or kept is None:
            return
        if self.versus.is_own:
            self.versus.outdate(uid)
        else:
            judgement = self.compared(uid, kept.judgement)
            self.versus.put(summary.compared_with(judgement, kept.review.labels, kept.review.blind))

    def compared(self, uid: str, *own: Judgement | None) -> Judgement | None:
        """Return what a record is compared with, None if the judge in use has not labelled it.

        Args:
            uid: the record.
            own: what is said of it by the judges that need not be looked up, the record's own first.
        """
        if self.versus.is_own:
            return next(filter(None, own), None)
        title = self.versus.title
        known = (judgement for judgement in own if judgement and judgement.judge.title == title)
        return self.versus.judgement(uid, title) or next(known, None)

    def receive(self, record: Record, call: Call) -> None:
        """Keep what came of putting a record to a model."""
        self._journal.submit(Labelling(record, call))
        if isinstance(call.outcome, Judgement):
            is_reviewed = self.totals.of(record.uid) is not None
            self.versus.remember(record.uid, call.outcome, is_reviewed=is_reviewed)

    # ------------------------------------------------------------------ what was looked at

    def has_seen(self, uid: str) -> bool:
        """Whether the annotator has looked at a judge's output of the record, here or in another window."""
        return uid in self._seen or self.archive.has_seen(uid, self.annotator)

    def sight(self, desk: Desk) -> Desk:
        """Return the desk as seen, writing down that the annotator looks at the judge's output, if that is so."""
        return desk if desk.judge_labels is None else self.mark_seen(desk)

    def mark_seen(self, desk: Desk) -> Desk:
        """Return the desk as seen, and write that down: nothing accepted on it from now on is blind."""
        judgement = desk.judgement or desk.loaded.judgement
        if judgement is None:
            return desk
        uid, title = desk.record.uid, judgement.judge.title
        if title not in self._seen[uid]:
            self._seen[uid].add(title)
            self._journal.submit(Sighting(uid, self.annotator, title, self._clock.now()))
        return replace(desk, seen=True)

    def keep_place(self, desk: Desk) -> None:
        """Write down where the annotator is."""
        self._journal.submit(self._place(desk))

    def _place(self, desk: Desk) -> Place:
        return Place(self._dataset, self.annotator, desk.position, desk.record.uid, desk.focused_key or "")

    # ------------------------------------------------------------------ edits

    def start_watch(self) -> None:
        """Measure the time that the next edit took from here."""
        self._since = self._clock.monotonic()

    def write(
        self, desk: Desk, review: Review, action: str, kind: EditKind = EditKind.EDIT, target: str | None = None
    ) -> Desk:
        """Return the desk with that review, and log what it changes: always one edit, undone in one step."""
        old, new = diff(desk.review, review)
        if not new:
            return desk
        at, now = self._clock.now(), self._clock.monotonic()
        desk, introductions = self._introduce(desk, at)
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
        self._tail.expect(edit)
        self._journal.submit(*introductions, edit, self._place(desk))
        if kind is EditKind.EDIT:
            self.history.record(edit)
        desk = replace(desk, review=review, accepted_at=(desk.accepted_at or at) if review.is_accepted else "")
        self._unsaved[edit.uid] = Kept(review, desk.loaded.judgement, desk.accepted_at)
        self._count(desk)
        return desk

    def _count(self, desk: Desk) -> None:
        """Take the record on the desk into the totals against its own judge, and into those against the one in use."""
        summary, own = summarise(desk, self._dataset), desk.loaded.judgement
        self.versus.put(summary)
        if desk.judgement is not own:
            summary = summary.compared_with(own, desk.review.labels, desk.review.blind)
        self.totals.put(summary)

    def _introduce(self, desk: Desk, at: str) -> tuple[Desk, list[Introduction]]:
        """Return the desk and what must be in the store before the first edit of the record, nothing for a later one.

        The judge that the review begins with is the record's own from now on; that of the dataset is kept beside it.
        """
        if desk.record.uid in self._introduced:
            return desk, []
        self._introduced.add(desk.record.uid)
        given = desk.loaded.judgement
        own = desk.judgement or given
        introduction = Introduction(
            record=desk.record,
            judgement=own,
            annotator=self.annotator,
            start=desk.review,
            dataset=self._dataset,
            position=desk.position,
            at=at,
        )
        introductions = [introduction]
        if given is not None and given != own:
            introductions.append(replace(introduction, judgement=given))
        return replace(desk, loaded=replace(desk.loaded, judgement=own)), introductions


def summarise(desk: Desk, dataset: str) -> Summary:
    """Return what the totals need of the record on the desk, in the dataset of this name."""
    review, judgement = desk.review, desk.judgement
    judged = judgement.labels if judgement else None
    return Summary(
        uid=desk.record.uid,
        dataset=dataset,
        position=desk.position,
        status=review.status.value,
        flagged=review.flagged,
        judge=judgement.judge.title if judgement else "",
        judged=desk.judge_counts,
        human=desk.human_counts,
        blind=count(review.blind, desk.record) if review.blind is not None else None,
        revised=review.is_revised,
        overrides=len(differing(review.labels, judged)) if judged else 0,
        blind_overrides=len(differing(review.blind, judged)) if review.blind is not None and judged else 0,
        accepted_at=desk.accepted_at,
    )
