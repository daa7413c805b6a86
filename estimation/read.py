"""Which part of an estimate is shown: none before ten items, and no impossible scores.

This is for display only. The stopping rule uses the whole interval from the start.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import Any, Protocol

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Least, RowNumber

from annotate.campaigns import progress
from annotate.campaigns.lists import CampaignFacts
from annotate.common import rows as common_rows
from annotate.common.numbers import count, many
from annotate.studies import queries as studies_queries
from estimation.models import Decision, Estimate, MetricScore

LEAST_ITEMS = 10


@dataclass(frozen=True)
class ScoreRange:
    """The scores between which an interval is shown."""

    low: float
    high: float

    def cut(self, value: float | None) -> float | None:
        return None if value is None else min(max(value, self.low), self.high)


class ScoreBounds(Protocol):
    """The common fields of a criterion and a scale."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def bounded(self) -> bool: ...


def of_scale(criterion: ScoreBounds, estimate: float | None = None) -> ScoreRange:
    """Return the scale; for an unbounded one, the working range.

    An estimate above its working range keeps the upper end of its interval. No score is below the
    range.
    """
    if criterion.bounded or estimate is None or estimate <= criterion.high:
        return ScoreRange(criterion.low, criterion.high)
    return ScoreRange(criterion.low, inf)


def span(criterion: ScoreBounds) -> float:
    """Return the largest width that is shown for an interval on this criterion."""
    return criterion.high - criterion.low


def least(n_population: int | None) -> int:
    """Return the number of judged items from which an estimate is shown, or all if fewer."""
    return LEAST_ITEMS if not n_population else min(LEAST_ITEMS, n_population)


@dataclass(frozen=True)
class Awaited:
    """Something that is not shown yet, such as `Estimates`, and the progress towards it."""

    what: str
    of: tuple[str, str]  # what is counted, in singular and plural
    n: int
    needed: int
    final: bool = False  # no more will come

    @property
    def share(self) -> int:
        """Return the progress in percent, for a bar."""
        return min(100, round(100 * self.n / self.needed)) if self.needed else 100

    def __str__(self) -> str:
        if self.is_enough:  # the items of a system without an estimate are not counted further
            return f"{self.what} are not made yet: there are enough {self.of[1]}."
        if self.final:
            return (
                f"There are {many(self.n, *self.of)}. {self.what} are shown from {self.needed} on."
            )
        return f"{self.what} appear after {many(self.needed, *self.of)}: {self.so_far}."

    @property
    def is_enough(self) -> bool:
        return 0 < self.needed <= self.n

    @property
    def so_far(self) -> str:
        if self.is_enough:
            return "enough so far"
        return f"{count(self.n)} so far" if self.n else "none so far"


# The history of estimates: the newest of each cell, and the intervals over time.


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


def newest(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None
) -> QuerySet[Estimate]:
    """Select the newest row of every campaign, system and criterion that has judgments.

    An index leads to each of them, however long the history is. criteria: by default all that the
    campaigns ask about, which takes one query more.
    """
    rows = Estimate.objects.filter(id__in=_last(campaign_ids, criteria), n_judgments__gt=0)
    return rows.order_by("id")


def _last(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None, **before: Any
) -> list[int]:
    """Return the ids of the newest rows of each system × criterion, among those `before`."""
    names = studies_queries.criteria_of(campaign_ids) if criteria is None else criteria
    mine = Estimate.objects.filter(
        campaign=OuterRef("campaign"), system=OuterRef("pk"), **before
    ).order_by("-id")
    found = [Subquery(mine.filter(criterion=name).values("id")[:1]) for name in names]
    return common_rows.by_system(campaign_ids, *found)


def latest(campaign_id: int, criteria: Iterable[str] | None = None) -> list[Newest]:
    """Return the newest estimates that have judgments, as `newest` selects them."""
    return [Newest(*row) for row in newest([campaign_id], criteria).values_list(*_NEWEST)]


def items(facts: CampaignFacts, newest: Sequence[Newest]) -> dict[int, tuple[int, int]]:
    """Return the judged items of each system, and all of them, by its estimate.

    Without one they are counted, the judged ones up to `LEAST_ITEMS`.
    """
    found = {one.system_id: (one.n_items, one.n_population) for one in newest}
    if len(found) == len(facts.systems):
        return found
    counted = progress.items(facts.campaign_id)
    return {system: (min(LEAST_ITEMS, n), every) for system, (n, every) in counted.items()}


def at_closing(
    campaign_id: int, closed_at: datetime | None
) -> dict[tuple[int, str], tuple[float | None, bool]]:
    """Return (width, at target) of each system × criterion when the campaign closed."""
    if closed_at is None:
        return {}
    rows = Estimate.objects.filter(id__in=_last([campaign_id], at__lte=closed_at))
    found = rows.values_list("system_id", "criterion", "width", "detail")
    return {(s, c): (width, bool(detail.get("at_target"))) for s, c, width, detail in found}


def at_target(targets: dict[int, dict[str, float]]) -> dict[int, int]:
    """Return how many intervals have reached their target, by campaign.

    targets: the widths by criterion, of each campaign. Two queries for all campaigns.
    """
    primary = sorted({name for widths in targets.values() for name in widths})
    rows = newest(list(targets), primary).values_list("campaign_id", "criterion", "detail")
    reached = dict.fromkeys(targets, 0)
    for campaign_id, criterion, detail in rows:
        reached[campaign_id] += criterion in targets[campaign_id] and bool(detail.get("at_target"))
    return reached


def points(
    campaign_id: int, criterion: str, *, most: int = MOST_POINTS, upto: int | None = None
) -> list[Point]:
    """Return at most `most` evenly spaced moments of each system, including first and last.

    Moments with too few items to be shown are left out.
    upto: an estimate's id. Later ones are left out, so the answer only changes as the history is
        thinned.
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


_complete: set[tuple[str, ...]] = set()  # campaigns and metrics of which every score is stored
KEPT = 1000


def metric_scores(public_id: str, metrics: Sequence[str], outputs: int) -> int:
    """Return for how many of a campaign's outputs its metrics are stored, on average over metrics.

    Scores are added and replaced, never removed, so a campaign that has all of them is counted once
    in a process.
    """
    key = (public_id, str(outputs), *metrics)
    if key in _complete:
        return outputs
    rows = MetricScore.objects.filter(campaign__public_id=public_id, metric__in=metrics)
    stored = rows.count() // max(1, len(metrics))
    if stored >= outputs > 0 and metrics:
        if len(_complete) >= KEPT:
            _complete.clear()
        _complete.add(key)
    return stored


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
