"""Differences between systems as readers see them: numbers, a small plot, and words."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import floor, log10
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from scipy.special import stdtr

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns import newest as newest_ids
from annotate.selectors.campaigns.listing import CampaignFacts
from annotate.selectors.studies import instruments
from annotate.text.figures import short
from estimation.core import holm
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
    std_error: float | None = None
    df: float | None = None
    level: float = 0.95

    @property
    def p_value(self) -> float | None:
        """Return that of “no difference”: where the interval's level just reaches 0."""
        if not (self.std_error and self.df and self.low is not None and self.high is not None):
            return None
        return float(2 * stdtr(self.df, -abs(self.low + self.high) / 2 / self.std_error))


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
class GridCell:
    """How far the row's system is ahead of the column's; told: whether that is certain enough."""

    ahead: float
    told: bool


@dataclass(frozen=True)
class GridRow:
    """One system: cells are None up to the diagonal, and where nothing is known."""

    place: int
    system: str
    cells: tuple[GridCell | None, ...]


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

    @cached_property
    def adjusted(self) -> Mapping[tuple[str, str], float]:
        """Return the p-values of the shown pairs, after Holm for all of them together."""
        known = [(one, p) for one in self.shown if (p := one.row.p_value) is not None]
        after = holm([p for _one, p in known]).tolist()
        pairs = ((one.first, one.second) for one, _p in known)
        return dict(zip(pairs, after, strict=True))

    @cached_property
    def told_apart(self) -> frozenset[tuple[str, str]]:
        """Return the pairs whose difference is not 0, for all pairs together, after Holm."""
        levels = {(one.first, one.second): one.row.level for one in self.shown}
        return frozenset(pair for pair, p in self.adjusted.items() if p < 1 - levels[pair])

    @property
    def n_told(self) -> int:
        return len(self.told_apart)

    @cached_property
    def grid(self) -> tuple[GridRow, ...]:
        """Return the pairs as a matrix, the best system first; empty for one pair."""
        sign = 1.0 if self.criterion.higher_is_better else -1.0
        ahead: dict[tuple[str, str], float] = {}
        for one in self.shown:
            ahead[one.first, one.second] = sign * one.row.difference
            ahead[one.second, one.first] = -sign * one.row.difference
        names = dict.fromkeys(name for pair in ahead for name in pair)
        if len(names) < 3:
            return ()
        total = {a: sum(ahead.get((a, b), 0.0) for b in names) for a in names}
        ranked = sorted(names, key=lambda name: -total[name])
        told = self.told_apart | {(b, a) for a, b in self.told_apart}

        def cell(a: str, b: str) -> GridCell | None:
            return GridCell(ahead[a, b], (a, b) in told) if (a, b) in ahead else None

        return tuple(
            GridRow(i + 1, a, tuple(cell(a, b) if j > i else None for j, b in enumerate(ranked)))
            for i, a in enumerate(ranked)
        )

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


def newest(campaign_id: int, criteria: Iterable[str] | None = None) -> QuerySet[Comparison]:
    """Select the newest row of every pair and criterion, in the order of upload."""
    return newest_of([campaign_id], criteria)


def newest_of(
    campaign_ids: Sequence[int], criteria: Iterable[str] | None = None
) -> QuerySet[Comparison]:
    """Select the same of several campaigns.

    An index leads to the newest of each pair, however long the history is. criteria: by default all
    that the campaigns ask about, which takes one query more.
    """
    names = instruments.criteria_of(campaign_ids) if criteria is None else criteria
    of_pair = Comparison.objects.filter(
        campaign=OuterRef("campaign"), first=OuterRef("pk"), second=OuterRef(newest_ids.OTHER)
    ).order_by("-id")
    found = [Subquery(of_pair.filter(criterion=name).values("id")[:1]) for name in names]
    ids = newest_ids.by_pair(campaign_ids, *found)
    return Comparison.objects.filter(id__in=ids, n_judgments__gt=0).order_by("id")


def tables(facts: CampaignFacts) -> tuple[ContrastTable, ...]:
    """Return the differences on each primary criterion that has any; two queries."""
    primary = [criterion.name for criterion in facts.primary]
    newest_rows = newest(facts.campaign_id, primary)
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
