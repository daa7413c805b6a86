"""The history of estimates: the newest of each cell, and the intervals over time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Least, RowNumber

from annotate.selectors.campaigns import newest as newest_ids
from estimation.models import Decision, Estimate, MetricScore
from estimation.selectors.shown import LEAST_ITEMS

MOST_POINTS = 120


@dataclass(frozen=True)
class Newest:
    """The newest estimate of one system × criterion."""

    id: int
    system_id: int
    criterion: str
    at: datetime
    provisional: bool
    estimate: float
    low: float | None
    high: float | None
    width: float | None
    std_error: float | None
    mean_low: float | None
    mean_high: float | None
    n_items: int
    n_population: int
    n_judgments: int
    n_annotators: int
    effective_annotators: float
    n_unfinished: int
    detail: dict[str, Any]

    @property
    def mean_width(self) -> float | None:
        if self.mean_low is None or self.mean_high is None:
            return None
        return self.mean_high - self.mean_low


@dataclass(frozen=True)
class Point:
    """One moment of a cell's history."""

    system_id: int
    criterion: str
    n_judgments: int
    estimate: float
    low: float | None
    high: float | None
    mean_estimate: float
    mean_low: float | None
    mean_high: float | None


@dataclass(frozen=True)
class Decided:
    """An act of a stopping rule, and its reason."""

    id: int
    at: datetime
    verb: str
    text: str


_NEWEST = (
    "id",
    "system_id",
    "criterion",
    "at",
    "provisional",
    "estimate",
    "low",
    "high",
    "width",
    "std_error",
    "mean_low",
    "mean_high",
    "n_items",
    "n_population",
    "n_judgments",
    "n_annotators",
    "effective_annotators",
    "n_unfinished",
    "detail",
)
_POINT = (
    "system_id",
    "criterion",
    "n_judgments",
    "estimate",
    "low",
    "high",
    "mean_estimate",
    "mean_low",
    "mean_high",
)


def newest(campaign_ids: Sequence[int]) -> QuerySet[Estimate]:
    """Select the newest row of every campaign, system and criterion that has judgments."""
    last = (
        Estimate.objects.filter(campaign__in=campaign_ids)
        .order_by()
        .values("campaign", "system", "criterion")
        .annotate(last=Max("id"))
    )
    rows = Estimate.objects.filter(id__in=Subquery(last.values("last")), n_judgments__gt=0)
    return rows.order_by("id")


def latest(campaign_id: int, criteria: Iterable[str] | None = None) -> list[Newest]:
    """Return the newest estimates on these criteria that have judgments; two queries.

    An index leads to each of them, however long the history is. Without criteria, those of all are
    looked for in the whole history.
    """
    if criteria is None:
        return [Newest(*row) for row in newest([campaign_id]).values_list(*_NEWEST)]
    mine = Estimate.objects.filter(campaign=campaign_id, system=OuterRef("pk")).order_by("-id")
    found = [Subquery(mine.filter(criterion=name).values("id")[:1]) for name in criteria]
    rows = Estimate.objects.filter(
        id__in=newest_ids.by_system(campaign_id, *found), n_judgments__gt=0
    )
    return [Newest(*row) for row in rows.order_by("id").values_list(*_NEWEST)]


def at_closing(
    campaign_id: int, closed_at: datetime | None
) -> dict[tuple[int, str], tuple[float | None, bool]]:
    """Return (width, at target) of each system × criterion when the campaign closed."""
    if closed_at is None:
        return {}
    last = (
        Estimate.objects.filter(campaign=campaign_id, at__lte=closed_at)
        .order_by()
        .values("system", "criterion")
        .annotate(last=Max("id"))
    )
    rows = Estimate.objects.filter(id__in=Subquery(last.values("last")))
    found = rows.values_list("system_id", "criterion", "width", "detail")
    return {(s, c): (width, bool(detail.get("at_target"))) for s, c, width, detail in found}


def at_target(targets: dict[int, dict[str, float]]) -> dict[int, int]:
    """Return how many intervals have reached their target, by campaign.

    targets: the widths by criterion, of each campaign. One query for all campaigns.
    """
    rows = newest(list(targets)).values_list("campaign_id", "criterion", "detail")
    reached = dict.fromkeys(targets, 0)
    for campaign_id, criterion, detail in rows:
        reached[campaign_id] += criterion in targets[campaign_id] and bool(detail.get("at_target"))
    return reached


def points(
    campaign_id: int, criterion: str, *, most: int = MOST_POINTS, upto: int | None = None
) -> list[Point]:
    """Return at most `most` evenly spaced moments of each system, including first and last.

    Moments with too few items to be shown are left out.
    upto: an estimate's id. Later ones are left out, so that the answer never changes.
    """
    rows = Estimate.objects.filter(campaign=campaign_id, criterion=criterion)
    rows = rows.filter(n_judgments__gt=0, n_items__gte=Least(F("n_population"), LEAST_ITEMS))
    if upto is not None:
        rows = rows.filter(id__lte=upto)
    thinned = (
        rows.annotate(
            nth=Window(RowNumber(), partition_by=F("system"), order_by="id"),
            of=Window(Count("id"), partition_by=F("system")),
        )
        .annotate(step=(F("of") + most - 2) / (most - 1))
        .annotate(phase=(F("nth") - 1) % F("step"))
        .filter(Q(phase=0) | Q(nth=F("of")))
        .order_by("id")
    )
    return [Point(*row) for row in thinned.values_list(*_POINT)]


def decisions(campaign_id: int, *, limit: int, before: int | None = None) -> list[Decided]:
    """Return the last decisions, the newest first; `before`: those before this one's id."""
    rows = Decision.objects.filter(campaign=campaign_id).order_by("-id")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return [Decided(*row) for row in rows.values_list("pk", "at", "verb", "text")[:limit]]


def metric_scores(campaign_id: int, metrics: Sequence[str]) -> int:
    """Return for how many outputs the campaign's metrics are stored, on average over metrics."""
    stored = MetricScore.objects.filter(campaign=campaign_id, metric__in=metrics).count()
    return stored // max(1, len(metrics))


@dataclass(frozen=True)
class EstimateRow:
    """One system × criterion; numbers in score units, None without an interval."""

    id: int
    system_id: int
    system: str
    criterion: str
    at: datetime
    provisional: bool
    estimator: str
    interval: str
    estimand: str
    metrics: list[str]
    level: float
    estimate: float
    low: float | None
    high: float | None
    width: float | None
    df: float | None
    std_error: float | None
    mean_estimate: float
    mean_low: float | None
    mean_high: float | None
    n_items: int
    n_population: int
    n_judgments: int
    n_annotators: int
    effective_annotators: float
    n_unfinished: int
    detail: dict[str, Any]

    @property
    def at_target(self) -> bool:
        return bool(self.detail.get("at_target"))


FIELDS = [name for name in EstimateRow.__dataclass_fields__ if name != "system"]


def estimate_rows(campaign_id: int) -> list[EstimateRow]:
    """Return one row per system × criterion, systems in the order of upload; one query."""
    rows = newest([campaign_id]).order_by("system", "criterion")
    named = rows.values(*FIELDS, name=F("system__name"))
    return [EstimateRow(system=row.pop("name"), **row) for row in named]
