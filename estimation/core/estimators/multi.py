"""Several metrics at once: control variates by cross-fitted ridge regression.

Rows (x_i, y_i), one for each judged item, x standardised over all N outputs. The mean of x over
the population is 0, so y - x·b has the mean of y for every b that does not depend on the same row.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.estimators.notices import Code

FOLDS = 5

# Penalties per item, relative to a metric's variance of 1.
_PENALTIES = 10.0 ** np.arange(-3.0, 3.5, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class Ridge:
    """predicted: (n,) x_i · b of the other folds. slopes: (p,) means of b over the rows.
    penalties: one a fold. codes: the notices that apply."""

    predicted: Floats
    coefficients: Floats
    slopes: Floats
    penalties: tuple[float, ...]
    codes: frozenset[Code]


def folds(n_population: int, *, seed: int) -> Ints:
    """(N,) the fold 0..4 of every output: fixed by the seed, whatever was judged and when."""
    return np.asarray(np.random.default_rng(seed).permutation(n_population) % FOLDS)


def cross_fitted(x: Floats, y: Floats, *, fold: Ints, weight: Floats) -> Ridge:
    varies = columns_that_vary(x)
    z = x[:, varies]
    coefficients = np.zeros(x.shape)
    for held in range(FOLDS):
        out = fold == held
        if out.any():
            block = np.zeros((int(out.sum()), x.shape[1]))
            block[:, varies] = ridge(z[~out], y[~out])
            coefficients[out] = block
    predicted = (x * coefficients).sum(axis=1)
    about = float((weight * (y - weight @ y) ** 2).sum())
    rest = y - predicted
    left = float((weight * (rest - weight @ rest) ** 2).sum())
    applies: dict[Code, bool] = {
        "constant_metric": not varies.any(),
        "constant_columns": bool(varies.any() and not varies.all()),
        "cross_fitted": True,
        "not_helping_yet": bool(varies.any()) and left >= about,
    }
    return Ridge(
        predicted,
        coefficients,
        coefficients.mean(axis=0),
        (),
        frozenset(code for code, true in applies.items() if true),
    )


def columns_that_vary(x: Floats) -> NDArray[np.bool_]:
    """(p,) which columns of `x` (n, p) vary over the judged items; as `fit.spread_of_x`."""
    squares = (x**2).sum(axis=0)
    spread = ((x - x.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(spread > 1e-12 * np.maximum(1.0, squares))


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
