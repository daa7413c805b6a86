"""The only writer of an operation's status (data rule 2).

`delivery` writes the audit row in the same transaction, for what is over and for what a person
decides. Of attempts the row itself is the record: how many, when, and what came of the last one.
"""

from typing import Any

from django.db.models import QuerySet

from annotate.models import Operation
from annotate.services import transitions

Status = Operation.Status

# SENT to SENT: another attempt, or another look whether it happened.
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
    """Change the status if the row is still as `op` was read, and `op` with it; False if not."""
    source, record = Status(op.status), transitions.elsewhere
    moved = transitions.change(
        _as_read(op), TRANSITIONS, to, sources=[source], record=record, **changes
    )
    _follow(op, status=to, **changes)
    return bool(moved)


def note(op: Operation, **changes: Any) -> bool:
    """Change other fields if the row is still as `op` was read, and `op` with it; False if not."""
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
