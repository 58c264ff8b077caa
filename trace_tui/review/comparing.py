"""Which judge the annotator is compared with, and what becomes of labels that arrive during the review."""

from dataclasses import replace

from trace_tui.calls import Call, Failure
from trace_tui.errors import TraceError
from trace_tui.labels import Judgement
from trace_tui.records import Record
from trace_tui.review.desk import Desk
from trace_tui.review.order import uncertain_first
from trace_tui.review.ports import Outlook
from trace_tui.review.runs import Run
from trace_tui.review.versus import OWN
from trace_tui.review.walk import Walk


class Comparing(Walk):
    """A walk on which the judge compared can be another, without changing a review.

    Labels that arrive never change what is under the annotator's hands: they are kept, counted and offered. Only who
    asked for those of this very record, and has done nothing to it since, is shown them at once.

    `offered` is the title of a judge whose labels of the record on the desk came meanwhile, "" if none did; `run` the
    latest run in the background, None before the first.
    """

    offered = ""
    run: Run | None = None
    _awaited = ""  # record for which the annotator asked, and to which nothing was done since

    # ------------------------------------------------------------------ switching

    def next_judge(self) -> None:
        """Compare with the judge whose labels are offered, or else with the next one."""
        self._begin()
        own = self.desk.loaded.judgement if self.desk else None
        choices = [OWN, *self.ledger.versus.judges]
        if self.offered:
            self.compare(self.offered)
        elif {*choices, self.compared} <= {OWN, own.judge.title if own else OWN}:
            self.message, self.hints = "there is no other judge yet", ("label", "label-rest")
        else:
            self.compare(choices[(choices.index(self.compared) + 1) % len(choices)])

    def compare(self, title: str) -> None:
        """Compare with the judge of this title, `OWN` for each record's own. A review that was begun stays as it is."""
        self.keep_judge()
        before = self.compared
        try:
            self.ledger.compare(title)
            desk = self._compared_anew(self.desk) if self.desk else None
        except TraceError:
            self.ledger.versus.title = before
            raise
        self.offered = ""
        self.message = "compared with " + (title or "each record's own judge")
        if desk:
            self.desk = self.ledger.sight(desk)
            if desk.lacks_labels:
                self.message = ""  # that is said as long as it is so

    def begin_with_uncertain(self) -> None:
        """Step first through the records on which the votes of the judge in use differed most."""
        self.step_through(uncertain_first(self._source, self.ledger.archive.divided(self.compared)))

    def _compared_anew(self, desk: Desk) -> Desk:
        anew = self._desk_for(self._source.load(desk.position))
        return replace(anew, focus=desk.focus, cursor=desk.cursor, seen=desk.seen or anew.seen)

    # ------------------------------------------------------------------ labels that arrive

    def await_labels(self) -> Record | None:
        """Return the record on the desk, to be shown labels of it as soon as they come."""
        self._begin()
        self._awaited = self.desk.record.uid if self.desk else ""
        return self.desk.record if self.desk else None

    def keep_judge(self) -> None:
        """Be shown no other judge's labels unasked from now on: the annotator has gone on."""
        self._awaited = ""

    def receive(self, record: Record, call: Call, *, asked: bool) -> None:
        """Take in what came of putting a record to a judge.

        Args:
            record: which.
            call: labels, or why there are none.
            asked: whether it was asked for by itself, and not in a run.
        """
        self.ledger.receive(record, call)
        if self.run and not asked:
            self.run = self.run.count(call)
        on_desk = self.desk is not None and self.desk.record.uid == record.uid
        if isinstance(call.outcome, Judgement):
            self._show_labels(record, call.judge.title, on_desk=on_desk, asked=asked)
        elif asked or on_desk:
            self._show_failure(record, call.judge.title, call.outcome)

    def _show_labels(self, record: Record, title: str, *, on_desk: bool, asked: bool) -> None:
        if asked and on_desk and self._awaited == record.uid:
            self._begin()
            self.compare(title)
            hidden = "; hidden until you accept" if self.desk and self.desk.is_hidden else ""
            self.message = f"labelled by {title}{hidden}"
            return
        if on_desk:
            self.offered = title
            if asked:
                self._begin()
        else:
            self.ledger.pair_anew(record.uid)
            if asked:
                self.message, self.hints = f"{title} has labelled {record.shown_id}", ()

    def _show_failure(self, record: Record, title: str, failure: Failure) -> None:
        on_desk = self.desk is not None and self.desk.record.uid == record.uid
        of = "" if on_desk else f" of {record.shown_id}"
        why = ": ".join(filter(None, (failure.cause.value, failure.detail)))
        self.message = f"no labels{of}: {why} ({title})"
        self.hints = ("label",) if on_desk else ()

    def foresee(self, outlook: Outlook) -> None:
        """Take in what is known of the run beyond its results."""
        if self.run:
            self.run = replace(self.run, total=outlook.total, waits_until=outlook.waits_until)

    def _lay(self, position: int) -> None:
        left, self.offered = (self.desk.record.uid if self.desk and self.offered else ""), ""
        self.keep_judge()
        super()._lay(position)
        if left:  # what was offered there counts from now on
            self.ledger.pair_anew(left)
