"""Queries that are compiled once: the ORM takes longer to write a long one than to ask it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

from django.db import connection
from django.db.models import JSONField, Model, QuerySet, Subquery

from annotate.statements import Row, Statement

FIRST = 7_100_000_000_000_000  # stands for the first number in the compiled query
LARGEST = 2**63 - 1
PLAIN = re.compile(r"[a-z0-9_.]*")
LONG_AGO = datetime(1901, 1, 1, tzinfo=UTC)  # stands for the first point in time

M = TypeVar("M", bound=Model)


def columns(model: type[Model]) -> tuple[str, ...]:
    """Return the names of all columns of a model, for `values_list` and `instance`."""
    return tuple(field.attname for field in model._meta.concrete_fields)


def instance(model: type[M], row: Sequence[Any]) -> M:
    """Return the object whose `columns` a row begins with."""
    names = columns(model)
    return model.from_db(connection.alias, names, row[: len(names)])


class ListOf(Subquery):
    """The numbers or JSON of a query in a list, in its order; it has one column, named `one`."""

    output_field = JSONField()
    template = "TO_JSONB(ARRAY(%(subquery)s))"


class Prepared:
    """A query with named values, written by the ORM at its first use.

    Postgres plans it once a connection as well, unless the connection may change between
    transactions (a pool in front of the server; `DISABLE_SERVER_SIDE_CURSORS` says so).

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
        self._written: _Written | None = None

    def rows(self, **values: Any) -> list[Row]:
        """Return all rows for these values of the names."""
        if values.keys() != self._marks.keys():
            raise TypeError(f"This query takes {', '.join(self._marks)}.")
        if any(isinstance(one, int) and abs(one) > LARGEST for one in values.values()):
            return []  # no row has such a number
        written = self._written or self._write()
        found = written.statement.rows([_sent(values[name]) for name in self._marks])
        return [_converted(row, written.converters) for row in found]

    def _write(self) -> "_Written":
        compiler = self._build(**self._marks).query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        named = {_sent(mark): name for name, mark in self._marks.items()}
        if unused := named.keys() - set(params):
            raise TypeError(f"{[named[one] for one in unused]} must be used as they are.")
        sql += self._locks
        fixed = ("%s" if one in named else _literal(one) for one in params)
        found = [column for column, _sql, _alias in compiler.select]
        order = list(self._marks)
        places = [order.index(named[one]) for one in params if one in named]
        converters = list(compiler.get_converters(found).items())
        self._written = _Written(Statement(sql % tuple(fixed), places), converters)
        return self._written


@dataclass(frozen=True)
class _Written:
    """A statement, and what makes values of its columns."""

    statement: Statement
    converters: list[Any]


def _literal(value: Any) -> str:
    """Return a value that the code itself chose, as it stands in a statement."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise TypeError(f"{value!r} must be one of the names.")
    if not isinstance(value, str):
        return str(value)
    if not PLAIN.fullmatch(value):
        raise TypeError(f"{value!r} must not stand in a statement.")
    return f"'{value}'"


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
