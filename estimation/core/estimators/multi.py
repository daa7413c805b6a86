"""Several metrics at once: control variates by cross-fitted ridge regression.

Rows (x_i, y_i), one for each judged item, x standardised over all N outputs. The mean of x over
the population is 0, so y - x·b has the mean of y for every b that does not depend on the same row.
Every row is therefore corrected by slopes that were learnt from the other folds, with a penalty
that was chosen in those folds. Everything but the residuals comes from one Gram matrix for each
fold: the sums over some folds are the totals less the others.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.estimators.notices import Code

FOLDS = 5

# Penalties per unit of weight: a metric has variance 1 over all outputs. The last choice is to use
# no metric.
PENALTIES = np.r_[10.0 ** np.arange(-3.0, 2.5, 0.5), np.inf]

# How many standard errors the metrics must gain in the training folds to be used.
# `python -m bench.useless_metrics` compares this number with others.
STANDARD_ERRORS = 0.5

# With fewer rows nothing can be learnt.
_LEAST_ROWS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Ridge:
    """The result of `cross_fitted`.

    Attributes
    ----------
    by_fold : (5, p) array of float
        What the metrics of each fold's rows are multiplied by, learnt from the other folds.
    penalties : tuple of float
        The penalty of each fold, inf where no metric is used.
    fold : (n,) array of int
        The fold of each row, as given.
    predicted : (n,) array of float
        What the metrics take off each row: x_i times the slopes of its fold.
    codes : frozenset of str
        The notices about metrics that apply.
    """

    by_fold: Floats
    penalties: tuple[float, ...]
    fold: Ints
    predicted: Floats
    codes: frozenset[Code]

    @property
    def coefficients(self) -> Floats:
        """(n, p) what each row's metrics are multiplied by."""
        return np.asarray(self.by_fold[self.fold])

    @property
    def slopes(self) -> Floats:
        """(p,) the mean of the coefficients over the rows."""
        return np.asarray(np.bincount(self.fold, minlength=FOLDS) @ self.by_fold / self.fold.size)


def folds(n_population: int, *, seed: int) -> Ints:
    """Divide all outputs of a system into five folds.

    A fold depends on the seed and on nothing else, whatever was judged and when: output i has fold
    `numpy.random.default_rng(seed).permutation(N)[i] % 5`.

    Parameters
    ----------
    n_population : int
        N, the number of outputs, judged or not.
    seed : int
        0 or more.

    Returns
    -------
    (N,) array of int
        0 to 4.

    Examples
    --------
    >>> from estimation.core import folds
    >>> sorted(folds(10, seed=0).tolist())
    [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    """
    return np.asarray(np.random.default_rng(seed).permutation(n_population) % FOLDS)


def cross_fitted(
    x: Floats,
    y: Floats,
    *,
    fold: Ints,
    weight: Floats | None = None,
    standard_errors: float = STANDARD_ERRORS,
) -> Ridge:
    """Correct each row by ridge slopes that were learnt from the rows of other folds.

    The slopes b of a fold minimise, over the rows of the other folds with weights W,
    sum W (y - a - x · b)² / sum W + penalty |b|²; the intercept a is not penalised. The penalty is
    one of .001, .00316, ... 100: the one with the least weighted squared error when each of the
    other four folds is predicted from the remaining three. It is infinite, and the slopes are 0,
    unless that error is lower than without metrics by more than `standard_errors` of the
    difference.

    Parameters
    ----------
    x : (n, p) array of float
        The metrics of the judged items, standardised over all outputs.
    y : (n,) array of float
        The items' mean scores.
    fold : (n,) array of int
        The fold of each row, as in `folds`.
    weight : (n,) array of float, optional
        The rows' weights, positive; equal by default.
    standard_errors : float, default 0.5
        How much the metrics must gain in the other folds to be used; see above.

    Returns
    -------
    Ridge
        Slopes, penalties and what they take off each row.

    References
    ----------
    The formulas are in docs/statistics.md, section "Several metrics".

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import cross_fitted, folds
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(200, 3))
    >>> y = x[:, 0] + rng.normal(size=200)
    >>> found = cross_fitted(x, y, fold=folds(200, seed=0))
    >>> found.slopes.round(1).tolist()
    [1.0, -0.0, -0.1]
    >>> bool((y - found.predicted).var() < 0.7 * y.var())
    True
    """
    weight = np.full(y.size, 1 / y.size) if weight is None else weight / weight.sum()
    # (1, x, y), centred so that sums of squares do not cancel.
    z = np.column_stack([np.ones(y.size), x - weight @ x, y - weight @ y])
    rows = [np.flatnonzero(fold == k) for k in range(FOLDS)]
    parts = _Parts([z[held] for held in rows], [weight[held] for held in rows])
    chosen = parts.choices(standard_errors)
    # What does not vary over the judged items is not used, not even by rounding.
    by_fold = -parts.without_one()[np.arange(FOLDS), chosen, 1:-1] * columns_that_vary(x)
    predicted = np.zeros(y.size)
    for k, held in enumerate(rows):
        predicted[held] = x[held] @ by_fold[k]
    penalties = tuple(PENALTIES[chosen].tolist())
    return Ridge(by_fold, penalties, fold, predicted, _codes(x, y, predicted, weight))


def _codes(x: Floats, y: Floats, predicted: Floats, weight: Floats) -> frozenset[Code]:
    """The notices that apply. The predictions are out of sample, so residuals compare with y."""
    varies = columns_that_vary(x)
    about, left = (weight @ (s - weight @ s) ** 2 for s in (y, y - predicted))
    applies: dict[Code, bool] = {
        "constant_metric": not varies.any(),
        "constant_columns": bool(varies.any() and not varies.all()),
        "cross_fitted": True,
        "not_helping_yet": bool(varies.any() and left >= about),
    }
    return frozenset(code for code, true in applies.items() if true)


def columns_that_vary(x: Floats) -> NDArray[np.bool_]:
    """(p,) which columns of `x` (n, p) vary over the judged items; as `fit.spread_of_x`."""
    squares = (x**2).sum(axis=0)
    spread = ((x - x.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(spread > 1e-12 * np.maximum(1.0, squares))


class _Parts:
    """The rows z = (1, x, y) of each fold with their weights, and the sums that they have.

    A prediction is held as the vector (-a, -b, 1): its product with z is the residual.
    """

    def __init__(self, z: list[Floats], weight: list[Floats]) -> None:
        self.z, self.weight = z, weight
        self.size = np.array([w.size for w in weight])
        self.gram = np.stack([(zk * wk[:, None]).T @ zk for zk, wk in zip(z, weight, strict=True)])

    def without_one(self) -> Floats:
        """(5, penalties, 2 + p) predictions from all folds but one."""
        return _predictions(self.gram.sum(axis=0) - self.gram, self.size.sum() - self.size)

    def without_two(self) -> Floats:
        """(5, 5, penalties, 2 + p) predictions from all folds but two; of no use where equal."""
        first, second = np.triu_indices(FOLDS, 1)
        grams = self.gram.sum(axis=0) - self.gram[first] - self.gram[second]
        number = np.zeros((FOLDS, FOLDS), dtype=np.int64)
        number[first, second] = number[second, first] = np.arange(first.size)
        sizes = self.size.sum() - self.size[first] - self.size[second]
        return np.asarray(_predictions(grams, sizes)[number])

    def choices(self, standard_errors: float) -> Ints:
        """(5,) which penalty each fold is corrected with."""
        inside = self.without_two()
        error = ((inside @ self.gram) * inside).sum(axis=-1)
        error[np.arange(FOLDS), np.arange(FOLDS)] = 0
        # Among equal errors the largest penalty wins.
        chosen = PENALTIES.size - 1 - np.argmin(error.sum(axis=1)[:, ::-1], axis=1)
        for k, best in enumerate(chosen):
            mean, error = self._gain(k, inside[k][:, [best, -1]])
            if mean <= standard_errors * error:
                chosen[k] = PENALTIES.size - 1
        return np.asarray(chosen)

    def _gain(self, held: int, compared: Floats) -> tuple[float, float]:
        """By how much the first of two predictions (5, 2, 2 + p) is better, and its error."""
        others = [k for k in range(FOLDS) if k != held]
        weight = np.concatenate([self.weight[k] for k in others])
        squares = np.concatenate([(self.z[k] @ compared[k].T) ** 2 for k in others])
        gain = squares[:, 1] - squares[:, 0]
        total = weight.sum() or 1.0
        mean = weight @ gain / total
        return float(mean), float(np.sqrt(weight**2 @ (gain - mean) ** 2) / total)


def _predictions(gram: Floats, size: Ints) -> Floats:
    """(m, penalties, 2 + p) ridge predictions from sums (m, 2 + p, 2 + p) over `size` (m,) rows."""
    mass = np.where(size > 0, gram[:, 0, 0], 1.0)[:, None]
    x_mean, y_mean = gram[:, 0, 1:-1] / mass, gram[:, 0, -1] / mass[:, 0]
    x_x = gram[:, 1:-1, 1:-1] / mass[:, :, None] - x_mean[:, :, None] * x_mean[:, None, :]
    x_y = gram[:, 1:-1, -1] / mass - x_mean * y_mean[:, None]
    spread, direction = np.linalg.eigh(x_x)
    along = np.einsum("mij,mi->mj", direction, x_y)[:, None, :]
    shrunk = along / (np.maximum(spread, 0)[:, None, :] + PENALTIES[None, :, None])
    slopes = shrunk @ direction.transpose(0, 2, 1)
    slopes[size < _LEAST_ROWS] = 0
    found = np.ones((*slopes.shape[:2], gram.shape[1]))
    found[..., 0] = -(y_mean[:, None] - (slopes @ x_mean[:, :, None])[..., 0])
    found[..., 1:-1] = -slopes
    return found
