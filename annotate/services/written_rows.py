"""Adds and changes single rows by statements that are written once (`Statement`).

The ORM takes longer to write such a statement than to send it. No signals are sent.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeAlias, TypeVar

from django.db import connection, models, transaction

from annotate.statements import Statement

M = TypeVar("M", bound=models.Model)
AField: TypeAlias = "models.Field[Any, Any]"


def add(row: M) -> M:
    """Store a new row, as `create` does, and return it with its key."""
    fields, statement = _insertion(type(row))
    values = [each.get_db_prep_save(each.pre_save(row, True), connection) for each in fields]
    with transaction.mark_for_rollback_on_error():
        ((row.pk,),) = statement.rows(values)
    row._state.adding, row._state.db = False, connection.alias
    return row


class RowChange:
    """Sets fields of the rows that have given values.

    sets, where: names of fields; empty: of those that must be null.
    """

    def __init__(
        self,
        model: type[models.Model],
        *,
        sets: tuple[str, ...],
        where: tuple[str, ...],
        empty: tuple[str, ...] = (),
    ) -> None:
        self._model, self._sets, self._where, self._empty = model, sets, where, empty
        self._written: tuple[list[AField], Statement] | None = None

    def make(self, *values: Any) -> int:
        """Change the rows; the values are of `sets` and then of `where`. Return how many."""
        fields, statement = self._written = self._written or self._write()
        with transaction.mark_for_rollback_on_error():
            return statement.affected(
                [
                    field.get_db_prep_save(value, connection)
                    for field, value in zip(fields, values, strict=True)
                ]
            )

    def _write(self) -> tuple[list[AField], Statement]:
        sets, where, empty = map(self._fields, (self._sets, self._where, self._empty))
        conditions = [f"{_column(one)} = %s" for one in where]
        conditions += [f"{_column(one)} IS NULL" for one in empty]
        changed = ", ".join(f"{_column(one)} = %s" for one in sets)
        return [*sets, *where], Statement(
            f"UPDATE {_table(self._model)} SET {changed} WHERE {' AND '.join(conditions)}"  # noqa: S608
        )

    def _fields(self, names: Iterable[str]) -> list[AField]:
        return [self._model._meta.get_field(name) for name in names]  # type: ignore[misc]


@cache
def _insertion(model: type[models.Model]) -> tuple[list[AField], Statement]:
    """Return the fields of a new row but for its key, and the statement that adds it."""
    meta = model._meta
    fields: list[AField] = [one for one in meta.concrete_fields if not one.primary_key]
    columns, places = ", ".join(map(_column, fields)), ", ".join(["%s"] * len(fields))
    key = _column(meta.pk)
    sql = f"INSERT INTO {_table(model)} ({columns}) VALUES ({places}) RETURNING {key}"  # noqa: S608
    return fields, Statement(sql)


def _table(model: type[models.Model]) -> str:
    return connection.ops.quote_name(model._meta.db_table)


def _column(field: Any) -> str:
    return connection.ops.quote_name(field.column)
