"""The SQLite database of judgements, reviews and edits: the only place with SQL."""

from trace_tui.store.rows import Reviewed
from trace_tui.store.store import Store
from trace_tui.store.writer import Event, Failed, Recovered, SavedUpTo, Writer

__all__ = ["Event", "Failed", "Recovered", "Reviewed", "SavedUpTo", "Store", "Writer"]
