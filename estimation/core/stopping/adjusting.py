"""Many differences at once: p values after Holm, and intervals that hold together."""

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.intervals.interval import check_level


def holm(p_values: ArrayLike) -> Floats:
    """Return p values adjusted for their number after Holm [1]_.

    Rejecting what lies below alpha then errs, in any of them, with a probability of at most alpha,
    however the tests depend on each other.

    Parameters
    ----------
    p_values : (K,) array of float
        From 0 to 1.

    Returns
    -------
    (K,) array of float
        The smallest alpha at which each is rejected, in the order given.

    Raises
    ------
    InvalidOptionError
        A value lies outside 0 to 1.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.

    Examples
    --------
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

    Parameters
    ----------
    level : float
        Of all together, between 0 and 1.
    n : int
        How many intervals there are, at least 1.

    Returns
    -------
    float
        The level at which to compute each.

    Raises
    ------
    InvalidOptionError
        The level does not lie between 0 and 1, or there is no interval.

    References
    ----------
    .. [1] O. J. Dunn (1961). Multiple comparisons among means. Journal of the American Statistical
       Association 56, 52-64.

    Examples
    --------
    >>> from estimation.core import level_of_each
    >>> level_of_each(0.95, 10)
    0.995
    """
    check_level(level)
    if n < 1:
        raise InvalidOptionError("There is at least one interval.")
    return 1 - (1 - level) / n
