"""Changes of a status along a table: one conditional UPDATE, with an audit row (data rule 2).

Each status has one module. It holds the table, and no other module calls `change` for it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)
S = TypeVar("S", bound=str)


def change(
    rows: QuerySet[M],
    table: Mapping[S, Collection[S]],
    to: S,
    *,
    sources: Collection[S],
    record: Callable[[], None],
    **fields: Any,
) -> int:
    """Move those of `rows` that are in one of `sources` to `to`; return how many moved.

    record: writes the audit row, in the same transaction and only if a row has moved.
    fields: other fields that change along with the status.
    Raises `ValueError` and changes nothing where the table does not allow the move from one of
    `sources`.
    """
    if refused := [source for source in sources if to not in table[source]]:
        name = rows.model._meta.verbose_name
        raise ValueError(f"This {name} cannot go from {', '.join(refused)} to {to}.")
    with transaction.atomic(savepoint=False):
        moved = rows.filter(status__in=list(sources)).update(status=to, **fields)
        if moved:
            record()
    return moved


def elsewhere() -> None:
    """Record nothing. The calling module states which other row is the record."""


def note(rows: QuerySet[M], **fields: Any) -> int:
    """Update fields other than the status; return the number of rows updated."""
    if "status" in fields:
        raise ValueError("A status changes by `change` only.")
    return rows.update(**fields)
