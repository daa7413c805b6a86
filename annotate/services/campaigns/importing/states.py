"""The only writer of an import's status (data rule 2)."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import CampaignImport
from annotate.services import audit, transitions
from annotate.signals import import_waiting
from annotate.states import ImportStatus as Status

TRANSITIONS: dict[Status, set[Status]] = {
    Status.READING: {
        Status.READY,
        Status.REFUSED,
        Status.CREATING,
        Status.FAILED,
        Status.CANCELLED,
    },
    Status.READY: {Status.CREATING, Status.CANCELLED},
    Status.REFUSED: {Status.CANCELLED},
    Status.CREATING: {Status.DONE, Status.REFUSED, Status.FAILED, Status.CANCELLED},
    Status.FAILED: {Status.READING, Status.CREATING, Status.CANCELLED},
    Status.DONE: set(),
    Status.CANCELLED: set(),
}


def move(
    of: CampaignImport,
    to: Status,
    *,
    where: dict[str, Any] | None = None,
    actor_id: int | None = None,
    **changes: Any,
) -> bool:
    """Change the status as it was read, log it, and wake a worker if there is work to do.

    Returns False and changes nothing if another process was faster or `where` does not hold.
    """
    mine = CampaignImport.objects.filter(pk=of.pk, **where or {})

    def record() -> None:
        audit.record(
            f"import_{to}", campaign_id=None, actor_id=actor_id, subject=f"import:{of.public_id}"
        )
        announce(of.pk)

    changes["changed_at"] = timezone.now()
    source = Status(of.status)
    if not transitions.change(mine, TRANSITIONS, to, sources=[source], record=record, **changes):
        return False
    of.refresh_from_db()
    return True


def begin_read(of: CampaignImport) -> None:
    """Store an import whose files have already been read."""
    of.status = Status.CREATING
    of.save(force_insert=True)


def announce(import_id: int) -> None:
    """Have a worker look at it once this transaction is committed."""
    transaction.on_commit(
        lambda: import_waiting.send_robust(sender=None, import_id=import_id), robust=True
    )
