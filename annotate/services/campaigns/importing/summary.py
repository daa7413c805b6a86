"""The facts of a sheet: counted by its database, or in one pass over its rows."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any

from annotate.services.campaigns.importing.facts import (
    LONGEST_SAMPLE,
    MOST_LINES,
    MOST_SYSTEMS,
    SAMPLES,
    Column,
    Context,
    Facts,
    Gap,
    Sample,
    SystemFacts,
)

VALUES = {
    "metrics": "SELECT line, metrics FROM row ORDER BY id",
    "loose": "SELECT line, loose FROM row ORDER BY id",
}
COUNTS = """
SELECT
    (SELECT count(*) FROM row) AS n_rows,
    (SELECT count(*) FROM row WHERE blank) AS n_empty,
    (SELECT count(*) FROM item) AS n_items,
    (SELECT count(*) FROM item WHERE reference <> '') AS n_references,
    (SELECT count(*) FROM (SELECT DISTINCT item, hash FROM row)) AS n_outputs
"""


def of(db: sqlite3.Connection) -> Facts:
    counted = db.execute(COUNTS)
    names = [column[0] for column in counted.description]
    sizes = _sizes(db)
    return Facts(
        **dict(zip(names, counted.fetchone(), strict=True)),
        n_texts=_texts(db),
        n_systems=len(sizes),
        is_even=len({size for _id, _name, size in sizes}) < 2,
        systems=[
            SystemFacts(name=name, n_outputs=size, samples=_samples(db, number))
            for number, name, size in sizes[:MOST_SYSTEMS]
        ],
        first=_first(db),
        no_reference=_lacking(db, "reference = ''"),
        no_input=_lacking(db, "NOT has_input"),
        no_question=_lacking(db, "NOT has_question"),
        columns=[*_columns(db, "metrics"), *_columns(db, "loose")],
    )


def unpacked(packed: str | None) -> dict[str, float]:
    return json.loads(packed) if packed else {}


def _texts(db: sqlite3.Connection) -> list[int]:
    found = db.execute(
        "SELECT count(DISTINCT hash) FROM row JOIN item ON item.id = row.item "
        "GROUP BY item.id ORDER BY key"
    )
    texts = [n for (n,) in found]
    return texts if len(set(texts)) > 1 else []


def _sizes(db: sqlite3.Connection) -> list[tuple[int, str, int]]:
    found = db.execute(
        "SELECT system.id, name, count(row.id) FROM system LEFT JOIN row ON system = system.id "
        "GROUP BY system.id ORDER BY system.id"
    )
    return list(found)


def _samples(db: sqlite3.Connection, system: int) -> list[Sample]:
    found = db.execute(
        "SELECT key, output FROM row JOIN item ON item.id = row.item WHERE system = ? "
        "ORDER BY row.id LIMIT ?",
        (system, SAMPLES),
    )
    return [Sample(item=key, output=_short(output)) for key, output in found]


def _first(db: sqlite3.Connection) -> Context:
    found = db.execute(
        "SELECT key, input, reference, paragraphs FROM item ORDER BY id LIMIT 1"
    ).fetchone()
    if found is None:
        return Context()
    key, given, reference, paragraphs = found
    n_paragraphs = len(json.loads(paragraphs))
    return Context(
        item=key, input=_short(given), reference=_short(reference), n_paragraphs=n_paragraphs
    )


def _lacking(db: sqlite3.Connection, condition: str) -> Gap:
    rows = f"FROM row JOIN item ON item.id = row.item WHERE {condition}"
    (count,) = _one(db, f"SELECT count(*) {rows}")
    lines = db.execute(f"SELECT row.line {rows} ORDER BY row.id LIMIT {MOST_LINES}")
    return Gap(count=count, lines=[line for (line,) in lines])


def _columns(db: sqlite3.Connection, kind: str) -> list[Column]:
    """Return the metrics that rows have values of, by name, and which rows lack them."""
    given: Counter[str] = Counter()
    for _line, values in _values(db, kind):
        given.update(values.keys())
    (n_rows,) = _one(db, "SELECT count(*) FROM row")
    gaps = {name: Gap(count=n_rows - n) for name, n in given.items() if n < n_rows}
    _find_lines(db, kind, gaps)
    loose = kind == "loose"
    return [Column(name=name, lacking=gaps.get(name, Gap()), loose=loose) for name in sorted(given)]


def _find_lines(db: sqlite3.Connection, kind: str, gaps: dict[str, Gap]) -> None:
    wanted = dict(gaps)
    for line, values in _values(db, kind):
        if not wanted:
            return
        for name in [name for name in wanted if name not in values]:
            wanted[name].lines.append(line)
            if len(wanted[name].lines) == MOST_LINES:
                del wanted[name]


def _values(db: sqlite3.Connection, kind: str) -> Iterator[tuple[int, dict[str, float]]]:
    for line, packed in db.execute(VALUES[kind]):
        yield line, unpacked(packed)


def _one(db: sqlite3.Connection, query: str) -> tuple[Any, ...]:
    return tuple(db.execute(query).fetchone())


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_SAMPLE else text[: LONGEST_SAMPLE - 1] + "…"
