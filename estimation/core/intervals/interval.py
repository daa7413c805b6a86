"""A confidence interval, its half-width, and the width that a group of annotators leaves."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from estimation.core.data.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Scale

# With fewer effective annotators a width is not reliable, and no population rule stops.
MIN_EFFECTIVE_ANNOTATORS = 5.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval, in score units.

    Attributes
    ----------
    low, high : float
        The ends, not clipped to the scale.
    level : float
        The confidence level, such as 0.95.
    df : float
        Degrees of freedom of the t quantile; infinite for a normal one.
    centre : float
        Where the interval is centred, which need not be the reported estimate; its middle, unless
        an end was moved to the estimate.

    Examples
    --------
    >>> from estimation.core import Interval, Scale
    >>> interval = Interval(low=0.25, high=1.5, level=0.95, df=12, centre=0.875)
    >>> interval.width
    1.25
    >>> interval.clipped(Scale(-1, 1))
    (0.25, 1.0)
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

        Parameters
        ----------
        scale : Scale
            The criterion's scale.

        Returns
        -------
        (float, float)
            The ends; unchanged for an unbounded scale.
        """
        if not scale.bounded:
            return self.low, self.high
        low, high = np.clip([self.low, self.high], scale.low, scale.high)
        return float(low), float(high)


def half_width(std_error: Floats, df: Floats, *, level: float) -> Floats:
    """Return the t quantile times the standard error.

    Parameters
    ----------
    std_error : () or (T,) array of float
        In score units.
    df : () or (T,) array of float
        Degrees of freedom.
    level : float
        The confidence level, between 0 and 1.

    Returns
    -------
    () or (T,) array of float
        In score units; NaN where df is not positive or the standard error is NaN.

    Raises
    ------
    InvalidOptionError
        The level is not between 0 and 1.

    Examples
    --------
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

    Parameters
    ----------
    level : float
        The level, such as 0.95.

    Raises
    ------
    InvalidOptionError
        It is 0 or less, 1 or more, or not a number.

    Examples
    --------
    >>> from estimation.core import check_level
    >>> check_level(95)
    Traceback (most recent call last):
        ...
    estimation.core.data.errors.InvalidOptionError: A confidence level lies between 0 and 1; got 95.
    """
    if not 0 < level < 1:
        raise InvalidOptionError(f"A confidence level lies between 0 and 1; got {level}.")


def width_floor(
    *, person_variance: float, effective_annotators: Floats | float, level: float
) -> Floats:
    """Return the width that a group of annotators leaves however many items they judge.

    2 t(A_eff - 1) sigma_person / sqrt(A_eff).

    Parameters
    ----------
    person_variance : float
        sigma_person² in squared score units, such as `crossed(...).person`; not negative.
    effective_annotators : () or (K,) array of float
        A_eff.
    level : float
        The confidence level.

    Returns
    -------
    () or (K,) array of float
        In score units; NaN where A_eff is 1 or less.

    Raises
    ------
    InvalidOptionError
        The variance is negative, or the level not between 0 and 1.

    Examples
    --------
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

    Parameters
    ----------
    target_width : float
        The full width asked for, in score units; positive.
    level : float
        The confidence level.
    person_variance : float
        sigma_person² in squared score units; not negative.
    other_variance : float, default 0
        The part of the squared standard error that more people do not remove (items and rest).
    evenness : float, default 1
        A_eff / A, from 0 to 1; 1 where all people judge equally often.
    limit : int, default 10000
        The largest number that is tried.

    Returns
    -------
    int or None
        None where even `limit` annotators do not meet the target.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core import annotators_needed
    >>> annotators_needed(target_width=0.2, level=0.95, person_variance=0.059)
    26
    >>> annotators_needed(target_width=0.2, level=0.95, person_variance=0.059, other_variance=0.001)
    41
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
