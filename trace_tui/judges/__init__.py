"""Whatever turns a record into labels without a person."""
