"""From sums to an estimate: the sums of a sample, the fit, and its variance in parts.

The formulas are those of docs/statistics.md, section "The interval". They take the sums of one
state, or of a whole history (`trajectory`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from estimation.core.errors import InvalidOptionError
from estimation.core.sample import Floats, Ints, Sample, Scale

# --- Sufficient statistics of a sample: the few sums that estimators and intervals need.
#
# Each judgment has a weight a_ij, which need not sum to 1.


@dataclass(frozen=True, slots=True)
class Gram:
    """Sums of products over rows (one, x, y); each entry is a scalar () or a history (L,)."""

    one_one: Floats
    one_x: Floats
    one_y: Floats
    x_x: Floats
    x_y: Floats
    y_y: Floats

    def residual(self, intercept: Floats, slope: Floats) -> Floats:
        """Sum over rows of (y - intercept * one - slope * x)², never below 0."""
        squares = self.y_y + intercept**2 * self.one_one + slope**2 * self.x_x
        crosses = intercept * self.one_y + slope * self.x_y - intercept * slope * self.one_x
        return np.asarray(np.maximum(0.0, squares - 2 * crosses))

    def combination(self, constant: Floats, tilt: Floats) -> Floats:
        """Sum over rows of (constant * one - tilt * x)²."""
        cross = constant * tilt * self.one_x
        return np.asarray(constant**2 * self.one_one - 2 * cross + tilt**2 * self.x_x)

    def with_rows_at_zero(self, scores: Floats) -> "Gram":
        """The same with one row (1, 0, y) added for each of `scores`."""
        return Gram(
            self.one_one + scores.size,
            self.one_x,
            self.one_y + scores.sum(),
            self.x_x,
            self.x_y,
            self.y_y + (scores**2).sum(),
        )


@dataclass(frozen=True, slots=True)
class Moments:
    """Sufficient statistics; y stands for score - `shift`, x for the standardised metric.

    means: rows (1, x_i, mean score of item i).
    judgments: rows (1, x_i, y_ij).
    weighted: a_ij times the products of (1, x_i, y_ij), summed over judgments. Where items weigh
    equally it is `means`, which differs in y_y alone; no estimate needs that.
    items: rows sum of a_ij (1, x_i, y_ij), one per sampling unit: the item, or its group.
    annotators: rows sum_i a_ij (1, x_i, y_ij), one per annotator.
    cells: rows a_ij (1, x_i, y_ij), one per judgment.
    cubes, fourths: sums over annotators of the third and fourth power of sum_i a_ij.
    within: sum over judgments of the squared deviation from the item's mean.
    replicates: the degrees of freedom of `within`, judgments less items.
    score_variance: the mean square deviation of the scores.
    n_annotators: how many different people judged.
    n_units: how many sampling units were judged. grouped: whether they are groups of items.
    shift: a score, subtracted so that the sums lose no digits.
    """

    means: Gram
    judgments: Gram
    weighted: Gram
    items: Gram
    annotators: Gram
    cells: Gram
    cubes: Floats
    fourths: Floats
    within: Floats
    replicates: Floats
    score_variance: Floats
    n_annotators: Ints
    n_units: Floats
    grouped: bool
    shift: float

    @property
    def n_items(self) -> Floats:
        """n, the number of judged items."""
        return self.means.one_one

    @property
    def total(self) -> Floats:
        """The sum of the weights a_ij."""
        return self.weighted.one_one


def moments(sample: Sample, *, x: Floats, weight: Floats | None = None) -> Moments:
    """The statistics of a sample.

    x: (N,) the standardised metric, or zeros. weight: (T,) a_ij; 1 / k_i where it is None, so that
    items weigh equally.
    """
    shift, y = shifted(sample)
    who = sample.incidence
    item, count = who.item, who.count[who.judged].astype(np.float64)
    item_mean = np.bincount(item, y, who.n_population) / np.maximum(who.count, 1)
    x_of_item = x[who.judged]
    same = gram(np.ones(count.size), x_of_item, item_mean[who.judged])
    a = who.weight if weight is None else weight
    row = np.ones(y.size), x[item], y
    weighted = a, a * row[1], a * y
    of_person = [_sums(who.person, line) for line in weighted]
    squares = of_person[0] ** 2  # numpy takes higher powers one number at a time
    judged = gram(*row)
    if who.group is not None:
        items = gram(*(_sums(who.unit, line) for line in weighted))
    elif weight is None:
        items = same
    else:
        of_item = [_sums(item, line)[who.judged] for line in (weighted[0], weighted[2])]
        items = gram(of_item[0], of_item[0] * x_of_item, of_item[1])
    return Moments(
        means=same,
        judgments=judged,
        weighted=same if weight is None else products_of(weighted, row),
        items=items,
        annotators=gram(*of_person),
        cells=gram(*weighted),
        cubes=np.asarray((of_person[0] * squares).sum()),
        fourths=np.asarray((squares**2).sum()),
        within=np.asarray(((y - item_mean[item]) ** 2).sum()),
        replicates=np.asarray(float(y.size - count.size)),
        score_variance=variance_of_scores(judged),
        n_annotators=np.asarray(who.activity.size),
        n_units=np.asarray(float(who.n_judged_units)),
        grouped=who.group is not None,
        shift=shift,
    )


def shifted(sample: Sample) -> tuple[float, Floats]:
    """The midpoint of the scores, and (T,) the scores less it."""
    shift = float(sample.score.min() + sample.score.max()) / 2
    return shift, sample.score - shift


def variance_of_scores(judgments: Gram) -> Floats:
    """The mean square deviation of rows (1, x, y) in y; divisor T."""
    t = judgments.one_one
    return np.asarray(np.maximum(0.0, judgments.y_y / t - (judgments.one_y / t) ** 2))


# Which entries of rows (1, x, y) are multiplied, in the order of `Gram`.
PRODUCTS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def products(row: Floats) -> Floats:
    """(6, ...) the products of (3, ...) rows (1, x, y) in the order of `Gram`."""
    return np.stack([row[i] * row[j] for i, j in PRODUCTS])


def gram(*row: Floats) -> Gram:
    """The sums of the products of three (n,) lines 1, x and y, weighted alike."""
    return products_of(row, row)


def products_of(first: Sequence[Floats], second: Sequence[Floats]) -> Gram:
    """The sums of products of two rows (1, x, y); tables of products would take longer."""
    return Gram(*(np.asarray(np.einsum("i,i->", first[i], second[j])) for i, j in PRODUCTS))


def _sums(label: Ints, values: Floats) -> Floats:
    """The sums of `values` (T,) with the same label, by label."""
    return np.asarray(np.bincount(label, values), dtype=np.float64)


# --- Which estimate is asked for, and the fits that a few sums determine.


# A few additive sums determine these, so a whole history needs no refits.
Estimator = Literal["balanced", "regression", "algorithm_1", "mean"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)

# All estimators of `estimate`: the keys of `REGISTERED`.
AnyEstimator = str

IntervalMethod = Literal["two_way", "iid"]
Estimand = Literal["population", "panel"]
INTERVALS: tuple[str, ...] = get_args(IntervalMethod)
ESTIMANDS: tuple[str, ...] = get_args(Estimand)

# Of a study whose criterion declares nothing: lambda of the balanced weights, and the share of a
# judgment's variance that typically lies between people.
BALANCE = 0.15
PERSON_SHARE = 0.08

# Beyond it people count equally as far as numbers tell, and squares of weights vanish.
MOST_BALANCE = 1e6

# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Method:
    """Which estimate and which interval: the options of `estimate` and all that follows from it.

    estimator: "balanced": a person's judgments weigh less the more of them there are; any number of
        metrics, or none. "regression": control variates by least squares, items weighing equally;
        one metric. "algorithm_1": Algorithm 1 of [1]_; one metric. "mean": the mean of item means;
        no metric needed. "multi": several metrics by ridge regression, each item corrected by the
        others; items weigh equally. With one metric it is "regression". "ppi": PPI++ [2]_ with a
        normal interval of its own; one metric; for comparison only.
    interval: "two_way" treats items and annotators as sampled. "iid" treats every judgment as an
        independent draw. It serves comparison only: it is too narrow whenever people differ, and it
        knows no pseudo-rows, estimand or finite population.
    estimand: whether the result speaks for people in general or for exactly these annotators.
    finite_population: shrink the item part as the share of judged outputs grows.
    pseudo_rows: guard the item part with four rows at the ends of the scale, in the way of [3]_.
    balance: lambda of the balanced weights 1 / (k_i (1 + lambda m_j)), up to 1,000,000. Fix it
        before the first judgment, from the criterion's typical components: person / (item + rest).
    person_share: the typical share of a judgment's variance that lies between people, 0 to 1. A
        smaller person variance is pulled up towards it, as by ten more people; 0 pulls nothing.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    .. [2] A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023). PPI++: Efficient
       prediction-powered inference. arXiv:2311.01453.
    .. [3] A. Agresti and B. A. Coull (1998). Approximate is better than "exact" for interval
       estimation of binomial proportions. The American Statistician 52, 119-126.

    >>> from estimation.core import Method
    >>> Method(estimand="panel").estimator
    'balanced'
    """

    estimator: AnyEstimator = "balanced"
    interval: IntervalMethod = "two_way"
    estimand: Estimand = "population"
    finite_population: bool = True
    pseudo_rows: bool = True
    balance: float = BALANCE
    person_share: float = PERSON_SHARE

    def check(self) -> None:
        """Raise InvalidOptionError for an option that is unknown or out of range."""
        for given, known in ((self.interval, INTERVALS), (self.estimand, ESTIMANDS)):
            if given not in known:
                raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
        if not self.balance >= 0:
            raise InvalidOptionError(f"A balance is 0 or more; got {self.balance}.")
        if self.balance > MOST_BALANCE:
            raise InvalidOptionError(
                f"A balance is at most {MOST_BALANCE:,.0f}; got {self.balance:g}."
            )
        if not 0 <= self.person_share <= 1:
            raise InvalidOptionError(f"A person share is from 0 to 1; got {self.person_share}.")


def chosen(method: Method | None, options: Mapping[str, Any]) -> Method:
    """The method, by default the usual one, with these options in place of its own."""
    return replace(method or Method(), **options)


@dataclass(frozen=True, slots=True)
class Fit:
    """intercept = sum_i (constant - tilt * x_i) * ybar_i, with the slope that it corrects by.

    rss: sum of squared residuals; df: rows less parameters. All fields are () or (L,).
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


def spread_of_x(rows: Gram) -> tuple[Floats, NDArray[np.bool_]]:
    """Sxx, the metric's sum of squares over the rows, and whether it is flat there."""
    sxx = rows.x_x - rows.one_x**2 / rows.one_one
    return sxx, np.asarray(sxx <= _ROUNDING * np.maximum(rows.one_one, rows.x_x))


def fit(rows: Gram, *, estimator: Estimator, flat: NDArray[np.bool_]) -> Fit:
    """Fit one of the estimators to (weighted) sums of products of rows (1, x_i, y).

    mean: the mean of item means, equation (2) of Chaganty, Mussmann and Liang (2018).
    algorithm_1: their Algorithm 1 to the letter, slope (1/n) sum (ybar_i - ybar) x_i.
    regression, balanced: least squares, slope Sxy / Sxx; asymptotically Algorithm 1.

    Where `flat` the metric cannot help: slope 0, and one parameter instead of two.
    """
    n, xbar, ybar = rows.one_one, rows.one_x / rows.one_one, rows.one_y / rows.one_one
    sxy = rows.x_y - rows.one_x * ybar
    sxx, _ = spread_of_x(rows)
    unused = np.asarray(flat | (estimator == "mean"))
    divisor = np.where(unused, 1.0, n if estimator == "algorithm_1" else sxx)
    slope = np.where(unused, 0.0, sxy / divisor)
    # Algorithm 1 treats its slope as known, so its intercept is a plain mean of y - slope * x.
    tilt = np.where(unused | (estimator == "algorithm_1"), 0.0, xbar / divisor)
    intercept = ybar - slope * xbar
    rss = rows.residual(intercept, slope)
    return Fit(intercept, slope, 1 / n + tilt * xbar, tilt, rss, n - np.where(unused, 1.0, 2.0))


def correlation(means: Gram) -> Floats:
    """Pearson's r of item means and x over the judged items; NaN where either is flat."""
    sxx, flat = spread_of_x(means)
    syy = means.y_y - means.one_y**2 / means.one_one
    sxy = means.x_y - means.one_x * means.one_y / means.one_one
    flat = flat | (syy <= _ROUNDING * means.y_y)
    return np.asarray(sxy / np.sqrt(np.where(flat, np.nan, sxx * syy)))


# --- The variance of an estimate in parts: items, single judgments, and the people who judged.


# Below this, one annotator has all the weight, and other people are unknown.
_ALONE = 1 + 1e-9

# A number of people this near to a whole one differs from it by rounding.
_WHOLE = 1e-9


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
