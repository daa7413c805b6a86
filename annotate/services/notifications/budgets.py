"""Tells that a campaign has spent or promised most of its budget, where somebody asks for it."""

from django.db import transaction

from annotate.models import Campaign, Subscription
from annotate.selectors.pay import budget
from annotate.services import audit, locks
from annotate.states import CampaignStatus

PERCENT = 80


def note_low() -> int:
    """Log it for each campaign to which it happens, once; return for how many."""
    asking = Subscription.objects.filter(ended_at=None, low_told=False).values("campaign")
    found = Campaign.objects.filter(pk__in=asking, status=CampaignStatus.OPEN, budget__isnull=False)
    return sum(_note(campaign.pk) for campaign in found if _is_low(campaign))


def _is_low(campaign: Campaign) -> bool:
    return budget.committed(campaign) * 100 >= (campaign.budget or 0) * PERCENT


def _note(campaign_id: int) -> bool:
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        untold = Subscription.objects.filter(campaign=campaign, ended_at=None, low_told=False)
        if not untold.update(low_told=True):
            return False
        audit.record(
            "budget_low",
            campaign_id=campaign.pk,
            committed=str(budget.committed(campaign)),
            budget=str(campaign.budget),
            currency=campaign.currency,
        )
    return True
