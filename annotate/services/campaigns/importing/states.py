"""Changes the status of imports: the only code that does."""

from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.models import CampaignImport
from annotate.services import audit
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

    False, with nothing changed, if somebody else was quicker or `where` does not hold.
    """
    source = Status(of.status)
    assert to in TRANSITIONS[source], (source, to)
    with transaction.atomic():
        unchanged = CampaignImport.objects.filter(pk=of.pk, status=source, **where or {})
        if not unchanged.update(status=to, changed_at=timezone.now(), **changes):
            return False
        audit.record(
            f"import_{to}", campaign_id=None, actor_id=actor_id, subject=f"import:{of.public_id}"
        )
        announce(of.pk)
    of.refresh_from_db()
    return True


def announce(import_id: int) -> None:
    """Let a worker look at it once this transaction has been committed."""
    transaction.on_commit(
        lambda: import_waiting.send_robust(sender=None, import_id=import_id), robust=True
    )
