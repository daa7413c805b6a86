"""The differences of a criterion's pairs as values: numbers, a small plot, a matrix, and places."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor, log10
from typing import Any, Literal

import numpy as np
from scipy.special import stdtr

from annotate.instruments.base import Criterion
from annotate.text.figures import short
from estimation.core import PairOutcome, half_width, holm, level_of_each, places
from estimation.selectors import shown

# The plot's width and side margins, in units of its drawing.
PLOT, MARGIN = 300.0, 10.0
ROUND = (1, 1.5, 2, 3, 5, 7.5, 10)
# How the pairs of a criterion are told apart.
Adjustment = Literal["holm", "simultaneous", "none"]


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

    @property
    def excludes_zero(self) -> bool:
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    def widened(self, n: int) -> "NewestComparison":
        """Return it with the interval that holds together with those of n - 1 other pairs."""
        if self.low is None or self.high is None or self.std_error is None or self.df is None:
            return self
        error, df = np.asarray(self.std_error), np.asarray(self.df)
        alone = half_width(error, df, level=self.level)
        more = float(half_width(error, df, level=level_of_each(self.level, n)) - alone)
        return replace(self, low=self.low - more, high=self.high + more)


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
    """One pair: the difference, first minus second."""

    first: str
    second: str
    row: NewestComparison
    criterion: Criterion
    axis: Axis
    final: bool = False  # no more judgments will come

    @property
    def pair(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def is_shown(self) -> bool:
        return is_enough(self.row)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the interval, cut to the largest possible difference on the scale."""
        if self.row.low is None or self.row.high is None:
            return None
        most = max(self.criterion.most_apart, abs(self.row.difference))
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
    """The row's system minus the column's; told: whether the two are distinguishable."""

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
    """All pairs on one primary criterion.

    adjustment: "holm" for all pairs together, "simultaneous" if the intervals of `contrasts` hold
    together, "none" for each pair by itself.
    """

    criterion: Criterion
    axis: Axis
    contrasts: tuple[ShownContrast, ...]
    adjustment: Adjustment = "holm"

    @property
    def shown(self) -> tuple[ShownContrast, ...]:
        """Return the pairs that rest on enough items to be shown."""
        return tuple(contrast for contrast in self.contrasts if contrast.is_shown)

    @cached_property
    def adjusted(self) -> Mapping[tuple[str, str], float]:
        """Return the p-values of the shown pairs, after Holm for all of them together."""
        known = [(one, p) for one in self.shown if (p := one.row.p_value) is not None]
        after = holm([p for _one, p in known]).tolist()
        return dict(zip((one.pair for one, _p in known), after, strict=True))

    @cached_property
    def told_apart(self) -> frozenset[tuple[str, str]]:
        """Return the pairs whose difference is not 0, as the adjustment says."""
        if self.adjustment != "holm":
            return frozenset(one.pair for one in self.shown if one.row.excludes_zero)
        levels = {one.pair: one.row.level for one in self.shown}
        return frozenset(pair for pair, p in self.adjusted.items() if p < 1 - levels[pair])

    @property
    def n_told(self) -> int:
        return len(self.told_apart)

    def ahead(self, one: ShownContrast) -> str:
        """Return the better system of a distinguishable pair; otherwise ""."""
        if one.pair not in self.told_apart:
            return ""
        return (
            one.first if (one.row.difference > 0) == self.criterion.higher_is_better else one.second
        )

    def reading(self, one: ShownContrast) -> str:
        """Return what the difference of a pair says, with the adjustment for all pairs."""
        if one.row.low is None:
            return "no interval" if one.final else "no interval yet"
        if ahead := self.ahead(one):
            return f"{ahead} ahead: 0 lies outside the interval"
        unknown = "not distinguishable" if one.final else "not distinguishable yet"
        if one.row.excludes_zero:
            p = self.adjusted.get(one.pair)
            return f"{unknown}: p = {p:.2g} for all pairs together (Holm)" if p else unknown
        return f"{unknown}: 0 lies inside the interval"

    @property
    def readings(self) -> tuple[tuple[ShownContrast, str, str], ...]:
        """Return each shown pair, the system that is ahead or "", and the sentence on it."""
        return tuple((one, self.ahead(one), self.reading(one)) for one in self.shown)

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Return the ranks that each system can have, such as `2–4`, by distinguishable pairs."""
        found = places(
            {one.pair: self._outcome(one) for one in self.shown},
            higher_is_better=self.criterion.higher_is_better,
        )
        return {system: place_text(*ends) for system, ends in found.items()}

    def _outcome(self, one: ShownContrast) -> PairOutcome:
        if one.pair not in self.told_apart:
            return "open"
        return "first" if one.row.difference > 0 else "second"

    @cached_property
    def grid(self) -> tuple[GridRow, ...]:
        """Return the pairs as a matrix, the best system first; empty for one pair."""
        ahead = self._ahead()
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

    def _ahead(self) -> dict[tuple[str, str], float]:
        """Return how far the first of each pair is ahead of the second, in both orders."""
        sign = 1.0 if self.criterion.higher_is_better else -1.0
        ahead: dict[tuple[str, str], float] = {}
        for one in self.shown:
            ahead[one.first, one.second] = sign * one.row.difference
            ahead[one.second, one.first] = -sign * one.row.difference
        return ahead

    @property
    def direction(self) -> str:
        if self.criterion.higher_is_better:
            return "right of 0: the first is better"
        return "left of 0: the first is better"


def place_text(best: int, worst: int) -> str:
    """`2`, or `2–4` where several places are possible."""
    return f"{best}" if best == worst else f"{best}–{worst}"


def table_of(
    criterion: Criterion,
    rows: Sequence[NewestComparison],
    names: Mapping[int, str],
    adjustment: Adjustment,
    *,
    final: bool = False,
) -> ContrastTable:
    """Return the table of these rows; names: of the systems, by id."""
    if adjustment == "simultaneous":
        n = sum(row.low is not None and is_enough(row) for row in rows)
        rows = [row.widened(max(1, n)) for row in rows]
    axis = Axis(_reach(criterion, rows))
    contrasts = (
        ShownContrast(names[row.first_id], names[row.second_id], row, criterion, axis, final)
        for row in rows
    )
    return ContrastTable(criterion, axis, tuple(contrasts), adjustment)


def is_enough(row: NewestComparison) -> bool:
    """Return whether a difference rests on enough items to be shown."""
    return row.n_items >= shown.least(row.n_population)


def _reach(criterion: Criterion, rows: Sequence[NewestComparison]) -> float:
    """Return a round number that contains every interval, up to the largest difference."""
    values = [
        abs(value)
        for row in rows
        for value in (row.difference, row.low, row.high)
        if value is not None
    ]
    widest = max([criterion.most_apart, *(abs(row.difference) for row in rows)])
    most = min(max(values, default=0.0), widest) or widest
    power = 10.0 ** floor(log10(most))
    return next(round(power * m, 10) for m in ROUND if power * m >= most)
