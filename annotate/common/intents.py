"""Effects on crowds, stored before they happen (data rule 3), and the messages that start them."""

import uuid
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotate.common.marks import operation_intended, posting_changed
from annotate.models import Operation
from annotate.models.crowds import Payload


def announce_operation(operation_id: int) -> None:
    """Have a worker carry this operation out soon."""
    transaction.on_commit(
        lambda: operation_intended.send_robust(sender=None, operation_id=operation_id), robust=True
    )


def announce_posting(posting_id: int) -> None:
    """Have a worker compare this posting with its crowd soon."""
    transaction.on_commit(
        lambda: posting_changed.send_robust(sender=None, posting_id=posting_id), robust=True
    )


def intend(
    payload: Payload,
    *,
    key: str,
    campaign_id: int,
    crowd: str,
    environment: str,
    batch_id: int | None = None,
    posting_id: int | None = None,
    participation_id: int | None = None,
    entry_id: int | None = None,
    annotator_id: int | None = None,
    due_at: datetime | None = None,
) -> Operation:
    """Store an effect, once for each key, in the caller's transaction; a worker carries it out.

    Its kind is the payload's. The database refuses a kind without its relations.
    """
    now = timezone.now()
    op, created = Operation.objects.get_or_create(
        key=key,
        defaults={
            "kind": payload.kind,
            "campaign_id": campaign_id,
            "crowd": crowd,
            "environment": environment,
            "batch_id": batch_id,
            "posting_id": posting_id,
            "participation_id": participation_id,
            "entry_id": entry_id,
            "annotator_id": annotator_id,
            "token": uuid.uuid4().hex,
            "payload": payload,
            "created_at": now,
            "due_at": due_at or now,
        },
    )
    if created and op.due_at <= now:
        announce_operation(op.pk)
    return op
