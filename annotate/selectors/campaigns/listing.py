"""Campaigns as plain rows, for researchers' pages."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from math import comb

from django.db.models import Count, Q

from annotate import adapters
from annotate.instruments.base import Criterion
from annotate.models import (
    Campaign,
    Membership,
    System,
    Target,
)
from annotate.selectors.campaigns import blinding, counting, opening
from annotate.selectors.studies import instruments
from annotate.states import StopMode

LISTED = ("pk", "name", "stop_position", "first", "second")


@dataclass(frozen=True)
class ListedSystem:
    system_id: int
    name: str
    stop_position: int | None
    first: str = ""  # of a comparison: the two systems
    second: str = ""


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
    metric_choice: str
    metrics: tuple[str, ...]
    stop_mode: str
    estimand: str
    level: float
    contact: str
    crowd: str
    criteria: tuple[Criterion, ...]
    targets: dict[str, float]  # widths, by criterion; none in a ranking
    systems: tuple[ListedSystem, ...]
    margins: dict[str, float] = field(default_factory=dict)  # of a ranking
    planned_items: int | None = None
    gold_share: int = 0
    raw_metrics: bool = False  # it opened before metrics entered bounded, and takes their values
    people: int | None = None  # how many the researcher has; None: not known

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
        named = {criterion.name: criterion for criterion in self.criteria}
        return tuple(named[name] for name in (*self.targets, *self.margins) if name in named)

    @property
    def criterion_names(self) -> list[str]:
        return [criterion.name for criterion in self.criteria]

    @property
    def is_closing(self) -> bool:
        return self.status == Campaign.Status.CLOSING

    @property
    def is_final(self) -> bool:
        """Return whether collection has ended, unless the campaign is reopened."""
        return self.status in (Campaign.Status.CLOSED, Campaign.Status.ARCHIVED)

    @property
    def marketplace(self) -> str:
        """Return the name of the crowd that publishes and pays for the work; "" by link."""
        return adapters.label(self.crowd) if adapters.publishes(self.crowd) else ""

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
    def speaks_for(self) -> str:
        return str(Campaign.Estimand(self.estimand).label)


@dataclass(frozen=True)
class Targets:
    """The target widths or, in a ranking, the margins of one campaign, by criterion."""

    campaign_id: int
    public_id: str
    widths: dict[str, float]
    margins: dict[str, float]
    n_systems: int
    n_together: int  # of these, the pairs that are judged side by side

    @property
    def n_intervals(self) -> int:
        return len(self.widths) * self.n_systems

    @property
    def n_pairs(self) -> int:
        return len(self.margins) * (self.n_together or comb(self.n_systems, 2))


def targets(user_id: int, public_ids: Collection[str]) -> list[Targets]:
    """Return the targets of those of these campaigns whose results this person may see."""
    mine = Membership.objects.filter(blinding.results_visible(), user=user_id)
    shown = mine.filter(campaign__public_id__in=public_ids).values("campaign")
    found = Target.objects.filter(campaign__in=shown).order_by("pk")
    widths: dict[int, dict[str, float]] = {}
    margins: dict[int, dict[str, float]] = {}
    rows_of = found.values_list("campaign", "criterion", "width", "margin")
    for campaign_id, criterion, width, margin in rows_of:
        if width is not None:
            widths.setdefault(campaign_id, {})[criterion] = width
        if margin is not None:
            margins.setdefault(campaign_id, {})[criterion] = margin
    campaigns = Campaign.objects.filter(pk__in=shown)
    rows = campaigns.annotate(
        n=Count("systems"), together=Count("systems", filter=~Q(systems__first=""))
    )
    return [
        Targets(pk, public_id, widths.get(pk, {}), margins.get(pk, {}), *counted)
        for pk, public_id, *counted in rows.values_list("pk", "public_id", "n", "together")
    ]


def facts_of(public_id: str) -> CampaignFacts | None:
    """Return the facts of the campaign with this public id, if there is one."""
    found = Campaign.objects.filter(public_id=public_id).first()
    return facts(found) if found else None


def facts(campaign: Campaign) -> CampaignFacts:
    systems = System.objects.filter(campaign=campaign)
    return CampaignFacts(
        campaign_id=campaign.pk,
        public_id=campaign.public_id,
        name=campaign.name,
        status=campaign.status,
        close_reason=campaign.close_reason,
        opened_at=campaign.opened_at,
        closed_at=campaign.closed_at,
        reward=campaign.reward,
        budget=campaign.budget,
        max_judgments=campaign.max_judgments,
        deadline=campaign.deadline,
        annotator_cap=campaign.annotator_cap,
        people=campaign.people,
        lease_minutes=campaign.lease_minutes,
        double_share=campaign.double_share,
        metric_choice=campaign.metric_choice,
        metrics=tuple(campaign.metrics),
        raw_metrics=opening.takes_raw_metrics(campaign),
        stop_mode=campaign.stop_mode,
        planned_items=campaign.planned_items,
        gold_share=campaign.gold_share,
        estimand=campaign.estimand,
        level=campaign.level,
        contact=campaign.contact,
        crowd=campaign.crowd,
        criteria=instruments.of(campaign).criteria,
        **counting.asked(campaign.pk),
        systems=tuple(ListedSystem(*row) for row in systems.values_list(*LISTED)),
    )
