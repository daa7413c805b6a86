"""Active sampling against uniform sampling, at the stop: docs/statistics.md, "Active sampling"."""
