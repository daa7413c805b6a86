"""Confidence intervals: t intervals, the width that a crowd leaves, and several at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from estimation.core.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.sample import Floats, Scale

# --- A confidence interval, its half-width, and the width that a group of annotators leaves.


# With fewer effective annotators a width is not reliable, and no population rule stops.
MIN_EFFECTIVE_ANNOTATORS = 5.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval, in score units.

    low, high: the ends, not clipped to the scale.
    level: the confidence level, such as 0.95.
    df: degrees of freedom of the t quantile; infinite for a normal one.
    centre: where the interval is centred, which need not be the reported estimate; its middle,
        unless an end was moved to the estimate.
    """

    low: float
    high: float
    level: float
    df: float
    centre: float

    @property
    def width(self) -> float:
        """The distance between the ends. Stopping rules use it, so it is never clipped."""
        return self.high - self.low

    def clipped(self, scale: Scale) -> tuple[float, float]:
        """Return the ends cut to a bounded scale: for display only.

        scale: the criterion's scale.
        Returns: (float, float); the ends; unchanged for an unbounded scale.
        """
        if not scale.bounded:
            return self.low, self.high
        low, high = np.clip([self.low, self.high], scale.low, scale.high)
        return float(low), float(high)


def half_width(std_error: Floats, df: Floats, *, level: float) -> Floats:
    """Return the t quantile times the standard error.

    std_error: () or (T,) floats; in score units.
    df: () or (T,) floats; degrees of freedom.
    level: the confidence level, between 0 and 1.
    Returns: () or (T,) floats; in score units; NaN where df is not positive or the standard error
        is NaN.
    Raises InvalidOptionError: the level is not between 0 and 1.

    >>> import numpy as np
    >>> from estimation.core import half_width
    >>> half_width(np.array([0.1, 0.1]), np.array([4.0, np.inf]), level=0.95).round(3).tolist()
    [0.278, 0.196]
    """
    check_level(level)
    degrees = np.where(np.asarray(df) > 0, df, np.nan)
    return np.asarray(stdtrit(degrees, 0.5 + level / 2) * std_error)


def interval_of(
    centre: float, std_error: float | None, df: float | None, *, level: float, estimate: float
) -> Interval:
    """centre ± t_df · std_error, not clipped to the scale; it contains the estimate.

    Raises InvalidOptionError unless 0 < level < 1, IntervalUnavailableError without a standard
    error.
    """
    check_level(level)
    if std_error is None or df is None:
        raise IntervalUnavailableError(
            "There is no interval yet: it takes at least three items and, to speak for people "
            "in general, at least two annotators."
        )
    half = float(half_width(np.asarray(std_error), np.asarray(df), level=level))
    low, high = min(centre - half, estimate), max(centre + half, estimate)
    return Interval(low, high, level, df, centre)


def check_level(level: float) -> None:
    """Check that a confidence level lies between 0 and 1.

    level: the level, such as 0.95.
    Raises InvalidOptionError: it is 0 or less, 1 or more, or not a number.
    """
    if not 0 < level < 1:
        raise InvalidOptionError(f"A confidence level lies between 0 and 1; got {level}.")


def width_floor(
    *, person_variance: float, effective_annotators: Floats | float, level: float
) -> Floats:
    """Return the width that a group of annotators leaves however many items they judge.

    2 t(A_eff - 1) sigma_person / sqrt(A_eff).

    person_variance: sigma_person² in squared score units, such as `crossed(...).person`; not
        negative.
    effective_annotators: () or (K,) floats; A_eff.
    level: the confidence level.
    Returns: () or (K,) floats; in score units; NaN where A_eff is 1 or less.
    Raises InvalidOptionError: the variance is negative, or the level not between 0 and 1.

    >>> from estimation.core import width_floor
    >>> round(float(width_floor(person_variance=0.059, effective_annotators=20, level=0.95)), 2)
    0.23
    """
    if person_variance < 0:
        raise InvalidOptionError("A variance is not negative; truncate it first.")
    a = np.asarray(effective_annotators, dtype=np.float64)
    return 2 * half_width(np.sqrt(person_variance / a), a - 1, level=level)


def annotators_needed(
    *,
    target_width: float,
    level: float,
    person_variance: float,
    other_variance: float = 0.0,
    evenness: float = 1.0,
    limit: int = 10_000,
) -> int | None:
    """Return the smallest number of annotators whose interval meets the target.

    target_width: the full width asked for, in score units; positive.
    level: the confidence level.
    person_variance: sigma_person² in squared score units; not negative.
    other_variance: the part of the squared standard error that more people do not remove (items and
        rest).
    evenness: A_eff / A, from 0 to 1; 1 where all people judge equally often.
    limit: the largest number that is tried.
    Returns: None where even `limit` annotators do not meet the target.
    Raises InvalidOptionError: A number lies outside its range.
    """
    check_target(target_width)
    if not 0 < evenness <= 1 or person_variance < 0 or other_variance < 0:
        raise InvalidOptionError("Variances are not negative, and evenness lies between 0 and 1.")
    count = np.arange(2, limit + 1)
    effective = np.asarray(count * evenness, dtype=np.float64)
    error = np.sqrt(other_variance + person_variance / effective)
    width = 2 * half_width(error, effective - 1, level=level)
    meets = np.flatnonzero((effective >= MIN_EFFECTIVE_ANNOTATORS) & (width <= target_width))
    return int(count[meets[0]]) if meets.size else None


def check_target(target_width: float) -> None:
    if not target_width > 0:
        raise InvalidOptionError(f"A target width is a positive number; got {target_width}.")


# --- Many differences at once: p values after Holm, and intervals that hold together.


def holm(p_values: ArrayLike) -> Floats:
    """Return p values adjusted for their number after Holm [1]_.

    Rejecting what lies below alpha then errs, in any of them, with a probability of at most alpha,
    however the tests depend on each other.

    p_values: (K,) floats; from 0 to 1.
    Returns: (K,) floats; the smallest alpha at which each is rejected, in the order given.
    Raises InvalidOptionError: A value lies outside 0 to 1.

    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.

    >>> from estimation.core import holm
    >>> holm([0.01, 0.04, 0.03]).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, dtype=np.float64)
    if given.ndim != 1 or not ((given >= 0) & (given <= 1)).all():
        raise InvalidOptionError("p values lie between 0 and 1.")
    order = np.argsort(given, kind="stable")
    steps = given[order] * np.arange(given.size, 0, -1)
    adjusted = np.empty_like(given)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return adjusted


def level_of_each(level: float, n: int) -> float:
    """Return the level of n intervals that all hold together with a probability of `level`.

    1 - (1 - level) / n, after Bonferroni [1]_: however the intervals depend on each other.

    level: of all together, between 0 and 1.
    n: how many intervals there are, at least 1.
    Returns: the level at which to compute each.
    Raises InvalidOptionError: the level does not lie between 0 and 1, or there is no interval.

    .. [1] O. J. Dunn (1961). Multiple comparisons among means. Journal of the American Statistical
       Association 56, 52-64.

    >>> from estimation.core import level_of_each
    >>> level_of_each(0.95, 10)
    0.995
    """
    check_level(level)
    if n < 1:
        raise InvalidOptionError("There is at least one interval.")
    return 1 - (1 - level) / n
