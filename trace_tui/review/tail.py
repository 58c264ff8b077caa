"""The end of an annotator's log: there arrive the edits of this session, and those of the annotator's other windows."""

from trace_tui.review.ports import Archive
from trace_tui.reviews import Edit


class Tail:
    """Follows the log from a place in it on, and tells own edits from others."""

    def __init__(self, archive: Archive, annotator: str, after: int) -> None:
        self._archive = archive
        self._annotator = annotator
        self._after = after
        self._expected: dict[str, str] = {}  # own edits that are not in the log yet, with their records
        self._changed: set[str] = set()

    def expect(self, edit: Edit) -> None:
        """Know an edit as this session's own when it arrives."""
        self._expected[edit.id] = edit.uid

    @property
    def expected(self) -> frozenset[str]:
        """Records of which own edits are on their way."""
        return frozenset(self._expected.values())

    def read(self) -> frozenset[str]:
        """Return the records that other windows changed since the last time.

        A record is named again as long as own edits of it are on their way: only with them the store says what it is.
        """
        for place, edit_id, uid in self._archive.log(self._annotator, self._after):
            self._after = place
            if self._expected.pop(edit_id, None) is None:
                self._changed.add(uid)
        changed = frozenset(self._changed)
        self._changed &= self.expected
        return changed
