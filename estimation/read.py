"""Which part of an estimate is shown: none before ten items, and no impossible scores.

This is for display only. The stopping rule uses the whole interval from the start.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, Window
from django.db.models.functions import Least, RowNumber

from annotate.campaigns import progress
from annotate.campaigns.lists import CampaignFacts
from annotate.common import rows as common_rows
from annotate.common.numbers import count, many
from annotate.instruments.base import Criterion
from annotate.studies import queries as studies_queries
from estimation.core import Scale
from estimation.models import Agreement, Comparison, Estimate

LEAST_ITEMS = 10


def cut(
    value: float | None, criterion: Criterion | Scale, estimate: float | None = None
) -> float | None:
    """Return an end of an interval as it is shown: within the scale, or the working range.

    An estimate above its working range keeps the upper end of its interval. No score is below the
    range.
    """
    if value is None:
        return None
    is_above = not criterion.bounded and estimate is not None and estimate > criterion.high
    return max(value, criterion.low) if is_above else min(max(value, criterion.low), criterion.high)


def span(criterion: Criterion) -> float:
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


def newest(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None
) -> QuerySet[Estimate]:
    """Select the newest row of every campaign, system and criterion that has judgments.

    An index leads to each of them, however long the history is. criteria: by default all that the
    campaigns ask about, which takes one query more.
    """
    rows = Estimate.objects.filter(id__in=_last(campaign_ids, criteria), n_judgments__gt=0)
    return rows.order_by("id")


def newest_comparisons(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None
) -> QuerySet[Comparison]:
    """Select the same of every pair of systems, in the order of upload."""
    names = studies_queries.criteria_of(campaign_ids) if criteria is None else criteria
    of_pair = Comparison.objects.filter(
        campaign=OuterRef("campaign"), first=OuterRef("pk"), second=OuterRef(common_rows.OTHER)
    ).order_by("-id")
    found = [Subquery(of_pair.filter(criterion=name).values("id")[:1]) for name in names]
    ids = common_rows.by_pair(campaign_ids, *found)
    return Comparison.objects.filter(id__in=ids, n_judgments__gt=0).order_by("id")


def newest_agreement(campaign_id: int) -> QuerySet[Agreement]:
    last = (
        Agreement.objects.filter(campaign=campaign_id)
        .order_by()
        .values("criterion")
        .annotate(last=Max("id"))
    )
    return Agreement.objects.filter(id__in=Subquery(last.values("last"))).order_by("id")


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


def items(facts: CampaignFacts, newest: Sequence[Estimate]) -> dict[int, tuple[int, int]]:
    """Return the judged items of each system, and all of them, by its estimate.

    Without one they are counted, the judged ones up to `LEAST_ITEMS`.
    """
    found = {one.system_id: (one.n_items, one.n_population) for one in newest}
    if len(found) == len(facts.systems):
        return found
    return progress.items(
        facts.campaign_id, most=LEAST_ITEMS, ranks=facts.ranks, by_all=facts.named_experts
    )


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
) -> list[Estimate]:
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
    return list(thinned.defer("detail", "metrics"))


def estimate_rows(campaign_id: int) -> list[Estimate]:
    """Return the newest estimates with their systems, these in the order of upload; one query."""
    rows = newest([campaign_id]).order_by("system", "criterion")
    return list(rows.select_related("system"))
