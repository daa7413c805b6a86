"""The intraclass correlation of single judgments, from a one-way analysis of variance."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.agreement.alpha import NoVariationError, judgment_arrays
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints


@dataclass(frozen=True, slots=True)
class Intraclass:
    """ICC(1,1) and its basis.

    Attributes
    ----------
    icc : float
        The share of a judgment's variance that lies between items; may be negative.
    between, within : float
        Mean squares between and within items, in squared score units.
    per_item : float
        k0, the number of judgments an item; between their mean and their smallest number where it
        varies.
    n_items, n_judgments : int
        Of all items, also those judged once.
    """

    icc: float
    between: float
    within: float
    per_item: float
    n_items: int
    n_judgments: int


def intraclass_correlation(item: ArrayLike, annotator: ArrayLike, value: ArrayLike) -> Intraclass:
    """Return ICC(1,1): one-way, random items, agreement of single judgments.

    (MSB - MSW) / (MSB + (k0 - 1) MSW), MSB and MSW the mean squares between and within items,
    k0 = (T - sum k_i² / T) / (n - 1) for items judged k_i times, so the design need not be
    balanced [2]_. It is the first of the six of [1]_, ICC(1) in [2]_: each item has its own random
    people, whose differences count as disagreement. The correlation of means of k judgments is
    k·icc / (1 + (k - 1)·icc).

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores.

    Returns
    -------
    Intraclass
        The correlation with its mean squares.

    Raises
    ------
    ReplicatesNeededError
        Fewer than two items were judged, or no item was judged twice.
    NoVariationError
        All scores are equal.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError
        The arrays are not valid judgments.

    References
    ----------
    .. [1] P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater
       reliability. Psychological Bulletin 86, 420-428.
    .. [2] A. Donner (1986). A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model. International Statistical Review 54, 67-82.

    Examples
    --------
    >>> from estimation.core import intraclass_correlation
    >>> item, annotator = [0, 0, 1, 1, 2, 2, 3], [1, 2, 1, 2, 1, 3, 1]
    >>> found = intraclass_correlation(item, annotator, [1, 1, 0, 0, -1, 0, 1])
    >>> round(found.icc, 3), found.n_items
    (0.739, 4)
    """
    items, _, values = judgment_arrays(item, annotator, value)
    times = np.bincount(items)
    t, n = items.size, times.size
    if n < 2 or t == n:
        raise errors.ReplicatesNeededError(
            "The intraclass correlation takes two items or more, some of them judged twice."
        )
    if not np.ptp(values) > 0:
        raise NoVariationError("All scores are equal, so nothing varies between or within items.")
    between, within = _mean_squares(items, times, values)
    k0 = (t - float(times @ times) / t) / (n - 1)
    icc = (between - within) / (between + (k0 - 1) * within)
    return Intraclass(icc, between, within, k0, n, t)


def _mean_squares(items: Ints, times: Ints, values: Floats) -> tuple[float, float]:
    # Centred, so that large scores with a small spread keep their digits.
    centred = values - values.mean()
    mean = np.bincount(items, centred) / times
    between = float((times * mean**2).sum()) / (times.size - 1)
    return between, float(((centred - mean[items]) ** 2).sum()) / (items.size - times.size)
