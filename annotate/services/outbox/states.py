"""The only writer of an operation's status (data rule 2).

`delivery` writes the audit row in the same transaction for final states and for a person's
decisions. For attempts, the row itself records their number, their time and the last outcome.
"""

from typing import Any

from django.db.models import QuerySet

from annotate.models import Operation
from annotate.services import transitions

Status = Operation.Status

# SENT to SENT: another attempt, or another check of its effect.
TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.PENDING: frozenset({Status.SENT, Status.DROPPED}),
    Status.SENT: frozenset(
        {Status.PENDING, Status.SENT, Status.DONE, Status.REFUSED, Status.UNCLEAR}
    ),
    Status.UNCLEAR: frozenset({Status.PENDING, Status.SENT, Status.DONE}),
    Status.REFUSED: frozenset({Status.PENDING, Status.DROPPED}),
    Status.DONE: frozenset(),
    Status.DROPPED: frozenset(),
}


def move(op: Operation, to: Status, **changes: Any) -> bool:
    """Change the status of the row and of `op` if the row is as it was read; False otherwise."""
    source, record = Status(op.status), transitions.elsewhere
    moved = transitions.change(
        _as_read(op), TRANSITIONS, to, sources=[source], record=record, **changes
    )
    _follow(op, status=to, **changes)
    return bool(moved)


def note(op: Operation, **changes: Any) -> bool:
    """Change other fields of the row and of `op` if the row is as it was read; False otherwise."""
    noted = transitions.note(_as_read(op), **changes)
    _follow(op, **changes)
    return bool(noted)


def _as_read(op: Operation) -> QuerySet[Operation]:
    return Operation.objects.filter(
        pk=op.pk, status=op.status, attempts=op.attempts, claim=op.claim
    )


def _follow(op: Operation, **changes: Any) -> None:
    for name, value in changes.items():
        setattr(op, name, value)
