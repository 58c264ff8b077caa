"""The review session: which record is on the desk, what the annotator did, and where to go next. No terminal in it."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from trace_tui.errors import BadInputError
from trace_tui.review import actions
from trace_tui.review.actions import Outcome, Step
from trace_tui.review.desk import Desk
from trace_tui.review.finding import Pane, find_sentence, next_difference, next_match
from trace_tui.review.ledger import Ledger
from trace_tui.review.ports import Loaded, Source
from trace_tui.review.stale import carry_over, find_stale
from trace_tui.review.totals import Progress, Totals
from trace_tui.reviews import EditKind, Kept, Patch, Review, Status, apply
from trace_tui.scoring import Definition

_DIGITS = 18  # of the longest number that could be a record's; Python refuses to read one of thousands


class Session:
    """One annotator's way through one dataset.

    `desk` is None while the row at `position` cannot be read; `fault` then says why. `message` is a word on what the
    last action did not do, "" if there is nothing to say. `pane` is set when an action led to a sentence elsewhere.
    `offers_stale` says that labels of an earlier content of this row could be taken over.
    """

    def __init__(
        self,
        source: Source,
        ledger: Ledger,
        *,
        blind: bool = False,
        definition: Definition = Definition.GPT_LABELING,
    ) -> None:
        self.blind = blind
        self.definition = definition
        self.desk: Desk | None = None
        self.fault = ""
        self.message = ""
        self.pane: Pane | None = None
        self.offers_stale = False
        self.position = 0
        self._source = source
        self.ledger = ledger
        self._insist = False
        self._difference: str | None = None

    # ------------------------------------------------------------------ what the screen reads

    def __len__(self) -> int:
        return len(self._source)

    @property
    def name(self) -> str:
        """The dataset's name."""
        return self._source.name

    @property
    def annotator(self) -> str:
        """Who reviews."""
        return self.ledger.annotator

    @property
    def totals(self) -> Totals:
        """All reviewed records, scored by the definition in force."""
        return self.ledger.totals(self.definition)

    def progress(self) -> Progress:
        """Return the dataset so far, against the judge of the record on the desk."""
        judgement = self.desk.loaded.judgement if self.desk else None
        return self.totals.progress(judgement.judge.title if judgement else "", len(self))

    # ------------------------------------------------------------------ records

    @property
    def is_ready(self) -> bool:
        """Whether `resume` answers at once; if not, `prepare` takes a moment and may be called in a thread."""
        place = self.ledger.place()
        return self._source.is_ready(place.position if place else 0)

    def prepare(self) -> None:
        """Do what takes long before the first record can be shown."""
        self._source.prepare()

    def resume(self) -> None:
        """Open where this annotator was, or at the first record."""
        place = self.ledger.place()
        if place is None:
            self.open(0)
            return
        found = self._source.find_uid(place.uid, place.position)
        self.open(place.position if found is None else found)
        if found is not None and self.desk and place.focus in self.desk.record.response_keys:
            self.focus(self.desk.record.response_keys.index(place.focus))

    def open(self, position: int) -> None:
        """Put the record at a position on the desk; one outside the dataset is brought to its nearest end."""
        self._lay(position)
        if self.desk:
            self.desk = self.ledger.sight(self.desk)
            self.ledger.keep_place(self.desk)
            self.offers_stale = self._stale() is not None

    def _lay(self, position: int) -> None:
        """Put a record on the desk without a look at it yet."""
        self.position = max(0, min(position, len(self) - 1))
        self.desk, self.fault, self.message, self.pane = None, "", "", None
        self.offers_stale, self._insist, self._difference = False, False, None
        self.ledger.start_watch()
        try:
            self.desk = self._desk_for(self._source.load(self.position))
        except BadInputError as error:  # the row, or what the store keeps of it
            self.fault = str(error)

    def _desk_for(self, loaded: Loaded) -> Desk:
        uid = loaded.record.uid
        kept = self.ledger.kept(uid)
        if kept and kept.judgement:
            if loaded.judgement and loaded.judgement.labels != kept.judgement.labels:
                self.message = "the judge's labels in the file are others now: the ones you reviewed are shown"
            loaded = replace(loaded, judgement=kept.judgement)
        seen = kept.seen if kept else self.ledger.archive.has_seen(uid, self.annotator)
        desk = Desk(loaded, self.position, kept.review if kept else Review(), blind=self.blind, seen=seen)
        if kept is None:
            desk = replace(desk, review=Review(labels=desk.start))
        return desk.focus_on(0)

    def look_ahead(self) -> None:
        """Load the neighbours of this record, so that stepping to one answers at once.

        Meant for a thread of its own; gives up when another record is opened.
        """
        here = self.position
        for position in (here + 1, here - 1):
            if self.position == here and 0 <= position < len(self) and self._source.is_ready(position):
                with suppress(BadInputError):  # it will be said when the row is opened
                    self._source.load(position)

    def step(self, by: int) -> None:
        """Open the record `by` places on (or back, if negative)."""
        wanted = self.position + by
        if 0 <= wanted < len(self):
            self.open(wanted)
        else:
            self.message = "this is the last record" if by > 0 else "this is the first record"

    def open_next_unreviewed(self) -> None:
        """Open the next record that is neither accepted nor skipped, then from the top; say so when there is none."""
        came_from = self.position
        settled = self.totals.uids(Status.ACCEPTED, Status.SKIPPED)
        for position in self._round(came_from):
            if self._source.uid_at(position) not in settled:
                self.open(position)
                if self.desk and self.desk.review.status is Status.OPEN:
                    return
        self.open(came_from)
        progress = self.progress()
        rest = f", {progress.skipped} skipped" if progress.skipped else ""
        self.message = f"all records are reviewed: {progress.accepted} accepted{rest}"

    def _round(self, start: int) -> Iterator[int]:
        yield from range(start + 1, len(self))
        yield from range(start)

    def go_to(self, text: str) -> None:
        """Go to a record by number from 1 or by id, or to a sentence of this record by key."""
        wanted = text.strip()
        if self.desk and self._focus_sentence(wanted):
            return
        number = int(wanted) if wanted.isdecimal() and len(wanted) <= _DIGITS else 0
        if 1 <= number <= len(self):
            self.open(number - 1)
            return
        position = self._source.find_id(wanted) if wanted else None
        if position is None:
            self.message = "no record has that number or id, and no sentence here that key"
        else:
            self.open(position)

    def _focus_sentence(self, name: str) -> bool:
        """Put cursor or focus on the sentence of this key or alias, if there is one."""
        assert self.desk
        found = find_sentence(self.desk.record, name)
        if found is None:
            return False
        self.pane, number = found
        if self.pane is Pane.DOCUMENTS:
            self.desk = self.desk.point_at(number)
        else:
            self.desk = self.desk.focus_on(number)
            self.ledger.keep_place(self.desk)
        return True

    def next_difference(self) -> None:
        """Go to the next sentence of which human and judge say different things, across records."""
        if self._next_difference_here():
            return
        differing = self.totals.differing()
        for position, uid in sorted(differing, key=lambda spot: (spot[0] <= self.position, spot[0])):
            found = self._source.find_uid(uid, position)  # lines may have come or gone since it was stored
            if found is not None and found != self.position:
                self.open(found)
                if self._next_difference_here():
                    return
        self.message = "no further difference between you and the judge"

    def _next_difference_here(self) -> bool:
        if self.desk is None:
            return False
        self._difference = next_difference(self.desk, after=self._difference)
        return self._difference is not None and self._focus_sentence(self._difference)

    def search(self, matches: Callable[[str], bool], pane: Pane, direction: int) -> None:
        """Go to the next sentence of this record that matches, as `next_match` finds it."""
        self.message = ""
        if self.desk is None:
            return
        key = next_match(self.desk, matches, pane, direction)
        if key is None:
            self.message = "not found in this record"
        else:
            self._focus_sentence(key)

    # ------------------------------------------------------------------ cursor

    def focus(self, number: int) -> None:
        """Put the focus on a response sentence."""
        if self.desk:
            self.desk, self._insist, self.message = self.desk.focus_on(number), False, ""
            self.ledger.keep_place(self.desk)

    def point(self, number: int) -> None:
        """Put the cursor on a document sentence."""
        if self.desk:
            self.desk, self._insist, self.message = self.desk.point_at(number), False, ""

    # ------------------------------------------------------------------ edits

    def act(self, name: str, action: Callable[[Desk], Outcome]) -> None:
        """Do something to the record on the desk, log it under `name`, and go where it leads."""
        self.message, self.pane = "", None
        if self.desk is None:
            self.message = "there is no record here to label"
            return
        outcome = action(self.desk)
        insist, self._insist = self._insist, False
        self.desk = self._write(name, outcome.review)
        self.message = outcome.message
        match outcome.step:
            case Step.SENTENCE:
                self.focus(self.desk.focus + 1)
            case Step.UNJUDGED:
                self._insist = not insist
                self._focus_sentence(self.desk.record.response_keys[self.desk.unjudged[0]])
            case Step.RECORD:
                self.open_next_unreviewed()
            case Step.STAY:
                pass

    def accept_record(self) -> None:
        """Accept the whole record and go on; asked twice in a row, also with unjudged sentences."""
        insist = self._insist
        self.act("accept record", lambda desk: actions.accept_record(desk, insist=insist))
        if self._insist:
            self.message += "; once more accepts it so"

    def undo(self) -> None:
        """Take back the newest own edit that stands, wherever it was made, and show that record."""
        self._turn(EditKind.UNDO)

    def redo(self) -> None:
        """Take up again the edit that was undone last."""
        self._turn(EditKind.REDO)

    def _turn(self, kind: EditKind) -> None:
        history = self.ledger.history
        edit = history.undoable() if kind is EditKind.UNDO else history.redoable()
        if edit is None:
            self.message = f"nothing to {kind.value}"
            return
        settle = history.undone if kind is EditKind.UNDO else history.redone
        if not self._show(edit.uid):
            settle()
            self.message = f"the record of that edit ({edit.action}) is no longer in this dataset: left as it is"
            return
        assert self.desk
        patch = dict(edit.old if kind is EditKind.UNDO else edit.new)
        if self.desk.seen:
            patch.pop("blind", None)  # once the judge was seen, the blind judgement stays what it was
        self.desk = self._write(edit.action, apply(self.desk.review, patch), kind, edit.id)
        settle()
        self.desk = self.ledger.sight(self.desk)  # only now: a blind acceptance taken back stays unseen
        self._focus_touched(patch)
        self.message = f"{kind.value}: {edit.action}"

    def _show(self, uid: str) -> bool:
        """Bring a record onto the desk, unless it lies there already."""
        if self.desk and self.desk.record.uid == uid:
            return True
        position = self._source.find_uid(uid, self.ledger.position_of(uid))
        if position is None:
            return False
        self._lay(position)
        return self.desk is not None

    def _write(self, name: str, review: Review, kind: EditKind = EditKind.EDIT, target: str | None = None) -> Desk:
        assert self.desk
        self.ledger.totals(self.definition)
        return self.ledger.write(self.desk, review, name, kind, target)

    def _focus_touched(self, patch: Patch) -> None:
        """Put focus or cursor where an undone edit made a difference."""
        assert self.desk
        paths = [path.split("/") for path in patch]
        for name, key, *_ in (path for path in paths if len(path) > 1):
            if name in {"relevant", "utilized"} and len(paths) > 1:
                continue  # beside a link, utilization is only its consequence
            self._focus_sentence(key)
            return

    # ------------------------------------------------------------------ reading choices

    def switch_definition(self) -> None:
        """Score by the other definition; labels do not change."""
        order = list(Definition)
        self.definition = order[(order.index(self.definition) + 1) % len(order)]
        self.message = f"scores by the {self.definition.value} definition"

    def _stale(self) -> tuple[str, Kept] | None:
        untouched = self.desk is not None and self.ledger.kept(self.desk.record.uid) is None
        return find_stale(self.desk.record, self.ledger, self._source) if self.desk and untouched else None

    def adopt_stale(self) -> None:
        """Take over the labels of an earlier content, as one edit that undo takes back."""
        stale = self._stale()
        if stale is None or self.desk is None:
            self.message = "no labels of an earlier content of this record are kept"
            return
        uid, kept = stale
        labels = carry_over(kept.review.labels, self.ledger.archive.sentences(uid), self.desk.record)
        if kept.seen:  # what was made with the judge in view does not become blind by being taken over
            self.desk = self.ledger.mark_seen(self.desk)
        self.act("adopt", lambda desk: actions.adopt(desk, labels))
        self.offers_stale = False
