"""Stores many plain rows at once, without a model instance for each: an import has millions.

COPY takes them. No signals are sent and no defaults are filled in. Call both functions in one
transaction.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Any

import numpy as np
from django.db import connections, models, router
from django.db.models import F, QuerySet
from numpy.typing import NDArray

from annotate.models import AuditEntry, Campaign, System
from annotate.models.accounts import FEED
from annotate.models.base import CampaignStatus

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


# Reads columns of many rows into arrays, without a Python object for each value.


Ints = NDArray[np.int64]

# PostgreSQL's binary COPY: a header, then for each row the number of its fields and for each
# field its size and value, all big-endian, and a row with -1 fields at the end.
_HEADER, _TRAILER = 19, 2

# Ids whose range is at most this many times their number are looked up in a table, not searched.
_DENSE = 8


def columns(rows: QuerySet[Any, Any], **kinds: str) -> tuple[NDArray[Any], ...]:
    """Return the named columns of `rows`, each as an array in the order of the query.

    kinds: {column: "i8", "i4", "i2" or "f8"}, the column's type in the database; columns must not
        hold NULL.
    It uses COPY, which takes a quarter of the time of a cursor. Raises ValueError where the rows
    are not of these kinds.
    """
    chosen = rows.values_list(*kinds)
    table = _copied(chosen, kinds)
    return tuple(
        table[name].astype(np.float64 if table[name].dtype.kind == "f" else np.int64)
        for name in kinds
    )


def parts(rows: QuerySet[Any, Any], *names: str, size: int) -> Iterator[list[tuple[Any, ...]]]:
    """Yield `size` rows of the named columns at a time, as the database gives them.

    It takes half the time of the query set's own iterator, which looks at each value. Behind a
    pool of connections, which lends none between two statements, all rows are in memory at once.
    """
    connection = connections[rows.db]
    pooled = connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    with connection.cursor() if pooled else connection.chunked_cursor() as cursor:
        cursor.execute(*rows.values_list(*names).query.sql_with_params())
        while part := cursor.fetchmany(size):
            yield part


def places(ids: Ints, *, wanted: Ints) -> Ints:
    """Return the index of each of `wanted` in the ascending `ids`, -1 where it is missing."""
    if not ids.size:
        return np.full(wanted.size, -1)
    low, spread = int(ids[0]), int(ids[-1]) - int(ids[0]) + 1
    if spread > _DENSE * ids.size:
        found = np.minimum(np.searchsorted(ids, wanted), ids.size - 1)
        return np.where(ids[found] == wanted, found, -1)
    # One cell more than the ids need, for everything outside of them.
    table = np.full(spread + 1, -1)
    table[ids - low] = np.arange(ids.size)
    offset = wanted - low
    return np.asarray(table[np.where((offset >= 0) & (offset < spread), offset, spread)])


def _copied(rows: QuerySet[Any, Any], kinds: dict[str, str]) -> NDArray[Any]:
    """Return the rows as a structured array over the bytes that the server sent."""
    fields = [("fields", ">i2")]
    for name, kind in kinds.items():
        fields += [(f"{name} size", ">i4"), (name, f">{kind}")]
    row = np.dtype(fields)
    received = BytesIO()
    with connections[rows.db].cursor() as cursor:
        query = cursor.mogrify(*rows.query.sql_with_params()).decode()
        cursor.copy_expert(f"COPY ({query}) TO STDOUT (FORMAT binary)", received)
    count, odd = divmod(len(received.getbuffer()) - _HEADER - _TRAILER, row.itemsize)
    table = np.frombuffer(received.getbuffer(), row, count, _HEADER)
    sizes = [(table[f"{name} size"] == row[name].itemsize).all() for name in kinds]
    if odd or not all(sizes) or (table["fields"] != len(kinds)).any():
        raise ValueError(f"The columns are not of the kinds {kinds}, or hold NULL.")
    return table


# Amendments: what was changed of a campaign after it had opened, by whom, and why.


@dataclass(frozen=True)
class Amendment:
    """One change. changes: path -> (was, now). actor: "" for a command."""

    at: datetime
    actor: str
    why: str
    changes: Mapping[str, tuple[Any, Any]]


def logged(campaign_id: int, verb: str) -> tuple[Amendment, ...]:
    """Return the changes that the log has under this verb, newest first, without a draft's."""
    rows = AuditEntry.objects.filter(FEED, campaign=campaign_id, verb=verb).order_by("-pk")
    found = rows.values_list("at", "actor__username", "detail")
    return tuple(
        Amendment(
            at,
            actor or "",
            detail.get("why", ""),
            {path: (was, now) for path, (was, now) in detail.get("changes", {}).items()},
        )
        for at, actor, detail in found
        if detail.get("status") != CampaignStatus.DRAFT
    )


# The newest of a long history, looked up by an index: the history itself is not read.


OTHER = "other"  # the second system of a pair, for `OuterRef`


def by_campaign(*found: Any) -> list[int]:
    """Return the ids that these expressions find for all campaigns; one query."""
    return _ids(Campaign.objects.all(), found)


def by_system(campaign_ids: Sequence[int], *found: Any) -> list[int]:
    """Return the ids that these expressions find for the systems of campaigns; one query."""
    return _ids(System.objects.filter(campaign__in=campaign_ids), found)


def by_pair(campaign_ids: Sequence[int], *found: Any) -> list[int]:
    """Return the ids that they find for each system and `OTHER`, in both orders; one query."""
    systems = System.objects.filter(campaign__in=campaign_ids)
    return _ids(systems.annotate(**{OTHER: F("campaign__systems")}), found)


def _ids(rows: Any, found: Sequence[Any]) -> list[int]:
    if not found:
        return []
    named = {f"found_{n}": one for n, one in enumerate(found)}
    ids = rows.order_by().annotate(**named).values_list(*named)
    return [pk for row in ids for pk in row if pk is not None]
