"""The review session as a state machine without a terminal: cursor, queue, edits, undo."""
