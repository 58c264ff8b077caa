"""Undo and redo without limit, also of what earlier sessions did: the log of edits is the stack.

An edit stands if the newest undo or redo that speaks of it is a redo, or if none does. Undo takes back the newest
edit that stands; redo takes up again the edit undone last, as long as no fresh edit came after that.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from trace_tui.review.ports import Archive
from trace_tui.reviews import Edit, EditKind

_PAGE = 200


class History:
    """The annotator's edits of one dataset as two stacks; the older part is read when undo gets there.

    Args:
        archive: where the log is.
        annotator: whose edits.
        log_end: the newest place in the log when the session began: its own edits are on the stacks already.
        is_here: whether a reviewed record is in the dataset; what was done elsewhere cannot be undone here.
    """

    def __init__(self, archive: Archive, annotator: str, log_end: int, is_here: Callable[[str], bool]) -> None:
        self._done: list[Edit] = []
        self._undone: list[Edit] | None = None  # None until the archive was asked what a restart left to redo
        self._log = _Log(archive, annotator, log_end + 1, is_here)
        self._older = _standing(iter(self._log))

    def record(self, edit: Edit) -> None:
        """Put a fresh edit on the stack: what was undone before it can no longer be redone."""
        self._done.append(edit)
        self._undone = []

    def undoable(self) -> Edit | None:
        """Return the newest edit that stands, None if there is none."""
        if not self._done:
            older = next(self._older, None)
            if older is None:
                return None
            self._done.append(older)
        return self._done[-1]

    def undone(self) -> None:
        """Note that the edit `undoable` returned was taken back."""
        self._redo_stack().append(self._done.pop())

    def redoable(self) -> Edit | None:
        """Return the edit undone last, None if there is none or a fresh edit came since."""
        stack = self._redo_stack()
        return stack[-1] if stack else None

    def redone(self) -> None:
        """Note that the edit `redoable` returned was taken up again."""
        self._done.append(self._redo_stack().pop())

    def _redo_stack(self) -> list[Edit]:
        if self._undone is None:
            self._undone = _left_to_redo(self._log)
        return self._undone


@dataclass(frozen=True, slots=True)
class _Log:
    """The annotator's edits below a place in the log, of records that are here, newest first, a page at a time."""

    archive: Archive
    annotator: str
    before: int
    is_here: Callable[[str], bool]

    def __iter__(self) -> Iterator[Edit]:
        before = self.before
        while page := self.archive.edits(self.annotator, before, _PAGE):
            before = page[-1][0]
            yield from (edit for _, edit in page if self.is_here(edit.uid))


def _standing(log: Iterator[Edit]) -> Iterator[Edit]:
    """Yield the edits that stand, newest first. The first undo or redo met of an edit is the newest and decides."""
    stands: dict[str, bool] = {}
    for edit in log:
        if edit.kind is EditKind.EDIT:
            if stands.pop(edit.id, True):
                yield edit
        elif edit.target is not None:
            stands.setdefault(edit.target, edit.kind is EditKind.REDO)


def _left_to_redo(log: _Log) -> list[Edit]:
    """Return the edits that were undone since the last fresh edit, the one undone last on top."""
    steps = list(takewhile(lambda edit: edit.kind is not EditKind.EDIT, log))
    stack: list[str] = []
    for step in reversed(steps):
        if step.kind is EditKind.UNDO and step.target is not None:
            stack.append(step.target)
        elif stack:
            stack.pop()
    found = _look_up(log, set(stack))
    return [found[edit_id] for edit_id in stack if edit_id in found]


def _look_up(log: _Log, ids: set[str]) -> dict[str, Edit]:
    found: dict[str, Edit] = {}
    for edit in log if ids else ():
        if edit.id in ids:
            found[edit.id] = edit
        if len(found) == len(ids):
            break
    return found
