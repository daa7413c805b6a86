"""Statements that are written once, and that Postgres plans once a connection."""

from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from django.db import connection

Row = tuple[Any, ...]


class Statement:
    """A statement with a `%s` at each place of a value, and no other percent sign.

    places: which of the values stands at each; in their order, unless given.

    A pool in front of Postgres may give each transaction another connection
    (`DISABLE_SERVER_SIDE_CURSORS` says so). There it is sent whole.
    """

    def __init__(self, sql: str, places: Sequence[int] | None = None) -> None:
        self._sql = sql
        self._places = range(sql.count("%s")) if places is None else places
        self._name = f"plumbline_{next(_numbers)}"

    def rows(self, values: Sequence[Any]) -> list[Row]:
        """Run it with these values, as the driver takes them; return all rows that it brings."""
        with connection.cursor() as cursor:
            self._run(cursor, values)
            return list(cursor.fetchall())

    def affected(self, values: Sequence[Any]) -> int:
        """Run it, and return how many rows it wrote."""
        with connection.cursor() as cursor:
            self._run(cursor, values)
            return int(cursor.rowcount)

    def _run(self, cursor: Any, values: Sequence[Any]) -> None:
        if _is_pooled():
            cursor.execute(self._sql, [values[place] for place in self._places])
            return
        self._plan(cursor)
        cursor.execute(f"EXECUTE {self._name} ({', '.join(['%s'] * len(values))})", values)

    def _plan(self, cursor: Any) -> None:
        connection.ensure_connection()
        planned = _planned.setdefault(connection.connection, set())
        if self._name not in planned:
            sql = self._sql % tuple("$" + str(place + 1) for place in self._places)
            cursor.execute(f"PREPARE {self._name} AS {sql}")
            planned.add(self._name)


_numbers = count()
_planned: "WeakKeyDictionary[Any, set[str]]" = WeakKeyDictionary()


def _is_pooled() -> bool:
    return bool(connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))
