"""One system, one criterion, one estimate: the estimators and the public call."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from estimation.core.errors import InvalidOptionError, MetricMissingError
from estimation.core.fit import (
    Estimator,
    Method,
    Moments,
    Parts,
    chosen,
    correlation,
    moments,
    parts,
    spread_of_x,
)
from estimation.core.results import (
    Code,
    Estimate,
    about_one_metric,
    about_scale,
    has_interval,
    known,
    leniency,
    notices,
    variance_of,
    work_weighted_mean,
)
from estimation.core.ridge import cross_fitted
from estimation.core.sample import Floats, Incidence, Ints, Sample, Scale

# --- How much each judgment weighs: by item, and by how much work its annotator did.


def balanced_weights(incidence: Incidence, *, balance: float) -> Floats:
    """Weigh each judgment less the more its annotator judged.

    a_ij = 1 / (k_i (1 + balance m_j)), m_j the sum of 1 / k_i over the annotator's judgments. With
    balance = 0 items weigh equally. A person with m judgments of items that nobody else judged
    counts m / (1 + balance m): 25 judgments count 1.84 times 5 at .15.

    incidence: who judged what.
    balance: lambda, 0 or more, such as the person variance by the sum of the other components.
    Returns: (T,) floats; weights that do not sum to 1.

    >>> from estimation.core import Incidence, balanced_weights
    >>> incidence = Incidence(item=[0, 1, 2, 2], annotator=[7, 7, 7, 9], n_population=4)
    >>> balanced_weights(incidence, balance=0.2).round(3).tolist()
    [0.667, 0.667, 0.333, 0.455]
    """
    share = 1 / (1 + balance * incidence.person_weight)
    return np.asarray(incidence.weight * share[incidence.person])


def relative_share(first: float, second: float, *, balance: float) -> float:
    """Return how many times a person with `first` judgments counts one with `second`.

    first, second: judgments of two people; positive.
    balance: lambda of `balanced_weights`.
    Returns: first (1 + balance second) / (second (1 + balance first)).

    >>> from estimation.core import relative_share
    >>> [round(relative_share(25, 5, balance=balance), 2) for balance in (0.15, 0.07, 0.03)]
    [1.84, 2.45, 3.29]
    """
    return first * (1 + balance * second) / (second * (1 + balance * first))


# --- Estimates from rows: what the metrics take off each score, then a weighted mean of the rest.
#
# Whatever the fit, a corrected score is y_ij - x_i · b, and the metrics have mean 0 over the
# population. So an estimate with several metrics is that of the corrected scores without a metric.


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """An estimate before it is told.

    stats: of the scores, or of the corrected scores. correction: (T,) what the metrics take off
    each judgment's score. slopes: (p,) one for each metric, 0 for one that was not used. slope:
    that of one metric, or the sd over all N outputs of what several predict. correlation: of item
    means with the metric, or with what several predict. codes: the notices about metrics that
    apply. penalty: of the ridge, None without one.
    """

    stats: Moments
    parts: Parts
    correction: Floats
    slope: float
    slopes: tuple[float, ...]
    correlation: float | None
    codes: frozenset[Code]
    penalty: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The judged items under given weights of the judgments.

    label: (n,) which output, ascending. row: (T,) 0 to n - 1. weight: (n,) W_i, sums to 1. mean:
    (n,) the weighted mean score.
    """

    label: Ints
    row: Ints
    weight: Floats
    mean: Floats


def items_of(sample: Sample, weight: Floats) -> Items:
    """Number the judged items of a sample and average their scores by `weight` (T,)."""
    who = sample.incidence
    row = (np.cumsum(who.count > 0) - 1)[sample.item]
    total = np.bincount(row, weight)
    mean = np.bincount(row, weight * sample.score) / total
    return Items(who.judged, row, total / total.sum(), mean)


def by_sums(sample: Sample, method: Method, form: Estimator) -> Fitted:
    """The estimate that sums determine: one metric, or none for `mean` and `balanced`."""
    x = metric_for(sample, form)
    weight = weight_for(sample, method, form)
    stats = moments(sample, x=np.zeros(sample.n_population) if x is None else x, weight=weight)
    found = _parts(sample, stats, method, form)
    correction = np.zeros(sample.n_judgments) if x is None else found.slope * x[sample.item]
    slope, r = float(found.slope), known(correlation(stats.means))
    if x is None:
        codes: frozenset[Code] = frozenset(["no_metric"] if form == "balanced" else [])
        return Fitted(stats, found, correction, slope, (), r, codes)
    _, is_flat = spread_of_x(stats.weighted)
    codes = about_one_metric(float(stats.n_items), correlation=r, flat=bool(is_flat))
    return Fitted(stats, found, correction, slope, (slope,), r, codes)


def metric_for(sample: Sample, form: Estimator) -> Floats | None:
    """(N,) the standardised metric; None where the estimator uses none."""
    if form == "mean" or (form == "balanced" and sample.metric is None):
        return None
    return sample.standardised_metric()


def weight_for(sample: Sample, method: Method, form: Estimator) -> Floats | None:
    """(T,) the weights of the judgments; None where items weigh equally."""
    if form != "balanced":
        return None
    return balanced_weights(sample.incidence, balance=method.balance)


def several(sample: Sample, method: Method, form: Estimator) -> Fitted:
    """By the sums that `form` takes, or with several metrics by a cross-fitted ridge.

    What the metrics take off each item's scores is learnt from the other items; the corrected
    scores are then estimated without a metric: by "balanced" weights, or by items for "regression".
    """
    if sample.metric is None or sample.metric.ndim == 1 or sample.metric.shape[1] < 2:
        return by_sums(sample, method, form)
    form = "balanced" if form == "balanced" else "mean"
    weight = weight_for(sample, method, form)
    items = items_of(sample, sample.incidence.weight if weight is None else weight)
    x = sample.standardised_metrics()
    group = None if sample.group is None else sample.group[items.label]
    ridge = cross_fitted(x[items.label], items.mean, weight=items.weight, group=group)
    correction, slopes = ridge.predicted[items.row], ridge.slopes
    stats = moments(corrected(sample, correction), x=np.zeros(sample.n_population), weight=weight)
    # What people typically differ by is a share of the scores' variance, corrected or not.
    stats = replace(stats, score_variance=np.asarray(sample.score.var()))
    return Fitted(
        stats,
        _parts(sample, stats, method, form),
        correction,
        slope=float((x @ slopes).std()),
        slopes=tuple(slopes.tolist()),
        correlation=correlated(items.mean, ridge.predicted),
        codes=ridge.codes,
        penalty=ridge.penalty,
    )


def _parts(sample: Sample, stats: Moments, method: Method, form: Estimator) -> Parts:
    n_units = sample.incidence.n_units
    return parts(stats, method=method, scale=sample.scale, n_units=n_units, form=form)


def corrected(sample: Sample, correction: Floats) -> Sample:
    """The sample with corrected scores, which know no scale, and without its metrics."""
    unbounded = Scale(sample.scale.low, sample.scale.high, bounded=False)
    return Sample.on(sample.incidence, score=sample.score - correction, scale=unbounded)


def correlated(first: Floats, second: Floats) -> float | None:
    """Pearson's r of two (n,) arrays; None where either does not vary beyond rounding."""
    if any(flat(values) for values in (first, second)):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def flat(values: Floats) -> bool:
    """Return whether the values differ by no more than rounding."""
    tolerance = 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return bool(np.ptp(values) <= tolerance) if values.size else True


# --- Prediction-powered inference, PPI++: another way to use a metric, for comparison.


def ppi_mean(y: Floats, g: Floats, pool: Floats) -> tuple[float, float, float]:
    """(estimate, std_error, slope) by PPI++: Angelopoulos, Duchi and Zrnic (2023), power-tuned.

    y, g: (n,) score and metric where both are known. pool: (M,) the metric where only it is.
    estimate = mean y + slope (mean pool - mean g), slope = Cov(y, g) / ((1 + n / M) Var(all g)),
    Cov with divisor n, Var over both samples with n + M - 1, as in the authors' ppi_py. Unlike
    there, the slope is not clipped to 0..1, so the metric's sign and units do not matter.
    std_error² = slope² var(pool) / M + var(y - slope g) / n, variances with divisor n and M.
    A constant metric has slope 0. Raises MetricMissingError for an empty pool.
    """
    n, m = y.size, pool.size
    if m == 0:
        raise MetricMissingError("PPI++ needs outputs without judgments; all were judged.")
    everything = np.r_[g, pool]
    covariance = float(((y - y.mean()) * (g - g.mean())).mean())
    varies = np.ptp(everything) > 0
    slope = covariance / ((1 + n / m) * float(everything.var(ddof=1))) if varies else 0.0
    estimate = float(y.mean() + slope * (pool.mean() - g.mean()))
    variance = slope**2 * float(pool.var()) / m + float((y - slope * g).var()) / n
    return estimate, variance**0.5, slope


def ppi(sample: Sample, method: Method) -> Fitted:
    """PPI++ on item means, the pool being the outputs not judged; what `estimate` calls "ppi".

    Its interval is normal (df infinite) and knows neither annotators nor the finite population.
    From three items on; pseudo-rows and other guards are left out, as the authors have none.
    """
    x, who = sample.standardised_metric(), sample.incidence
    items = items_of(sample, who.weight)
    estimate, std_error, slope = ppi_mean(items.mean, x[items.label], np.delete(x, items.label))
    correction = slope * x[sample.item]
    # The metric of the pool is known, so the remaining errors are centred at 0.
    stats = moments(corrected(sample, correction), x=np.zeros(sample.n_population))
    variance = std_error**2 if items.label.size >= 3 else float("nan")
    applies: dict[Code, bool] = {
        "constant_metric": slope == 0,
        "constant_scores": flat(items.mean),
    }
    own = replace(
        _parts(sample, stats, method, "mean"),
        estimate=np.asarray(estimate),
        slope=np.asarray(slope),
        centre=np.asarray(estimate),
        item=np.asarray(variance),
        rest=np.asarray(0.0),
        df=np.asarray(np.inf),
    )
    return Fitted(
        stats=stats,
        parts=own,
        correction=correction,
        slope=slope,
        slopes=(slope,),
        correlation=correlated(items.mean, x[items.label]),
        codes=frozenset(code for code, true in applies.items() if true),
    )


# --- The estimators that exist. A new one is a module and a line here.


Metrics = Literal["none", "one", "several", "any"]


@dataclass(frozen=True, kw_only=True)
class Registered:
    """One estimator, with its words (CONTRIBUTING.md has the steps to add one).

    key: its name, everywhere.
    about: its paragraph in the documentation.
    metrics: how many metrics it takes: "several" is one or more, "any" may also be none.
    fit: makes the estimate from a sample and a method.
    own_interval: it has one interval, of its own.
    two_way_only: it has the two-way interval only.
    notice: what a reader is told beside each of its estimates.
    """

    key: str
    about: str
    metrics: Metrics
    fit: Callable[[Sample, Method], Fitted]
    own_interval: bool = False
    two_way_only: bool = False
    notice: str = ""


REGISTERED: dict[str, Registered] = {
    one.key: one
    for one in (
        Registered(
            key="balanced",
            metrics="any",
            fit=lambda sample, method: several(sample, method, "balanced"),
            two_way_only=True,
            about=(
                "The default. A person's judgments weigh less the more of them there are, so a few "
                "busy people do not decide. Corrected by the metrics if there are any; several are "
                "combined by a cross-fitted ridge."
            ),
        ),
        Registered(
            key="regression",
            metrics="one",
            fit=lambda sample, method: by_sums(sample, method, "regression"),
            about="Control variates by least squares. Items weigh equally.",
        ),
        Registered(
            key="multi",
            metrics="several",
            fit=lambda sample, method: several(sample, method, "regression"),
            two_way_only=True,
            about=(
                "Control variates with several metrics: ridge regression, cross-fitted: each item "
                "is corrected by the others. Items weigh equally. With one metric it is "
                "`regression`."
            ),
        ),
        Registered(
            key="mean",
            metrics="none",
            fit=lambda sample, method: by_sums(sample, method, "mean"),
            about="The mean of item means. It needs no metric.",
        ),
        Registered(
            key="algorithm_1",
            metrics="one",
            fit=lambda sample, method: by_sums(sample, method, "algorithm_1"),
            about=(
                "Control variates as in Algorithm 1 of Chaganty, Mussmann and Liang (2018), to the "
                "letter."
            ),
        ),
        Registered(
            key="ppi",
            metrics="one",
            fit=ppi,
            own_interval=True,
            notice=(
                "The interval of PPI++ knows neither annotators nor the share of outputs judged."
            ),
            about=(
                "PPI++ (Angelopoulos, Duchi and Zrnic 2023) with its own normal interval, for "
                "comparison only."
            ),
        ),
    )
}


def checked(method: Method) -> Registered:
    """The estimator of a method; raises InvalidOptionError for an option that it does not take."""
    found = REGISTERED.get(method.estimator)
    if found is None:
        raise InvalidOptionError(f"{method.estimator!r} is not one of {', '.join(REGISTERED)}.")
    method.check()
    if method.interval == "iid" and found.two_way_only:
        raise InvalidOptionError(f"{method.estimator!r} has the two-way interval only.")
    return found


def estimate(sample: Sample, method: Method | None = None, **options: Any) -> Estimate:
    """Estimate the mean score over all N outputs of a system, with its error.

    Choose the metrics and the estimator before the first judgment. An interval is too narrow if
    the same judgments chose between several.

    sample: the judgments of one system on one criterion, and its metrics.
    method: how; a `Method` explains all options.
    options: options of `Method` by their names, in place of those of `method`.
    Returns: the estimate, its variance in parts, and what a reader must know about it.
    Raises InvalidOptionError: an option is unknown, out of range, or not for this estimator.
    Raises MetricMissingError: the estimator needs a metric and the sample has none.

    The formulas are in docs/statistics.md.
    """
    method = chosen(method, options)
    way = checked(method)
    if way.own_interval:
        method = replace(method, interval="iid")
    fitted = way.fit(sample, method)
    stats, found = fitted.stats, fitted.parts
    exists = has_interval(found)
    equal, leniency_correlation = leniency(sample, fitted.correction)
    codes = fitted.codes | about_scale(found, sample.scale)
    return Estimate(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=int(stats.n_items),
        n_population=sample.n_population,
        n_units=int(stats.n_units),
        n_units_population=sample.incidence.n_units,
        n_judgments=sample.n_judgments,
        n_annotators=int(stats.n_annotators),
        effective_annotators=float(found.effective_annotators),
        slope=fitted.slope,
        slopes=fitted.slopes,
        penalty=fitted.penalty,
        correlation=fitted.correlation,
        equal_annotator_mean=equal,
        work_weighted_mean=work_weighted_mean(stats, found),
        leniency_correlation=leniency_correlation,
        method=method,
        scale=sample.scale,
        notices=notices(stats, found, equal, method=method, about_metric=codes, exists=exists),
    )
