"""The estimators that a few sums determine, and the variance of an estimate in parts."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import Gram, Moments
from estimation.core.data.sample import Scale

# A few additive sums determine these, so a whole history needs no refits.
Estimator = Literal["regression", "algorithm_1", "mean"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)

# All estimators of `estimate`: the keys of `registry.REGISTERED`.
AnyEstimator = str

# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Fit:
    """intercept = sum_i (constant - tilt * x_i) * ybar_i, with the slope that it corrects by.

    rss: sum of squared residuals; df: rows less parameters. All fields are () or (T,).
    """

    intercept: Floats
    slope: Floats
    constant: Floats
    tilt: Floats
    rss: Floats
    df: Floats

    @property
    def residual_variance(self) -> Floats:
        """s² = RSS / df, NaN where df < 1."""
        return np.asarray(self.rss / np.where(self.df >= 1, self.df, np.nan))


def from_sums(estimator: str) -> Estimator:
    """The same estimator; raises InvalidOptionError unless sums determine it."""
    if estimator not in ESTIMATORS:
        raise InvalidOptionError(f"{estimator!r} is not one of {', '.join(ESTIMATORS)}.")
    return cast(Estimator, estimator)


def spread_of_x(items: Gram) -> tuple[Floats, NDArray[np.bool_]]:
    """Sxx, the metric's sum of squares over the rows, and whether it is flat there."""
    sxx = items.x_x - items.one_x**2 / items.one_one
    return sxx, np.asarray(sxx <= _ROUNDING * np.maximum(1.0, items.x_x))


def fit(items: Gram, *, estimator: Estimator, flat: NDArray[np.bool_]) -> Fit:
    """Fit one of the estimators to rows (1, x_i, ybar_i), items weighing equally.

    mean: the mean of item means, equation (2) of Chaganty, Mussmann and Liang (2018).
    algorithm_1: their Algorithm 1 to the letter, slope (1/n) sum (ybar_i - ybar) x_i.
    regression: least squares, slope Sxy / Sxx; asymptotically Algorithm 1.

    Where `flat` the metric cannot help: slope 0, and one parameter instead of two.
    """
    n, xbar, ybar = items.one_one, items.one_x / items.one_one, items.one_y / items.one_one
    sxy = items.x_y - items.one_x * ybar
    sxx, _ = spread_of_x(items)
    unused = np.asarray(flat | (estimator == "mean"))
    divisor = np.where(unused, 1.0, n if estimator == "algorithm_1" else sxx)
    slope = np.where(unused, 0.0, sxy / divisor)
    # Algorithm 1 treats its slope as known, so its intercept is a plain mean of y - slope * x.
    tilt = np.where(unused | (estimator == "algorithm_1"), 0.0, xbar / divisor)
    intercept = ybar - slope * xbar
    rss = items.residual(intercept, slope)
    return Fit(intercept, slope, 1 / n + tilt * xbar, tilt, rss, n - np.where(unused, 1.0, 2.0))


def correlation(items: Gram) -> Floats:
    """Pearson's r of item means and x over the judged items; NaN where either is flat."""
    sxx, flat = spread_of_x(items)
    syy = items.y_y - items.one_y**2 / items.one_one
    sxy = items.x_y - items.one_x * items.one_y / items.one_one
    flat = flat | (syy <= _ROUNDING * items.y_y)
    return np.asarray(sxy / np.sqrt(np.where(flat, np.nan, sxx * syy)))


IntervalMethod = Literal["two_way", "iid"]
Estimand = Literal["population", "panel"]
INTERVALS: tuple[str, ...] = get_args(IntervalMethod)
ESTIMANDS: tuple[str, ...] = get_args(Estimand)

# Below this, one annotator has all the weight, and other people are unknown.
_ALONE = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Method:
    """Which estimate and which interval; `estimate` explains the options.

    Parameters
    ----------
    estimator : {"regression", "algorithm_1", "mean", "multi", "balanced", "ppi"}
        How item means and metrics become one number.
    interval : {"two_way", "iid"}
        What counts as sampled: items and annotators, or single judgments.
    estimand : {"population", "panel"}
        For whom the estimate speaks: people in general, or exactly these annotators.
    finite_population : bool
        Whether the item part shrinks as the share of judged outputs grows.
    pseudo_rows : bool
        Whether four rows at the ends of the scale guard the item part.
    seed : int
        The seed of the five folds of a cross-fit.

    Examples
    --------
    >>> from estimation.core import Method
    >>> Method(estimand="panel").estimator
    'regression'
    """

    estimator: AnyEstimator = "regression"
    interval: IntervalMethod = "two_way"
    estimand: Estimand = "population"
    finite_population: bool = True
    pseudo_rows: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """An estimate and its variance; every field is () or, for a history, (T,).

    estimate, slope: the plain fit, in score units and score units per sd of the metric.
    centre: where the interval is centred.
    item: variance from having judged n of N items, finite-population corrected.
    rest: sigma_a² h / N, what a single judgment per item leaves even after a census.
    annotator: variance from having asked these people and not others.
    annotator_sum, cell_sum: V_annot and V_cell, of which `annotator` is made.
    df: degrees of freedom. No interval exists where it is not positive or the variance is NaN.
    It counts the data alone, so pseudo-rows never create an interval.
    """

    estimate: Floats
    slope: Floats
    centre: Floats
    item: Floats
    rest: Floats
    annotator: Floats
    annotator_sum: Floats
    cell_sum: Floats
    df: Floats
    effective_annotators: Floats

    @property
    def variance(self) -> Floats:
        """The squared standard error, the sum of the three parts."""
        return np.asarray(self.item + self.rest + self.annotator)


def parts(moments: Moments, *, method: Method, scale: Scale, n_population: int) -> Parts:
    """Estimate and variance from sufficient statistics, for one state or a whole history."""
    _, flat = spread_of_x(moments.items)
    plain = fit(moments.items, estimator=from_sums(method.estimator), flat=flat)
    n = moments.items.one_one
    annotator_sum = moments.annotators.residual(plain.intercept, plain.slope) / n**2
    cell_sum = moments.cells.residual(plain.intercept, plain.slope) / n**2
    effective = n**2 / moments.annotators.one_one
    zero = np.zeros_like(n)
    if method.interval == "iid":
        centre, item, df = _independent(moments, plain)
        rest = annotator = zero
    else:
        centre, item = _item_part(moments, plain, method, scale)
        item, rest = _correct_for_finite(moments, item, method, n_population)
        annotator, df = zero, plain.df
        if method.estimand == "population":
            annotator = annotator_part(annotator_sum, cell_sum, effective)
            df = np.minimum(df, effective - 1)
    return Parts(
        plain.intercept + moments.shift,
        plain.slope,
        centre + moments.shift,
        item,
        rest,
        annotator,
        annotator_sum,
        cell_sum,
        df,
        effective,
    )


def _independent(moments: Moments, plain: Fit) -> tuple[Floats, Floats, Floats]:
    """Every judgment an independent draw, as in the paper: s² times the sum of squared weights.

    With one judgment per item this is the textbook interval of least squares. It ignores
    items judged twice and annotators, so it is too narrow.
    """
    parameters = moments.items.one_one - plain.df
    df = moments.judgments.one_one - parameters
    rss = moments.judgments.residual(plain.intercept, plain.slope)
    weights = moments.cells.combination(plain.constant, plain.tilt)
    return plain.intercept, rss / np.where(df >= 1, df, np.nan) * weights, df


def _item_part(moments: Moments, plain: Fit, method: Method, scale: Scale) -> tuple[Floats, Floats]:
    """(centre, V_item), from the fit with pseudo-rows if the method asks for them."""
    items, guarded = moments.items, plain
    if method.pseudo_rows:
        # Two rows at either end of the scale: early discrete scores may not vary at all, and a
        # standard error of 0 would stop the collection. Agresti and Coull (1998) do the same
        # for proportions.
        ends = np.array([scale.low, scale.low, scale.high, scale.high]) - moments.shift
        _, flat = spread_of_x(items)
        items = items.with_rows_at_zero(ends)
        guarded = fit(items, estimator=from_sums(method.estimator), flat=flat)
    weights = items.combination(guarded.constant, guarded.tilt)
    variance = guarded.residual_variance * weights
    return guarded.intercept, variance


def _correct_for_finite(
    moments: Moments, item: Floats, method: Method, n_population: int
) -> tuple[Floats, Floats]:
    """((1 - f) V_item, sigma_a² h / N), f = n / N; f = 0 without replicates."""
    n = moments.items.one_one
    replicates = moments.judgments.one_one - n
    if not method.finite_population:
        return item, np.zeros_like(n)
    known = replicates > 0
    noise = np.where(known, moments.within / np.where(known, replicates, 1.0), 0.0)
    share = np.where(known, n / n_population, 0.0)
    h = moments.cells.one_one / n
    return (1 - share) * item, noise * h / n_population


def annotator_part(annotator_sum: Floats, cell_sum: Floats, effective: Floats) -> Floats:
    """max(0, c V_annot - V_cell), c = A_eff / (A_eff - 1); NaN where A_eff <= 1."""
    several = np.where(effective > _ALONE, effective, np.nan)
    # np.maximum keeps NaN in the comparison with 0.
    return np.asarray(np.maximum(0.0, several / (several - 1) * annotator_sum - cell_sum))
