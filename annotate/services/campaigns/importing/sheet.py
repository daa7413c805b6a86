"""The rows of one import, on disk during the import, so that memory does not grow with the file.

They are in SQLite's temporary database, a file without a name that disappears with the process.
"""

import json
import sqlite3
from array import array
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Self

from annotate.services.campaigns.importing.facts import (
    DIFFERING,
    IN_ORDER,
    Facts,
    facts_of_sheet,
    groups_of,
)
from annotate.services.campaigns.importing.fields import shown
from annotate.services.campaigns.importing.metric_columns import unpacked
from annotate.services.campaigns.importing.problems import Row
from annotate.services.campaigns.importing.rows import FaultyError
from annotate.text.figures import count
from annotate.text.visible import is_visible

TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -32000;
CREATE TABLE system (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE item (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, line INTEGER, reference TEXT, input TEXT,
    paragraphs TEXT, grouped TEXT, hashes TEXT, has_input INTEGER, has_question INTEGER
);
CREATE TABLE row (
    id INTEGER PRIMARY KEY, item INTEGER, system INTEGER, line INTEGER, output TEXT, hash INTEGER,
    blank INTEGER, metrics TEXT, loose TEXT, UNIQUE (item, system)
);
"""
SHARED = ("reference", "input", "paragraphs", "group")


class Sheet:
    """Takes rows in the order of the file, and returns them item by item."""

    def __init__(self) -> None:
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.executescript(TABLES)
        self._db.execute("BEGIN")
        self._systems: dict[str, int] = {}
        self.unit = "line"  # what row numbers count, for messages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._db.close()

    def add(self, row: Row, loose: Mapping[str, float] | None = None) -> None:
        """Add a row; raises `FaultyError` where it contradicts an earlier one.

        loose: numbers in unknown fields, by their names in the file.
        """
        item = self._item(row)
        system = self._systems.get(row.system) or self._system(row.system)
        try:
            self._db.execute(
                "INSERT INTO row (item, system, line, output, hash, blank, metrics, loose) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    item,
                    system,
                    row.line,
                    row.output,
                    hash(row.output),
                    not is_visible(row.output),
                    _packed(row.metrics),
                    _packed(loose),
                ),
            )
        except sqlite3.IntegrityError:
            raise self._twice(row, item, system) from None

    def _system(self, name: str) -> int:
        added = self._db.execute("INSERT INTO system (name) VALUES (?)", (name,))
        return self._systems.setdefault(name, int(added.lastrowid or 0))

    def _item(self, row: Row) -> int:
        hashes = " ".join(str(hash(getattr(row, name))) for name in SHARED)
        found = self._db.execute(
            "SELECT id, line, hashes FROM item WHERE key = ?", (row.item,)
        ).fetchone()
        if found is None:
            return self._new_item(row, hashes)
        number, line, before = found
        if before != hashes:
            raise FaultyError(self._differences(row, line, before.split(), hashes.split()))
        return int(number)

    def _new_item(self, row: Row, hashes: str) -> int:
        question = bool(row.input.strip())
        added = self._db.execute(
            "INSERT INTO item (key, line, reference, input, paragraphs, grouped, hashes, "
            "has_input, has_question) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                row.item,
                row.line,
                row.reference,
                row.input,
                json.dumps(row.paragraphs),
                row.group,
                hashes,
                bool(row.whole_input.strip()),
                question and bool(row.paragraphs),
            ),
        )
        return int(added.lastrowid or 0)

    def _differences(
        self, row: Row, line: int, before: list[str], now: list[str]
    ) -> Iterator[tuple[str, str]]:
        for name, one, other in zip(SHARED, before, now, strict=True):
            if one != other:
                yield (
                    f"another {name}",
                    (
                        f"another {name} for item “{row.item}” than on {self.unit} {count(line)}. "
                        "All outputs of an item share one."
                    ),
                )

    def _twice(self, row: Row, item: int, system: int) -> FaultyError:
        (line,) = self._one("SELECT line FROM row WHERE item = ? AND system = ?", item, system)
        return FaultyError(
            [
                (
                    "twice",
                    f"system “{row.system}” already has an output for item “{row.item}” "
                    f"on {self.unit} {count(line)}. Keep one of them.",
                )
            ]
        )

    def add_value(self, system: str, item: str, metric: str, value: float) -> None:
        """Add a metric's value to an existing row; raises `FaultyError` if there is none."""
        found = self._db.execute(
            "SELECT row.id, metrics FROM row JOIN item ON item.id = row.item "
            "WHERE item.key = ? AND system = ?",
            (item, self._systems.get(system)),
        ).fetchone()
        if found is None:
            message = f"there is no output of system “{shown(system)}” for item “{shown(item)}”."
            raise FaultyError([("unknown output", message)])
        number, packed = found
        metrics = unpacked(packed)
        if metric in metrics:
            raise FaultyError(
                [("value twice", f"metric “{metric}” of this output was given twice.")]
            )
        self._db.execute(
            "UPDATE row SET metrics = ? WHERE id = ?", (_packed(metrics | {metric: value}), number)
        )

    def __contains__(self, system: str) -> bool:
        return system in self._systems

    @property
    def systems(self) -> list[str]:
        """Names in the order of the file."""
        return list(self._systems)

    def facts(self) -> Facts:
        return facts_of_sheet(self._db)

    def in_order(self, *, differing: bool = False) -> "array[int]":
        """Return the numbers of all items, in the order of their keys.

        differing: only of those with two different texts.
        """
        found = self._db.execute(IN_ORDER.format(DIFFERING if differing else ""))
        return array("q", (number for (number,) in found))

    def groups(self, *, differing: bool = False) -> list[int]:
        """Return the number of each item's group, in the same order; empty without groups."""
        return groups_of(self._db, differing=differing)

    def group(self, item: int, loose: Collection[str] = ()) -> list[Row]:
        """Return the rows of an item in the order of the file; `loose` numbers become metrics."""
        key, reference, given, paragraphs, grouped = self._one(
            "SELECT key, reference, input, paragraphs, grouped FROM item WHERE id = ?", item
        )
        rows = self._db.execute(
            "SELECT name, output, metrics, loose, line FROM row JOIN system ON system.id = system "
            "WHERE item = ? ORDER BY row.id",
            (item,),
        )
        return [
            Row(
                item=key,
                system=system,
                output=output,
                reference=reference,
                input=given,
                paragraphs=tuple(json.loads(paragraphs)),
                group=grouped,
                metrics=_merged(metrics, columns, loose),
                line=line,
            )
            for system, output, metrics, columns, line in rows
        ]

    def size_of(self, item: int) -> int:
        (count,) = self._one("SELECT count(*) FROM row WHERE item = ?", item)
        return int(count)

    def _one(self, query: str, *values: Any) -> tuple[Any, ...]:
        return tuple(self._db.execute(query, values).fetchone())


def _packed(numbers: Mapping[str, float] | None) -> str | None:
    return json.dumps(numbers) if numbers else None


def _merged(metrics: str | None, columns: str | None, loose: Collection[str]) -> dict[str, float]:
    values = unpacked(columns) if loose else {}
    return {name: values[name] for name in loose if name in values} | unpacked(metrics)
