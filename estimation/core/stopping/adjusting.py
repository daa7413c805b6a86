"""Tests of many differences at once, adjusted after Holm."""

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats


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
