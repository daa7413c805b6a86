"""Sufficient statistics of a sample: the few sums that estimators and intervals need.

Every sum is additive over judgments, so `moments_along` gives the statistics after each single
judgment by cumulative sums, and the formulas in `estimators.fit` apply to
one state or to a whole history.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Incidence, Ints
from estimation.core.data.sample import Sample


@dataclass(frozen=True, slots=True)
class Gram:
    """Sums of products over rows (one, x, y); each entry is a scalar () or a history (T,)."""

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

    items: rows (1, x_i, mean score of item i).
    judgments: rows (1, x_i, y_ij).
    annotators: rows sum_i (1, x_i, y_ij) / k_i, one per annotator.
    cells: rows (1, x_i, y_ij) / k_i, one per judgment.
    within: sum over judgments of the squared deviation from the item's mean.
    n_annotators: how many different people judged.
    shift: the midpoint of the scores, subtracted so that the sums lose no digits.
    """

    items: Gram
    judgments: Gram
    annotators: Gram
    cells: Gram
    within: Floats
    n_annotators: Ints
    shift: float


def moments(sample: Sample, *, x: Floats) -> Moments:
    """The statistics of the whole sample; `x` (N,) is the standardised metric, or zeros."""
    shift, y = _shifted(sample)
    who = sample.incidence
    k = who.count[who.judged].astype(np.float64)
    item_mean = np.bincount(who.item, y, who.n_population) / np.maximum(who.count, 1)
    rows = products(np.stack([np.ones(k.size), x[who.judged], item_mean[who.judged]]))
    weighted = y * who.weight
    # The judgments of an item differ only in y, so all other sums are computed by item.
    judgments, cells = (rows * k).sum(axis=1), (rows / k).sum(axis=1)
    judgments[5], cells[5] = (y**2).sum(), (weighted**2).sum()
    return Moments(
        items=Gram(*rows.sum(axis=1)),
        judgments=Gram(*judgments),
        annotators=gram(_by_annotator(who, x, weighted)),
        cells=Gram(*cells),
        within=np.asarray(((y - item_mean[who.item]) ** 2).sum()),
        n_annotators=np.asarray(who.activity.size),
        shift=shift,
    )


def _by_annotator(who: Incidence, x: Floats, weighted: Floats) -> Floats:
    """(3, A) the sums of (1, x_i, y_ij) / k_i over each annotator's judgments."""
    of_x = np.bincount(who.person, x[who.item] * who.weight)
    return np.stack([who.person_weight, of_x, np.bincount(who.person, weighted)])


def moments_along(sample: Sample, *, x: Floats) -> Moments:
    """The statistics after each judgment, every entry (T,); `x` (N,) as in `moments`.

    Item sums change by the new item mean's product less the old one's. A further judgment of an
    item also lowers the weight of its earlier ones, which changes their annotators' sums; those
    sum k_i (k_i + 1) / 2 changes are listed in `_weight_changes`.
    """
    shift, y = _shifted(sample)
    order = np.argsort(sample.item, kind="stable")
    item, y_sorted = sample.item[order], y[order]
    start = _group_start(item)
    rank = np.arange(item.size) - start + 1
    sums = _items_along(order, start, rank, x[item], y_sorted)
    row = np.stack([np.ones(y.size), x[sample.item], y])
    judged = np.cumsum(products(row), axis=1)
    _, first = np.unique(sample.annotator, return_index=True)
    return Moments(
        items=Gram(*sums[:6]),
        judgments=Gram(*judged),
        annotators=_annotators_along(sample, row, order, start, rank),
        cells=Gram(*sums[6:12]),
        within=np.maximum(0.0, sums[12]),
        n_annotators=np.cumsum(np.bincount(first, minlength=y.size)),
        shift=shift,
    )


def _items_along(
    order: NDArray[np.intp], start: NDArray[np.intp], rank: NDArray[np.intp], x: Floats, y: Floats
) -> Floats:
    """(13, T) the sums of `_item_state` after each judgment; x and y (T,) sorted by item."""
    after = _item_state(rank, _grouped_cumsum(y, start), _grouped_cumsum(y**2, start), x)
    # The state before a judgment: the one after the item's previous judgment, or nothing.
    before = np.where(rank > 1, np.roll(after, 1, axis=1), 0.0)
    along = np.empty_like(after)
    along[:, order] = after - before
    return np.asarray(np.cumsum(along, axis=1))


def _shifted(sample: Sample) -> tuple[float, Floats]:
    shift = float(sample.score.min() + sample.score.max()) / 2
    return shift, sample.score - shift


def products(row: Floats) -> Floats:
    """(6, ...) the products of (3, ...) rows (1, x, y) in the order of `Gram`."""
    one, x, y = row
    return np.stack([one * one, one * x, one * y, x * x, x * y, y * y])


def gram(row: Floats) -> Gram:
    """The sums of the products of (3, n) rows (1, x, y)."""
    return Gram(*products(row).sum(axis=1))


def _group_start(sorted_label: Ints) -> NDArray[np.intp]:
    """For each place of a sorted array, the place where its group starts."""
    new = np.r_[True, sorted_label[1:] != sorted_label[:-1]]
    return np.asarray(np.flatnonzero(new)[np.cumsum(new) - 1])


def _grouped_cumsum(values: Floats, start: NDArray[np.intp]) -> Floats:
    """Cumulative sums along the last axis that restart at each group."""
    sums = np.cumsum(values, axis=-1)
    return np.asarray(sums - (sums - values)[..., start])


def _item_state(k: NDArray[np.intp], total: Floats, squares: Floats, x: Floats) -> Floats:
    """(13, T) what one item with k judgments contributes to items, cells and within."""
    mean = total / k
    one = np.ones(k.size)
    items = products(np.stack([one, x, mean]))
    # k rows (1, x, y) / k: every entry is the items' entry / k, except the squares of y.
    cells = items / k
    cells[5] = squares / k**2
    return np.vstack([items, cells, squares - k * mean**2])


def _annotators_along(
    sample: Sample,
    row: Floats,
    order: NDArray[np.intp],
    start: NDArray[np.intp],
    rank: NDArray[np.intp],
) -> Gram:
    judgment, time, change = _weight_changes(order, start, rank)
    by_person = np.lexsort((time, sample.annotator[judgment]))
    judgment, time, change = judgment[by_person], time[by_person], change[by_person]
    delta = row[:, judgment] * change
    after = _grouped_cumsum(delta, _group_start(sample.annotator[judgment]))
    gained = products(after) - products(after - delta)
    size = sample.n_judgments
    return Gram(*(np.cumsum(np.bincount(time, entry, size), dtype=np.float64) for entry in gained))


def _weight_changes(
    order: NDArray[np.intp], start: NDArray[np.intp], rank: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """(judgment, time, change of its weight 1/k_i) for each change that arrivals cause."""
    size = np.bincount(start, minlength=start.size)[start]
    repeats = size - rank + 1
    source = np.repeat(np.arange(order.size), repeats)
    offset = np.arange(source.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    count = rank[source] + offset
    change = 1 / count - np.where(offset > 0, 1 / np.maximum(count - 1, 1), 0.0)
    return order[source], order[source + offset], change
