"""The log of acts. Call `record` inside the transaction of the act."""

from collections.abc import Iterable
from typing import Any

from annotate.models import AuditEntry
from annotate.services.notifications import intending


def record(
    verb: str,
    *,
    campaign_id: int | None,
    actor_id: int | None = None,
    subject: str = "",
    **detail: Any,
) -> None:
    """Log that `actor_id` (None: Plumbline itself) did `verb` to `subject`, and tell who asks."""
    entry = AuditEntry.objects.create(
        campaign_id=campaign_id, actor_id=actor_id, verb=verb, subject=subject, detail=detail
    )
    intending.of_act(entry)


def record_each(verb: str, *, campaign_id: int, subjects: Iterable[str]) -> None:
    """Log that Plumbline did `verb` to each of `subjects`."""
    AuditEntry.objects.bulk_create(
        AuditEntry(campaign_id=campaign_id, verb=verb, subject=subject) for subject in subjects
    )
