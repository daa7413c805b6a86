"""How several metrics are combined: least squares, or cross-fitted ridge regression.

Both take rows (x_i, y_i), one for each judged item, x standardised over all N outputs. So the
mean of x over the population is 0, and y - x·b has the mean of y, whatever b is, as long as b
does not depend on the same row.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.sample import Floats, Ints
from estimation.core.estimators.cells import columns_that_vary

FOLDS = 5
# Least squares from so many items per metric on; with fewer its slopes are mostly noise.
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
    # Metrics that say the same share one slope: the directions in which none varies are left
    # out, before the pseudo-rows could make them seem to.
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
    # Of equals the largest penalty: without evidence for a slope there is none.
    best = kept[press.size - 1 - int(np.argmin(press[::-1]))]
    shrunk = np.divide(best, size, out=np.zeros(size.size), where=size > 0)
    return np.asarray(right.T @ (shrunk * along))
