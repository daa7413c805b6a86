"""Changes that people make to an existing campaign: its fee rate and its links."""

from decimal import Decimal

from django.db import transaction
from django.db.models import F

from annotate import adapters
from annotate.errors import Conflict, Invalid
from annotate.models import Campaign
from annotate.selectors.pay import budget
from annotate.services import audit, change_marks, locks
from annotate.services.campaigns.plans import MOST_FEE
from annotate.services.pay.quotes import FINEST, percent


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


def withdraw_links(campaign_id: int, *, actor_id: int) -> None:
    """Withdraw all links for annotators. People who have entered go on with their own pages."""
    with transaction.atomic():
        rows = Campaign.objects.filter(pk=campaign_id)
        rows.update(links_number=F("links_number") + 1)
        audit.record("withdraw_links", campaign_id=campaign_id, actor_id=actor_id)
