"""Amendments have a reason: what was fixed when a campaign opened is changed later."""

from collections.abc import Mapping
from typing import Any

from annotate.errors import Invalid
from annotate.models import Campaign
from annotate.services import audit
from annotate.states import CampaignStatus

LONGEST_REASON = 300


def checked(reason: str, *, status: str) -> str:
    """Return the reason on one line. Raises `Invalid` without one, once the campaign has opened."""
    reason = " ".join(reason.split())
    if status == CampaignStatus.DRAFT:
        return reason[:LONGEST_REASON]
    if not 0 < len(reason) <= LONGEST_REASON:
        raise Invalid(
            {"reason": f"Say why, in at most {LONGEST_REASON} characters: the log keeps it."}
        )
    return reason


def record(
    verb: str,
    campaign: Campaign,
    reason: str,
    changes: Mapping[str, tuple[Any, Any]],
    *,
    actor_id: int | None,
) -> None:
    """Log an amendment, as `selectors.amendments` reads it. changes: path -> (was, now)."""
    audit.record(
        verb,
        campaign_id=campaign.pk,
        actor_id=actor_id,
        status=campaign.status,
        why=reason,
        changes=changes,
    )
