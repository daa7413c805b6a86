"""The only writer of a participation's status (data rule 2)."""

from collections.abc import Collection
from typing import Any

from annotate.models import (
    Participation,
)
from annotate.services import audit, transitions

Status = Participation.Status


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.ACTIVE: frozenset({Status.HANDED_IN, Status.CONFIRMED, Status.LEFT}),
    Status.HANDED_IN: frozenset({Status.CONFIRMED, Status.LEFT}),
    # On Prolific, people can return a submission until it is decided.
    Status.CONFIRMED: frozenset({Status.APPROVED, Status.REJECTED, Status.LEFT}),
    Status.APPROVED: frozenset(),
    Status.REJECTED: frozenset({Status.APPROVED}),
    Status.LEFT: frozenset({Status.ACTIVE, Status.CONFIRMED}),
}


def move(participation_id: int, to: Status, *, sources: Collection[Status], **fields: Any) -> bool:
    """Move from one of `sources` to `to`, and log it, in the caller's transaction.

    `fields` change along with it. Returns False and changes nothing in any other state, which means
    that another process was first.
    """
    mine = Participation.objects.filter(pk=participation_id)

    def record() -> None:
        campaign_id = mine.values_list("campaign_id", flat=True).get()
        subject = f"participation:{participation_id}"
        audit.record(f"participation_{to}", campaign_id=campaign_id, subject=subject)

    return bool(transitions.change(mine, TRANSITIONS, to, sources=sources, record=record, **fields))
