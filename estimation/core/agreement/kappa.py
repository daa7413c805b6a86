"""Cohen's and Fleiss' kappa: agreement beyond what equal answers by chance would give."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.agreement.alpha import NoVariationError, judgment_arrays, pairable


@dataclass(frozen=True, slots=True)
class Kappa:
    """A kappa, 1 - observed / expected, and its basis.

    Attributes
    ----------
    kappa : float
        1 for perfect agreement, 0 for chance, negative for disagreement beyond chance.
    observed, expected : float
        Mean disagreement of two judgments of an item, and by chance: the share of unequal scores
        or, with weights, in score units ("linear") or squared score units ("quadratic").
    n_items, n_judgments : int
        Of the items that are compared.
    """

    kappa: float
    observed: float
    expected: float
    n_items: int
    n_judgments: int


def fleiss_kappa(item: ArrayLike, annotator: ArrayLike, value: ArrayLike) -> Kappa:
    """Return Fleiss' kappa of several annotators, who need not be the same for every item.

    Items with a single judgment are left out. Every other item weighs equally, in the observed
    disagreement (the share of its pairs that differ) and in the frequencies of the scores, from
    which chance is computed. Where all items have the same number of judgments, this is Fleiss'
    definition [1]_; otherwise it is one of several generalisations.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores, as categories without an order.

    Returns
    -------
    Kappa
        Of the items that at least two people judged.

    Raises
    ------
    ReplicatesNeededError
        No item was judged by two people.
    NoVariationError
        All comparable scores are equal.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError
        The arrays are not valid judgments.

    References
    ----------
    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological
       Bulletin 76, 378-382.

    Examples
    --------
    >>> from estimation.core import fleiss_kappa
    >>> item, annotator = [0, 0, 0, 1, 1, 1], [1, 2, 3, 1, 2, 4]
    >>> round(fleiss_kappa(item, annotator, [1, 1, 1, 0, 0, 1]).kappa, 3)
    0.25
    """
    table, _ = pairable(*judgment_arrays(item, annotator, value))
    size, units = table.size, int(table.items.sum())
    weight = table.items / units
    same = np.asarray((table.counts.power(2).sum(axis=1)), dtype=np.float64) - size
    observed = float(1 - weight @ (same / (size * (size - 1))))
    share = np.asarray(table.counts.T @ (weight / size))
    return _kappa(observed, float(share @ (1 - share)), units, int(table.items @ size))


def _kappa(observed: float, expected: float, n_items: int, n_judgments: int) -> Kappa:
    if not expected > 0:
        raise NoVariationError(
            "All comparable scores are equal: agreement cannot be compared with chance."
        )
    return Kappa(1 - observed / expected, observed, expected, n_items, n_judgments)
