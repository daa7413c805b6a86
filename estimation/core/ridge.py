"""Regression on several metrics: the ridge that leaves each item out, and least squares."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.fit import ItemPart
from estimation.core.results import Code
from estimation.core.sample import Floats, Ints

# --- Several metrics at once: control variates by ridge regression, each item left out.
#
# Rows (x_i, y_i), one for each judged item, x standardised over all N outputs. The mean of x over
# the population is 0, so y - x·b has the mean of y for every b that does not depend on that row.
# Every row is therefore corrected by slopes that were learnt from all other rows; rows of one group
# are left out together. No order and no seed has a part in it. All of it comes from one
# eigendecomposition: what a row changes in the slopes follows from its leverage.


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

    coefficients: (n, p) floats; what each row's metrics are multiplied by, learnt from the other
        rows.
    penalty: the penalty, inf where no metric is used.
    predicted: (n,) floats; what the metrics take off each row: x_i times its coefficients.
    codes: the notices about metrics that apply.
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

    x: (n, p) floats; the metrics of the judged items, standardised over all outputs.
    y: (n,) floats; the items' mean scores.
    weight: (n,) floats; the rows' weights, positive; equal by default.
    group: (n,) ints; rows with the same number are left out together; by default each alone.
    standard_errors: how much the metrics must gain on rows that were left out to be used; see
        above.
    Returns: coefficients, the penalty, and what they take off each row.

    The formulas are in docs/statistics.md, section "Several metrics".
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


# --- Least squares on a few metrics, with and without weights: for the difference of two systems.


def least_squares(x: Floats, y: Floats, weight: Floats) -> tuple[Floats, int]:
    """Weighted least squares of y (n,) on x (n, p) and an intercept; weight (n,) sums to 1.

    (slopes (p,), 0 in directions in which the rows do not vary, and how many do).
    """
    root = np.sqrt(weight)
    about_x, about_y = x - weight @ x, y - weight @ y
    basis = _directions(about_x * root[:, None], float((weight @ x**2).max(initial=0.0)))
    if not basis.shape[1]:
        return np.zeros(x.shape[1]), 0
    found, *_ = np.linalg.lstsq(about_x @ basis * root[:, None], about_y * root, rcond=None)
    return basis @ found, basis.shape[1]


def guarded(x: Floats, y: Floats, ends: Floats) -> ItemPart:
    """The item part of ordinary least squares with pseudo-rows y = `ends` at x = 0.

    centre: the intercept. variance: s² [(X'X)^-1]_00, s² = RSS / (rows - parameters). df: n less
    parameters.
    """
    # Directions without variation are left out before the pseudo-rows seem to vary in them.
    basis = _directions(x - x.mean(axis=0), float((x**2).mean(axis=0).max(initial=0.0)))
    rows = np.vstack([x @ basis, np.zeros((ends.size, basis.shape[1]))])
    scores = np.r_[y, ends]
    q, r = np.linalg.qr(np.column_stack([np.ones(scores.size), rows]))
    inverse, along = np.linalg.inv(r), q.T @ scores
    left = scores.size - 1 - basis.shape[1]
    rss = float(((scores - q @ along) ** 2).sum())
    variance = rss / left * float((inverse[0] ** 2).sum()) if left >= 1 else float("nan")
    centre, df = float(inverse[0] @ along), y.size - 1.0 - basis.shape[1]
    return ItemPart(np.asarray(centre), np.asarray(variance), np.asarray(df))


def about_line(slopes: Floats, rank: int, x: Floats, y: Floats, weight: Floats) -> frozenset[Code]:
    """The notices about metrics that apply to a fit of y (n,) on x (n, p), p > 0.

    They do not help yet where (n - 2) R² <= rank: fitting costs more than it removes.
    """
    left = y - x @ slopes
    about = float(weight @ (y - weight @ y) ** 2)
    removed = about - float(weight @ (left - weight @ left) ** 2)
    applies: dict[Code, bool] = {
        "constant_metric": rank == 0,
        "constant_columns": 0 < rank < x.shape[1] and bool((np.ptp(x, axis=0) == 0).any()),
        "not_helping_yet": rank > 0 and (y.size - 2) * removed <= rank * about,
    }
    return frozenset(code for code, true in applies.items() if true)


def _directions(rows: Floats, size_of_x: float) -> Floats:
    """(p, r) an orthonormal basis of the directions in which centred rows (n, p) vary."""
    if not rows.size:
        return np.zeros((rows.shape[1], 0))
    _, size, right = np.linalg.svd(rows, full_matrices=False)
    limit = 1e-12 * max(1.0, size_of_x * rows.shape[0])
    return np.asarray(right[size**2 > limit].T)
