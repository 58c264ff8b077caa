"""The review session: what the annotator does to the record on the desk, and takes back. No terminal in it."""

from collections.abc import Callable
from dataclasses import replace

from trace_tui.review import actions
from trace_tui.review.actions import Outcome, Step
from trace_tui.review.comparing import Comparing
from trace_tui.review.desk import Desk
from trace_tui.review.saying import describe
from trace_tui.review.stale import carry_over
from trace_tui.reviews import Edit, EditKind, Patch, apply, diff
from trace_tui.scoring import Definition


class Session(Comparing):
    """A walk on which labels are changed: every change is one edit, logged as it is made."""

    _insist = False  # whether the last key asked for what the same key now does

    def _begin(self) -> None:
        super()._begin()
        self._insist = False

    def act(self, name: str, action: Callable[[Desk], Outcome]) -> Step | None:
        """Do something to the record on the desk, log it under `name` (of the key table), and go where it leads.

        Returns:
            Where that was; None if nothing was done.
        """
        self._begin()
        self.keep_judge()
        if self.desk is None:
            self.message = "there is no record here to label"
        elif not self._is_overtaken():
            outcome = action(self.desk)
            self._follow(name, outcome)
            return outcome.step
        return None

    def accept_record(self) -> None:
        """Accept the whole record and go on; asked twice in a row, also with unjudged sentences."""
        insist = self._insist
        step = self.act("accept-record", lambda desk: actions.accept_record(desk, insist=insist))
        self._insist = step is Step.UNJUDGED

    def adopt_stale(self) -> None:
        """Take over the labels of an earlier content, as one edit that undo takes back."""
        self._begin()
        stale = self._stale
        if stale is None or self.desk is None or self.desk.review.adopted == stale.uid:
            self.message = "no labels of an earlier content of this record are kept, or they were taken over already"
            return
        if self.ledger.has_seen(stale.uid):  # what was made with the judge in view does not become blind by this
            self.desk = self.ledger.mark_seen(self.desk)
        labels = carry_over(stale.labels, self.ledger.archive.sentences(stale.uid), self.desk.record)
        self.act("adopt", lambda desk: actions.adopt(desk, stale.uid, labels))

    def undo(self) -> None:
        """Take back the newest own edit that stands, wherever it was made, and show that record."""
        self._turn(EditKind.UNDO)

    def redo(self) -> None:
        """Take up again the edit that was undone last."""
        self._turn(EditKind.REDO)

    def switch_definition(self) -> None:
        """Score by the other definition; labels do not change."""
        self._begin()
        order = list(Definition)
        self.definition = order[(order.index(self.definition) + 1) % len(order)]
        self.message = f"scores by the {self.definition.value} definition"

    # ------------------------------------------------------------------ where an action leads

    def _follow(self, name: str, outcome: Outcome) -> None:
        assert self.desk
        self.desk = self.ledger.write(self.desk, outcome.review, name)
        match outcome.step:
            case Step.SENTENCE:
                self._focus(self.desk.focus + 1)
            case Step.UNJUDGED:
                self._focus_sentence(self.desk.record.response_keys[self.desk.unjudged[0]])
            case Step.RECORD:
                came_from = self.position
                self.open_next_unreviewed()
                if self.position != came_from + 1:
                    outcome = replace(outcome, hints=())  # they speak of the record before this one
            case Step.STAY:
                pass
        self.message = "; ".join(filter(None, (outcome.message, self.message)))
        self.hints = outcome.hints

    def _is_overtaken(self) -> bool:
        """Whether another window changed the record on the desk: it is then shown anew, for nobody saw it so here."""
        changed = self.ledger.catch_up(self._source)
        desk = self.desk
        if desk is None:
            return False
        uid = desk.record.uid
        if uid not in changed:
            if self.blind and not desk.seen and self.ledger.has_seen(uid):  # by another window
                self.desk = replace(desk, seen=True)
            return False
        self._lay(self.position)
        if self.desk:
            self.desk = self.ledger.sight(replace(self.desk, focus=desk.focus, cursor=desk.cursor))
        self.message = "changed in another window: look again"
        return True

    # ------------------------------------------------------------------ undo and redo

    def _turn(self, kind: EditKind) -> None:
        self._begin()
        self.keep_judge()
        if self._is_overtaken():
            return
        totals, history = self.totals, self.ledger.history  # in this order: only stock says which edits are of here
        edit = history.undoable() if kind is EditKind.UNDO else history.redoable()
        if edit is None:
            self.message = f"nothing to {kind.value}"
            return
        came_from = self.position
        if self.desk is None or self.desk.record.uid != edit.uid:
            known = totals.of(edit.uid)
            self._lay(known.position if known else self.position)
        settle = history.undone if kind is EditKind.UNDO else history.redone
        settle()
        if self.desk is None or self.desk.record.uid != edit.uid:
            self.message = f"the record of that edit ({edit.action}) is no longer in this dataset: left as it is"
            return
        self._patch(edit, kind)
        self.desk = self.ledger.sight(self.desk)  # only now: a blind acceptance taken back stays unseen
        if self.position == came_from:
            self.pane = None  # the change is in view, whichever pane has the keys

    def _patch(self, edit: Edit, kind: EditKind) -> None:
        """Write what an edit's cells held before (or after) it, where they still hold what it (or its undo) made."""
        assert self.desk
        made, wanted = (dict(edit.new), dict(edit.old)) if kind is EditKind.UNDO else (dict(edit.old), dict(edit.new))
        if self.desk.seen:
            made.pop("blind", None)  # once the judge was seen, the blind judgement stays what it was
        elsewhere, _ = diff(self.desk.review, apply(self.desk.review, made))
        patch = {path: wanted[path] for path in made if path not in elsewhere}
        if patch:
            self.desk = self.ledger.write(self.desk, apply(self.desk.review, patch), edit.action, kind, edit.id)
            self._focus_touched(patch)
            self.message = f"{'undone' if kind is EditKind.UNDO else 'redone'}: {describe(patch)}"
        if elsewhere:
            left = f"changed in another window since, and left: {describe(elsewhere)}"
            self.message = "; ".join(filter(None, (self.message, left)))

    def _focus_touched(self, patch: Patch) -> None:
        """Put focus or cursor where an undone edit made a difference."""
        paths = [path.split("/") for path in patch]
        for name, key, *_ in (path for path in paths if len(path) > 1):
            if name in {"relevant", "utilized"} and len(paths) > 1:
                continue  # beside a link, utilization is only its consequence
            self._focus_sentence(key)
            return
