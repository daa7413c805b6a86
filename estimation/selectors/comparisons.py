"""Differences between systems as readers see them: numbers, a small plot, and words."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from math import floor, log10
from typing import Any

from django.db.models import Max, OuterRef, QuerySet, Subquery

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import newest as newest_ids
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.text.figures import short
from estimation.models import Comparison
from estimation.selectors import shown
from estimation.selectors.shown import Awaited

# The plot's width and side margins, in units of its drawing.
PLOT, MARGIN = 300.0, 10.0
ROUND = (1, 1.5, 2, 3, 5, 7.5, 10)


@dataclass(frozen=True)
class NewestComparison:
    """The newest comparison of two systems on one criterion."""

    id: int
    first_id: int
    second_id: int
    criterion: str
    difference: float
    low: float | None
    high: float | None
    n_items: int
    n_population: int
    effective_annotators: float = 0.0
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Axis:
    """The axis from −reach to +reach, common to all pairs of a criterion."""

    reach: float

    def x(self, value: float) -> str:
        cut = min(max(value, -self.reach), self.reach)
        return f"{PLOT / 2 + cut / self.reach * (PLOT / 2 - MARGIN):.1f}"

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Return (position, text) of each tick."""
        return tuple(
            (self.x(value), f"+{short(value)}" if value > 0 else short(value))
            for value in (-self.reach, 0.0, self.reach)
        )


@dataclass(frozen=True)
class ShownContrast:
    """One pair: the difference, first minus second, and its interpretation."""

    first: str
    second: str
    row: NewestComparison
    criterion: Criterion
    axis: Axis

    @property
    def ahead(self) -> str:
        """Return the better system if the interval excludes 0; otherwise ""."""
        if self.row.low is None or self.row.high is None or self.row.low <= 0 <= self.row.high:
            return ""
        return self.first if (self.row.low > 0) == self.criterion.higher_is_better else self.second

    @property
    def reading(self) -> str:
        if self.row.low is None:
            return "no interval yet"
        if self.ahead:
            return f"{self.ahead} ahead: 0 lies outside the interval"
        return "not distinguishable yet: 0 lies inside the interval"

    @property
    def is_shown(self) -> bool:
        return self.row.n_items >= shown.least(self.row.n_population)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the interval, cut to the largest possible difference on the scale."""
        if self.row.low is None or self.row.high is None:
            return None
        most = max(shown.span(self.criterion), abs(self.row.difference))
        return max(self.row.low, -most), min(self.row.high, most)

    @property
    def x(self) -> str:
        return self.axis.x(self.row.difference)

    @property
    def x_margin(self) -> tuple[str, str]:
        """In a ranking, where the differences that do not matter begin, and how wide they are."""
        margin = float(self.row.detail.get("margin", 0.0))
        low, high = (float(self.axis.x(value)) for value in (-margin, margin))
        return f"{low:.1f}", f"{high - low:.1f}"

    @property
    def x_low(self) -> str | None:
        return None if self.ends is None else self.axis.x(self.ends[0])

    @property
    def x_high(self) -> str | None:
        return None if self.ends is None else self.axis.x(self.ends[1])


@dataclass(frozen=True)
class ContrastTable:
    """All pairs on one primary criterion."""

    criterion: Criterion
    axis: Axis
    contrasts: tuple[ShownContrast, ...]

    @property
    def shown(self) -> tuple[ShownContrast, ...]:
        """Return the pairs that rest on enough items to be shown."""
        return tuple(contrast for contrast in self.contrasts if contrast.is_shown)

    @property
    def direction(self) -> str:
        if self.criterion.higher_is_better:
            return "right of 0: the first is better"
        return "left of 0: the first is better"


def awaited(tables: Sequence[ContrastTable]) -> Awaited | None:
    """Return what the first differences wait for; None if any is shown or there are no pairs."""
    rows = [contrast.row for table in tables for contrast in table.contrasts]
    if not rows or any(table.shown for table in tables):
        return None
    most = max(rows, key=lambda row: row.n_items)
    needed = shown.least(most.n_population)
    of = ("item judged for both systems", "items judged for both systems")
    return Awaited("Differences", of, most.n_items, needed)


def newest(campaign_id: int) -> QuerySet[Comparison]:
    """Select the newest row of every pair and criterion, in the order of upload."""
    return newest_of([campaign_id])


def newest_of(campaign_ids: Sequence[int]) -> QuerySet[Comparison]:
    """Select the same of several campaigns."""
    last = (
        Comparison.objects.filter(campaign__in=campaign_ids)
        .order_by()
        .values("first", "second", "criterion")
        .annotate(last=Max("id"))
    )
    rows = Comparison.objects.filter(id__in=Subquery(last.values("last")), n_judgments__gt=0)
    return rows.order_by("id")


def tables(facts: CampaignFacts) -> tuple[ContrastTable, ...]:
    """Return the differences on each primary criterion that has any; two queries.

    An index leads to the newest of each pair, however long the history is.
    """
    of_pair = Comparison.objects.filter(
        campaign=facts.campaign_id, first=OuterRef("pk"), second=OuterRef(newest_ids.OTHER)
    ).order_by("-id")
    found = [
        Subquery(of_pair.filter(criterion=criterion.name).values("id")[:1])
        for criterion in facts.primary
    ]
    ids = newest_ids.by_pair(facts.campaign_id, *found) if found else []
    newest_rows = Comparison.objects.filter(id__in=ids, n_judgments__gt=0).order_by("id")
    names = [field.name for field in fields(NewestComparison)]
    compared = [NewestComparison(*row) for row in newest_rows.values_list(*names)]
    return tuple(
        _table(facts, criterion, mine)
        for criterion in facts.primary
        if (mine := [row for row in compared if row.criterion == criterion.name])
    )


def _table(
    facts: CampaignFacts, criterion: Criterion, rows: Sequence[NewestComparison]
) -> ContrastTable:
    names = {system.system_id: system.name for system in facts.systems}
    axis = Axis(_reach(criterion, rows))
    return ContrastTable(
        criterion,
        axis,
        tuple(
            ShownContrast(names[row.first_id], names[row.second_id], row, criterion, axis)
            for row in rows
        ),
    )


def _reach(criterion: Criterion, rows: Sequence[NewestComparison]) -> float:
    """Return a round number that contains every interval, up to the largest difference."""
    values = [
        abs(value)
        for row in rows
        for value in (row.difference, row.low, row.high)
        if value is not None
    ]
    widest = max([shown.span(criterion), *(abs(row.difference) for row in rows)])
    most = min(max(values, default=0.0), widest) or widest
    power = 10.0 ** floor(log10(most))
    return next(round(power * m, 10) for m in ROUND if power * m >= most)
