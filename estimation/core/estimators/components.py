"""Variance components: how much scores differ between items, between annotators, and otherwise.

Four definitions that look alike and are not: each function says which one it computes.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.errors import ReplicatesNeededError
from estimation.core.data.moments import Moments, moments
from estimation.core.data.sample import Sample


@dataclass(frozen=True, slots=True)
class OneWay:
    """One-way analysis of variance by item, in squared score units; may be negative.

    item: (MSB - MSW) / k0, the paper's sigma_f².  noise: MSW, the paper's sigma_a².
    """

    item: float
    noise: float


@dataclass(frozen=True, slots=True)
class Crossed:
    """Items crossed with annotators, in squared score units; raw values may be negative."""

    item: float
    person: float
    rest: float

    def truncated(self) -> "Crossed":
        """Negative components set to 0: for use in plans and weights, not for reports."""
        return Crossed(max(0.0, self.item), max(0.0, self.person), max(0.0, self.rest))


def one_way(sample: Sample) -> OneWay:
    """Unbalanced one-way analysis of variance of scores by item (Searle et al. 1992).

    k0 = (T - sum k_i² / T) / (n - 1). Raises ReplicatesNeededError unless at least two items were
    judged and some item more than once.
    """
    stats = _plain_moments(sample)
    t, n = sample.n_judgments, float(stats.items.one_one)
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
    """Crossed random effects by moments (Gao and Owen 2017), raw.

    Solves U_a = (person + rest)(T - n), U_b = (item + rest)(T - A) and
    U_e = item (T² - sum k_i²) + person (T² - sum T_j²) + rest (T² - T), where U_a and U_b are
    the sums of squares within items and within annotators and U_e = T sum y² - (sum y)².
    Raises ReplicatesNeededError where the incidence makes the equations singular.
    """
    t = sample.n_judgments
    items, people = np.unique(sample.item).size, np.unique(sample.annotator).size
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
    """Variance of item means, divisor n - 1: what the paper's Table 2 prints as sigma_f².

    It still contains sigma_a² / m, m judgments per item, so it overstates sigma_f².
    Raises ReplicatesNeededError when only one item was judged.
    """
    items = _plain_moments(sample).items
    n = float(items.one_one)
    if n < 2:
        raise ReplicatesNeededError("The variance of item means takes at least two items.")
    return max(0.0, float(items.y_y - items.one_y**2 / n) / (n - 1))


def variance_of_mean(components: Crossed, sample: Sample) -> float:
    """Variance of the plain mean of all judgments under `components` (Gao and Owen 2017).

    item sum k_i² / T² + person sum T_j² / T² + rest / T, in squared score units.
    """
    t = sample.n_judgments
    items = components.item * _sum_of_squared_counts(sample.item)
    people = components.person * _sum_of_squared_counts(sample.annotator)
    return (items + people) / t**2 + components.rest / t


def _plain_moments(sample: Sample) -> Moments:
    return moments(sample, x=np.zeros(sample.n_population))


def _sum_of_squared_counts(label: np.ndarray) -> int:
    _, count = np.unique(label, return_counts=True)
    return int((count**2).sum())


def _within_annotators(sample: Sample) -> float:
    _, annotator, count = np.unique(sample.annotator, return_inverse=True, return_counts=True)
    mean = np.bincount(annotator, sample.score) / count
    return float(((sample.score - mean[annotator]) ** 2).sum())
