"""The settings of a campaign's screens: those in use, those it opened with, and the amendments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotate.models import Campaign
from annotate.screening.screens import Settings
from annotate.selectors import amendments
from annotate.selectors.amendments import Amendment

AMENDED = "amend_screens"  # the verb of the log


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
    return ScreenSettings(in_use, opened, amendments.logged(campaign_id, AMENDED))
