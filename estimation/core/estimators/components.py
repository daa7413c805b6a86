"""Variance components: how much scores differ between items, between annotators, and otherwise.

Several definitions look alike and differ: each function says which one it computes.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.errors import ReplicatesNeededError
from estimation.core.data.incidence import Ints, distinct
from estimation.core.data.moments import Moments, moments
from estimation.core.data.sample import Sample


@dataclass(frozen=True, slots=True)
class OneWay:
    """The result of `one_way`, in squared score units; both may be negative.

    Attributes
    ----------
    item : float
        sigma_f² = (MSB - MSW) / k0, the variance of what people say of an item on average.
    noise : float
        sigma_a² = MSW, the variance of single judgments of one item.
    """

    item: float
    noise: float


@dataclass(frozen=True, slots=True)
class Crossed:
    """Variance components of items crossed with annotators, in squared score units.

    Estimated components may be negative.

    Attributes
    ----------
    item : float
        Between items.
    person : float
        Between annotators.
    rest : float
        Everything else.

    Examples
    --------
    >>> from estimation.core import Crossed
    >>> Crossed(item=0.14, person=-0.01, rest=0.23).truncated()
    Crossed(item=0.14, person=0.0, rest=0.23)
    """

    item: float
    person: float
    rest: float

    def truncated(self) -> "Crossed":
        """Set negative components to 0: for plans and weights, not for reports.

        Returns
        -------
        Crossed
            No component is negative.
        """
        return Crossed(max(0.0, self.item), max(0.0, self.person), max(0.0, self.rest))


def one_way(sample: Sample) -> OneWay:
    """Estimate the variance between items and within items by one-way analysis of variance.

    With k0 = (T - sum k_i² / T) / (n - 1) for items judged k_i times: unbiased, and negative where
    items differ less than the noise lets one expect.

    Parameters
    ----------
    sample : Sample
        The judgments; the metric is not used.

    Returns
    -------
    OneWay
        The paper's sigma_f² and sigma_a².

    Raises
    ------
    ReplicatesNeededError
        Fewer than two items were judged, or no item was judged twice.

    References
    ----------
    .. [1] S. R. Searle, G. Casella and C. E. McCulloch (1992). Variance Components. Wiley.

    Examples
    --------
    >>> from estimation.core import Sample, Scale, one_way
    >>> score, item, annotator = [1, 0, 0, -1, -1, -1], [0, 0, 1, 1, 2, 2], [1, 2, 1, 2, 1, 2]
    >>> sample = Sample(score, item, annotator, n_population=3, scale=Scale(-1, 1))
    >>> found = one_way(sample)
    >>> round(found.item, 3), round(found.noise, 3)
    (0.417, 0.333)
    """
    stats = _plain_moments(sample)
    t, n = sample.n_judgments, float(stats.n_items)
    if n < 2 or t == n:
        raise ReplicatesNeededError(
            "Telling items from noise takes two items or more, some of them judged twice."
        )
    within = float(stats.within)
    about_mean = stats.judgments.y_y - stats.judgments.one_y**2 / t
    between = (float(about_mean) - within) / (n - 1)
    noise = within / (t - n)
    k0 = (t - _sum_of_squared_counts(sample.item) / t) / (n - 1)
    return OneWay(item=(between - noise) / k0, noise=noise)


def crossed(sample: Sample) -> Crossed:
    """Estimate the components of items crossed with annotators, by moments.

    Solves three equations that hold in expectation [1]_: U_a = (person + rest)(T - n),
    U_b = (item + rest)(T - A) and U_e = item (T² - sum k_i²) + person (T² - sum T_j²)
    + rest (T² - T). U_a and U_b are the sums of squares within items and within annotators;
    U_e = T sum y² - (sum y)².

    Parameters
    ----------
    sample : Sample
        The judgments; the metric is not used.

    Returns
    -------
    Crossed
        Raw components, which may be negative.

    Raises
    ------
    ReplicatesNeededError
        The equations are singular: no item was judged by several people, or no one judged
        several items.

    References
    ----------
    .. [1] K. Gao and A. B. Owen (2017). Efficient moment calculations for variance components in
       large unbalanced crossed random effects models. Electronic Journal of Statistics 11,
       1235-1296.

    Examples
    --------
    >>> from estimation.core import Sample, Scale, crossed
    >>> sample = Sample([3, 5, 1, 2, 4, 5], [0, 0, 1, 1, 2, 2], [0, 1, 0, 2, 1, 2], 3, Scale(1, 5))
    >>> found = crossed(sample)
    >>> [round(part, 3) for part in (found.item, found.person, found.rest)]
    [2.333, 1.0, 0.0]
    """
    t = sample.n_judgments
    items, people = distinct(sample.item).size, distinct(sample.annotator).size
    by_item = _sum_of_squared_counts(sample.item)
    by_person = _sum_of_squared_counts(sample.annotator)
    determinant = t * (t + 1) - by_item - by_person
    if t in (items, people) or determinant == 0:
        raise ReplicatesNeededError(
            "Telling items from annotators takes items judged by several people and people who "
            "judged several items."
        )
    stats = _plain_moments(sample)
    noise = float(stats.within) / (t - items)  # person + rest
    spread = _within_annotators(sample) / (t - people)  # item + rest
    total = t * float(stats.judgments.y_y) - float(stats.judgments.one_y) ** 2
    explained = spread * (t * t - by_item) + noise * (t * t - by_person)
    rest = (explained - total) / determinant
    return Crossed(item=spread - rest, person=noise - rest, rest=rest)


def variance_of_item_means(sample: Sample) -> float:
    """Return the variance of item means, divisor n - 1: sigma_f² as the paper's Table 2 prints it.

    It contains sigma_a² / m for m judgments of each item, so it overstates sigma_f²; `one_way` does
    not.

    Parameters
    ----------
    sample : Sample
        The judgments; the metric is not used.

    Returns
    -------
    float
        In squared score units.

    Raises
    ------
    ReplicatesNeededError
        Only one item was judged.

    References
    ----------
    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.

    Examples
    --------
    >>> from estimation.core import Sample, Scale, variance_of_item_means
    >>> score, item, annotator = [1, 0, 0, -1, -1, -1], [0, 0, 1, 1, 2, 2], [1, 2, 1, 2, 1, 2]
    >>> sample = Sample(score, item, annotator, n_population=3, scale=Scale(-1, 1))
    >>> round(variance_of_item_means(sample), 3)
    0.583
    """
    items = _plain_moments(sample).means
    n = float(items.one_one)
    if n < 2:
        raise ReplicatesNeededError("The variance of item means takes at least two items.")
    return max(0.0, float(items.y_y - items.one_y**2 / n) / (n - 1))


def _plain_moments(sample: Sample) -> Moments:
    return moments(sample, x=np.zeros(sample.n_population))


def _sum_of_squared_counts(label: Ints) -> int:
    _, count = np.unique(label, return_counts=True)
    return int((count**2).sum())


def _within_annotators(sample: Sample) -> float:
    _, annotator, count = np.unique(sample.annotator, return_inverse=True, return_counts=True)
    mean = np.bincount(annotator, sample.score) / count
    return float(((sample.score - mean[annotator]) ** 2).sum())
