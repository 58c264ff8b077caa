"""Cuts text into sentences with exact offsets: through a spaCy pipeline of our own, or one that is installed."""

from trace_tui.datasets.sentences.splitter import Split, Splitter, make_splitter

__all__ = ["Split", "Splitter", "make_splitter"]
