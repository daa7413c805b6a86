"""Campaigns for pages: the facts of one, the list of a person’s, the advice kept for it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from math import comb
from typing import Any

from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, Subquery, When
from django.db.models.functions import Lower
from django.utils import timezone

from annotate.campaigns import facts as campaigns_facts
from annotate.campaigns import progress
from annotate.campaigns.facts import SystemStanding, asked
from annotate.common import access
from annotate.common.lists import Listing
from annotate.common.numbers import many
from annotate.crowds import adapters
from annotate.instruments.base import Criterion
from annotate.models import Appeal, Campaign, Membership, NextStep, Operation, Review
from annotate.models.base import CampaignStatus as Status
from annotate.models.base import CloseReason, StopMode
from annotate.pay import budget as pay_budget
from annotate.studies import queries as studies_queries


@dataclass(frozen=True)
class CampaignFacts:
    """What was decided about a campaign, and its state."""

    campaign_id: int
    public_id: str
    name: str
    status: str
    close_reason: str
    opened_at: datetime | None
    closed_at: datetime | None
    reward: Decimal
    budget: Decimal | None
    max_judgments: int | None
    deadline: datetime | None
    annotator_cap: int | None
    lease_minutes: int
    double_share: float
    raters: int
    metric_choice: str
    metrics: tuple[str, ...]
    stop_mode: str
    estimand: str
    level: float
    contact: str
    crowd: str
    criteria: tuple[Criterion, ...]
    targets: dict[str, float]  # widths, by criterion; none in a ranking
    systems: tuple[SystemStanding, ...]
    margins: dict[str, float] = field(default_factory=dict)  # of a ranking
    planned_items: int | None = None
    gold_share: int = 0
    raw_metrics: bool = False  # it opened before metrics entered bounded, and takes their values
    people: int | None = None  # how many the researcher has; None: not known
    language: str = "en"
    output_form: str = "plain"
    input_form: str = "plain"
    shows_reference: bool = False
    named_experts: bool = False  # who judge everything, as many as `raters`
    recorded: Mapping[str, Any] | None = None  # of judgments that were made elsewhere
    ranks: bool = False  # people rank all texts of an item

    @property
    def is_ranking(self) -> bool:
        return self.stop_mode == StopMode.RANKING

    @property
    def compares(self) -> bool:
        """Return whether a system is a pair of systems, whose texts are judged side by side."""
        return any(system.first for system in self.systems)

    @property
    def primary(self) -> tuple[Criterion, ...]:
        """The criteria that decide when collection stops, in the order in which they were asked."""
        if not (self.targets or self.margins):  # judgments that were made elsewhere
            return self.criteria
        named = {criterion.name: criterion for criterion in self.criteria}
        return tuple(named[name] for name in (*self.targets, *self.margins) if name in named)

    @property
    def criterion_names(self) -> list[str]:
        return [criterion.name for criterion in self.criteria]

    @property
    def is_final(self) -> bool:
        """Return whether collection has ended, unless the campaign is reopened."""
        return self.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)

    @property
    def marketplace(self) -> str:
        """Return the name of the crowd that publishes and pays for the work; "" by link."""
        return adapters.crowd_label(self.crowd) if adapters.publishes(self.crowd) else ""

    @property
    def why_closed(self) -> str:
        """Return the reason as the end of a sentence: “because …”."""
        if self.close_reason == Campaign.Reason.HAND:
            return "it was closed by hand"
        return str(Campaign.Reason(self.close_reason).label) if self.close_reason else ""

    @property
    def metric_name(self) -> str:
        """Return one metric's name, or the number of metrics; "" without any."""
        if len(self.metrics) < 2:
            return "".join(self.metrics)
        return f"{len(self.metrics)} metrics together"

    @property
    def made_elsewhere(self) -> str:
        """Return what imported judgments can say, in sentences; "" for those made here."""
        if not self.recorded:
            return ""
        chosen, outputs = self.recorded["chosen"], self.recorded["outputs"]
        chosen += "" if chosen.endswith((".", "!", "?", "。")) else "."
        if outputs is None:
            return (
                "These judgments were made elsewhere, and what was judged was not chosen at "
                f"random: {chosen} The estimates are means of the judged items, and make no claim "
                "beyond these items."
            )
        return (
            f"These judgments were made elsewhere. Of {many(outputs, 'output')} of each system, "
            f"those that were judged were chosen at random: {chosen}"
        )

    @property
    def speaks_for(self) -> str:
        if self.named_experts:
            return f"the mean of these {self.raters} experts"
        return str(Campaign.Estimand(self.estimand).label)


def targets(user_id: int, public_ids: Collection[str]) -> list[Any]:
    """Return those of these campaigns whose results this person may see.

    Each has further attributes: `widths` and `margins` by criterion, `n_intervals`, `n_pairs`.
    """
    mine = Membership.objects.filter(access.results_visible(), user=user_id)
    shown = mine.filter(campaign__public_id__in=public_ids).values("campaign")
    campaigns: Any = Campaign.objects.filter(pk__in=shown).annotate(
        n_systems=Count("systems"), n_together=Count("systems", filter=~Q(systems__first=""))
    )
    found = list(campaigns.prefetch_related("targets"))
    for one in found:
        one.widths, one.margins = asked(one)
        one.n_intervals = len(one.widths) * one.n_systems
        one.n_pairs = len(one.margins) * (one.n_together or comb(one.n_systems, 2))
    return found


def facts_of(public_id: str) -> CampaignFacts | None:
    """Return the facts of the campaign with this public id, if there is one."""
    found = Campaign.objects.filter(public_id=public_id).first()
    return facts(found) if found else None


# The fields of a campaign that are among its facts as they are.
AS_STORED = (
    *("public_id", "name", "status", "close_reason", "opened_at", "closed_at", "crowd", "contact"),
    *("reward", "budget", "max_judgments", "deadline", "annotator_cap", "people"),
    *("lease_minutes", "double_share", "raters", "metric_choice", "stop_mode", "planned_items"),
    *("named_experts", "gold_share", "estimand", "level", "language", "output_form", "input_form"),
    *("shows_reference", "recorded"),
)


def facts(campaign: Campaign) -> CampaignFacts:
    widths, margins = asked(campaign)
    instrument = studies_queries.instrument_of(campaign)
    return CampaignFacts(
        campaign_id=campaign.pk,
        metrics=tuple(campaign.metrics),
        raw_metrics=campaigns_facts.takes_raw_metrics(campaign),
        criteria=instrument.criteria,
        ranks=instrument.ranks,
        systems=tuple(campaigns_facts.standings(campaign.pk)),
        targets=widths,
        margins=margins,
        **{name: getattr(campaign, name) for name in AS_STORED},
    )


# A person's campaigns as a list that is searched, ordered and shown page by page.


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


def listed(user_id: int, listing: Listing) -> tuple[Listing, list[Any]]:
    """Return a page of this person's memberships, with their campaigns.

    Each has further attributes: `place` (the name of its `Attention`), `waits` (for this member),
    `judged`, `is_behind` (its estimates), `advice` (of its dashboard), `sees_results`.
    """
    mine = Membership.objects.filter(user=user_id, campaign__status__in=PARTS[listing.choice])
    if listing.search:
        mine = mine.filter(campaign__name__icontains=listing.search)
    listing = listing.found(mine.count())
    ordered = mine.annotate(attention=_attention()).order_by(
        *ORDERS[listing.sort], "-campaign__created_at", "-campaign"
    )
    advice = NextStep.objects.filter(campaign=OuterRef("campaign")).values("title")
    rows: list[Any] = list(
        (ordered.reverse() if listing.backwards else ordered)
        .select_related("campaign__totals")
        .annotate(
            judged=progress.judged_of("campaign"),
            is_behind=Exists(progress.late_marks().filter(campaign=OuterRef("campaign"))),
            advice=Case(When(role__in=Membership.RUN, then=Subquery(advice[:1]))),
        )[listing.rows]
    )
    for one in rows:
        one.place = Attention(one.attention).name.lower()
        one.waits = one.attention < Attention.COLLECTING
        one.sees_results = access.role_sees_results(one.role, one.campaign.closed_at)
    return listing, rows


def has_any(user_id: int) -> bool:
    """Return whether this person sees any campaign."""
    return Membership.objects.filter(user=user_id).exists()


def n_archived(user_id: int) -> int:
    return Membership.objects.filter(user=user_id, campaign__status=Status.ARCHIVED).count()


LEAST_FOR_PACE = 30  # judgments; fewer say little about how many people come
SHORTEST = 1 / 24  # days


Pace = tuple[str, float]  # the name of a closed campaign, and judgments a day while it was open


def pace(user_id: int, crowd: str) -> Pace | None:
    """Return the pace of this person's newest closed campaign with people of this crowd, if any."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.RUN, campaign__crowd=crowd)
    over = mine.filter(campaign__opened_at__isnull=False, campaign__closed_at__isnull=False)
    found = over.annotate(judged=progress.judged_of("campaign")).filter(judged__gte=LEAST_FOR_PACE)
    newest = found.select_related("campaign").order_by("-campaign__closed_at").first()
    if newest is None:
        return None
    campaign = newest.campaign
    assert campaign.opened_at is not None
    assert campaign.closed_at is not None
    days = (campaign.closed_at - campaign.opened_at) / timedelta(days=1)
    return campaign.name, newest.judged / max(days, SHORTEST)


def _attention() -> Any:
    """Return what the campaign needs of the member; each look is a short range of an index."""
    mine = OuterRef("campaign")
    stuck = Operation.objects.filter(campaign=mine, status__in=Operation.STUCK)
    appeals = Appeal.objects.filter(review__campaign=mine, answered_at=None)
    reviews = Review.objects.filter(campaign=mine, status=Review.Status.OPEN)
    advised = NextStep.objects.filter(campaign=mine, waits=False)
    owner = {"role": Membership.Role.OWNER}
    collecting = Q(campaign__status__in=(Status.OPEN, Status.CLOSING))
    rules, runs = {"role__in": Membership.REVIEW}, {"role__in": Membership.RUN}
    return Case(
        When(Exists(stuck), **owner, then=Attention.OPERATION.value),
        When(Exists(pay_budget.waiting(mine)), **owner, then=Attention.UNIT.value),
        When(Exists(appeals), **rules, then=Attention.APPEAL.value),
        When(Exists(reviews), **rules, then=Attention.RULING.value),
        When(_ended_by_budget(), **runs, then=Attention.BUDGET.value),
        When(Exists(advised) & collecting, **runs, then=Attention.ADVICE.value),
        When(collecting, then=Attention.COLLECTING.value),
        When(campaign__status=Status.PAUSED, then=Attention.PAUSED.value),
        When(campaign__status=Status.DRAFT, then=Attention.DRAFT.value),
        default=Attention.OVER.value,
        output_field=IntegerField(),
    )


def _ended_by_budget() -> Q:
    recent = Q(campaign__closed_at__gte=timezone.now() - BUDGET_ASKS)
    ended = Q(campaign__status=Status.CLOSED) & recent | Q(campaign__status=Status.CLOSING)
    return Q(campaign__close_reason=CloseReason.BUDGET) & ended


# The dashboard's advice for each campaign, kept for lists; only this module writes it.


RENEWED = timedelta(minutes=1)


def note(campaign_id: int, *, key: str, title: str, waits: bool) -> None:
    """Note what is advised in a campaign now."""
    given = {"key": key, "title": title, "waits": waits, "at": timezone.now()}
    NextStep.objects.update_or_create(campaign_id=campaign_id, defaults=given)


def due() -> Iterator[Campaign]:
    """Yield the campaigns whose note is older than a minute, the oldest note first."""
    live = Campaign.objects.filter(status__in=(Status.OPEN, Status.CLOSING))
    old = live.exclude(nextstep__at__gte=timezone.now() - RENEWED)
    yield from old.order_by(F("nextstep__at").asc(nulls_first=True))


def campaign(campaign_id: int) -> Campaign:
    return Campaign.objects.get(pk=campaign_id)
