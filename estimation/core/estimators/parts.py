"""The variance of an estimate, in parts, and with how many degrees of freedom it is known."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from estimation.core.data.moments import Moments
from estimation.core.data.sample import Floats, Scale
from estimation.core.estimators.fit import AnyEstimator, Fit, fit, from_sums, spread_of_x

IntervalMethod = Literal["two_way", "iid"]
Estimand = Literal["population", "panel"]
INTERVALS: tuple[str, ...] = get_args(IntervalMethod)
ESTIMANDS: tuple[str, ...] = get_args(Estimand)

# Below this, one annotator carries all the weight and nothing is known about other people.
_ALONE = 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Method:
    """Which estimate and which interval; `estimate` documents the options."""

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
    df: degrees of freedom. No interval exists where it is not positive or the variance is NaN;
    it counts the data alone, so pseudo-rows cannot conjure one up.
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

    With one judgment per item this is the textbook interval of least squares. It knows neither
    items judged twice nor annotators, which is what makes it too narrow.
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
    # NaN must survive the comparison with 0, and np.maximum lets it.
    return np.asarray(np.maximum(0.0, several / (several - 1) * annotator_sum - cell_sum))
