"""Columns of an estimate that an upgrade must not change; the first three count its evidence."""

NUMBERS = ("n_items", "n_judgments", "n_annotators", "estimate", "low", "high", "df")
COUNTS = 3
