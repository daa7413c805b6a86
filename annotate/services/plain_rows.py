"""Stores many plain rows at once, without a model instance for each: an import has millions.

COPY takes them. No signals are sent and no defaults are filled in. Call both functions in one
transaction.
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
    with connection.cursor() as cursor:
        query = "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)"
        cursor.execute(query, [connection.ops.quote_name(model._meta.db_table), n])
        return sorted(number for (number,) in cursor)


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
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in written)
    target = f"{quote(model._meta.db_table)} ({columns})"
    with connection.cursor() as cursor:
        cursor.copy_expert(f"COPY {target} FROM STDIN", BytesIO(text.encode()))


def _coder(field: "models.Field[Any, Any]", connection: Any) -> Callable[[Any], Any] | None:
    """Return what writes values of the field for the database; None where nothing has to."""
    if isinstance(field, models.JSONField):
        return json.dumps
    if isinstance(field, models.DateTimeField):
        written: Callable[[Any], Any] = connection.ops.adapt_datetimefield_value
        return written
    return None


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
