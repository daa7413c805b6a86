"""Tries verbs of services on rows in every state."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from annotate.common.errors import ServiceError
from annotate.models import (
    Assignment,
    AuditEntry,
    Judgment,
)
from tests.annotate.states import standing

Verb = Callable[[Any], object]
Moves = dict[str, str]  # the states from which the verb moves, and where to


def cases(table: dict[str, tuple[Verb, Moves]], states: Any) -> list[Any]:
    return [
        pytest.param(verb, state, moves.get(state, state), id=f"{name}-{state}")
        for name, (verb, moves) in table.items()
        for state in states.values
    ]


def done(verb: Verb, row: Any) -> bool:
    """Carry the verb out; False where it refuses, or returns that nothing was to be done."""
    try:
        with transaction.atomic():
            return verb(row) not in (False, 0, [])
    except ServiceError:
        return False


def check(verb: Verb, row: Any, to: str) -> None:
    """The row goes to `to` with a record, or stays with none; staying, it says so."""
    source, before = row.status, records(row)
    said = done(verb, row)
    row.refresh_from_db()
    assert row.status == to
    if to != source:
        assert said
        assert records(row) > before
    elif not said:
        assert records(row) == before


def records(row: Any) -> int:
    """Count what tells of a move: audit rows of this row or of its paid unit, and its judgment."""
    n = len(standing.acts(row))
    if isinstance(row, Assignment):
        n += Judgment.objects.filter(assignment=row).count()
        n += AuditEntry.objects.filter(subject=f"participation:{row.participation_id}").count()
    return n
