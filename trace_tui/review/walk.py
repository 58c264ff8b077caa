"""The way through a dataset: which record is on the desk, which sentence is in focus, and how to get to others."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import filterfalse

from trace_tui.errors import BadInputError
from trace_tui.review.desk import Desk
from trace_tui.review.finding import Pane, find_sentence, next_difference, next_match
from trace_tui.review.ledger import Ledger
from trace_tui.review.ports import Loaded, Source
from trace_tui.review.stale import Stale, find_stale
from trace_tui.review.stock import Stock, take_stock, take_stock_versus
from trace_tui.review.totals import Progress, Totals
from trace_tui.reviews import Review, Status
from trace_tui.scoring import Definition

_DIGITS = 18  # of the longest number that could be a record's; Python refuses to read one of thousands


class Walk:
    """One annotator's way through one dataset, without changing a label.

    `desk` is None while the row at `position` cannot be read; `fault` then says why. `message` is a word on what the
    last key did or did not do, "" if there is nothing to say, and `hints` names the actions of the key table that are
    likely to follow it. `pane` is set when an action led to a sentence elsewhere. `order` is the order in which records
    are stepped through, all positions of the dataset; which one is where in it is looked up, not searched.
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
        self.hints: tuple[str, ...] = ()
        self.pane: Pane | None = None
        self.position = 0
        self.ledger = ledger
        self.order: Sequence[int] = range(len(source))
        self._places: Sequence[int] = self.order
        self._is_reordered = False
        self._source = source
        self._stale: Stale | None = None
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
    def compared(self) -> str:
        """Title of the judge compared, "" where that is each record's own."""
        return self.ledger.versus.title

    @property
    def offers_stale(self) -> bool:
        """Whether labels of an earlier content of this open record could be taken over, and were not yet."""
        if self.desk is None or self._stale is None or self.desk.review.is_accepted:
            return False
        return self.desk.review.adopted != self._stale.uid

    # ------------------------------------------------------------------ what earlier sessions left

    @property
    def has_totals(self) -> bool:
        """Whether stock was taken: before that, `progress` counts no earlier session's work."""
        return self.ledger.has_totals

    def take_stock(self, is_cancelled: Callable[[], bool] = lambda: False) -> Stock:
        """Look up all reviewed records in the dataset; meant for a thread of its own, after the first paint.

        The first stock is that against each record's own judge, the next against the judge in use.

        Raises:
            CancelledError: `is_cancelled` said so.
        """
        ledger = self.ledger
        if ledger.has_totals and not ledger.versus.is_complete:
            return take_stock_versus(ledger.archive, ledger.annotator, self.compared, ledger.totals)
        return take_stock(ledger.archive, self._source, ledger.annotator, is_cancelled)

    @property
    def wants_stock(self) -> bool:
        """Whether stock is to be taken, for the first time or against the judge in use."""
        return not (self.ledger.has_totals and self.ledger.versus.is_complete)

    def take_over(self, stock: Stock) -> None:
        """Use what `take_stock` found; in the thread of the keys."""
        self.ledger.take_over(stock)
        self._stale = find_stale(self.desk.record, self.ledger) if self.desk else None

    @property
    def totals(self) -> Totals:
        """All reviewed records of this dataset; takes stock now if that was not done yet."""
        if not self.has_totals:
            self.take_over(self.take_stock())
        return self.ledger.totals

    @property
    def compared_totals(self) -> Totals:
        """The same against the judge in use."""
        while self.wants_stock:
            self.take_over(self.take_stock())
        versus = self.ledger.versus
        return self.ledger.totals if versus.is_own else versus.totals

    def progress(self) -> Progress:
        """Return the dataset so far, against the judge in use, or that of the record on the desk; see `has_totals`."""
        versus, totals = self.ledger.versus, self.ledger.totals
        if versus.is_own:
            judgement = self.desk.judgement if self.desk else None
            return totals.progress(judgement.judge.title if judgement else "", len(self), self.definition)
        agreement = versus.totals.agreement(versus.title, self.definition)
        return replace(totals.progress("", len(self), self.definition), agreement=agreement)

    # ------------------------------------------------------------------ records

    @property
    def is_ready(self) -> bool:
        """Whether `resume` answers at once; if not, `prepare` takes a moment and may be called in a thread."""
        place = self.ledger.place()
        return self._source.is_ready(place.position if place and not self._is_reordered else self.order[0])

    def prepare(self) -> None:
        """Do what takes long before the first record can be shown."""
        self._source.prepare()

    def step_through(self, order: Sequence[int]) -> None:
        """Step through the records in another order than the file's: all positions, each once."""
        places = list(order)
        for place, position in enumerate(order):
            places[position] = place
        self.order, self._places, self._is_reordered = order, places, True

    def resume(self) -> None:
        """Open where this annotator was, or at the first record; in another order at the first unreviewed one."""
        place = self.ledger.place()
        if self._is_reordered:
            self.open(next(filter(self._is_open, self.order), self.order[0]))
            return
        if place is None:
            self.open(0)
            return
        found = self._source.find_uid(place.uid, place.position)
        self.open(place.position if found is None else found)
        if found is not None and self.desk and place.focus in self.desk.record.response_keys:
            self._focus(self.desk.record.response_keys.index(place.focus))

    def open(self, position: int) -> None:
        """Put the record at a position on the desk; one outside the dataset is brought to its nearest end."""
        self.ledger.catch_up(self._source)
        self._lay(position)
        if self.desk:
            self.desk = self.ledger.sight(self.desk)
            self.ledger.keep_place(self.desk)

    def _lay(self, position: int) -> None:
        """Put a record on the desk without a look at it yet."""
        self._begin()
        self.position = max(0, min(position, len(self) - 1))
        self.desk, self.fault = None, ""
        self._stale, self._difference = None, None
        self.ledger.start_watch()
        try:
            self.desk = self._desk_for(self._source.load(self.position))
        except BadInputError as error:  # the row, or what the store keeps of it
            self.fault = str(error)
        else:
            self._stale = find_stale(self.desk.record, self.ledger)

    def _desk_for(self, loaded: Loaded) -> Desk:
        uid = loaded.record.uid
        kept = self.ledger.kept(uid)
        own = given = loaded.judgement
        if kept and kept.judgement:
            own = kept.judgement
            if given and given.judge.title == own.judge.title and given.labels != own.labels:
                self.message = "the judge's labels in the file are others now: the ones you reviewed are shown"
        compared = self.ledger.compared(uid, own, given)
        desk = Desk(
            replace(loaded, judgement=own),
            compared,
            self.position,
            Review(),
            versus=self.compared,
            blind=self.blind,
            seen=self.ledger.has_seen(uid),
        )
        if kept:
            desk = replace(desk, review=kept.review, accepted_at=kept.accepted_at)
        else:
            desk = replace(desk, review=Review(labels=desk.start))
        return desk.focus_on(0)

    def look_ahead(self) -> None:
        """Load the neighbours of this record, so that stepping to one answers at once.

        Meant for a thread of its own; gives up when another record is opened.
        """
        here = self.position
        place = self._places[here]
        for position in (*self.order[place + 1 : place + 2], *self.order[max(place - 1, 0) : place]):
            if self.position == here and self._source.is_ready(position):
                with suppress(BadInputError):  # it will be said when the row is opened
                    self._source.load(position)

    def step(self, by: int) -> None:
        """Open the record `by` places on (or back, if negative)."""
        self._begin()
        wanted = self._places[self.position] + by
        if 0 <= wanted < len(self):
            self.open(self.order[wanted])
        else:
            self.message = "this is the last record" if by > 0 else "this is the first record"

    def open_next_unreviewed(self) -> None:
        """Open the next record that is neither accepted nor skipped, then from the top; say so when there is none."""
        came_from = self.position
        start, size = self._places[came_from], len(self)
        others = (self.order[(start + by) % size] for by in range(1, size))
        candidates = filterfalse(self.ledger.totals.settled.__contains__, others)
        found = next(filter(self._is_open, candidates), None)
        self.open(came_from if found is None else found)
        if found is None:
            states = self.totals.progress("", len(self), self.definition)
            rest = f", {states.skipped} skipped" if states.skipped else ""
            self.message = f"all records are reviewed: {states.accepted} accepted{rest}"

    def _is_open(self, position: int) -> bool:
        """Ask the store: before stock was taken, of a row that stands twice, or when another window was here."""
        uid = self._source.uid_at(position)
        return uid is not None and self.ledger.status(uid) is Status.OPEN

    def go_to(self, text: str) -> None:
        """Go to a record by number from 1 or by id, or to a sentence of this record by key."""
        self._begin()
        wanted = text.strip()
        if self._focus_sentence(wanted):
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

    def next_difference(self) -> None:
        """Go to the next sentence of which human and judge say different things, across records."""
        self._begin()
        if self._next_difference_here():
            return
        for position in self.compared_totals.differing(self.position, accepted_only=self.blind):
            self.open(position)
            if self._next_difference_here():
                return
        self.message = "no further difference between you and the judge"

    def _next_difference_here(self) -> bool:
        if self.desk is None:
            return False
        self._difference = next_difference(self.desk, after=self._difference)
        return self._difference is not None and self._focus_sentence(self._difference)

    # ------------------------------------------------------------------ sentences

    def search(self, matches: Callable[[str], bool], pane: Pane, direction: int) -> None:
        """Go to the next sentence of this record that matches, as `next_match` finds it."""
        self._begin()
        if self.desk is None:
            return
        key = next_match(self.desk, matches, pane, direction)
        if key is None:
            self.message = "not found in this record"
        else:
            self._focus_sentence(key)

    def focus(self, number: int) -> None:
        """Put the focus on a response sentence."""
        self._begin()
        self._focus(number)

    def point(self, number: int) -> None:
        """Put the cursor on a document sentence."""
        self._begin()
        if self.desk:
            self.desk = self.desk.point_at(number)

    def _begin(self) -> None:
        """Forget what the last key said."""
        self.message, self.hints, self.pane = "", (), None

    def _focus(self, number: int) -> None:
        if self.desk:
            self.desk = self.desk.focus_on(number)
            self.ledger.keep_place(self.desk)

    def _focus_sentence(self, name: str) -> bool:
        """Put cursor or focus on the sentence of this key or alias, if there is one."""
        found = find_sentence(self.desk.record, name) if self.desk else None
        if found is None or self.desk is None:
            return False
        self.pane, number = found
        if self.pane is Pane.DOCUMENTS:
            self.desk = self.desk.point_at(number)
        else:
            self._focus(number)
        return True
