"""A person's campaigns as a list that is searched, ordered and shown page by page."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from typing import Any

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, Subquery, When
from django.db.models.functions import Lower
from django.utils import timezone

from annotate.models import (
    Appeal,
    Membership,
    NextStep,
    Operation,
    Review,
)
from annotate.selectors.campaigns import blinding, progress, slot_counts
from annotate.selectors.listings import Listing
from annotate.selectors.pay import open_units
from annotate.states import CampaignStatus as Status
from annotate.states import CloseReason


class Attention(IntEnum):
    """What a campaign needs of this member now, the most urgent first; then where it stands."""

    OPERATION = 0  # at the crowd: refused, or perhaps done
    UNIT = 1  # paid or not? the crowd says otherwise than this database
    APPEAL = 2
    RULING = 3
    BUDGET = 4  # ended the collection, not long ago
    ADVICE = 5  # an act is advised
    COLLECTING = 6  # nothing waits for anybody, as in all that follow
    PAUSED = 7
    DRAFT = 8
    OVER = 9


BUDGET_ASKS = timedelta(days=14)  # after closing; then the campaign stands with the closed ones


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
    is_behind: bool = False  # its estimates
    attention: int = Attention.OVER
    advice: str = ""  # what its dashboard advises; "" where that is not known

    @property
    def place(self) -> str:
        """Return the reason for its position in the list: the name of its `Attention`."""
        return Attention(self.attention).name.lower()

    @property
    def waits(self) -> bool:
        """Return whether something waits for this member."""
        return self.attention < Attention.COLLECTING

    @property
    def why_closed(self) -> str:
        """Return in words why it left `open`; "" if it has not."""
        return CloseReason(self.close_reason).label if self.close_reason else ""

    @property
    def sees_results(self) -> bool:
        return blinding.sees_results(self.role, self.closed_at)


# The orders of the list by their key, each with the fields that decide; last comes the newest.
ORDERS: dict[str, tuple[Any, ...]] = {
    "attention": ("attention",),
    "new": (),
    "name": (Lower("campaign__name"),),
}
PARTS: dict[str, tuple[Status, ...]] = {
    "all": tuple(one for one in Status if one != Status.ARCHIVED),
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
    ordered = mine.annotate(attention=_attention()).order_by(
        *ORDERS[listing.sort], "-campaign__created_at", "-campaign"
    )
    ordered = ordered.reverse() if listing.backwards else ordered
    rows = list(
        ordered.select_related("campaign__totals").annotate(
            judged=slot_counts.judged_of("campaign"),
            is_behind=Exists(progress.late_marks().filter(campaign=OuterRef("campaign"))),
            advice=Subquery(_advice()),
        )[listing.rows]
    )
    return listing, [_listed(one, one.campaign.totals.spent) for one in rows]


def has_any(user_id: int) -> bool:
    """Return whether this person sees any campaign."""
    return Membership.objects.filter(user=user_id).exists()


def n_archived(user_id: int) -> int:
    mine = Membership.objects.filter(user=user_id, campaign__status=Status.ARCHIVED)
    return mine.count()


LEAST_FOR_PACE = 30  # judgments; fewer say little about how many people come
SHORTEST = 1 / 24  # days


@dataclass(frozen=True)
class CollectionPace:
    """How fast a closed campaign collected: its name, and judgments a day while it was open."""

    name: str
    per_day: float


def pace(user_id: int, crowd: str) -> CollectionPace | None:
    """Return the pace of this person's newest closed campaign with people of this crowd, if any."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.RUN, campaign__crowd=crowd)
    over = mine.filter(campaign__opened_at__isnull=False, campaign__closed_at__isnull=False)
    found = over.annotate(judged=slot_counts.judged_of("campaign")).filter(
        judged__gte=LEAST_FOR_PACE
    )
    newest = found.select_related("campaign").order_by("-campaign__closed_at").first()
    if newest is None:
        return None
    campaign = newest.campaign
    assert campaign.opened_at is not None
    assert campaign.closed_at is not None
    days = (campaign.closed_at - campaign.opened_at) / timedelta(days=1)
    return CollectionPace(campaign.name, newest.judged / max(days, SHORTEST))


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
        is_behind=mine.is_behind,
        attention=mine.attention,
        advice=(mine.advice or "") if mine.role in Membership.RUN else "",
    )


def _advice() -> Any:
    return NextStep.objects.filter(campaign=OuterRef("campaign")).values("title")[:1]


def _attention() -> Any:
    """Return what the campaign needs of the member; each look is a short range of an index."""
    mine = OuterRef("campaign")
    stuck = Operation.objects.filter(campaign=mine, status__in=Operation.STUCK)
    appeals = Appeal.objects.filter(review__campaign=mine, answered_at=None)
    reviews = Review.objects.filter(campaign=mine, status=Review.Status.OPEN)
    advised = NextStep.objects.filter(campaign=mine, waits=False)
    owner = {"role": Membership.Role.OWNER}
    rules, runs = {"role__in": Membership.REVIEW}, {"role__in": Membership.RUN}
    return Case(
        When(Exists(stuck), **owner, then=Attention.OPERATION.value),
        When(Exists(open_units.waiting(mine)), **owner, then=Attention.UNIT.value),
        When(Exists(appeals), **rules, then=Attention.APPEAL.value),
        When(Exists(reviews), **rules, then=Attention.RULING.value),
        When(_ended_by_budget(), **runs, then=Attention.BUDGET.value),
        When(
            Exists(advised) & _in(Status.OPEN, Status.CLOSING),
            **runs,
            then=Attention.ADVICE.value,
        ),
        When(_in(Status.OPEN, Status.CLOSING), then=Attention.COLLECTING.value),
        When(_in(Status.PAUSED), then=Attention.PAUSED.value),
        When(_in(Status.DRAFT), then=Attention.DRAFT.value),
        default=Attention.OVER.value,
        output_field=IntegerField(),
    )


def _in(*statuses: Status) -> Q:
    return Q(campaign__status__in=statuses)


def _ended_by_budget() -> Q:
    recent = Q(campaign__closed_at__gte=timezone.now() - BUDGET_ASKS) & _in(Status.CLOSED)
    return Q(campaign__close_reason=CloseReason.BUDGET) & (recent | _in(Status.CLOSING))
