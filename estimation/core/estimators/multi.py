"""Several metrics at once: control variates by least squares or by cross-fitted ridge regression.

Both take rows (x_i, y_i), one for each judged item, x standardised over all N outputs. The mean of
x over the population is 0, so y - x·b has the mean of y for every b that does not depend on the
same row.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample
from estimation.core.estimators.cells import (
    Cells,
    Fitted,
    ItemPart,
    Items,
    columns_that_vary,
    correlated,
    ends_of,
    finite,
    items_of,
    two_way,
)
from estimation.core.estimators.fit import Method
from estimation.core.estimators.notices import Code

FOLDS = 5

# Least squares takes at least this many items per metric; with fewer, its slopes are mostly noise.
ITEMS_PER_METRIC = 20

# Penalties per item, relative to a metric's variance of 1.
_PENALTIES = 10.0 ** np.arange(-3.0, 3.5, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Combination:
    """The regression of y on several metrics.

    estimate: the mean of y over the population. centre: the same with the pseudo-rows.
    coefficients: (n, p) what each row's metrics are multiplied by; differs between folds.
    slopes: (p,) their means over the rows. variance: the squared standard error of `centre`, NaN
    without degrees of freedom. df: rows less parameters, pseudo-rows not counted.
    used: how many metrics vary over the judged items. crossfitted: whether by ridge.
    """

    estimate: float
    centre: float
    coefficients: Floats
    slopes: Floats
    variance: float
    df: float
    used: int
    crossfitted: bool


def folds(n_population: int, *, seed: int) -> Ints:
    """(N,) the fold 0..4 of every output: fixed by the seed, whatever was judged and when."""
    return np.asarray(np.random.default_rng(seed).permutation(n_population) % FOLDS)


def combine(
    x: Floats, y: Floats, *, fold: Ints, ends: Floats, always_fit: bool = False
) -> Combination:
    """Regress y (n,) on x (n, p); fold (n,) as in `folds`, ends (e,) the pseudo-rows' y at x = 0.

    Least squares where p <= n / 20 or `always_fit`, else ridge with 5 folds by item whose
    penalty is chosen inside the training folds. p counts the metrics that vary over the judged
    items; which rule applies therefore never depends on a score.
    """
    varies = columns_that_vary(x)
    z = x[:, varies]
    small = z.shape[1] * ITEMS_PER_METRIC <= y.size
    fitted = _least_squares(z, y, ends) if small or always_fit else _cross_fit(z, y, fold, ends)
    coefficients = np.zeros(x.shape)
    coefficients[:, varies] = fitted.coefficients
    slopes = coefficients.mean(axis=0)
    return Combination(
        fitted.estimate,
        fitted.centre,
        coefficients,
        slopes,
        fitted.variance,
        fitted.df,
        z.shape[1],
        fitted.crossfitted,
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """Least squares with an intercept: coefficients (1 + p,), RSS, [(X'X)^-1]_00, rows."""

    coefficients: Floats
    rss: float
    leverage: float
    rows: int

    def variance(self) -> float:
        """RSS / (rows - parameters) [(X'X)^-1]_00; NaN without degrees of freedom."""
        df = self.rows - self.coefficients.size
        return self.rss / df * self.leverage if df >= 1 else float("nan")


def _least_squares(x: Floats, y: Floats, ends: Floats) -> Combination:
    # Identical metrics share one slope. Directions without variation are left out before the
    # pseudo-rows are added, which would seem to vary in them.
    basis = _directions(x)
    plain = _line(x @ basis, y)
    guarded = _line(np.vstack([x @ basis, np.zeros((ends.size, basis.shape[1]))]), np.r_[y, ends])
    slopes = basis @ plain.coefficients[1:]
    return Combination(
        float(plain.coefficients[0]),
        float(guarded.coefficients[0]),
        np.broadcast_to(slopes, x.shape),
        slopes,
        guarded.variance(),
        y.size - 1.0 - basis.shape[1],
        x.shape[1],
        False,
    )


def _directions(x: Floats) -> Floats:
    """(p, r) an orthonormal basis of the directions in which the rows vary."""
    if not x.size:
        return np.zeros((x.shape[1], 0))
    _, size, rows = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    limit = 1e-12 * max(1.0, float((x**2).sum(axis=0).max()))
    return np.asarray(rows[size**2 > limit].T)


def _line(x: Floats, y: Floats) -> _Line:
    q, r = np.linalg.qr(np.column_stack([np.ones(y.size), x]))
    inverse = np.linalg.inv(r)
    coefficients = inverse @ (q.T @ y)
    rss = float(((y - q @ (q.T @ y)) ** 2).sum())
    return _Line(coefficients, rss, float((inverse[0] ** 2).sum()), y.size)


def _cross_fit(x: Floats, y: Floats, fold: Ints, ends: Floats) -> Combination:
    """r_i = y_i - x_i · b_-fold(i); the mean of r, and its variance with n - 1 df.

    The pseudo-rows lie at x = 0, where every b predicts 0, so they join the r as they are.
    """
    coefficients = np.zeros(x.shape)
    for held in range(FOLDS):
        out = fold == held
        if out.any():
            coefficients[out] = ridge(x[~out], y[~out])
    r = y - (x * coefficients).sum(axis=1)
    guarded = np.r_[r, ends]
    variance = float(guarded.var(ddof=1)) / guarded.size if y.size > 1 else float("nan")
    return Combination(
        float(r.mean()),
        float(guarded.mean()),
        coefficients,
        coefficients.mean(axis=0),
        variance,
        y.size - 1.0,
        x.shape[1],
        True,
    )


def ridge(x: Floats, y: Floats) -> Floats:
    """(p,) ridge slopes with an unpenalised intercept; the penalty by leave-one-out.

    x (n, p), y (n,). Penalties from .001 n to 1000 n by half powers of ten, and an infinite one
    (slopes 0); the one with the least squared leave-one-out error, computed in closed form from
    one singular value decomposition (Allen's PRESS, 1974). Fewer than three rows: zeros.
    """
    n = y.size
    if n < 3:
        return np.zeros(x.shape[1])
    about = y - y.mean()
    left, size, right = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    # (penalties, directions): how much of each direction survives; nothing of it at the last.
    kept = np.vstack([size**2 / (size**2 + n * _PENALTIES[:, None]), np.zeros(size.size)])
    along = left.T @ about
    residual = about - (kept * along) @ left.T
    press = ((residual / (1 - 1 / n - kept @ (left**2).T)) ** 2).sum(axis=1)
    # Among equal errors the largest penalty wins: without evidence the slope is 0.
    best = kept[press.size - 1 - int(np.argmin(press[::-1]))]
    shrunk = np.divide(best, size, out=np.zeros(size.size), where=size > 0)
    return np.asarray(right.T @ (shrunk * along))


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
