"""Pearson's correlation with an interval that needs no normal distribution."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data.errors import ShapeMismatchError
from estimation.core.data.sample import standardised
from estimation.core.intervals.interval import check_level

LEAST = 4  # pairs; with fewer, Fisher's transformation has no standard error


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's correlation of pairs.

    Attributes
    ----------
    r : float
        The correlation, -1 to 1.
    low, high : float or None
        The ends of the interval; None with fewer than 4 pairs, or where all pairs lie on a line.
    n : int
        How many pairs there are.
    """

    r: float
    low: float | None
    high: float | None
    n: int


def correlation(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation | None:
    """Return the correlation of two variables, with an interval.

    The interval is atanh(r) -+ q s, as Fisher's, but with the standard error
    s² = mean(d²) / ((n - 3) (1 - r²)²), d = u v - r (u² + v²) / 2 for the standardised pairs
    (u, v). It needs no normal distribution [1]_; under one, s² is near Fisher's 1 / (n - 3). It
    speaks for further pairs of the same kind, of which these are a random sample.

    Parameters
    ----------
    x, y : (n,) array of float
        The pairs.
    level : float, default 0.95
        The level of the interval.

    Returns
    -------
    Correlation or None
        None where one of both does not vary.

    Raises
    ------
    ShapeMismatchError
        Both are not lists of one length.
    InvalidOptionError
        The level is not between 0 and 1.

    References
    ----------
    .. [1] Steiger, J. H. and Hakstian, A. R. (1982). The asymptotic distribution of elements of a
       correlation matrix: Theory and application. British Journal of Mathematical and Statistical
       Psychology 35.

    Examples
    --------
    >>> found = correlation([0.1, 0.4, 0.5, 0.9, 0.7, 0.3], [-1, 0, 1, 1, 0, -1])
    >>> round(found.r, 2), found.n
    (0.78, 6)
    """
    check_level(level)
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.ndim != 1 or first.shape != second.shape:
        raise ShapeMismatchError("x and y must be two lists of one length.")
    if first.size < 2 or any(one.min() == one.max() for one in (first, second)):
        return None
    u, v = standardised(first), standardised(second)
    r = float(np.clip(np.mean(u * v), -1.0, 1.0))
    rest = 1.0 - r * r
    if first.size < LEAST or rest < 1e-12:
        return Correlation(r, None, None, first.size)
    pull = u * v - r * (u * u + v * v) / 2
    error = float(np.sqrt(np.mean(pull**2) / (first.size - 3))) / rest
    half, centre = NormalDist().inv_cdf(0.5 + level / 2) * error, float(np.arctanh(r))
    low, high = np.tanh([centre - half, centre + half]).tolist()
    return Correlation(r, low, high, first.size)
