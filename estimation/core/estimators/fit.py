"""The estimators: how item means and a metric become one number."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.moments import Gram
from estimation.core.data.sample import Floats

# Those that a few additive sums determine, so that a whole history costs no refits ...
Estimator = Literal["regression", "algorithm_1", "mean"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)
# ... and all that `estimate` knows.
AnyEstimator = Literal["regression", "algorithm_1", "mean", "multi", "ppi", "balanced"]
ALL_ESTIMATORS: tuple[str, ...] = get_args(AnyEstimator)

# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Fit:
    """intercept = sum_i (constant - tilt * x_i) * ybar_i, with the slope that it corrects by.

    rss: sum of squared residuals; df: rows less parameters. All fields are () or (T,).
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


def spread_of_x(items: Gram) -> tuple[Floats, NDArray[np.bool_]]:
    """Sxx, the metric's sum of squares over the rows, and whether it is flat there."""
    sxx = items.x_x - items.one_x**2 / items.one_one
    return sxx, np.asarray(sxx <= _ROUNDING * np.maximum(1.0, items.x_x))


def fit(items: Gram, *, estimator: Estimator, flat: NDArray[np.bool_]) -> Fit:
    """Fit one of the estimators to rows (1, x_i, ybar_i), items weighing equally.

    mean: the mean of item means, equation (2) of Chaganty, Mussmann and Liang (2018).
    algorithm_1: their Algorithm 1 to the letter, slope (1/n) sum (ybar_i - ybar) x_i.
    regression: least squares, slope Sxy / Sxx; asymptotically Algorithm 1.

    Where `flat` the metric cannot help: slope 0, and one parameter instead of two.
    """
    n, xbar, ybar = items.one_one, items.one_x / items.one_one, items.one_y / items.one_one
    sxy = items.x_y - items.one_x * ybar
    sxx, _ = spread_of_x(items)
    unused = np.asarray(flat | (estimator == "mean"))
    divisor = np.where(unused, 1.0, n if estimator == "algorithm_1" else sxx)
    slope = np.where(unused, 0.0, sxy / divisor)
    # Algorithm 1 treats its slope as known, so its intercept is a plain mean of y - slope * x.
    tilt = np.where(unused | (estimator == "algorithm_1"), 0.0, xbar / divisor)
    intercept = ybar - slope * xbar
    rss = items.residual(intercept, slope)
    return Fit(intercept, slope, 1 / n + tilt * xbar, tilt, rss, n - np.where(unused, 1.0, 2.0))


def correlation(items: Gram) -> Floats:
    """Pearson's r of item means and x over the judged items; NaN where either is flat."""
    sxx, flat = spread_of_x(items)
    syy = items.y_y - items.one_y**2 / items.one_one
    sxy = items.x_y - items.one_x * items.one_y / items.one_one
    flat = flat | (syy <= _ROUNDING * items.y_y)
    return np.asarray(sxy / np.sqrt(np.where(flat, np.nan, sxx * syy)))
