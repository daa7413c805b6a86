"""Which metrics have one value for all rows of a sheet: they cannot tell its outputs apart."""

import json
import sqlite3
from collections.abc import Iterable, Iterator

from estimation.metrics import METRICS, Metric

MOST_TEXTS = 20_000  # in larger files nothing is said: this takes a second
BLOCK = 200  # texts that are scored before the values are compared again
# Those that a new campaign chooses by itself; each needs the text alone.
CHOSEN = [one for one in METRICS.values() if one.efficiency and one.needs == "nothing"]


def constant_columns(values: Iterable[str | None]) -> set[str]:
    """Return the names that have one value wherever they have one. values: JSON objects."""
    first: dict[str, float] = {}
    varied: set[str] = set()
    for packed in values:
        for name, value in json.loads(packed or "{}").items():
            if first.setdefault(name, value) != value:
                varied.add(name)
    return first.keys() - varied


def constant_metrics(db: sqlite3.Connection) -> list[str]:
    """Return the metrics that a new campaign would choose and that are the same for every text.

    A metric is computed only until two of its values differ, and not for very many texts.
    """
    (n_texts,) = db.execute("SELECT count(*) FROM row").fetchone()
    if n_texts > MOST_TEXTS:
        return []
    return [one.name for one in CHOSEN if not _differs(one, _texts(db))]


def _texts(db: sqlite3.Connection) -> Iterator[list[str]]:
    found = db.execute("SELECT output FROM row ORDER BY id")
    while rows := found.fetchmany(BLOCK):
        yield [output for (output,) in rows]


def _differs(metric: Metric, texts: Iterable[list[str]]) -> bool:
    first: float | None = None
    for block in texts:
        scores = metric.score(block)
        first = float(scores[0]) if first is None else first
        if (scores != first).any():
            return True
    return False
