"""What pages say of a criterion: its systems, differences, ranking, pairs, and metrics' savings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import chain, combinations
from math import floor, log10
from typing import Any, Literal

import numpy as np
from scipy.special import expit, stdtr

from annotate.campaigns.facts import SystemStanding
from annotate.campaigns.lists import CampaignFacts
from annotate.common import numbers
from annotate.common.numbers import many, number, short
from annotate.instruments.base import Criterion
from estimation import core, read
from estimation.core import places
from estimation.models import Comparison, Estimate
from estimation.read import Awaited
from estimation.rule import ITEMS, PEOPLE

LEAST = 0.005  # a smaller share is rounding
CENT = Decimal("0.01")
USELESS = ("not_helping_yet", "constant_metric", "no_metric")


# The judgments and money that the metric saves; none is claimed if it does not help.
#
# An interval's width is proportional to one over the square root of the number of judgments, so the
# plain mean would need (its width / ours)² times as many for an equally narrow interval.


@dataclass(frozen=True)
class Saving:
    """The saved `judgments` and their `money`, or None and `why` nothing is saved (yet)."""

    judgments: int | None = None
    share: float | None = None  # of the judgments that the plain mean would need
    money: Decimal | None = None
    why: str = ""

    @property
    def helps(self) -> bool:
        return self.judgments is not None


NO_METRIC = Saving(why="This campaign has no metric.")
NO_INTERVAL = Saving(why="What the metric saves is not known without intervals.")
OF_RANKING = Saving(why="It is not computed for rankings: what counts there are differences.")
TOO_FEW = Saving(why=f"What the metric saves is known after {core.MIN_ITEMS} judged items.")
NOT_NARROWER = Saving(why="The metric has not helped: the plain mean is known as precisely.")


def of_estimate(row: Estimate, *, price: Decimal) -> Saving:
    if obstacle := _unknown(row) or _useless(row):
        return obstacle
    return _saving(row.n_judgments, _slowest([(row, 1.0)]), price)


def of_campaign(
    samples: Sequence[Sequence[tuple[Estimate, float]]], *, judged: int, price: Decimal
) -> Saving:
    """Return what the metrics save in all; judgments that serve several systems count once.

    samples: the primary estimates of each system, with their target widths. A system waits for the
        estimate that is farthest from its target, so this estimate is compared with the plain
        mean's farthest one. Systems where the metric costs judgments are set against the others.
    judged: the number of judgments in the campaign.
    """
    known = [sample for sample in samples if sample and not any(_unknown(r) for r, _ in sample)]
    if not known:
        obstacles = (_unknown(row) for sample in samples for row, _target in sample)
        return next(filter(None, obstacles), NO_INTERVAL)
    sizes = [max(row.n_judgments for row, _ in sample) for sample in known]
    needed = sum(n * _slowest(sample) for n, sample in zip(sizes, known, strict=True))
    return _saving(min(judged, sum(sizes)), needed / sum(sizes), price)


def _slowest(sample: Sequence[tuple[Estimate, float]]) -> float:
    """Return how many times the judgments the plain mean would need, by the worst of each."""
    plain = max((row.mean_width or 0.0) / target for row, target in sample)
    ours = max((row.width or 0.0) / target for row, target in sample)
    ratio = (plain / ours) ** 2
    # Where the metric is known not to help, a gain is chance, but a loss counts.
    return min(1.0, ratio) if any(_useless(row) for row, _ in sample) else ratio


def _saving(judgments: int, ratio: float, price: Decimal) -> Saving:
    spared = round(judgments * (ratio - 1))
    if ratio - 1 < LEAST or spared < 1:
        return NOT_NARROWER
    return Saving(spared, 1 - 1 / ratio, (spared * price).quantize(CENT))


def _unknown(row: Estimate) -> Saving | None:
    """Return why nothing is known about this estimate yet; None if something is."""
    if not row.width or not row.mean_width:
        return NO_INTERVAL
    return TOO_FEW if row.n_items < core.MIN_ITEMS else None


def _useless(row: Estimate) -> Saving | None:
    """Return why the metric does not help this estimate, if the estimate says so."""
    for notice in row.detail.get("notices", []):
        if notice["code"] in USELESS:
            return Saving(why=notice["text"])
    return None


# The meaning of an estimate's weights, and the mean under other weights.


# The two people that the sentence compares, by their judgments.
MUCH, LITTLE = 25, 5
KEPT = "The campaign opened before balanced weights and keeps its estimator."


def weighing(detail: Mapping[str, Any]) -> str:
    """Return what one person's share of an estimate is; "" where its row does not say.

    detail: of a stored estimate (`estimation.history`).
    """
    if "balance" not in detail:
        return ""
    balance = detail["balance"]
    if balance is None:
        if detail.get("person_share"):
            return "People are weighted by work."
        return f"People are weighted by work. {KEPT}"
    if balance == 0:
        return "Items weigh equally, so people are weighted by work."
    times = core.relative_share(MUCH, LITTLE, balance=balance)
    return (
        f"One person’s weight grows more slowly than their work: {MUCH} judgments count "
        f"{number(times, 1)} times as much as {LITTLE}."
    )


def mean_by_other_weights(detail: Mapping[str, Any]) -> str:
    """Return the mean under the other weights, such as `weighted by work: 0.29`; "" if unknown."""
    if detail.get("balance"):
        name, words = "work_weighted_mean", "weighted by work"
    else:
        name, words = "equal_annotator_mean", "people counted equally"
    value = detail.get(name)
    return "" if value is None else f"{words}: {number(value)}"


# One system × criterion as readers see it: its numbers, and its state in words.


@dataclass(frozen=True)
class Axis:
    """The scale of a plot, from `low` to `high`, in a drawing of this width with two margins."""

    low: float
    high: float
    width: float
    margin: float

    def x(self, value: float) -> str:
        """Return where a value lies in the drawing; what is off the axis, at its end."""
        within = min(max(value, self.low), self.high)
        share = (within - self.low) / (self.high - self.low)
        return f"{self.margin + share * (self.width - 2 * self.margin):.1f}"

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        middle = (self.low + self.high) / 2
        return tuple((self.x(one), short(one, 2)) for one in (self.low, middle, self.high))

    @property
    def signed_labels(self) -> tuple[tuple[str, str], ...]:
        """Return the same of differences."""
        return tuple(
            (self.x(value), f"+{short(value)}" if value > 0 else short(value))
            for value in (self.low, 0.0, self.high)
        )


@dataclass(frozen=True)
class State:
    """A kind, for icon and colour, and the word with the meaning."""

    kind: str
    icon: str
    word: str


@dataclass(frozen=True)
class ShownCell:
    """One system × criterion; `row` is None before its first estimate.

    judged, population: items of the system; used until there is a row with these numbers.
    place: in a ranking, among the systems, such as 2–3; standing: the same by the differences.
    gauge_to: the width at the right end of every gauge of the criterion. axis: of its plots.
    shade: how good it is among the systems, from 1 to `SHADES`; 0 where there is none to compare.
    decision: in a ranking, about a pair that is judged side by side.
    both_bad: of a pair, how often both texts are bad, where people can say so.
    """

    system: SystemStanding
    criterion: Criterion
    target: float | None
    row: Estimate | None
    price: Decimal  # of one judgment, with the fee
    judged: int = 0
    population: int | None = None
    final: bool = False
    place: str = ""
    standing: str = ""
    gauge_to: float = 0.0
    axis: Axis | None = None
    shade: int = 0
    decision: State | None = None
    both_bad: Estimate | None = None

    @property
    def name(self) -> str:
        return f"{self.system.name}, {self.criterion.title}"

    @property
    def at_target(self) -> bool:
        return self.row is not None and self.row.at_target

    @property
    def estimate(self) -> float | None:
        return self.row.estimate if self.row else None

    @property
    def off_scale(self) -> bool:
        """Return whether the estimate or its centre is wrong, because it lies off the scale."""
        return self.row is not None and cell_off_scale(self.row.detail)

    @property
    def awaited(self) -> Awaited | None:
        n = self.row.n_items if self.row else self.judged
        needed = read.least(self.row.n_population if self.row else self.population)
        if self.row and n >= needed:
            return None
        return Awaited("Estimates", ("judged item", "judged items"), n, needed, self.final)

    @property
    def shown(self) -> Estimate | None:
        """Return the estimate, if it rests on enough items to be shown."""
        return None if self.awaited else self.row

    @property
    def too_wide(self) -> float | None:
        """Return by how much the interval exceeds its target; None without both."""
        if self.target is None or self.width is None:
            return None
        return self.width - self.target if self.width > self.target else None

    @property
    def width(self) -> float | None:
        """Return the width that is compared with the target, at most the width of the scale."""
        if self.row is None or self.row.width is None:
            return None
        if self.off_scale:
            return self.row.width
        return min(self.row.width, read.span(self.criterion))

    @property
    def low(self) -> float | None:
        return self.clipped(self.row.low) if self.row else None

    @property
    def high(self) -> float | None:
        return self.clipped(self.row.high) if self.row else None

    @property
    def width_shown(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def cut(self) -> str:
        """Return a note if part of the interval lies beyond the scale, otherwise ""."""
        if self.row is None or (self.low, self.high) == (self.row.low, self.row.high):
            return ""
        whole, said = self.row.width, "The interval is cut to the scale."
        if self.target is None or whole is None or whole > read.span(self.criterion):
            return said
        return f"{said} Collection stops by its whole width, {numbers.width(whole)}."

    @property
    def saving(self) -> Saving:
        return of_estimate(self.row, price=self.price) if self.row else NO_INTERVAL

    @property
    def _yet(self) -> str:
        return "" if self.final else " yet"

    @cached_property
    def state(self) -> State:
        if self.awaited or self.row is None:
            return State("", "clock", f"no estimate{self._yet}")
        if self.off_scale:
            return State("bad", "warning", "off the scale")
        if self.row.width is None:
            return State("", "clock", f"no interval{self._yet}")
        if self.decision:
            return self.decision
        if self.place:
            return State("", "info", f"place {self.place}")
        if self.target is None:
            return State("", "info", "no target")
        if self.at_target:
            return State("good", "check", "at target")
        if self.too_wide is not None:
            return State("warn", "warning", f"{numbers.width(self.too_wide)} too wide")
        few_people = self.row.effective_annotators < core.MIN_EFFECTIVE_ANNOTATORS
        return State("", "clock", "too few people" if few_people else "too few items")

    @property
    def parts(self) -> str:
        shares = self.row.detail.get("parts", {}) if self.row and self.row.width is not None else {}
        names = (("item", "items"), ("annotator", "people"), ("rest", "rest"))
        known = [(word, shares.get(name, 0.0)) for name, word in names]
        return ", ".join(
            f"{word} {numbers.percent(share)}" for word, share in known if share >= 0.005
        )

    @property
    def evidence(self) -> str:
        if self.row is None:
            return ""
        groups = self.row.detail.get("groups")
        among = f" in {many(groups[0], 'group')}" if groups else ""
        return (
            f"{many(self.row.n_judgments, 'judgment')} of {many(self.row.n_items, 'item')}{among} "
            f"by {many(self.row.n_annotators, 'person', 'people')}"
        )

    @property
    def other_mean(self) -> str:
        return mean_by_other_weights(self.row.detail) if self.row else ""

    @property
    def rank(self) -> str:
        """Return the place of a ranking, or else the one that the differences leave open."""
        return self.place or self.standing

    @property
    def sign(self) -> State:
        """Return the state without its numbers, for the sign next to the width."""
        if self.state.kind == "warn" and self.too_wide is not None:
            return State("warn", "warning", "too wide")
        return self.state

    @property
    def gauge_end(self) -> float:
        """Return the width at the gauge's right end: 1.5 times the target, or the width itself."""
        own = max(1.5 * (self.target or 0.0), 1.05 * (self.width or 0.0)) or 1.0
        return max(own, self.gauge_to)

    @property
    def gauge_fill(self) -> str:
        return f"{100 * (self.width or 0.0) / self.gauge_end:.1f}"

    @property
    def gauge_tick(self) -> str:
        return f"{100 * (self.target or 0.0) / self.gauge_end:.1f}"

    @cached_property
    def answers(self) -> list[dict[str, Any]]:
        """Return what people answered, the lowest score first; [] where that is not known.

        Each with its label, how often it was given (n, share), and its part of a bar (x, width,
        and shade from 1 to `SHADES`). Of two texts: the first is better, none is, both are bad
        where people can say so, the second is.
        """
        told = (self.shown.detail.get("answers") if self.shown else None) or []
        if self.criterion.compares:
            labels = {1: self.system.first, 0: "no difference", -1: self.system.second}
            given = [(int(np.sign(value)), n) for value, n in told]
            if self.both_bad is not None:
                bad = sum(n for value, n in self.both_bad.detail.get("answers", ()) if value)
                labels = {1: labels[1], 0: labels[0], BOTH_BAD: "both bad", -1: labels[-1]}
                given += [(0, -bad), (BOTH_BAD, bad)]
        elif self.criterion.levels:
            by_value = sorted(self.criterion.levels, key=lambda one: one.value)
            labels, given = {one.value: str(one.label) for one in by_value}, told
        else:
            labels, given = {0: "no", 1: "yes"}, told
        n_of = {key: sum(n for value, n in given if value == key) for key in labels}
        every, x, found = sum(n_of.values()), 0.0, []
        for place, (key, label) in enumerate(labels.items()):
            share = n_of[key] / every if every else 0.0
            shade = 1 + round((SHADES - 1) * place / max(1, len(labels) - 1))
            bar = {"x": f"{100 * x:.1f}", "width": f"{100 * share:.1f}", "shade": shade}
            found.append({"label": label, "n": n_of[key], "share": share, **bar})
            x += share
        return found if every else []

    @property
    def alternative(self) -> str:
        """Return the plot's content in words, for people who do not see it."""
        if self.row is None or self.row.width is None:
            return f"{self.name}: no interval{self._yet}."
        goal = f"; its target is {numbers.width(self.target)}" if self.target else ""
        return (
            f"{self.name}: after {many(self.row.n_judgments, 'judgment')} the estimate is "
            f"{number(self.row.estimate)} with an interval from {number(self.low)} to "
            f"{number(self.high)}, {numbers.width(self.width_shown)} wide{goal}."
        )

    def clipped(self, value: float | None) -> float | None:
        """Cut to the scale, for display only; the stopping rule uses the whole width.

        What is off the scale is shown as it is: cut, it would look exact.
        """
        if self.off_scale:
            return value
        return read.cut(value, self.criterion, self.estimate)

    # The same with and without the excluded work.

    @property
    def whole(self) -> Mapping[str, Any] | None:
        """Return the estimate with the excluded work in it; None where none is excluded."""
        return (self.row.detail.get("with_excluded") if self.row else None) or None

    @property
    def shift(self) -> float | None:
        if self.whole is None or self.estimate is None:
            return None
        return float(self.estimate - self.whole["estimate"])

    @property
    def whole_low(self) -> float | None:
        return self.clipped(self.whole["low"]) if self.whole else None

    @property
    def whole_high(self) -> float | None:
        return self.clipped(self.whole["high"]) if self.whole else None

    @property
    def moves(self) -> bool:
        """Return whether they move the estimate by more than its interval's half-width."""
        width = self.row.width if self.row else None
        return self.shift is not None and width is not None and abs(self.shift) > width / 2

    @property
    def left_out(self) -> int | None:
        if self.whole is None or self.row is None:
            return None
        return int(self.whole["n_judgments"]) - self.row.n_judgments

    @property
    def shift_state(self) -> State:
        if self.row is None:
            return State("warn", "warning", "no estimate is left")
        if self.awaited:
            return State("", "clock", "too few items")
        if self.whole is None:
            return State("", "clock", "follows with the next estimate")
        if self.moves:
            return State("warn", "warning", "shift beyond the half-width")
        if self.row.width is None:
            return State("", "clock", "no interval to compare with")
        return State("good", "check", "shift within the half-width")


def cell_off_scale(detail: Mapping[str, Any]) -> bool:
    return any(notice["code"] == "off_scale" for notice in detail.get("notices", ()))


def notices_of(cells: Sequence[ShownCell]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the notices of these cells, each sentence once, and the cells that it concerns.

    () for all of them.
    """
    about: dict[str, list[str]] = {}
    for cell in cells:
        for notice in cell.shown.detail.get("notices", []) if cell.shown else []:
            about.setdefault(notice["text"], []).append(cell.name)
    everywhere = sum(cell.shown is not None for cell in cells)
    return tuple(
        (text, () if len(names) == everywhere else tuple(names)) for text, names in about.items()
    )


# The differences of a criterion's pairs as values: numbers, a small plot, a matrix, and places.


# The plot's width and side margins, in units of its drawing.
PLOT, MARGIN = 300.0, 10.0
ROUND = (1, 1.5, 2, 3, 5, 7.5, 10)
# How the pairs of a criterion are told apart.
Adjustment = Literal["holm", "simultaneous", "none"]


def widened(row: Comparison, n: int) -> Comparison:
    """Return a row with the interval that holds together with those of n - 1 other pairs."""
    if row.low is None or row.high is None or row.std_error is None or row.df is None:
        return row
    error, df = np.asarray(row.std_error), np.asarray(row.df)
    alone = core.half_width(error, df, level=row.level)
    more = float(core.half_width(error, df, level=core.level_of_each(row.level, n)) - alone)
    wider = copy(row)
    wider.low, wider.high = row.low - more, row.high + more
    return wider


@dataclass(frozen=True)
class ShownContrast:
    """One pair: the difference, first minus second."""

    first: str
    second: str
    row: Comparison
    criterion: Criterion
    axis: Axis
    final: bool = False  # no more judgments will come

    @property
    def pair(self) -> tuple[str, str]:
        return self.first, self.second

    @property
    def difference(self) -> float:
        assert self.row.difference is not None  # rows without one are not selected
        return self.row.difference

    @property
    def p_value(self) -> float | None:
        """Return that of “no difference”: where the interval's level just reaches 0."""
        row = self.row
        if not (row.std_error and row.df and row.low is not None and row.high is not None):
            return None
        return float(2 * stdtr(row.df, -abs(row.low + row.high) / 2 / row.std_error))

    @property
    def excludes_zero(self) -> bool:
        low, high = self.row.low, self.row.high
        return low is not None and high is not None and not low <= 0 <= high

    @property
    def is_shown(self) -> bool:
        return is_enough(self.row)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the interval, cut to the largest possible difference on the scale."""
        if self.row.low is None or self.row.high is None:
            return None
        most = max(self.criterion.most_apart, abs(self.difference))
        return max(self.row.low, -most), min(self.row.high, most)

    @property
    def x_margin(self) -> tuple[str, str]:
        """In a ranking, where the differences that do not matter begin, and how wide they are."""
        margin = float(self.row.detail.get("margin", 0.0))
        low, high = (float(self.axis.x(value)) for value in (-margin, margin))
        return f"{low:.1f}", f"{high - low:.1f}"


@dataclass(frozen=True)
class GridCell:
    """The row's system minus the column's; told: whether the two are distinguishable."""

    ahead: float
    told: bool


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
        known = [(one, p) for one in self.shown if (p := one.p_value) is not None]
        after = core.holm([p for _one, p in known]).tolist()
        return dict(zip((one.pair for one, _p in known), after, strict=True))

    @cached_property
    def told_apart(self) -> frozenset[tuple[str, str]]:
        """Return the pairs whose difference is not 0, as the adjustment says."""
        if self.adjustment != "holm":
            return frozenset(one.pair for one in self.shown if one.excludes_zero)
        levels = {one.pair: one.row.level for one in self.shown}
        return frozenset(pair for pair, p in self.adjusted.items() if p < 1 - levels[pair])

    @property
    def n_told(self) -> int:
        return len(self.told_apart)

    def ahead(self, one: ShownContrast) -> str:
        """Return the better system of a distinguishable pair; otherwise ""."""
        if one.pair not in self.told_apart:
            return ""
        return one.first if (one.difference > 0) == self.criterion.higher_is_better else one.second

    def reading(self, one: ShownContrast) -> str:
        """Return what the difference of a pair says, with the adjustment for all pairs."""
        if one.row.low is None:
            return "no interval" if one.final else "no interval yet"
        if ahead := self.ahead(one):
            return f"{ahead} ahead: 0 lies outside the interval"
        unknown = "not distinguishable" if one.final else "not distinguishable yet"
        if one.excludes_zero:
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

    def _outcome(self, one: ShownContrast) -> core.PairOutcome:
        if one.pair not in self.told_apart:
            return "open"
        return "first" if one.difference > 0 else "second"

    @cached_property
    def grid(self) -> tuple[tuple[str, tuple[GridCell | None, ...]], ...]:
        """Return the pairs as a matrix, the best system first; empty for one pair.

        Each system with its cells: None up to the diagonal, and where nothing is known.
        """
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
            (a, tuple(cell(a, b) if j > i else None for j, b in enumerate(ranked)))
            for i, a in enumerate(ranked)
        )

    def _ahead(self) -> dict[tuple[str, str], float]:
        """Return how far the first of each pair is ahead of the second, in both orders."""
        sign = 1.0 if self.criterion.higher_is_better else -1.0
        ahead: dict[tuple[str, str], float] = {}
        for one in self.shown:
            ahead[one.first, one.second] = sign * one.difference
            ahead[one.second, one.first] = -sign * one.difference
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
    rows: Sequence[Comparison],
    names: Mapping[int, str],
    adjustment: Adjustment,
    *,
    final: bool = False,
) -> ContrastTable:
    if adjustment == "simultaneous":
        n = sum(row.low is not None and is_enough(row) for row in rows)
        rows = [widened(row, max(1, n)) for row in rows]
    reach = _reach(criterion, rows)
    axis = Axis(-reach, reach, PLOT, MARGIN)
    contrasts = (
        ShownContrast(names[row.first_id], names[row.second_id], row, criterion, axis, final)
        for row in rows
    )
    return ContrastTable(criterion, axis, tuple(contrasts), adjustment)


def is_enough(row: Comparison) -> bool:
    """Return whether a difference rests on enough items to be shown."""
    return row.n_items >= read.least(row.n_population)


def _reach(criterion: Criterion, rows: Sequence[Comparison]) -> float:
    """Return a round number that contains every interval, up to the largest difference."""
    values = [
        abs(value)
        for row in rows
        for value in (row.difference, row.low, row.high)
        if value is not None
    ]
    widest = max([criterion.most_apart, *(abs(row.difference or 0.0) for row in rows)])
    most = min(max(values, default=0.0), widest) or widest
    power = 10.0 ** floor(log10(most))
    return next(round(power * m, 10) for m in ROUND if power * m >= most)


# The pairs of a ranking as readers see them: what is decided of each, and what is missing.


@dataclass(frozen=True)
class RankedPair:
    """Two systems on one criterion; `contrast` is None before their first comparison.

    together: the name under which their texts are judged side by side; "" if each is judged alone.
    """

    first: str
    second: str
    criterion: Criterion
    margin: float
    contrast: ShownContrast | None
    together: str = ""

    @property
    def row(self) -> Comparison | None:
        return self.contrast.row if self.contrast else None

    @property
    def shown(self) -> ShownContrast | None:
        """Its numbers, once they rest on enough items to be shown."""
        return self.contrast if self.contrast and self.contrast.is_shown else None

    @property
    def outcome(self) -> core.PairOutcome:
        found: core.PairOutcome = self.row.detail.get("outcome", "open") if self.row else "open"
        return found

    @property
    def is_open(self) -> bool:
        return self.outcome == "open"

    @property
    def name(self) -> str:
        return self.together or f"{self.first} and {self.second}"

    @property
    def better(self) -> str:
        if self.outcome not in ("first", "second"):
            return ""
        first = (self.outcome == "first") == self.criterion.higher_is_better
        return self.first if first else self.second

    @property
    def state(self) -> State:
        if self.better:
            return State("good", "check", f"{self.better} is better")
        if self.outcome == "close":
            return State("good", "check", f"they differ by less than {short(self.margin)}")
        return State("", "clock", f"open: {self.missing}")

    @property
    def missing(self) -> str:
        if self.needs_people:
            return "ask more people"
        if self.row is None or self.row.low is None:
            return "too few items"
        if self.more_items is not None:
            return f"about {self.more}"
        return "these items may not decide it"

    @property
    def more(self) -> str:
        return many(self.more_items or 0, "more item") + ("" if self.together else " of each")

    @property
    def needs(self) -> str:
        if not self.is_open:
            return ""
        return str(self.row.detail.get("needs", ITEMS)) if self.row else ITEMS

    @property
    def needs_people(self) -> bool:
        return self.needs == PEOPLE

    @property
    def more_items(self) -> int | None:
        """About how many more items of each system decide it."""
        needed = self.row.detail.get("items_needed") if self.row else None
        return None if self.row is None or needed is None else max(1, needed - self.row.n_items)

    @property
    def openness(self) -> float:
        return float("inf") if self.more_items is None else self.more_items


def named(facts: CampaignFacts) -> Iterator[tuple[str, str, str]]:
    if facts.compares:
        yield from ((one.first, one.second, one.name) for one in facts.systems)
    else:
        yield from ((one.name, other.name, "") for one, other in combinations(facts.systems, 2))


def parts(facts: CampaignFacts) -> dict[str, list[SystemStanding]]:
    if not facts.compares:
        return {one.name: [one] for one in facts.systems}
    found: dict[str, list[SystemStanding]] = defaultdict(list)
    for one in facts.systems:
        found[one.first].append(one)
        found[one.second].append(one)
    return dict(found)


def from_ties(facts: CampaignFacts, newest: Sequence[Estimate]) -> tuple[ContrastTable, ...]:
    """Return the estimates of pairs that are judged side by side, as differences from a tie."""
    both = chain.from_iterable((one.first, one.second) for one in facts.systems)
    number = {name: n for n, name in enumerate(dict.fromkeys(both))}
    ids = {one.system_id: (number[one.first], number[one.second]) for one in facts.systems}
    names = {n: name for name, n in number.items()}
    tables = []
    for criterion in facts.primary:
        mine = [one for one in newest if one.criterion == criterion.name]
        rows = [_from_tie(one, criterion.tie, *ids[one.system_id]) for one in mine]
        if rows:
            tables.append(table_of(criterion, rows, names, "none"))
    return tuple(tables)


def _from_tie(one: Estimate, tie: float, first: int, second: int) -> Comparison:
    same = ("criterion", "n_items", "n_population", "effective_annotators", "detail", "std_error")
    return Comparison(
        id=one.pk,
        first_id=first,
        second_id=second,
        difference=None if one.estimate is None else one.estimate - tie,
        low=None if one.low is None else one.low - tie,
        high=None if one.high is None else one.high - tie,
        level=0.95,
        **{name: getattr(one, name) for name in same},
    )


# All systems on one criterion, as a row of the dashboard and as one picture on one scale.


FEW = 4  # estimates that are easy to compare as pictures side by side
SHADES = 5
BOTH_BAD = 2  # among the signs of answers about two texts
WIDTH, FOREST_MARGIN = 140.0, 8.0  # of the drawing, in its own units
ROOM = 0.04  # of what is drawn, at both ends


@dataclass(frozen=True)
class CriterionRow:
    """All systems on one criterion. All criteria with the same scale are plotted on one axis."""

    criterion: Criterion
    target: float | None
    cells: tuple[ShownCell, ...]
    is_primary: bool = False

    @cached_property
    def ranked(self) -> tuple[ShownCell, ...]:
        """Return the cells that show an estimate, the best first."""
        sign = -1 if self.criterion.higher_is_better else 1
        known = [cell for cell in self.cells if cell.shown]
        return tuple(sorted(known, key=lambda one: (sign * (one.estimate or 0.0), one.system.name)))

    @property
    def axis(self) -> Axis | None:
        return next((cell.axis for cell in self.cells), None)

    @property
    def n_at_target(self) -> int:
        return sum(cell.at_target for cell in self.cells)

    @property
    def answers(self) -> list[str]:
        """Return the labels of what can be answered; [] where no answers are known."""
        return next(
            ([one["label"] for one in cell.answers] for cell in self.cells if cell.answers), []
        )

    @property
    def newest_id(self) -> int | None:
        return max((cell.row.id for cell in self.cells if cell.row), default=None)

    @property
    def weighing(self) -> str:
        """The sentence about one person's share of these estimates; "" before the first."""
        return next((weighing(cell.row.detail) for cell in self.cells if cell.row), "")

    @property
    def is_shown(self) -> bool:
        return any(cell.shown for cell in self.cells)


def criterion_rows(
    facts: CampaignFacts,
    newest: list[Estimate],
    *,
    price: Decimal,
    items: Mapping[int, tuple[int, int | None]] | None = None,
    places: Mapping[tuple[str, str], str] | None = None,
    decisions: Mapping[tuple[str, str], State] | None = None,
    compared: Sequence[ContrastTable] = (),
) -> tuple[CriterionRow, ...]:
    """Return one row for each criterion, the primary ones first.

    items: of each system without an estimate.
    places, decisions: in a ranking, by criterion and system (a pair that is judged side by side).
    compared: the differences, which say what places systems can have outside of a ranking.
    """
    items, places, decisions = items or {}, places or {}, decisions or {}
    standing = {} if facts.is_ranking else {one.criterion.name: one.places for one in compared}
    found = {(row.system_id, row.criterion): row for row in newest}
    bad = {one.both_bad_of: one.name for one in facts.criteria if one.both_bad_of}
    targets, primary = facts.targets, facts.primary
    others = [criterion for criterion in facts.criteria if criterion not in primary]
    rows = [
        CriterionRow(
            criterion,
            targets.get(criterion.name),
            tuple(
                ShownCell(
                    system,
                    criterion,
                    targets.get(criterion.name),
                    found.get((system.system_id, criterion.name)),
                    price,
                    *items.get(system.system_id, (0, None)),
                    final=facts.is_final,
                    place=places.get((criterion.name, system.name), ""),
                    standing=standing.get(criterion.name, {}).get(system.name, ""),
                    decision=decisions.get((criterion.name, system.name)),
                    both_bad=found.get((system.system_id, bad.get(criterion.name, ""))),
                )
                for system in facts.systems
            ),
            is_primary=criterion in primary,
        )
        for criterion in (*primary, *others)
    ]
    return tuple(_on_one_scale(row, rows) for row in rows)


def _on_one_scale(row: CriterionRow, rows: Sequence[CriterionRow]) -> CriterionRow:
    """Return a row with gauges that end at the same width, shades, and the axis of its scale."""
    scale = row.criterion.low, row.criterion.high, row.criterion.bounded
    axis = _axis(
        [
            cell
            for other in rows
            if (other.criterion.low, other.criterion.high, other.criterion.bounded) == scale
            for cell in other.ranked
        ]
    )
    end = max((cell.gauge_end for cell in row.cells if cell.row), default=0.0)
    best, worst = (row.ranked[at].estimate or 0.0 if row.ranked else 0.0 for at in (0, -1))

    def shade(cell: ShownCell) -> int:
        if not cell.shown or best == worst or cell.system.first:  # no pair is better than another
            return 0
        return 1 + round((SHADES - 1) * ((cell.estimate or 0.0) - worst) / (best - worst))

    cells = (replace(cell, gauge_to=end, axis=axis, shade=shade(cell)) for cell in row.cells)
    return replace(row, cells=tuple(cells))


def _axis(shown: Sequence[ShownCell]) -> Axis | None:
    ends = [
        end for cell in shown for end in (cell.estimate, cell.low, cell.high) if end is not None
    ]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    room = ROOM * (high - low) or read.span(shown[0].criterion) / 10
    return Axis(low - room, high + room, WIDTH, FOREST_MARGIN)


def by_system(
    rows: Sequence[CriterionRow], order: str, *, backwards: bool
) -> list[tuple[SystemStanding, list[ShownCell]]]:
    """Return each system with its cells, sorted by the criterion `order`, the best first.

    Systems without an estimate come last. Any other order is by name.
    """
    lines = [
        (cells[0].system, list(cells)) for cells in zip(*(row.cells for row in rows), strict=True)
    ]
    row = next((row for row in rows if row.criterion.name == order), None)
    if row is None:
        return sorted(lines, key=lambda line: line[0].name, reverse=backwards)
    ranked = [cell.system.system_id for cell in row.ranked]
    place = {system: n for n, system in enumerate(ranked[::-1] if backwards else ranked)}
    return sorted(lines, key=lambda line: place.get(line[0].system_id, len(lines)))


# The systems of a comparison, each by one strength that summarises its pairs.


FEWEST = 3  # systems; two of them are one pair, which says it all


def strengths(rows: Sequence[CriterionRow]) -> list[dict[str, Any]]:
    """Return the systems of each question about pairs, the strongest first.

    question: its title. systems: each with its strength in log-odds, the share of wins against one
    of average strength, and the ends of both intervals, None where a pair has none; [] unless the
    pairs connect all systems. wins: each system with its cells of the map (`_wins`).
    """
    titles = {row.criterion.name: row.criterion.title for row in rows}
    found = []
    for row in rows:
        both = ((cell.system.first, cell.system.second) for cell in row.cells)
        names = [name for name in dict.fromkeys(chain.from_iterable(both)) if name]
        if row.criterion.wins_of and row.is_shown and len(names) >= FEWEST:
            systems = _strengths(row, names)
            names = [one["system"] for one in systems] or names
            question = titles[row.criterion.wins_of]
            found.append({"question": question, "systems": systems, "wins": _wins(row, names)})
    return found


def _wins(row: CriterionRow, names: Sequence[str]) -> list[tuple[str, list[dict[str, Any] | None]]]:
    """Return each system with how often it wins against each, as `share`; None where unknown.

    told: whether even odds lie outside the interval. shade: from 1 to `SHADES`.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for cell in row.ranked:
        first, second = cell.system.first, cell.system.second
        share = min(max(cell.estimate or 0.0, 0.0), 1.0)
        low, high = cell.low, cell.high
        told = low is not None and high is not None and not low <= row.criterion.tie <= high
        for pair, wins in (((first, second), share), ((second, first), 1 - share)):
            shade = 1 + round((SHADES - 1) * wins)
            found[pair] = {"share": wins, "told": told, "shade": shade}
    return [(one, [found.get((one, other)) for other in names]) for one in names]


def _strengths(row: CriterionRow, names: Sequence[str]) -> list[dict[str, Any]]:
    place = {name: n for n, name in enumerate(names)}
    wins, halves = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for cell in row.cells:
        if cell.shown is not None:
            first, second = place[cell.system.first], place[cell.system.second]
            share = min(max(cell.shown.estimate or 0.0, 0.0), 1.0)
            wins[first, second] = share * cell.shown.n_items
            wins[second, first] = (1 - share) * cell.shown.n_items
            wide = np.nan if cell.shown.width is None else cell.shown.width
            halves[first, second] = halves[second, first] = wide / 2
    try:
        found = core.bradley_terry(wins)
    except core.TooFewJudgmentsError:
        return []
    half = np.full(len(names), np.nan)
    if not np.isnan(halves).any():
        half = core.strength_half_widths(wins, halves)
    ends = np.stack([found - half, found + half], axis=1)
    each = zip(names, found, expit(found), ends, expit(ends), half, strict=True)
    told = [
        {
            "system": name,
            "log_odds": float(log_odds),
            "wins": float(share),
            "ends": None if np.isnan(wide) else tuple(map(float, around)),
            "wins_ends": None if np.isnan(wide) else tuple(map(float, shares)),
        }
        for name, log_odds, share, around, shares, wide in each
    ]
    return sorted(told, key=lambda one: -one["log_odds"])
