"""The two systems of a paired difference: what each one's judgments of the common items weigh."""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data.incidence import Floats, Ints, numbered
from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import Method
from estimation.core.estimators.rows import Items, items_of


@dataclass(frozen=True, slots=True, eq=False)
class PairedSide:
    """One system's judgments of the common items, by item and annotator; x (N, p).

    weight: (T,) a_ij / sum_j a_ij, the weight of each judgment in its item's mean. items: the
    weight of each item in this system, and the mean score.
    """

    sample: Sample
    x: Floats
    items: Items
    total: Floats
    weight: Floats

    @property
    def judged_x(self) -> Floats:
        """(n, p) the metrics of the common items."""
        return np.asarray(self.x[self.items.label])

    @property
    def group(self) -> Ints | None:
        """(n,) the groups of the common items, None where each item is one of its own."""
        return (
            None if self.sample.group is None else np.asarray(self.sample.group[self.items.label])
        )

    def sums(self, values: Floats) -> Floats:
        """(n,) sums of `values` (T,) over the judgments of each item."""
        return np.asarray(np.bincount(self.items.row, values, self.items.label.size))


def sides_of(
    first: Sample, second: Sample, common: Ints, method: Method
) -> tuple[PairedSide, PairedSide]:
    """Both systems, the common items only, with the weights of the method."""
    a, b = (_restricted(sample, common) for sample in (first, second))
    weights = a.incidence.weight, b.incidence.weight
    if method.estimator == "balanced":
        weights = _balanced(a, b, method.balance)
    one, other = (
        _side(sample, weight, method) for sample, weight in zip((a, b), weights, strict=True)
    )
    return one, other


def _restricted(sample: Sample, common: Ints) -> Sample:
    rows = np.flatnonzero(np.isin(sample.item, common))
    # One order for all samples, so that equal judgments give exactly equal sums.
    person = sample.incidence.person
    pair = sample.item[rows] * (int(person.max(initial=0)) + 1) + person[rows]
    rows = rows[np.argsort(pair)]  # no two are equal
    return replace(
        sample,
        score=sample.score[rows],
        item=sample.item[rows],
        annotator=sample.annotator[rows],
    )


def _balanced(a: Sample, b: Sample, balance: float) -> tuple[Floats, Floats]:
    """1 / (k_i (1 + lambda m_j)), m_j half of the person's work on both systems."""
    share = np.r_[a.incidence.weight, b.incidence.weight]
    person = numbered(np.r_[a.annotator, b.annotator])
    weight = share / (1 + balance * (np.bincount(person, share) / 2)[person])
    return weight[: a.n_judgments], weight[a.n_judgments :]


def _side(sample: Sample, weight: Floats, method: Method) -> PairedSide:
    if method.estimator == "mean" or (sample.metric is None and method.estimator == "balanced"):
        x = np.zeros((sample.n_population, 0))
    elif method.estimator == "regression":
        x = sample.standardised_metric()[:, None]
    else:
        x = sample.standardised_metrics()
    items = items_of(sample, weight)
    total = np.asarray(np.bincount(items.row, weight), dtype=np.float64)
    return PairedSide(sample, x, items, total, weight / total[items.row])


def identical(a: PairedSide, b: PairedSide) -> bool:
    """Whether nothing that is known tells the systems apart."""
    pairs = [
        (getattr(a.sample, name), getattr(b.sample, name))
        for name in ("score", "item", "annotator", "metric")
    ]
    return all(
        one is other or (one is not None and other is not None and np.array_equal(one, other))
        for one, other in pairs
    )


def residuals(side: PairedSide, weight: Floats, correction: Floats) -> tuple[Floats, Floats]:
    """(u, w), both (T,), of one system's judgments about its own mean.

    weight, correction: (n,) of the items, and what the metrics take off their scores.
    """
    mean = float(weight @ (side.items.mean - correction))
    w = weight[side.items.row] * side.weight
    return w * (side.sample.score - correction[side.items.row] - mean), w


def replicates(sample: Sample) -> int:
    """How many judgments are not the first of their item."""
    return sample.n_judgments - int(sample.incidence.judged.size)


def noise_of(a: PairedSide, b: PairedSide, weight: Floats) -> float:
    """The variance of d_i about what all people would say of item i, averaged by W_i².

    MSW_a sum w_a² + MSW_b sum w_b² - 2 s_ab sum w_a w_b over the people who judged both outputs,
    by sum W_i²; s_ab the covariance within items of these people. What they have in common cancels
    in d_i. 0 where a system has no items judged twice.
    """
    if not replicates(a.sample) or not replicates(b.sample):
        return 0.0
    person = numbered(np.r_[a.sample.annotator, b.sample.annotator])
    stride, size = person.max() + 1, a.sample.n_judgments
    _, at_a, at_b = np.intersect1d(
        a.items.row * stride + person[:size],
        b.items.row * stride + person[size:],
        return_indices=True,
    )
    row = a.items.row[at_a]
    both = np.bincount(row, minlength=weight.size)
    covariance = _within(a.sample.score[at_a], b.sample.score[at_b], row, both)
    w_a, w_b = (weight[side.items.row] * side.weight for side in (a, b))
    own = sum(_msw(side) * float((w**2).sum()) for side, w in ((a, w_a), (b, w_b)))
    shared = covariance * float((w_a[at_a] * w_b[at_b]).sum())
    return max(0.0, (own - 2 * shared) / float((weight**2).sum()))


def _msw(side: PairedSide) -> float:
    """The variance of single judgments within items."""
    k = side.sample.incidence.count[side.items.label]
    mean = side.sums(side.sample.score) / k
    squares = float(((side.sample.score - mean[side.items.row]) ** 2).sum())
    return squares / replicates(side.sample)


def _within(first: Floats, second: Floats, row: Ints, count: Ints) -> float:
    """The covariance within rows; 0 where no row has two entries."""
    replicates = int(np.maximum(count - 1, 0).sum())
    if not replicates:
        return 0.0
    held = np.maximum(count, 1)
    about = [
        values - (np.bincount(row, values, count.size) / held)[row] for values in (first, second)
    ]
    return float((about[0] * about[1]).sum()) / replicates
