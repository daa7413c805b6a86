"""Queries that are compiled once: the ORM takes longer to write a long one than to ask it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import QuerySet

FIRST = 7_100_000_000_000_000  # stands for the first number in the compiled query
LONG_AGO = datetime(1901, 1, 1, tzinfo=UTC)  # stands for the first point in time

Row = tuple[Any, ...]


class Prepared:
    """A query with named values, written by the ORM at its first use on each kind of database.

    build: called with a keyword for each name; returns the rows by `values_list`. It must use the
        values as they are, and not decide by them.
    numbers, times: the names of whole numbers and of points in time.
    locks: what Postgres adds at the end of the statement.
    """

    def __init__(
        self,
        build: Callable[..., "QuerySet[Any, Any]"],
        *,
        numbers: tuple[str, ...],
        times: tuple[str, ...] = (),
        locks: str = "",
    ) -> None:
        self._build = build
        self._marks: dict[str, Any] = {name: FIRST + i for i, name in enumerate(numbers)}
        self._marks |= {name: LONG_AGO + timedelta(days=i) for i, name in enumerate(times)}
        self._locks = locks
        self._written: dict[str, tuple[str, list[Any], list[Any]]] = {}

    def rows(self, **values: Any) -> list[Row]:
        """Return all rows for these values of the names."""
        if values.keys() != self._marks.keys():
            raise TypeError(f"This query takes {', '.join(self._marks)}.")
        sql, params, converters = self._written.get(connection.vendor) or self._write()
        given = {_sent(self._marks[name]): _sent(value) for name, value in values.items()}
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(one, one) for one in params])
            found = cursor.fetchall()
        return [_converted(row, converters) for row in found]

    def _write(self) -> tuple[str, list[Any], list[Any]]:
        compiler = self._build(**self._marks).query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        unused = {_sent(mark) for mark in self._marks.values()} - set(params)
        if unused:
            raise TypeError("This query does not use all of its names as they are.")
        if connection.features.has_select_for_update:
            sql += self._locks
        columns = [column for column, _sql, _alias in compiler.select]
        converters = compiler.get_converters(columns)
        written = sql, list(params), list(converters.items())
        self._written[connection.vendor] = written
        return written


def _sent(value: Any) -> Any:
    """Return a value as this database's driver gets it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _converted(row: Row, converters: list[Any]) -> Row:
    if not converters:
        return row
    changed = list(row)
    for place, (functions, expression) in converters:
        for convert in functions:
            changed[place] = convert(changed[place], expression, connection)
    return tuple(changed)
