"""The intervals of docs/statistics.md for many campaigns at once; every array is (C,)."""

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from bench.coverage.batch import Sums
from estimation.core import Floats, Scale


@dataclass(frozen=True, slots=True)
class Way:
    """How to estimate and how wide to report.

    weighing: "regression" (items weigh equally) or "balanced". corrected: with the correction for
    uneven shares and the person variance pulled up; pull is what the typical share of people weighs
    against the data's degrees of freedom. finite: "none", "released" (as in 0.1.0) or
    "guarded".
    """

    name: str
    weighing: Literal["regression", "balanced"] = "balanced"
    corrected: bool = True
    pull: float = 10.0
    finite: Literal["none", "released", "guarded"] = "guarded"


RELEASED = Way("regression as in 0.1.0", "regression", corrected=False, finite="released")
ENDLESS = Way("the same, N endless", "regression", corrected=False, finite="none")
REGRESSION = Way("regression", "regression")
BALANCED = Way("balanced")
WAYS = (RELEASED, ENDLESS, REGRESSION, BALANCED)


@dataclass(frozen=True, slots=True)
class Protocol:
    """What is fixed before the first judgment: scale, the λ of balanced weights, and π."""

    scale: Scale
    balance: float
    person_share: float


@dataclass(frozen=True, slots=True)
class Squares:
    """sum of (y - a - b x)² by (1, y, x, x², xy, y²)-sums, and of the product of two residuals."""

    sums: Floats
    pairs: Floats | None = None

    def residual(self, a: Floats, b: Floats) -> Floats:
        """Squared residuals of single judgments."""
        one, y, x, xx, xy, yy = self.sums
        return np.asarray(yy - 2 * a * y - 2 * b * xy + a**2 * one + 2 * a * b * x + b**2 * xx)

    def between(self, a: Floats, b: Floats) -> Floats:
        """Products of the residuals of two judgments of one item."""
        assert self.pairs is not None
        one, both, x, xx, xboth, yy = self.pairs
        return np.asarray(yy - a * both - b * xboth + a**2 * one + 2 * a * b * x + b**2 * xx)


@dataclass(frozen=True, slots=True)
class Line:
    """A weighted line: intercept, slope; sxx is 0 where the metric is flat, and slope too."""

    intercept: Floats
    slope: Floats
    x: Floats
    sxx: Floats
    flat: NDArray[np.bool_]


def line(one: Floats, y: Floats, x: Floats, xx: Floats, xy: Floats) -> Line:
    """Weighted least squares from sums."""
    sxx = xx - x**2 / one
    flat = sxx <= 1e-12 * np.maximum(1.0, xx)
    sxx = np.where(flat, np.inf, sxx)
    slope = (xy - x * y / one) / sxx
    return Line((y - slope * x) / one, slope, x / one, sxx, flat)


@dataclass(frozen=True, slots=True)
class Shares:
    """Sums of the people's shares: of squares, cubes and fourth powers; squares of weights."""

    two: Floats
    three: Floats
    four: Floats
    weights: Floats

    @property
    def effective(self) -> Floats:
        """A_eff."""
        return np.asarray(1 / self.two)


@dataclass(frozen=True, slots=True)
class Found:
    """An estimate with its interval; see docs/statistics.md for the names."""

    estimate: Floats
    slope: Floats
    centre: Floats
    item: Floats
    rest: Floats
    person: Floats
    df: Floats
    effective: Floats
    n_items: Floats

    @property
    def std_error(self) -> Floats:
        """The square root of the three parts' sum."""
        return np.asarray(np.sqrt(self.item + self.rest + self.person))

    def only(self, columns: NDArray[np.intp]) -> "Found":
        """Return the campaigns in `columns`."""
        return Found(*(getattr(self, field.name)[columns] for field in fields(self)))

    def ends(self, way: Way, level: float) -> tuple[Floats, Floats]:
        """(low, high), NaN where there is no interval."""
        df = np.where(self.df > 0, self.df, np.nan)
        half = stdtrit(df, 0.5 + level / 2) * self.std_error
        low, high = self.centre - half, self.centre + half
        if way.finite != "guarded":
            return low, high
        return np.minimum(low, self.estimate), np.maximum(high, self.estimate)


def look(sums: Sums, way: Way, protocol: Protocol) -> Found:
    """The estimates of all campaigns now."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return (_regression if way.weighing == "regression" else _balanced)(sums, way, protocol)


def _regression(sums: Sums, way: Way, protocol: Protocol) -> Found:
    one, y, x, xx, xy = sums.light.sum(axis=1)
    plain = line(one, y, x, xx, xy)
    m, by_y, by_x = sums.light[:3]
    heavy = sums.heavy.sum(axis=1)
    annotator = ((by_y - plain.intercept * m - plain.slope * by_x) ** 2).sum(axis=0) / one**2
    cell = Squares(heavy).residual(plain.intercept, plain.slope) / one**2
    shares = _shares(m / one, heavy[0] / one**2)
    centre, item = _guarded_line(sums, protocol.scale)
    share, rest, centre = _finite(
        sums, way, protocol.scale, plain.intercept, centre, one, heavy[0] / one
    )
    return Found(
        plain.intercept,
        plain.slope,
        centre,
        (1 - share) * item,
        rest,
        _person(sums, way, protocol, annotator, cell, shares),
        np.minimum(one - np.where(plain.flat, 1, 2), shares.effective - 1),
        shares.effective,
        one,
    )


def _guarded_line(sums: Sums, scale: Scale) -> tuple[Floats, Floats]:
    """(centre, V_item) of the fit with two rows at each end of the scale."""
    one, y, x, xx, xy = sums.light.sum(axis=1)
    n, y = one + 4, y + 2 * (scale.low + scale.high)
    yy = sums.mean_squares + 2 * (scale.low**2 + scale.high**2)
    fit = line(n, y, x, xx, xy)
    rss = yy - fit.intercept * y - fit.slope * xy
    df = n - np.where(fit.flat, 1, 2)
    return fit.intercept, rss / df * (1 / n + fit.x**2 / fit.sxx)


def _balanced(sums: Sums, way: Way, protocol: Protocol) -> Found:
    m, by_y, by_x = sums.light[:3]
    v = 1 / (1 + protocol.balance * m)
    one, y, x, xx, xy = np.einsum("jc,qjc->qc", v, sums.light)
    plain = line(one, y, x, xx, xy)
    squares = Squares(np.einsum("jc,qjc->qc", v**2, sums.heavy), sums.over_pairs(v))
    assert squares.pairs is not None
    weights = squares.sums[0] / one**2
    typical = weights + 2 * squares.pairs[0] / one**2
    annotator = (v * (by_y - plain.intercept * m - plain.slope * by_x)) ** 2
    cell = squares.residual(plain.intercept, plain.slope) / one**2
    shares = _shares(v * m / one, weights)
    centre, item = _guarded_mean(plain, squares, one, typical, protocol.scale)
    share, rest, centre = _finite(
        sums, way, protocol.scale, plain.intercept, centre, 1 / typical, weights / typical
    )
    n = sums.light[0].sum(axis=0)
    return Found(
        plain.intercept,
        plain.slope,
        centre,
        (1 - share) * item,
        rest,
        _person(sums, way, protocol, annotator.sum(axis=0) / one**2, cell, shares),
        np.minimum(n - 2, shares.effective - 1),
        shares.effective,
        n,
    )


def _guarded_mean(
    plain: Line, squares: Squares, one: Floats, typical: Floats, scale: Scale
) -> tuple[Floats, Floats]:
    """(μ⁺, V_item) with four rows of a typical item's weight at the ends of the scale."""
    total = 1 + 4 * typical
    centre = (plain.intercept + typical * 2 * (scale.low + scale.high)) / total
    data = squares.residual(centre, plain.slope) + 2 * squares.between(centre, plain.slope)
    ends = 2 * ((scale.low - centre) ** 2 + (scale.high - centre) ** 2)
    return centre, (data / one**2 + typical**2 * ends) / total**2


def _shares(share: Floats, weights: Floats) -> Shares:
    two = share**2
    return Shares(two.sum(axis=0), (two * share).sum(axis=0), (two**2).sum(axis=0), weights)


def _finite(
    sums: Sums,
    way: Way,
    scale: Scale,
    estimate: Floats,
    guarded: Floats,
    items: Floats,
    h: Floats,
) -> tuple[Floats, Floats, Floats]:
    """(f, what a census leaves, centre); items: n, or what stands for it."""
    repeats = sums.count - sums.light[0].sum(axis=0)
    known = repeats > 0.5
    if way.finite == "none":
        return np.zeros_like(items), np.zeros_like(items), guarded
    share = np.where(known, items / sums.batch.n_population, 0.0)
    within = sums.within / np.where(known, repeats, 1.0)
    if way.finite == "guarded":
        within = (sums.within + (scale.high - scale.low) ** 2 / 4) / (repeats + 0.5)
        guarded = estimate + (1 - share) * (guarded - estimate)
    return share, np.where(known, within * h / sums.batch.n_population, 0.0), guarded


def _person(
    sums: Sums, way: Way, protocol: Protocol, annotator: Floats, cell: Floats, shares: Shares
) -> Floats:
    """V_person; NaN where one person has all the weight."""
    several = np.where(shares.effective > 1 + 1e-9, shares.effective, np.nan)
    up = several / (several - 1)
    if not way.corrected:
        return np.asarray(np.maximum(0.0, up * annotator - cell))
    two = shares.two
    kappa = np.maximum(0.5, (1 - 2 * shares.three / two + two) / (1 - two))
    raw = np.maximum(0.0, up * annotator / kappa - cell)
    repeated = two - shares.weights
    nobody_twice = repeated <= 1e-12 * two
    variance = raw / np.where(nobody_twice, 1.0, repeated)
    df = two**2 / shares.four
    spread = sums.squares / sums.count - (sums.total / sums.count) ** 2
    pulled = (df * variance + way.pull * protocol.person_share * spread) / (df + way.pull)
    found = np.maximum(variance, pulled) * repeated
    return np.asarray(np.where(nobody_twice, several * 0.0, found))
