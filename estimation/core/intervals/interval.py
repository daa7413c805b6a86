"""A confidence interval, and the half-width behind it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from estimation.core.data.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.data.sample import Floats, Scale


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided confidence interval, in score units.

    low, high: its ends, not clipped to the scale.
    level: the confidence level, such as 0.95.
    df: degrees of freedom of the t quantile.
    centre: the middle of the interval; not exactly the reported estimate.
    """

    low: float
    high: float
    level: float
    df: float
    centre: float

    @property
    def width(self) -> float:
        """The distance between the ends: what stopping looks at, so never clipped."""
        return self.high - self.low

    def clipped(self, scale: Scale) -> tuple[float, float]:
        """(low, high) cut to a bounded scale, for display only; unchanged for an unbounded one."""
        if not scale.bounded:
            return self.low, self.high
        low, high = np.clip([self.low, self.high], scale.low, scale.high)
        return float(low), float(high)


def half_width(std_error: Floats, df: Floats, *, level: float) -> Floats:
    """t quantile times standard error; NaN where either does not exist.

    std_error, df: () or (T,); level: strictly between 0 and 1, else InvalidOptionError.
    """
    check_level(level)
    degrees = np.where(np.asarray(df) > 0, df, np.nan)
    return np.asarray(stdtrit(degrees, 0.5 + level / 2) * std_error)


def interval_of(
    centre: float, std_error: float | None, df: float | None, *, level: float
) -> Interval:
    """centre ± t_df · std_error, not clipped to the scale.

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
    return Interval(centre - half, centre + half, level, df, centre)


def check_level(level: float) -> None:
    """Raise InvalidOptionError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise InvalidOptionError(f"A confidence level lies between 0 and 1; got {level}.")
