"""Changes that owners make to an existing campaign: its fee rate and its reviewers."""

from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction

from annotate import adapters
from annotate.errors import Conflict, Invalid
from annotate.models import Campaign, Membership
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


def add_reviewer(campaign_id: int, *, username: str, actor_id: int) -> None:
    """Let a user review the campaign's annotators."""
    user = User.objects.filter(username=username.strip(), is_active=True).first()
    if user is None:
        raise Invalid({"username": f"There is no user “{username.strip()}”. Capitals matter."})
    with transaction.atomic():
        _, created = Membership.objects.get_or_create(
            campaign_id=campaign_id, user=user, defaults={"role": Membership.Role.REVIEWER}
        )
        if not created:
            raise Conflict(f"{user.username} can see this campaign already.")
        audit.record(
            "add_reviewer",
            campaign_id=campaign_id,
            actor_id=actor_id,
            subject=f"user:{user.pk}",
            name=user.username,
        )
