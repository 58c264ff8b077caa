"""The SQLite database of judgements, reviews and edits: the only place with SQL."""
