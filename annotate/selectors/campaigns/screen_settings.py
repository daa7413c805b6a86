"""The settings of a campaign's screens: those in use, those it opened with, and the amendments."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotate.models import AuditEntry, Campaign
from annotate.screening.settings import Settings

AMENDED = "amend_screens"  # the verb of the log


@dataclass(frozen=True)
class Amendment:
    """One change. changes: path -> (was, now). actor: "" for a command."""

    at: datetime
    actor: str
    why: str
    changes: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True)
class ScreenSettings:
    """in_use: every setting. at_opening: those of the protocol; None before, and from 0.1.0."""

    in_use: Mapping[str, Mapping[str, Any]]
    at_opening: Mapping[str, Mapping[str, Any]] | None
    amendments: tuple[Amendment, ...]


def of(campaign_id: int) -> ScreenSettings:
    """Return a campaign's settings with their history; two queries."""
    campaign = Campaign.objects.get(pk=campaign_id)
    in_use = Settings.from_dict(campaign.screening).to_dict()
    opened = (campaign.protocol or {}).get("screening") or None
    return ScreenSettings(in_use, opened, amendments(campaign_id))


def amendments(campaign_id: int) -> tuple[Amendment, ...]:
    """Return the changes of a campaign's settings, the newest first; one query."""
    rows = AuditEntry.objects.filter(campaign=campaign_id, verb=AMENDED).order_by("-pk")
    return tuple(
        Amendment(
            at,
            actor or "",
            detail.get("why", ""),
            {path: (was, now) for path, (was, now) in detail.get("changes", {}).items()},
        )
        for at, actor, detail in rows.values_list("at", "actor__username", "detail")
    )
