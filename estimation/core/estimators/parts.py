"""The variance of an estimate in parts: items, single judgments, and the people who judged.

The formulas are those of docs/statistics.md, section "The interval". They take the statistics of
one state or of a whole history.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats
from estimation.core.data.moments import Moments
from estimation.core.data.sample import Scale
from estimation.core.estimators.fit import Estimator, Fit, Method, fit, from_sums, spread_of_x

# Below this, one annotator has all the weight, and other people are unknown.
_ALONE = 1 + 1e-9

# A number of people this near to a whole one differs from it by rounding.
_WHOLE = 1e-9

# Weights that differ by less than this share of themselves differ by rounding.
_ROUNDING = 1e-12

# How many effective people the typical share of person variance counts as.
_PRIOR_PEOPLE = 10.0

# How many pairs of judgments the largest possible noise counts as.
_PRIOR_PAIRS = 0.5


@dataclass(frozen=True, slots=True)
class ItemPart:
    """centre: the estimate with the pseudo-rows. variance: its squared error, before the
    correction for a finite population. df: degrees of freedom, pseudo-rows not counted."""

    centre: Floats
    variance: Floats
    df: Floats


@dataclass(frozen=True, slots=True)
class PersonPart:
    """The part of the variance that comes from having asked these people and not others.

    sum, cell_sum: V_annot and V_cell. raw: c V_annot / s3_factor - V_cell, which may be negative.
    s3_factor: what V_annot expects of c times itself where shares are uneven. pulled: whether the
    typical person variance took the place of a smaller one. variance: V_person.
    """

    sum: Floats
    cell_sum: Floats
    raw: Floats
    s3_factor: Floats
    pulled: NDArray[np.bool_]
    variance: Floats


@dataclass(frozen=True, slots=True)
class Parts:
    """An estimate and its variance; every field is () or, for a history, (L,).

    estimate, slope: the plain fit, in score units and score units per sd of the metric.
    centre: where the interval is centred.
    item: variance from having judged n of N items, corrected for the finite population.
    rest: what single judgments leave even after a census.
    people: variance from having asked these people and not others.
    df: degrees of freedom. No interval exists where it is not positive or the variance is NaN.
    """

    estimate: Floats
    slope: Floats
    centre: Floats
    item: Floats
    rest: Floats
    people: PersonPart
    df: Floats
    effective_annotators: Floats

    @property
    def variance(self) -> Floats:
        """The squared standard error, the sum of the three parts."""
        return np.asarray(self.item + self.rest + self.people.variance)


def parts(
    stats: Moments,
    *,
    method: Method,
    scale: Scale,
    n_units: int,
    form: Estimator | None = None,
    item_part: ItemPart | None = None,
    ends: Floats | None = None,
) -> Parts:
    """Estimate and variance from sufficient statistics, for one state or a whole history.

    n_units: how many sampling units there are, judged or not: N, or the number of groups.
    form: the estimator whose formulas apply, by default the method's. item_part: of a fit on
    several metrics, which these sums do not determine. ends: the scores of the pseudo-rows, by
    default two at either end of the scale.
    """
    form = form or from_sums(method.estimator)
    _, flat = spread_of_x(stats.weighted)
    plain = fit(stats.weighted, estimator=form, flat=flat)
    effective = _effective(stats)
    people = _people(stats, plain, method, effective)
    if method.interval == "iid":
        item = _independent(stats, plain)
        centre, variance, rest = item.centre, item.variance, np.zeros_like(item.variance)
    else:
        ends = ends_of(scale, method) if ends is None else ends
        if item_part is None or stats.grouped:
            item = _item_part(stats, plain, ends, form)
        else:
            item = replace(item_part, centre=item_part.centre - stats.shift)
        share, rest = _finite(stats, method, scale, n_units)
        variance = (1 - share) * item.variance
        centre = plain.intercept + (1 - share) * (item.centre - plain.intercept)
    speaks_for_people = method.interval == "two_way" and method.estimand == "population"
    return Parts(
        plain.intercept + stats.shift,
        plain.slope,
        np.asarray(centre + stats.shift),
        np.asarray(variance),
        rest,
        people,
        np.minimum(item.df, effective - 1) if speaks_for_people else np.asarray(item.df),
        effective,
    )


def _effective(stats: Moments) -> Floats:
    """A_eff; five people who share the work equally are exactly five, as rules compare with 5."""
    effective = stats.total**2 / stats.annotators.one_one
    whole = np.rint(effective)
    return np.asarray(np.where(np.abs(effective - whole) <= _WHOLE, whole, effective))


def _independent(stats: Moments, plain: Fit) -> ItemPart:
    """Every judgment an independent draw, as in the paper: s² times the sum of squared weights.

    With one judgment per item this is the textbook interval of least squares. It ignores
    items judged twice and annotators, so it is too narrow.
    """
    parameters = stats.n_items - plain.df
    df = np.asarray(stats.judgments.one_one - parameters)
    rss = stats.judgments.residual(plain.intercept, plain.slope)
    weights = stats.cells.combination(plain.constant, plain.tilt)
    variance = np.asarray(rss / np.where(df >= 1, df, np.nan) * weights)
    return ItemPart(plain.intercept, variance, df)


def ends_of(scale: Scale, method: Method) -> Floats:
    """(4,) the scores of the pseudo-rows, or (0,) where the method has none."""
    return np.array([scale.low, scale.low, scale.high, scale.high] if method.pseudo_rows else [])


def _item_part(stats: Moments, plain: Fit, ends: Floats, form: Estimator) -> ItemPart:
    """The item part, from the fit with the pseudo-rows; of groups, from their summed residuals.

    Two rows at either end of the scale: early discrete scores may not vary at all, and a standard
    error of 0 would stop the collection. Agresti and Coull (1998) do the same for proportions.
    """
    ends = ends - stats.shift
    if form == "balanced" or stats.grouped:
        return _of_weighted_items(stats, plain, ends)
    _, flat = spread_of_x(stats.items)
    rows = stats.items.with_rows_at_zero(ends)
    guarded = fit(rows, estimator=form, flat=flat)
    weights = rows.combination(guarded.constant, guarded.tilt)
    return ItemPart(guarded.intercept, guarded.residual_variance * weights, plain.df)


def _of_weighted_items(stats: Moments, plain: Fit, ends: Floats) -> ItemPart:
    """The sum over sampling units of their squared residuals; pseudo-rows weigh as the typical one.

    Residuals of one group add up before they are squared: its items are not independent.
    """
    typical = stats.items.one_one / stats.total**2
    whole = 1 + typical * ends.size
    centre = (plain.intercept + typical * ends.sum()) / whole
    squares = stats.items.residual(centre, plain.slope) / stats.total**2
    at_ends = ((ends - np.expand_dims(centre, -1)) ** 2).sum(axis=-1)
    # One unit alone tells nothing of how units differ.
    variance = np.where(stats.n_units > 1, (squares + typical**2 * at_ends) / whole**2, np.nan)
    return ItemPart(np.asarray(centre), variance, np.asarray(stats.n_units - 2.0))


def _finite(stats: Moments, method: Method, scale: Scale, n_units: int) -> tuple[Floats, Floats]:
    """(f, MSW' h / N): the share of the population judged, and what noise a census leaves.

    f = 1 / (N sum W_i²) and h = sum w_ij² / sum W_i², W_i = sum_j w_ij; for items of equal weight
    n / N and mean(1 / k_i). A few pairs of judgments do not know the noise, so half a pair at the
    ends of the scale joins them. Without any pair: f = 0, and nothing is added.
    """
    if not method.finite_population:
        return np.zeros_like(stats.total), np.zeros_like(stats.total)
    known = stats.replicates > 0
    share = stats.total**2 / (n_units * stats.items.one_one)
    prior = _PRIOR_PAIRS * (scale.high - scale.low) ** 2 / 2
    noise = (stats.within + prior) / (stats.replicates + _PRIOR_PAIRS)
    rest = noise * stats.cells.one_one / stats.items.one_one / n_units
    return np.where(known, np.minimum(share, 1.0), 0.0), np.where(known, rest, 0.0)


def pulled_up(
    found: Floats | float, people: Floats | float, *, share: float, variance: Floats | float
) -> Floats:
    """A person variance that `people` showed, pulled towards `share` of `variance`; never down."""
    typical = _PRIOR_PEOPLE * share * variance
    return np.maximum(found, (people * found + typical) / (people + _PRIOR_PEOPLE))


def _people(stats: Moments, plain: Fit, method: Method, effective: Floats) -> PersonPart:
    """V_person: the crossed residuals, corrected for uneven shares, pulled up only.

    NaN where one person has all the weight; 0 where each has a single judgment, because the item
    part then holds what people differ by.
    """
    total = stats.total
    squared, cells = 1 / effective, stats.cells.one_one / total**2
    cubes, fourths = stats.cubes / total**3, stats.fourths / total**4
    by_person = stats.annotators.residual(plain.intercept, plain.slope) / total**2
    by_cell = stats.cells.residual(plain.intercept, plain.slope) / total**2
    several = np.where(effective > _ALONE, effective, np.nan)
    factor = np.maximum(0.5, (1 - 2 * cubes / squared + squared) / (1 - 1 / several))
    raw = several / (several - 1) * by_person / factor - by_cell
    spread = squared - cells
    # Rounding, not repeated judges.
    spread = np.where(spread > _ROUNDING * squared, spread, 0.0)
    found = np.maximum(0.0, raw) / np.where(spread > 0, spread, 1.0)
    people = squared**2 / fourths
    pulled = pulled_up(found, people, share=method.person_share, variance=stats.score_variance)
    speaks_for_people = method.interval == "two_way" and method.estimand == "population"
    variance = pulled * spread if speaks_for_people else np.zeros_like(raw)
    return PersonPart(
        by_person,
        by_cell,
        raw,
        factor,
        np.asarray((pulled > found) & (spread > 0) & speaks_for_people),
        variance,
    )
