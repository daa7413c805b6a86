"""Several metrics: control variates by least squares or by cross-fitted ridge regression."""

import numpy as np

from estimation.core.data.sample import Floats, Sample
from estimation.core.estimators.cells import (
    Cells,
    Fitted,
    ItemPart,
    Items,
    correlated,
    ends_of,
    finite,
    items_of,
    two_way,
)
from estimation.core.estimators.combine import Combination, combine, folds
from estimation.core.estimators.notices import Code
from estimation.core.estimators.parts import Method


def several(sample: Sample, method: Method) -> Fitted:
    """Combine all metrics of the sample; what `estimate` calls "multi".

    The annotator part takes the residuals y_ij - mu - x_i · b with the b that row i was corrected
    by: for ridge the one of the other folds, so the residuals are as large as the errors made.
    Raises MetricMissingError without a metric.
    """
    items, x = items_of(sample), sample.standardised_metrics()
    found = combined(sample, items, x, method)
    correction = corrections(items, x, found)
    weight = items.weights()
    u = weight * (sample.score - found.estimate - correction)
    variance, rest = finite(found.variance, weight, items, sample.n_population, method)
    slope = reported_slope(x, found.slopes)
    part = ItemPart(found.estimate, found.centre, slope, variance, rest, found.df)
    return Fitted(
        parts=two_way(part, Cells(u, weight, sample.annotator), method=method),
        correction=correction,
        slopes=tuple(found.slopes.tolist()),
        correlation=explained(items, x, found),
        codes=about_metrics(items.mean, x[items.label], found),
    )


def combined(
    sample: Sample, items: Items, x: Floats, method: Method, *, always_fit: bool = False
) -> Combination:
    """Regress the item means of a sample on the metrics `x` (N, p)."""
    return combine(
        x[items.label],
        items.mean,
        fold=folds(sample.n_population, seed=method.seed)[items.label],
        ends=ends_of(sample.scale, method),
        always_fit=always_fit,
    )


def corrections(items: Items, x: Floats, found: Combination) -> Floats:
    """(T,) x_i · b, what the metrics take off each judgment."""
    return np.asarray((x[items.label] * found.coefficients).sum(axis=1)[items.row])


def reported_slope(x: Floats, slopes: Floats) -> float:
    """The slope of one metric; for several, the sd over all N outputs of what they predict."""
    return float(slopes[0]) if slopes.size == 1 else float((x @ slopes).std())


def explained(items: Items, x: Floats, found: Combination) -> float | None:
    """Pearson's r of item means with the metric, or with what several metrics predict."""
    x = x[items.label]
    predicted = x[:, 0] if x.shape[1] == 1 else (x * found.coefficients).sum(axis=1)
    return correlated(items.mean, predicted)


def about_metrics(y: Floats, x: Floats, found: Combination) -> frozenset[Code]:
    """The notices about metrics that apply; y (n,) was regressed on x (n, p)."""
    applies: dict[Code, bool] = {
        "constant_metric": found.used == 0,
        "constant_columns": 0 < found.used < x.shape[1],
        "cross_fitted": found.crossfitted,
        "not_helping_yet": found.used > 0 and _costs_more(y, x, found),
    }
    return frozenset(code for code, true in applies.items() if true)


def _costs_more(y: Floats, x: Floats, found: Combination) -> bool:
    """Whether the metrics add more variance than they remove.

    Ridge: its residuals are out of sample and may be compared with y as they are. Least squares:
    (n - 2) R² <= p, which for one metric is n - 2 <= 1 / r².
    """
    about = float(((y - y.mean()) ** 2).sum())
    residual = y - (x * found.coefficients).sum(axis=1)
    left = float(((residual - residual.mean()) ** 2).sum())
    if found.crossfitted:
        return left >= about
    return (y.size - 2) * (about - left) <= found.used * about
