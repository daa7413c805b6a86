"""Changes the settings of a campaign's screens: freely in a draft, later with a logged reason."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotate.errors import Conflict, Invalid
from annotate.models import Campaign
from annotate.screening.base import SettingsError
from annotate.screening.screens import Settings, by_path
from annotate.screening.signals import signals_on
from annotate.selectors.campaigns.screen_settings import AMENDED
from annotate.services import change_marks, locks, reasons
from annotate.states import CampaignStatus

OVER = (CampaignStatus.CLOSED, CampaignStatus.ARCHIVED)
UNTOLD = (
    "Signals can be switched on before the campaign opens only: people who have joined were not "
    "told about them."
)


def change(
    campaign_id: int,
    given: Mapping[str, Mapping[str, Any]],
    *,
    actor_id: int | None,
    reason: str = "",
) -> dict[str, tuple[Any, Any]]:
    """Change some settings; return what changed, by path, as (was, now).

    given: group -> name -> value; what is not named stays. The screens look again with the new
    settings. Flags that were raised stay. Raises `Invalid` for unknown names, values outside their
    ranges and a missing reason, and `Conflict` after closing and where signals would be switched on
    too late.
    """
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status in OVER:
            raise Conflict("The campaign is closed: its screens have done their work.")
        before, now = _settings(campaign.screening), _settings(_merged(campaign.screening, given))
        changes = _differences(before, now)
        if not changes:
            return {}
        reason = _checked(campaign, now, reason)
        Campaign.objects.filter(pk=campaign_id).update(screening=now, screened="")
        change_marks.mark(campaign_id, "screens")
        reasons.record(AMENDED, campaign, reason, changes, actor_id=actor_id)
    return changes


def _settings(stored: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    try:
        return Settings.from_dict(stored).to_dict()
    except SettingsError as refused:
        raise Invalid(refused.errors("settings")) from None


def _merged(stored: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored settings with the given ones; what is no object is left to the check."""
    merged = dict(stored)
    for group, values in given.items():
        whole = isinstance(values, Mapping) and isinstance(merged.get(group, {}), Mapping)
        merged[group] = {**merged.get(group, {}), **values} if whole else values
    return merged


def _differences(
    before: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[Any, Any]]:
    pairs = {
        path: (before[one.group][one.name], now[one.group][one.name])
        for path, one in by_path().items()
    }
    return {path: (was, is_) for path, (was, is_) in pairs.items() if was != is_}


def _checked(campaign: Campaign, now: Mapping[str, Any], reason: str) -> str:
    """Return the reason, after checking that this may still be changed."""
    is_draft = campaign.status == CampaignStatus.DRAFT
    if not is_draft and signals_on(now) and not signals_on(campaign.screening):
        raise Conflict(UNTOLD)
    return reasons.checked(reason, status=campaign.status)
