"""Several metrics at once: control variates by ridge regression, each item left out.

Rows (x_i, y_i), one for each judged item, x standardised over all N outputs. The mean of x over
the population is 0, so y - x·b has the mean of y for every b that does not depend on the same row.
Every row is therefore corrected by slopes that were learnt from all other rows; rows of one group
are left out together. No order and no seed has a part in it. All of it comes from one
eigendecomposition: what a row changes in the slopes follows from its leverage.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.estimators.notices import Code

# Penalties where the weights sum to 1: a metric has variance 1 over all outputs. The last choice is
# to use no metric.
PENALTIES = np.r_[10.0 ** np.arange(-3.0, 2.5, 0.5), np.inf]

# How many standard errors the metrics must gain out of sample to be used (docs/statistics.md).
STANDARD_ERRORS = 0.5

# With fewer other rows nothing can be learnt.
_LEAST_ROWS = 3

# What a row leaves of itself unexplained is at least this; less is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Ridge:
    """The result of `cross_fitted`.

    Attributes
    ----------
    coefficients : (n, p) array of float
        What each row's metrics are multiplied by, learnt from the other rows.
    penalty : float
        The penalty, inf where no metric is used.
    predicted : (n,) array of float
        What the metrics take off each row: x_i times its coefficients.
    codes : frozenset of str
        The notices about metrics that apply.
    """

    coefficients: Floats
    penalty: float
    predicted: Floats
    codes: frozenset[Code]

    @property
    def slopes(self) -> Floats:
        """(p,) the mean of the coefficients over the rows."""
        return np.asarray(self.coefficients.mean(axis=0))


def cross_fitted(
    x: Floats,
    y: Floats,
    *,
    weight: Floats | None = None,
    group: Ints | None = None,
    standard_errors: float = STANDARD_ERRORS,
) -> Ridge:
    """Correct each row by ridge slopes that were learnt from all other rows.

    The slopes b of a row minimise, over the other rows with weights W (which sum to 1 over all
    rows), sum W (y - a - x · b)² + penalty |b|²; the intercept a is not penalised. The penalty is
    one of .001, .00316, ... 100 and the same for all rows: the one with the least weighted squared
    error when each row is predicted from the others. It is infinite, and the slopes are 0, unless
    that error is lower than without metrics by more than `standard_errors` of the difference.

    Parameters
    ----------
    x : (n, p) array of float
        The metrics of the judged items, standardised over all outputs.
    y : (n,) array of float
        The items' mean scores.
    weight : (n,) array of float, optional
        The rows' weights, positive; equal by default.
    group : (n,) array of int, optional
        Rows with the same number are left out together; by default each alone.
    standard_errors : float, default 0.5
        How much the metrics must gain on rows that were left out to be used; see above.

    Returns
    -------
    Ridge
        Coefficients, the penalty, and what they take off each row.

    References
    ----------
    The formulas are in docs/statistics.md, section "Several metrics".

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import cross_fitted
    >>> rng = np.random.default_rng(1)
    >>> x = rng.normal(size=(200, 3))
    >>> y = x[:, 0] + rng.normal(size=200)
    >>> found = cross_fitted(x, y)
    >>> found.slopes.round(1).tolist()
    [1.0, -0.0, -0.1]
    >>> bool((y - found.predicted).var() < 0.7 * y.var())
    True
    """
    weight = np.full(y.size, 1 / y.size) if weight is None else weight / weight.sum()
    label = np.arange(y.size) if group is None else np.unique(group, return_inverse=True)[1]
    varies = columns_that_vary(x)
    # What does not vary over the judged items is not used, not even by rounding.
    rows = _Rows(np.where(varies, x, 0.0), y, weight, label)
    penalty = rows.choice(standard_errors)
    coefficients = rows.coefficients(penalty)
    predicted = np.einsum("ij,ij->i", x, coefficients)
    return Ridge(coefficients, penalty, predicted, _codes(varies, y, predicted, weight))


def _codes(
    varies: NDArray[np.bool_], y: Floats, predicted: Floats, weight: Floats
) -> frozenset[Code]:
    """The notices that apply. The predictions are out of sample, so residuals compare with y."""
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


class _Rows:
    """The rows (x, y), centred by their weights, along the directions in which x varies."""

    def __init__(self, x: Floats, y: Floats, weight: Floats, label: Ints) -> None:
        self.weight, self.label = weight, label
        about = x - weight @ x
        self.y = y - weight @ y
        self.spread, self.direction = np.linalg.eigh(about.T @ (about * weight[:, None]))
        self.spread = np.maximum(self.spread, 0)
        self.x = about @ self.direction  # (n, p)
        self.along = self.x.T @ (weight * self.y)
        size = np.bincount(label, minlength=1)
        # The places of the rows of all groups with as many rows, (groups, rows), for each number.
        order, ends = np.argsort(label, kind="stable"), np.cumsum(size)
        self.groups = [
            order[(ends - size)[size == k][:, None] + np.arange(k)]
            for k in np.unique(size[size > 0])
        ]
        self.can_learn = y.size - size[label] >= _LEAST_ROWS

    def choice(self, standard_errors: float) -> float:
        """The penalty, inf where the metrics do not gain enough."""
        left = self.left_out(PENALTIES)
        left[:, ~self.can_learn] = left[-1, ~self.can_learn]
        errors = left**2 @ self.weight
        # Among equal errors the largest penalty wins.
        best = PENALTIES.size - 1 - int(np.argmin(errors[::-1]))
        gain = left[-1] ** 2 - left[best] ** 2
        mean = float(self.weight @ gain)
        by_group = np.bincount(self.label, self.weight * (gain - mean))
        if mean <= standard_errors * float(np.sqrt((by_group**2).sum())):
            best = PENALTIES.size - 1
        return float(PENALTIES[best])

    def left_out(self, penalties: Floats) -> Floats:
        """(penalties, n) the residual of each row about the prediction learnt without its group.

        (I - H)^-1 e for the rows of a group, e their residuals about the fit to all rows and H
        their part of the matrix that makes its predictions.
        """
        inverse = 1 / (self.spread + penalties[:, None])  # (penalties, p)
        left = self.y - (self.along * inverse) @ self.x.T
        for rows in self.groups:
            if rows.shape[1] == 1:
                one = rows[:, 0]
                free = 1 - self.weight[one] * (1 + inverse @ (self.x[one] ** 2).T)
                left[:, one] /= np.maximum(free, _ROUNDING)
            elif rows.shape[1] < self.y.size:  # otherwise nothing is left to learn from
                x = self.x[rows]  # (groups, rows, p)
                for number, along in enumerate(inverse):
                    hat = (1 + (x * along) @ x.transpose(0, 2, 1)) * self.weight[rows][:, None, :]
                    free = np.eye(rows.shape[1]) - hat
                    left[number, rows] = np.linalg.solve(free, left[number, rows][..., None])[
                        ..., 0
                    ]
        return np.asarray(left)

    def coefficients(self, penalty: float) -> Floats:
        """(n, p) the slopes of each row, learnt without its group."""
        if np.isinf(penalty):
            return np.zeros(self.x.shape)
        pull = self.x * (self.weight * self.left_out(np.array([penalty]))[0])[:, None]
        for rows in self.groups:
            if rows.shape[1] > 1:
                pull[rows] = pull[rows].sum(axis=1, keepdims=True)
        slopes = (self.along - pull) / (self.spread + penalty)
        slopes[~self.can_learn] = 0
        return np.asarray(slopes @ self.direction.T)
