"""Stores many plain rows at once, without a model instance for each: an import has millions.

PostgreSQL takes them by COPY, SQLite by one prepared statement. No signals are sent and no
defaults are filled in. Call both functions in one transaction.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO
from typing import Any

from django.db import connections, models, router

Row = Sequence[Any]

_ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def reserve(model: type[models.Model], n: int) -> list[int]:
    """Return `n` ascending ids for new rows; no other row gets them."""
    connection = connections[router.db_for_write(model)]
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sequence = connection.ops.quote_name(table)
            query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
            cursor.execute(query, [sequence, n])
            return sorted(number for (number,) in cursor)
        # SQLite has one writer, and its table of sequences keeps the last id that was ever used.
        cursor.execute("SELECT max(seq) FROM sqlite_sequence WHERE name = %s", [table])
        (last,) = cursor.fetchone()
    return list(range((last or 0) + 1, (last or 0) + 1 + n))


def insert(model: type[models.Model], names: Sequence[str], rows: Iterable[Row]) -> None:
    """Add rows with the values of the named fields (`item_id` for a foreign key).

    JSON fields take what `json` can write; times are aware; the other fields take text, finite
    numbers and None. Without the field `id`, the database numbers the rows.
    """
    fields: list[models.Field[Any, Any]] = [
        field for name in names for field in model._meta.concrete_fields if field.attname == name
    ]
    connection = connections[router.db_for_write(model)]
    coded = [_coder(field, connection) for field in fields]
    written = (
        [code(value) if code else value for value, code in zip(row, coded, strict=True)]
        for row in rows
    )
    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    store = _copy if connection.vendor == "postgresql" else _insert
    with connection.cursor() as cursor:
        store(cursor, f"{quote(model._meta.db_table)} ({columns})", len(fields), written)


def _coder(field: "models.Field[Any, Any]", connection: Any) -> Callable[[Any], Any] | None:
    """Return what writes values of the field for the database; None where nothing has to."""
    if isinstance(field, models.JSONField):
        return json.dumps
    if isinstance(field, models.DateTimeField):
        written: Callable[[Any], Any] = connection.ops.adapt_datetimefield_value
        return written
    return None


def _insert(cursor: Any, target: str, width: int, rows: Iterable[Row]) -> None:
    places = ", ".join(["%s"] * width)
    cursor.executemany(f"INSERT INTO {target} VALUES ({places})", list(rows))  # noqa: S608


def _copy(cursor: Any, target: str, _width: int, rows: Iterable[Row]) -> None:
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    cursor.copy_expert(f"COPY {target} FROM STDIN", BytesIO(text.encode()))


def _cell(value: Any) -> str:
    """Return a value in the text format of COPY."""
    if value is None:
        return "\\N"
    if not isinstance(value, str):
        return str(value)
    text: str = value
    for mark, escaped in _ESCAPED.items():  # the backslash first
        if mark in text:
            text = text.replace(mark, escaped)
    return text
