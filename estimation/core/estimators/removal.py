"""How far an estimate moves if the people who pull it most in one direction are left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample
from estimation.core.estimators.registry import registered
from estimation.core.estimators.result import Estimate
from estimation.core.estimators.rows import Fitted
from estimation.core.estimators.weights import balanced_weights, gls_weights

SHARES = (0.01, 0.05, 0.10, 0.20)

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Removal:
    """The lowest and the highest estimate without some of the people.

    Attributes
    ----------
    share : float
        The share of the annotators who may be left out, 0 to 1.
    people : int
        How many that is at most.
    low, high : float
        The ends of the range, in score units. They contain the estimate itself.
    low_without, high_without : tuple of int
        The labels of the annotators without whom the ends are reached; empty where leaving out
        anybody moves the estimate the other way.
    """

    share: float
    people: int
    low: float
    high: float
    low_without: tuple[int, ...]
    high_without: tuple[int, ...]


def worst_removals(
    sample: Sample, found: Estimate, *, shares: Sequence[float] = SHARES
) -> tuple[Removal, ...]:
    """Return how far leaving out the worst share of the people moves an estimate.

    An estimate is a mean of corrected scores y - x · b with weights w. Without a set R of people it
    is the mean over the judgments of all others, in which every judgment keeps its correction and
    its weight relative to the others. The range of that number over all sets R of at most
    ceil(share · A) of the A annotators is exact: no such set reaches beyond it, and its ends are
    reached by the sets that are named. It is found by Dinkelbach's algorithm [1]_: for a value v
    the best set has the people with the smallest sum of w (y - x · b - v), and v rises to what
    that set gives until it rises no more. Each step takes time linear in A.

    An estimate that is computed anew without these people also fits slopes and weights anew. The
    two are equal where no output has two judgments, there is no metric and the weights are not
    "gls"; otherwise the range is not a bound of the new estimate.

    Parameters
    ----------
    sample : Sample
        The judgments.
    found : Estimate
        The estimate of this sample.
    shares : sequence of float, default (0.01, 0.05, 0.10, 0.20)
        The shares of the annotators, above 0 and up to 1.

    Returns
    -------
    tuple of Removal
        One for each share, in their order. One person always stays. A share without which no
        weight may be left (negative weights of "gls") has none.

    Raises
    ------
    InvalidOptionError
        A share is not above 0 and at most 1.

    References
    ----------
    .. [1] W. Dinkelbach (1967). On nonlinear fractional programming. Management Science 13,
       492-498.

    Examples
    --------
    >>> from estimation.core import Sample, Scale, estimate, worst_removals
    >>> sample = Sample([1, 1, 0, -1], [0, 1, 2, 3], [7, 7, 8, 9], 10, Scale(-1, 1))
    >>> found = estimate(sample, estimator="mean")
    >>> (worst,) = worst_removals(sample, found, shares=[0.3])
    >>> worst.people, round(worst.low, 2), round(worst.high, 2), worst.high_without
    (1, -0.5, 0.67, (9,))
    """
    for share in shares:
        if not 0 < share <= 1:
            raise InvalidOptionError(f"A share is above 0 and at most 1, not {share}.")
    who = sample.incidence
    n_people = int(who.activity.size)
    if n_people < 2:
        return ()
    weight, correction = _parts(sample, found)
    mean = float(weight @ (sample.score - correction) / weight.sum())
    pulled = weight * (sample.score - correction - mean)
    weights, sums = (np.asarray(np.bincount(who.person, of), float) for of in (weight, pulled))
    labels = np.unique(sample.annotator)
    made = []
    for share in shares:
        most = min(n_people - 1, ceil(share * n_people - _ROUNDING))
        if _weight_left(weights, most):
            ends = _highest(-sums, weights, most), _highest(sums, weights, most)
            made.append(_removal(share, most, found.estimate, ends, labels))
    return tuple(made)


def _parts(sample: Sample, found: Estimate) -> tuple[Floats, Floats]:
    """(T,) the weights of the judgments, and what the metrics take off their scores."""
    way = registered(found.method.estimator)
    components = found.components if way.takes_components else None
    fitted = way.fit(sample, found.method, components)
    return _weights(sample, found, fitted), fitted.correction


def _weights(sample: Sample, found: Estimate, fitted: Fitted) -> Floats:
    if found.method.estimator == "balanced":
        return balanced_weights(sample.incidence, balance=found.method.balance)
    if fitted.components is not None:
        return gls_weights(sample.incidence, fitted.components).weight
    return sample.incidence.weight


def _weight_left(weights: Floats, most: int) -> bool:
    """Return whether some weight is left whoever goes; single weights of "gls" are negative."""
    heaviest = np.sort(weights)[weights.size - most :]
    return bool(weights.sum() - heaviest[heaviest > 0].sum() > _ROUNDING * np.abs(weights).sum())


def _highest(sums: Floats, weights: Floats, most: int) -> tuple[float, Ints]:
    """The largest (sum of sums) / (sum of weights) of those who stay, and the `most` who go.

    sums, weights: (A,) by person; the sums add up to 0, so that the value of all is 0.
    """
    total, whole, value = sums.sum(), weights.sum(), 0.0
    gone: Ints = np.zeros(0, dtype=np.int64)
    while True:
        gain = sums - value * weights
        least = np.argpartition(gain, most - 1)[:most]
        without = least[gain[least] < 0]
        then = float((total - sums[without].sum()) / (whole - weights[without].sum()))
        if then <= value:
            return value, gone
        value, gone = then, without


def _removal(
    share: float,
    most: int,
    estimate: float,
    ends: tuple[tuple[float, Ints], tuple[float, Ints]],
    labels: Ints,
) -> Removal:
    (fall, below), (rise, above) = ends
    gone = (tuple(np.sort(labels[one]).tolist()) for one in (below, above))
    return Removal(share, most, estimate - fall, estimate + rise, *gone)
