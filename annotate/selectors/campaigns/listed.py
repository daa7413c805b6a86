"""A person's campaigns as a list that is searched, ordered and shown page by page."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, IntegerField, OuterRef, Subquery
from django.db.models.functions import Coalesce, Lower

from annotate.models import Assignment, Membership, Slot
from annotate.selectors.campaigns import blinding
from annotate.selectors.listings import Listing
from annotate.selectors.pay import tallies
from annotate.states import CampaignStatus as Status


@dataclass(frozen=True)
class ListedCampaign:
    """One line of the campaign list."""

    public_id: str
    name: str
    status: str
    close_reason: str
    role: str
    created_at: datetime
    planned: int
    judged: int
    spent: Decimal
    budget: Decimal | None
    crowd: str
    closed_at: datetime | None
    currency: str

    @property
    def sees_results(self) -> bool:
        return blinding.sees_results(self.role, self.closed_at)


# The orders of the list by their key, each with the fields that decide; last comes the newest.
ORDERS: dict[str, tuple[Any, ...]] = {"new": (), "name": (Lower("campaign__name"),)}
PARTS: dict[str, tuple[Status, ...]] = {
    "all": tuple(Status),
    "running": (Status.OPEN, Status.PAUSED, Status.CLOSING),
    "draft": (Status.DRAFT,),
    "closed": (Status.CLOSED,),
    "archived": (Status.ARCHIVED,),
}


def listed(user_id: int, listing: Listing) -> tuple[Listing, list[ListedCampaign]]:
    """Return a page of the campaigns of this person; always the same number of queries."""
    mine = Membership.objects.filter(user=user_id, campaign__status__in=PARTS[listing.choice])
    if listing.search:
        mine = mine.filter(campaign__name__icontains=listing.search)
    listing = listing.found(mine.count())
    ordered = mine.order_by(*ORDERS[listing.sort], "-campaign__created_at", "-campaign")
    ordered = ordered.reverse() if listing.backwards else ordered
    rows = list(ordered.select_related("campaign").annotate(judged=_judged())[listing.rows])
    spent = tallies.spent([one.campaign_id for one in rows])
    return listing, [_listed(one, spent[one.campaign_id]) for one in rows]


def has_any(user_id: int) -> bool:
    """Return whether this person sees any campaign."""
    return Membership.objects.filter(user=user_id).exists()


def _listed(mine: Any, spent: Decimal) -> ListedCampaign:
    campaign = mine.campaign
    return ListedCampaign(
        public_id=campaign.public_id,
        name=campaign.name,
        status=campaign.status,
        close_reason=campaign.close_reason,
        role=mine.role,
        created_at=campaign.created_at,
        planned=campaign.planned,
        judged=mine.judged,
        spent=spent,
        budget=campaign.budget,
        crowd=campaign.crowd,
        closed_at=campaign.closed_at,
        currency=campaign.currency,
    )


def _judged() -> Any:
    """Return how many judgments count: planned ones, without free slots and those in progress.

    To count the slots with a verified assignment would read all of them.
    """
    free = Slot.objects.filter(assignment=None).order_by()
    leased = Assignment.objects.filter(status=Assignment.Status.LEASED)
    sent = Assignment.objects.filter(status=Assignment.Status.SUBMITTED, slot__isnull=False)
    not_yet = _number(free) + _number(leased) + _number(sent)
    return F("campaign__planned") - not_yet


def _number(rows: Any) -> Any:
    mine = rows.filter(campaign=OuterRef("campaign")).values("campaign")
    counted = mine.annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
