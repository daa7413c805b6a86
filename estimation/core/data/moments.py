"""Sufficient statistics of a sample: the few sums that estimators and intervals need.

Each judgment has a weight a_ij, which need not sum to 1. The formulas in `estimators.parts` take
the statistics of one state, or of a whole history (`data.history`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data.incidence import Floats, Incidence, Ints
from estimation.core.data.sample import Sample


@dataclass(frozen=True, slots=True)
class Gram:
    """Sums of products over rows (one, x, y); each entry is a scalar () or a history (L,)."""

    one_one: Floats
    one_x: Floats
    one_y: Floats
    x_x: Floats
    x_y: Floats
    y_y: Floats

    def residual(self, intercept: Floats, slope: Floats) -> Floats:
        """Sum over rows of (y - intercept * one - slope * x)², never below 0."""
        squares = self.y_y + intercept**2 * self.one_one + slope**2 * self.x_x
        crosses = intercept * self.one_y + slope * self.x_y - intercept * slope * self.one_x
        return np.asarray(np.maximum(0.0, squares - 2 * crosses))

    def combination(self, constant: Floats, tilt: Floats) -> Floats:
        """Sum over rows of (constant * one - tilt * x)²."""
        cross = constant * tilt * self.one_x
        return np.asarray(constant**2 * self.one_one - 2 * cross + tilt**2 * self.x_x)

    def without_x(self) -> "Gram":
        """The same where x is 0 everywhere."""
        zero = np.zeros_like(self.one_x)
        return replace(self, one_x=zero, x_x=zero, x_y=zero)

    def with_rows_at_zero(self, scores: Floats) -> "Gram":
        """The same with one row (1, 0, y) added for each of `scores`."""
        return Gram(
            self.one_one + scores.size,
            self.one_x,
            self.one_y + scores.sum(),
            self.x_x,
            self.x_y,
            self.y_y + (scores**2).sum(),
        )


@dataclass(frozen=True, slots=True)
class Moments:
    """Sufficient statistics; y stands for score - `shift`, x for the standardised metric.

    means: rows (1, x_i, mean score of item i).
    judgments: rows (1, x_i, y_ij).
    weighted: a_ij times the products of (1, x_i, y_ij), summed over judgments. Where items weigh
    equally it is `means`, which differs in y_y alone; no estimate needs that.
    items: rows sum of a_ij (1, x_i, y_ij), one per sampling unit: the item, or its group.
    annotators: rows sum_i a_ij (1, x_i, y_ij), one per annotator.
    cells: rows a_ij (1, x_i, y_ij), one per judgment.
    cubes, fourths: sums over annotators of the third and fourth power of sum_i a_ij.
    within: sum over judgments of the squared deviation from the item's mean.
    replicates: the degrees of freedom of `within`, judgments less items.
    score_variance: the mean square deviation of the scores.
    n_annotators: how many different people judged.
    n_units: how many sampling units were judged. grouped: whether they are groups of items.
    shift: a score, subtracted so that the sums lose no digits.
    """

    means: Gram
    judgments: Gram
    weighted: Gram
    items: Gram
    annotators: Gram
    cells: Gram
    cubes: Floats
    fourths: Floats
    within: Floats
    replicates: Floats
    score_variance: Floats
    n_annotators: Ints
    n_units: Floats
    grouped: bool
    shift: float

    @property
    def n_items(self) -> Floats:
        """n, the number of judged items."""
        return self.means.one_one

    @property
    def total(self) -> Floats:
        """The sum of the weights a_ij."""
        return self.weighted.one_one

    def without_x(self) -> "Moments":
        """The statistics of the same judgments without a metric."""
        return replace(
            self,
            means=self.means.without_x(),
            judgments=self.judgments.without_x(),
            weighted=self.weighted.without_x(),
            items=self.items.without_x(),
            annotators=self.annotators.without_x(),
            cells=self.cells.without_x(),
        )


def moments(sample: Sample, *, x: Floats, weight: Floats | None = None) -> Moments:
    """The statistics of a sample.

    x: (N,) the standardised metric, or zeros. weight: (T,) a_ij; 1 / k_i where it is None, so that
    items weigh equally.
    """
    shift, y = shifted(sample)
    who = sample.incidence
    item, count = who.item, who.count[who.judged].astype(np.float64)
    item_mean = np.bincount(item, y, who.n_population) / np.maximum(who.count, 1)
    x_of_item = x[who.judged]
    same = gram(np.ones(count.size), x_of_item, item_mean[who.judged])
    a = who.weight if weight is None else weight
    row = np.ones(y.size), x[item], y
    weighted = a, a * row[1], a * y
    of_person = [_sums(who.person, line) for line in weighted]
    squares = of_person[0] ** 2  # numpy takes higher powers one number at a time
    judged = gram(*row)
    return Moments(
        means=same,
        judgments=judged,
        weighted=same if weight is None else products_of(weighted, row),
        items=_of_units(who, weighted, x_of_item, same if weight is None else None),
        annotators=gram(*of_person),
        cells=gram(*weighted),
        cubes=np.asarray((of_person[0] * squares).sum()),
        fourths=np.asarray((squares**2).sum()),
        within=np.asarray(((y - item_mean[item]) ** 2).sum()),
        replicates=np.asarray(float(y.size - count.size)),
        score_variance=variance_of_scores(judged),
        n_annotators=np.asarray(who.activity.size),
        n_units=np.asarray(float(who.n_judged_units)),
        grouped=who.group is not None,
        shift=shift,
    )


def shifted(sample: Sample) -> tuple[float, Floats]:
    """The midpoint of the scores, and (T,) the scores less it."""
    shift = float(sample.score.min() + sample.score.max()) / 2
    return shift, sample.score - shift


def variance_of_scores(judgments: Gram) -> Floats:
    """The mean square deviation of rows (1, x, y) in y; divisor T."""
    t = judgments.one_one
    return np.asarray(np.maximum(0.0, judgments.y_y / t - (judgments.one_y / t) ** 2))


# Which entries of rows (1, x, y) are multiplied, in the order of `Gram`.
PRODUCTS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def products(row: Floats) -> Floats:
    """(6, ...) the products of (3, ...) rows (1, x, y) in the order of `Gram`."""
    return np.stack([row[i] * row[j] for i, j in PRODUCTS])


def gram(*row: Floats) -> Gram:
    """The sums of the products of three (n,) lines 1, x and y, weighted alike."""
    return products_of(row, row)


def products_of(first: Sequence[Floats], second: Sequence[Floats]) -> Gram:
    """The sums of products of two rows (1, x, y); tables of products would take longer."""
    return Gram(*(np.asarray(np.einsum("i,i->", first[i], second[j])) for i, j in PRODUCTS))


def _of_units(who: Incidence, weighted: Sequence[Floats], x: Floats, known: Gram | None) -> Gram:
    """The sums over sampling units; `known` are those over items where items weigh equally."""
    if who.group is not None:
        return gram(*(_sums(who.unit, line) for line in weighted))
    return gram(*_by_item(who, weighted, x)) if known is None else known


def _by_item(who: Incidence, weighted: Sequence[Floats], x: Floats) -> tuple[Floats, ...]:
    """Three (n,) sums of weighted rows (1, x, y) over each item's judgments; x: (n,) of items."""
    one, _x, y = weighted
    of_item = _sums(who.item, one)[who.judged]
    return of_item, of_item * x, _sums(who.item, y)[who.judged]


def _sums(label: Ints, values: Floats) -> Floats:
    """The sums of `values` (T,) with the same label, by label."""
    return np.asarray(np.bincount(label, values), dtype=np.float64)
