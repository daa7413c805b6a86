"""Deletes a campaign that was never open: nobody has worked for it, so nothing of it is a fact.

It leaves its members at once. A worker then removes its texts, in short transactions; the log keeps
that there was a draft, and who deleted it.
"""

from django.db import transaction

from annotate.errors import Conflict
from annotate.models import (
    Campaign,
    CampaignImport,
    CampaignTexts,
    ChangeMark,
    Item,
    Membership,
)
from annotate.services import locks
from annotate.services.campaigns import life
from annotate.states import CampaignStatus

AT_ONCE = 200  # items that one transaction removes, with all their rows
NAME = "Deleted draft"


def delete(campaign_id: int, *, actor_id: int) -> None:
    """Delete a draft permanently. Raises `Conflict` for any other campaign."""
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.status != CampaignStatus.DRAFT:
            raise Conflict("Only a draft can be deleted. Close this campaign, then archive it.")
        life.end_draft(campaign, actor_id=actor_id, name=NAME, public_title=NAME, public_about="")
        Membership.objects.filter(campaign=campaign_id).delete()
        # The same form, sent again, is to make a new campaign.
        CampaignImport.objects.filter(campaign=campaign_id).delete()
        ChangeMark.objects.filter(campaign=campaign_id).delete()


def clear_due() -> int:
    """Remove what was in deleted drafts; return how many there were. Safe to run twice."""
    due = Campaign.objects.filter(
        status=CampaignStatus.ARCHIVED, opened_at=None, memberships=None, systems__isnull=False
    )
    ids = list(due.order_by("pk").values_list("pk", flat=True).distinct())
    for campaign_id in ids:
        _clear(campaign_id)
    return len(ids)


def remove_items(campaign_id: int) -> None:
    """Remove items with all their rows, in short transactions."""
    items = Item.objects.filter(campaign=campaign_id)
    while keys := list(items.order_by("pk").values_list("pk", flat=True)[:AT_ONCE]):
        items.filter(pk__in=keys).delete()


def _clear(campaign_id: int) -> None:
    remove_items(campaign_id)
    campaign = Campaign.objects.get(pk=campaign_id)
    with transaction.atomic():
        for rows in (campaign.gold, campaign.targets, campaign.invitations, campaign.subscriptions):
            rows.all().delete()
        CampaignTexts.objects.filter(campaign=campaign_id).delete()
        campaign.change_marks.all().delete()
        campaign.systems.all().delete()  # last: without systems it is not due any more
