"""Estimates from rows: what the metrics take off each score, then a weighted mean of the rest.

Whatever the fit, a corrected score is y_ij - x_i · b, and the metrics have mean 0 over the
population. So an estimate with several metrics is that of the corrected scores without a metric.
"""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.moments import Moments, moments
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.fit import Estimator, Method, correlation, spread_of_x
from estimation.core.estimators.multi import Ridge, cross_fitted
from estimation.core.estimators.notices import Code, about_one_metric
from estimation.core.estimators.parts import Parts, parts
from estimation.core.estimators.weights import balanced_weights


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
    stats = _sums(sample, x, method, form)
    found = parts(
        stats, method=method, scale=sample.scale, n_units=sample.incidence.n_units, form=form
    )
    correction = np.zeros(sample.n_judgments) if x is None else found.slope * x[sample.item]
    return of_stats(stats, found, correction, has_metric=x is not None, form=form)


def _sums(sample: Sample, x: Floats | None, method: Method, form: Estimator) -> Moments:
    """The statistics; those without a metric are part of those with one, and added up once."""
    balance = method.balance if form == "balanced" else None
    if x is None and balance in sample.sums:
        known: Moments = sample.sums[balance]
        return known.without_x()
    weight = weight_for(sample, method, form)
    stats = moments(sample, x=np.zeros(sample.n_population) if x is None else x, weight=weight)
    sample.sums[balance] = stats
    return stats


def of_stats(
    stats: Moments, found: Parts, correction: Floats, *, has_metric: bool, form: Estimator
) -> Fitted:
    """What sums tell of an estimate with one metric, or with none."""
    slope, r = float(found.slope), known(correlation(stats.means))
    if not has_metric:
        codes: frozenset[Code] = frozenset(["no_metric"] if form == "balanced" else [])
        return Fitted(stats, found, correction, slope, (), r, codes)
    _, flat = spread_of_x(stats.weighted)
    codes = about_one_metric(float(stats.n_items), correlation=r, flat=bool(flat))
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


def several(sample: Sample, method: Method) -> Fitted:
    """Combine all metrics of the sample, items weighing equally; "multi" in `estimate`.

    Raises MetricMissingError without a metric.
    """
    if n_metrics(sample) < 2:
        return by_sums(sample, method, "regression")
    return _of_metrics(sample, method, form="mean")


def balanced(sample: Sample, method: Method) -> Fitted:
    """The closed form of the balanced weights, with the metrics that there are."""
    if n_metrics(sample) < 2:
        return by_sums(sample, method, "balanced")
    return _of_metrics(sample, method, form="balanced")


def n_metrics(sample: Sample) -> int:
    """p, the number of metrics."""
    if sample.metric is None:
        return 0
    return 1 if sample.metric.ndim == 1 else int(sample.metric.shape[1])


def _of_metrics(sample: Sample, method: Method, *, form: Estimator) -> Fitted:
    """The estimate of scores that a cross-fitted ridge has corrected."""
    weight = weight_for(sample, method, form)
    items = items_of(sample, sample.incidence.weight if weight is None else weight)
    x = sample.standardised_metrics()
    ridge = ridge_of(sample, items, x)
    return of_corrected(
        sample,
        method,
        weight,
        form,
        correction=ridge.predicted[items.row],
        slopes=ridge.slopes,
        x=x,
        correlation=correlated(items.mean, ridge.predicted),
        codes=ridge.codes,
        penalty=ridge.penalty,
    )


def ridge_of(sample: Sample, items: Items, x: Floats) -> Ridge:
    """The cross-fitted ridge of the items' means on the metrics `x` (N, p)."""
    group = None if sample.group is None else sample.group[items.label]
    return cross_fitted(x[items.label], items.mean, weight=items.weight, group=group)


def of_corrected(
    sample: Sample,
    method: Method,
    weight: Floats | None,
    form: Estimator,
    *,
    correction: Floats,
    slopes: Floats,
    x: Floats,
    correlation: float | None,
    codes: frozenset[Code],
    penalty: float | None = None,
) -> Fitted:
    """The estimate of corrected scores, by the formulas of `form` without a metric."""
    stats = moments(corrected(sample, correction), x=np.zeros(sample.n_population), weight=weight)
    # What people typically differ by is a share of the scores' variance, corrected or not.
    stats = replace(stats, score_variance=np.asarray(sample.score.var()))
    found = parts(
        stats,
        method=method,
        scale=sample.scale,
        n_units=sample.incidence.n_units,
        form=form,
    )
    slope = float(slopes[0]) if slopes.size == 1 else float((x @ slopes).std())
    return Fitted(
        stats, found, correction, slope, tuple(slopes.tolist()), correlation, codes, penalty
    )


def corrected(sample: Sample, correction: Floats) -> Sample:
    """The sample with corrected scores, which know no scale, and without its metrics."""
    unbounded = Scale(sample.scale.low, sample.scale.high, bounded=False)
    return Sample.on(sample.incidence, score=sample.score - correction, scale=unbounded)


def known(value: Floats) -> float | None:
    """The number, or None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def correlated(first: Floats, second: Floats) -> float | None:
    """Pearson's r of two (n,) arrays; None where either does not vary beyond rounding."""
    if any(flat(values) for values in (first, second)):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def flat(values: Floats) -> bool:
    """Return whether the values differ by no more than rounding."""
    tolerance = 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return bool(np.ptp(values) <= tolerance) if values.size else True
