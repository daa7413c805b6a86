"""Weights and intervals of campaigns side by side; what is not said here is in bench/coverage.

Every array is (C, T), a row for each judgment, or (C,). The formulas are in docs/statistics.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from scipy.special import stdtrit

from bench.active.drawing import Drawn
from bench.coverage.cells import Cell
from estimation.core import MIN_EFFECTIVE_ANNOTATORS, Floats, Ints

STEP = 5  # judgments between two looks, also within a wave


class Batch:
    """Campaigns side by side: (C, T) arrays of rows, padded; size: (C,)."""

    def __init__(
        self, drawn: Sequence[Drawn], truth: Floats, *, active: bool, light: bool = False
    ) -> None:
        self.active, self.light, self.truth = active, light, truth
        self.size = np.array([one.score.size for one in drawn])
        shape = len(drawn), int(self.size.max())
        self.score, self.x, self.chance = np.zeros(shape), np.zeros(shape), np.ones(shape)
        self.item, self.who, self.wave = (np.zeros(shape, dtype=np.int64) for _ in range(3))
        self.gain = np.ones((len(drawn), max(one.gain.size for one in drawn)))
        for row, one in enumerate(drawn):
            part = row, slice(0, one.score.size)
            self.score[part], self.x[part], self.chance[part] = one.score, one.x, one.chance
            self.wave[part] = one.wave
            self.item[part] = np.unique(one.item, return_inverse=True)[1]
            self.who[part] = np.unique(one.who, return_inverse=True)[1]
            self.gain[row, : one.gain.size] = one.gain

    def keep(self, rows: Ints) -> None:
        """Go on with the campaigns in `rows`."""
        for name, value in vars(self).items():
            if name not in {"active", "light"}:
                setattr(self, name, value[rows])


def _over(label: Ints, value: Floats) -> Floats:
    """(C, L) sums of `value` over the rows with each label."""
    most = int(label.max()) + 1
    place = label + most * np.arange(label.shape[0])[:, None]
    sums = np.bincount(place.ravel(), value.ravel(), minlength=most * label.shape[0])
    return np.asarray(sums.reshape(-1, most))


def _back(label: Ints, value: Floats) -> Floats:
    """(C, T) the value of each row's label."""
    return np.take_along_axis(value, label, axis=1)


class Weights:
    """The weights of the first `upto` judgments.

    each: (C, T) w_ij. plain: (C, T) the same as if all chances were equal. one: (C, T) 1/k_i.
    of_item: (C, items) W_i. typical: Σ W². squares: Σ w².
    """

    def __init__(self, batch: Batch, upto: int, n_population: int, balance: float) -> None:
        item, who = batch.item[:, :upto], batch.who[:, :upto]
        self.one = 1 / _back(item, _over(item, np.ones(item.shape)))
        light = self.one / (1 + balance * _back(who, _over(who, self.one)))
        self.plain = light / light.sum(axis=1, keepdims=True)
        self.each = self.plain
        if batch.active:
            self.each = _by_wave(batch, light, self.one, n_population)
        self.of_item = _over(item, self.each)
        self.typical = (self.of_item**2).sum(axis=1)
        self.squares = (self.each**2).sum(axis=1)


def _by_wave(batch: Batch, light: Floats, one: Floats, n_population: int) -> Floats:
    """(C, T) weights: a wave speaks for all items that were left before it."""
    wave, chance = batch.wave[:, : one.shape[1]], batch.chance[:, : one.shape[1]]
    items, plain, drawn = (_over(wave, value) for value in (one, light, light / chance))
    after = n_population - np.cumsum(items, axis=1)
    before = after + items
    c = plain / (before * np.maximum(after, 0.5)) / batch.gain[:, : items.shape[1]]
    c /= c.sum(axis=1, keepdims=True)
    later = c[:, ::-1].cumsum(axis=1)[:, ::-1] - c
    with np.errstate(divide="ignore", invalid="ignore"):
        fresh = np.where(items > 0, c * before / n_population / drawn, 0.0)
        known = np.where(items > 0, later * items / n_population / plain, 0.0)
    return np.asarray(light * (_back(wave, fresh) / chance + _back(wave, known)))


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """An estimate and what its interval is made of; every array is (C,)."""

    estimate: Floats
    centre: Floats
    item: Floats
    rest: Floats
    person: Floats
    effective: Floats
    n_items: Floats


def parts(batch: Batch, upto: int, cell: Cell) -> Parts:
    """The estimates of the campaigns after `upto` judgments."""
    protocol = cell.criterion.protocol
    weights = Weights(batch, upto, cell.outputs, protocol.balance)
    w, x, y = weights.each, batch.x[:, :upto], batch.score[:, :upto]
    left = y - _slope(w, x, y) * x
    estimate = (w * left).sum(axis=1)
    centre, item = _items(batch, weights, left, estimate, cell)
    rest = _rest(batch, weights, y, cell)
    spread = w if batch.active else np.full(w.shape, 1 / upto)
    spread = (spread * (y - (spread * y).sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
    who, u = batch.who[:, :upto], w * (left - estimate[:, None])
    person, effective = _person(who, w, u, spread, protocol.person_share)
    return Parts(estimate, centre, item, rest, person, effective, weights.one.sum(axis=1))


def look(batch: Batch, upto: int, cell: Cell) -> tuple[Floats, Floats, Floats]:
    """(low, high, width) of the campaigns after `upto` judgments; inf where none may stop."""
    found = parts(batch, upto, cell)
    df = np.minimum(found.n_items - 2, found.effective - 1)
    half = stdtrit(df, 0.5 + cell.level / 2) * np.sqrt(found.item + found.rest + found.person)
    low = np.minimum(found.centre - half, found.estimate)
    high = np.maximum(found.centre + half, found.estimate)
    ready = found.n_items > cell.least_items - 0.5
    ready &= found.effective >= MIN_EFFECTIVE_ANNOTATORS
    return low, high, np.where(ready, high - low, np.inf)


def _slope(w: Floats, x: Floats, y: Floats) -> Floats:
    """(C, 1) of weighted least squares."""
    x = x - (w * x).sum(axis=1, keepdims=True)
    y = y - (w * y).sum(axis=1, keepdims=True)
    above, below = ((w * x * other).sum(axis=1, keepdims=True) for other in (y, x))
    return np.asarray(above / below)


def _items(
    batch: Batch, weights: Weights, left: Floats, estimate: Floats, cell: Cell
) -> tuple[Floats, Floats]:
    """(centre, V_item), with pseudo-rows and finite population."""
    item = batch.item[:, : left.shape[1]]
    scale, n = cell.criterion.protocol.scale, cell.outputs
    f = np.minimum(1.0, 1 / (n * weights.typical))
    guard = weights.typical
    if batch.light:
        guard = (_over(item, weights.plain) ** 2).sum(axis=1)
    total = 1 + 4 * guard
    shifted = (estimate + guard * 2 * (scale.low + scale.high)) / total
    off = (_over(item, weights.each * left) - shifted[:, None] * weights.of_item) ** 2
    if batch.active:  # W(W - 1/N) in the place of (1 - f)W²
        part = np.divide(1 / n, weights.of_item, out=np.zeros_like(off), where=weights.of_item > 0)
        off *= 1 - part
    else:
        off *= (1 - f)[:, None]
    ends = (scale.low - shifted) ** 2 + (scale.high - shifted) ** 2
    found = np.maximum(0.0, off.sum(axis=1) + 2 * (1 - f) * guard**2 * ends) / total**2
    return estimate + (1 - f) * (shifted - estimate), found


def _rest(batch: Batch, weights: Weights, y: Floats, cell: Cell) -> Floats:
    """(C,) V_rest; the squares within items weigh as the items do."""
    item, scale = batch.item[:, : y.shape[1]], cell.criterion.protocol.scale
    mean = _over(item, weights.one * y)
    of_twice = weights.of_item * (_over(item, np.ones(y.shape)) > 1)
    pairs = (of_twice > 0).sum(axis=1)
    within = (of_twice * _over(item, (y - _back(item, mean)) ** 2)).sum(axis=1)
    within /= np.maximum(of_twice.sum(axis=1), 1e-12)
    noise = (pairs * within + (scale.high - scale.low) ** 2 / 4) / (pairs + 0.5)
    if not batch.active:
        return np.asarray(noise * weights.squares / weights.typical / cell.outputs)
    shared = (weights.each**2 / _back(item, weights.of_item)).sum(axis=1)
    return np.asarray(noise * shared / cell.outputs)


def _person(
    who: Ints, w: Floats, u: Floats, spread: Floats, typical: float
) -> tuple[Floats, Floats]:
    """(V_person, A_eff); spread: s²_y, typical: π."""
    share, net, squares = _over(who, w), _over(who, u), (w**2).sum(axis=1)
    two, three, four = ((share**power).sum(axis=1) for power in (2, 3, 4))
    effective = 1 / two
    kappa = np.maximum(0.5, (1 - 2 * three / two + two) / (1 - two))
    raw = effective / (effective - 1) * (net**2).sum(axis=1) / kappa - (u**2).sum(axis=1)
    variance = np.maximum(0.0, raw) / (two - squares)
    df = two**2 / four
    pulled = (df * variance + 10 * typical * spread) / (df + 10)
    return np.maximum(variance, pulled) * (two - squares), effective


def stopped(batch: Batch, cell: Cell) -> Floats:
    """(C, 2) judgments at the stop, NaN where there was none, and whether covered."""
    found = np.full((batch.size.size, 2), nan)
    number = np.arange(batch.size.size)
    for upto in range(cell.least_items, batch.score.shape[1] + 1, STEP):
        low, high, width = look(batch, upto, cell)
        here = np.flatnonzero((width <= cell.width) & (upto <= batch.size))
        truth = batch.truth[here]
        covered = (low[here] <= truth) & (truth <= high[here])
        found[number[here]] = np.column_stack([np.full(here.size, upto), covered])
        rest = np.flatnonzero((width > cell.width) & (upto + STEP <= batch.size))
        if not rest.size:
            break
        if rest.size < number.size:
            number = number[rest]
            batch.keep(rest)
    return found
