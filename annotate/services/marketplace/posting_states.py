"""The only writer of a posting's status (data rule 2)."""

from collections.abc import Collection
from typing import Any

from annotate.crowds.base import Stage
from annotate.models import Posting
from annotate.services import audit, transitions

Status = Posting.Status


TRANSITIONS: dict[Status, frozenset[Status]] = {
    Status.PLANNED: frozenset({Status.OPEN, Status.FAILED, Status.CLOSED}),
    Status.FAILED: frozenset({Status.PLANNED, Status.OPEN, Status.FAILED, Status.CLOSED}),
    Status.OPEN: frozenset({Status.DRAINING, Status.CLOSED}),
    Status.DRAINING: frozenset({Status.OPEN, Status.CLOSED}),
    Status.CLOSED: frozenset({Status.OPEN, Status.DRAINING}),
}


OF_STAGE = {
    Stage.OPEN: Status.OPEN,
    Stage.DRAINING: Status.DRAINING,
    Stage.CLOSED: Status.CLOSED,
}


def move(posting: Posting, to: Status, *, sources: Collection[Status], **fields: Any) -> bool:
    """Move from one of `sources` to `to`, and log it, in the caller's transaction.

    `fields` change along with it. Returns False and changes nothing in any other state.
    """

    def record() -> None:
        subject = f"posting:{posting.public_id}"
        audit.record(f"posting_{to}", campaign_id=posting.batch.campaign_id, subject=subject)

    mine = Posting.objects.filter(pk=posting.pk)
    return bool(transitions.change(mine, TRANSITIONS, to, sources=sources, record=record, **fields))


def sources(to: Status) -> tuple[Status, ...]:
    """Return the states from which a published posting may follow its crowd."""
    return tuple(one for one in OF_STAGE.values() if to in TRANSITIONS[one])
