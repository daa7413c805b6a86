"""The log of acts. Call `record` inside the transaction of the act."""

from typing import Any

from annotate.models import AuditEntry


def record(
    verb: str,
    *,
    campaign_id: int | None,
    actor_id: int | None = None,
    subject: str = "",
    **detail: Any,
) -> None:
    """Log that `actor_id` (None: Plumbline itself) did `verb` to `subject`."""
    AuditEntry.objects.create(
        campaign_id=campaign_id, actor_id=actor_id, verb=verb, subject=subject, detail=detail
    )
