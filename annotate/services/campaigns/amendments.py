"""Changes that people make to an existing campaign: its fee rate, its budget and its links."""

from decimal import Decimal

from django.db import transaction
from django.db.models import F

from annotate import adapters
from annotate.crowds.tariffs import CENT
from annotate.errors import Conflict, Invalid
from annotate.models import Campaign, Subscription
from annotate.selectors.pay import budget
from annotate.services import audit, change_marks, locks
from annotate.services.campaigns.plans import MOST_BUDGET, MOST_FEE
from annotate.services.pay.quotes import FINEST, percent
from annotate.states import CampaignStatus
from annotate.text.figures import money


def change_fee(
    campaign_id: int, share: Decimal, *, actor_id: int | None, beyond_budget: bool = False
) -> bool:
    """Use this fee rate from now on; return False if it is unchanged. Existing ledger rows stay.

    Raises `Invalid` for an impossible rate. Raises `Conflict` for a campaign by link, and where the
    new rate raises what is promised above the budget, unless `beyond_budget` is set.
    """
    if not share.is_finite() or not 0 <= share < MOST_FEE or share != share.quantize(FINEST):
        raise Invalid({"fee_rate": "The fee is a share with at most four decimals, such as 0.4."})
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if not adapters.publishes(campaign.crowd):
            raise Conflict("People of this campaign come by link: no crowd adds a fee.")
        if campaign.fee_rate == share:
            return False
        before, was = budget.excess(campaign), campaign.fee_rate
        Campaign.objects.filter(pk=campaign_id).update(fee_rate=share)
        campaign.refresh_from_db()
        excess = budget.ask(campaign, before=before, beyond_budget=beyond_budget)
        change_marks.mark(campaign_id, "fee")  # a limit may be reached or lifted
        audit.record(
            "fee",
            campaign_id=campaign_id,
            actor_id=actor_id,
            was=percent(was),
            now=percent(share),
            beyond_budget=str(excess),
        )
    return True


def raise_budget(campaign_id: int, budget: Decimal, *, actor_id: int | None) -> bool:
    """Raise the budget; return False if it is this one already.

    Raises `Invalid` for an amount that is lower or impossible, and `Conflict` for a campaign
    without a budget, an archived one, and one that somebody has changed meanwhile.
    """
    if not budget.is_finite() or not 0 < budget < MOST_BUDGET or budget != budget.quantize(CENT):
        raise Invalid({"budget": "Give an amount below a hundred million, in whole cents."})
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        if campaign.budget is None:
            raise Conflict("This campaign has no budget, so none can be raised.")
        if campaign.status == CampaignStatus.ARCHIVED:
            raise Conflict("This campaign is archived.")
        if budget == campaign.budget:
            return False
        if budget < campaign.budget:
            raise Invalid({"budget": f"The budget is {money(campaign.budget)}. Give a larger one."})
        mine = Campaign.objects.filter(pk=campaign_id, budget=campaign.budget)
        if not mine.exclude(status=CampaignStatus.ARCHIVED).update(budget=budget):
            raise Conflict("Another user has changed this campaign meanwhile. Look at it again.")
        Subscription.objects.filter(campaign=campaign_id, ended_at=None).update(low_told=False)
        change_marks.mark(campaign_id, "budget")  # a limit may be lifted
        audit.record(
            "raise_budget",
            campaign_id=campaign_id,
            actor_id=actor_id,
            was=str(campaign.budget),
            now=str(budget.quantize(CENT)),
        )
    return True


def withdraw_links(campaign_id: int, *, actor_id: int) -> None:
    """Withdraw all links for annotators. People who have entered go on with their own pages."""
    with transaction.atomic():
        rows = Campaign.objects.filter(pk=campaign_id)
        rows.update(links_number=F("links_number") + 1)
        audit.record("withdraw_links", campaign_id=campaign_id, actor_id=actor_id)
