"""The columns of numbers of a sheet: which can be metrics, and what stands against the others."""

import json
import sqlite3
from collections import Counter
from itertools import groupby

from pydantic import BaseModel

from annotate.services.campaigns.importing.useless import Reasons, Useless

MOST_LINES = 5  # kept as examples
VALUES = {
    "metrics": "SELECT metrics, line, id, item, system FROM row ORDER BY id",
    "loose": "SELECT loose, line, id, item, system FROM row ORDER BY id",
}
SHARED_TEXTS = """
SELECT metrics, loose, item, hash FROM row
WHERE (item, hash) IN (SELECT item, hash FROM row GROUP BY item, hash HAVING count(*) > 1)
ORDER BY item, hash, id
"""


class Gap(BaseModel):
    """Rows that lack something: how many, and where the first ones are."""

    count: int = 0
    lines: list[int] = []


class Column(BaseModel):
    """A metric with values in the file.

    loose: a numeric column beside the known fields. It is used only if the plan names it.
    useless: why it can save no judgments, if that is known.
    averaged: the texts of several systems of which it has several values. Their mean is used.
    """

    name: str
    lacking: Gap = Gap()
    loose: bool = False
    useless: Useless | None = None
    averaged: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.lacking.count


def unpacked(packed: str | None) -> dict[str, float]:
    return json.loads(packed) if packed else {}


def columns(db: sqlite3.Connection, kind: str) -> list[Column]:
    """Return the metrics of the rows, sorted by name, with the rows that lack them."""
    given, reasons = Counter[str](), Reasons()
    for packed, _line, row, item, system in db.execute(VALUES[kind]):
        values = unpacked(packed)
        given.update(values.keys())
        reasons.take(row, item, system, values)
    (n_rows,) = db.execute("SELECT count(*) FROM row").fetchone()
    gaps = {name: Gap(count=n_rows - n) for name, n in given.items() if n < n_rows}
    _find_lines(db, kind, gaps)
    averaged = _averaged(db, kind)
    return [
        Column(
            name=name,
            lacking=gaps.get(name, Gap()),
            loose=kind == "loose",
            useless=reasons.of(name),
            averaged=averaged[name],
        )
        for name in sorted(given)
    ]


def _find_lines(db: sqlite3.Connection, kind: str, gaps: dict[str, Gap]) -> None:
    wanted = dict(gaps)
    for packed, line, *_ids in db.execute(VALUES[kind]):
        if not wanted:
            return
        values = unpacked(packed)
        for name in [name for name in wanted if name not in values]:
            wanted[name].lines.append(line)
            if len(wanted[name].lines) == MOST_LINES:
                del wanted[name]


def _averaged(db: sqlite3.Connection, kind: str) -> Counter[str]:
    """Return for each metric how many texts of several systems have several values of it."""
    found: Counter[str] = Counter()
    at = 0 if kind == "metrics" else 1
    for _text, rows in groupby(db.execute(SHARED_TEXTS), key=lambda row: row[2:]):
        values = [unpacked(row[at]) for row in rows]
        names = {name for one in values for name in one}
        found.update(name for name in names if len({one.get(name) for one in values}) > 1)
    return found
