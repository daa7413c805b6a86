"""Columns of an estimate that an upgrade must not change; the first three count its evidence.

The ends of intervals are not among them: since 0.1.0 they are corrected for small samples.
"""

NUMBERS = ("n_items", "n_judgments", "n_annotators", "estimate", "df")
COUNTS = 3
