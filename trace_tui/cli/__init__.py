"""One file per command; the only place that puts the parts together."""
