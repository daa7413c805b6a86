"""Cohen's and Fleiss' kappa: agreement beyond what equal answers by chance would give."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.agreement.alpha import NoVariationError, judgment_arrays, pairable
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints

Weights = Literal["nominal", "linear", "quadratic"]
WEIGHTS: tuple[str, ...] = get_args(Weights)


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


def cohen_kappa(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike, *, weights: Weights = "nominal"
) -> Kappa:
    """Return Cohen's kappa of two annotators, over the items that both judged.

    Chance is what the two would disagree if each kept the frequencies of their own scores and the
    scores were independent [1]_. With weights, disagreement is the distance of the scores [2]_.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels; two annotators.
    value : (T,) array of float
        The scores. Categories without an order are numbers, too, with weights "nominal".
    weights : {"nominal", "linear", "quadratic"}, default "nominal"
        Disagreement of scores a and b: 1 where they differ; abs(a - b); (a - b)².

    Returns
    -------
    Kappa
        Of the items that both judged.

    Raises
    ------
    ReplicatesNeededError
        There are not exactly two annotators, or they have no item in common.
    NoVariationError
        Both gave one and the same score to all common items.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError
        The arrays are not valid judgments.
    InvalidOptionError
        The weights are unknown.

    References
    ----------
    .. [1] J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and
       Psychological Measurement 20, 37-46.
    .. [2] J. Cohen (1968). Weighted kappa. Psychological Bulletin 70, 213-220.

    Examples
    --------
    >>> from estimation.core import cohen_kappa
    >>> item, annotator = [0, 0, 1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 1, 2, 1, 2]
    >>> found = cohen_kappa(item, annotator, [1, 1, 0, 0, -1, 0, 1, 1])
    >>> round(found.kappa, 3), found.observed, found.expected
    (0.6, 0.25, 0.625)
    """
    if weights not in WEIGHTS:
        raise errors.InvalidOptionError(f"{weights!r} is not one of {', '.join(WEIGHTS)}.")
    items, people, values = judgment_arrays(item, annotator, value)
    if np.unique(people).size != 2:
        raise errors.ReplicatesNeededError(
            "Cohen's kappa compares two annotators; for more take Fleiss' kappa or "
            "Krippendorff's alpha."
        )
    first, second = _pairs(items, people, values)
    observed = float(_distance(first, second, weights).mean())
    levels, column = np.unique(np.r_[first, second], return_inverse=True)
    shares = [np.bincount(one, minlength=levels.size) / first.size for one in np.split(column, 2)]
    apart = _distance(levels[:, None], levels, weights)
    return _kappa(observed, float(shares[0] @ apart @ shares[1]), first.size, 2 * first.size)


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


def _pairs(items: Ints, people: Ints, values: Floats) -> tuple[Floats, Floats]:
    """(n,) scores of the first and of the second annotator, for the items that both judged."""
    both = np.bincount(items)[items] == 2
    if not both.any():
        raise errors.ReplicatesNeededError("The two annotators have no item in common.")
    order = np.lexsort((items[both], people[both]))
    first, second = np.split(values[both][order], 2)
    return first, second


def _distance(a: Floats, b: Floats, weights: Weights) -> Floats:
    if weights == "nominal":
        return np.asarray(a != b, dtype=np.float64)
    apart = np.abs(a - b)
    return apart if weights == "linear" else apart**2


def _kappa(observed: float, expected: float, n_items: int, n_judgments: int) -> Kappa:
    if not expected > 0:
        raise NoVariationError(
            "All comparable scores are equal: agreement cannot be compared with chance."
        )
    return Kappa(1 - observed / expected, observed, expected, n_items, n_judgments)
