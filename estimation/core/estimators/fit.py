"""Which estimate is asked for, and the fits that a few sums determine."""

from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import Gram

# A few additive sums determine these, so a whole history needs no refits.
Estimator = Literal["balanced", "regression", "algorithm_1", "mean"]
ESTIMATORS: tuple[str, ...] = get_args(Estimator)

# All estimators of `estimate`: the keys of `registry.REGISTERED`.
AnyEstimator = str

IntervalMethod = Literal["two_way", "iid"]
Estimand = Literal["population", "panel"]
INTERVALS: tuple[str, ...] = get_args(IntervalMethod)
ESTIMANDS: tuple[str, ...] = get_args(Estimand)

# Of a study whose criterion declares nothing: lambda of the balanced weights, and the share of a
# judgment's variance that typically lies between people.
BALANCE = 0.15
PERSON_SHARE = 0.08

# Beyond it people count equally as far as numbers tell, and squares of weights vanish.
MOST_BALANCE = 1e6

# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Method:
    """Which estimate and which interval; `estimate` explains the options.

    Parameters
    ----------
    estimator : {"balanced", "regression", "algorithm_1", "mean", "multi", "ppi"}
        How scores and metrics become one number.
    interval : {"two_way", "iid"}
        What counts as sampled: items and annotators, or single judgments.
    estimand : {"population", "panel"}
        For whom the estimate speaks: people in general, or exactly these annotators.
    finite_population : bool
        Whether the item part shrinks as the share of judged outputs grows.
    pseudo_rows : bool
        Whether four rows at the ends of the scale guard the item part.
    balance : float
        lambda of the balanced weights; from 0 to 1,000,000.
    person_share : float
        The typical share of the variance of a judgment that lies between people, to which a small
        person variance is pulled up; from 0 (no pull) to 1.

    Examples
    --------
    >>> from estimation.core import Method
    >>> Method(estimand="panel").estimator
    'balanced'
    """

    estimator: AnyEstimator = "balanced"
    interval: IntervalMethod = "two_way"
    estimand: Estimand = "population"
    finite_population: bool = True
    pseudo_rows: bool = True
    balance: float = BALANCE
    person_share: float = PERSON_SHARE

    def check(self) -> None:
        """Raise InvalidOptionError for an option that is unknown or out of range."""
        for given, known in ((self.interval, INTERVALS), (self.estimand, ESTIMANDS)):
            if given not in known:
                raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
        if not self.balance >= 0:
            raise InvalidOptionError(f"A balance is 0 or more; got {self.balance}.")
        if self.balance > MOST_BALANCE:
            raise InvalidOptionError(
                f"A balance is at most {MOST_BALANCE:,.0f}; got {self.balance:g}."
            )
        if not 0 <= self.person_share <= 1:
            raise InvalidOptionError(f"A person share is from 0 to 1; got {self.person_share}.")


@dataclass(frozen=True, slots=True)
class Fit:
    """intercept = sum_i (constant - tilt * x_i) * ybar_i, with the slope that it corrects by.

    rss: sum of squared residuals; df: rows less parameters. All fields are () or (L,).
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


def spread_of_x(rows: Gram) -> tuple[Floats, NDArray[np.bool_]]:
    """Sxx, the metric's sum of squares over the rows, and whether it is flat there."""
    sxx = rows.x_x - rows.one_x**2 / rows.one_one
    return sxx, np.asarray(sxx <= _ROUNDING * np.maximum(rows.one_one, rows.x_x))


def fit(rows: Gram, *, estimator: Estimator, flat: NDArray[np.bool_]) -> Fit:
    """Fit one of the estimators to (weighted) sums of products of rows (1, x_i, y).

    mean: the mean of item means, equation (2) of Chaganty, Mussmann and Liang (2018).
    algorithm_1: their Algorithm 1 to the letter, slope (1/n) sum (ybar_i - ybar) x_i.
    regression, balanced: least squares, slope Sxy / Sxx; asymptotically Algorithm 1.

    Where `flat` the metric cannot help: slope 0, and one parameter instead of two.
    """
    n, xbar, ybar = rows.one_one, rows.one_x / rows.one_one, rows.one_y / rows.one_one
    sxy = rows.x_y - rows.one_x * ybar
    sxx, _ = spread_of_x(rows)
    unused = np.asarray(flat | (estimator == "mean"))
    divisor = np.where(unused, 1.0, n if estimator == "algorithm_1" else sxx)
    slope = np.where(unused, 0.0, sxy / divisor)
    # Algorithm 1 treats its slope as known, so its intercept is a plain mean of y - slope * x.
    tilt = np.where(unused | (estimator == "algorithm_1"), 0.0, xbar / divisor)
    intercept = ybar - slope * xbar
    rss = rows.residual(intercept, slope)
    return Fit(intercept, slope, 1 / n + tilt * xbar, tilt, rss, n - np.where(unused, 1.0, 2.0))


def correlation(means: Gram) -> Floats:
    """Pearson's r of item means and x over the judged items; NaN where either is flat."""
    sxx, flat = spread_of_x(means)
    syy = means.y_y - means.one_y**2 / means.one_one
    sxy = means.x_y - means.one_x * means.one_y / means.one_one
    flat = flat | (syy <= _ROUNDING * means.y_y)
    return np.asarray(sxy / np.sqrt(np.where(flat, np.nan, sxx * syy)))
