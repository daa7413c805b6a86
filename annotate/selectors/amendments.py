"""Amendments: what was changed of a campaign after it had opened, by whom, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.models import AuditEntry
from annotate.models.audit import FEED
from annotate.states import CampaignStatus


@dataclass(frozen=True)
class Amendment:
    """One change. changes: path -> (was, now). actor: "" for a command."""

    at: datetime
    actor: str
    why: str
    changes: Mapping[str, tuple[Any, Any]]


def logged(campaign_id: int, verb: str) -> tuple[Amendment, ...]:
    """Return the changes that the log has under this verb, newest first, without a draft's."""
    rows = AuditEntry.objects.filter(FEED, campaign=campaign_id, verb=verb).order_by("-pk")
    found = rows.values_list("at", "actor__username", "detail")
    return tuple(
        _amendment(at, actor or "", detail)
        for at, actor, detail in found
        if detail.get("status") != CampaignStatus.DRAFT
    )


def _amendment(at: datetime, actor: str, detail: Mapping[str, Any]) -> Amendment:
    changes = {path: (was, now) for path, (was, now) in detail.get("changes", {}).items()}
    return Amendment(at, actor, detail.get("why", ""), changes)
