"""Estimates after each judgment of a history, at once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from estimation.core import errors
from estimation.core.estimators import checked, metric_for
from estimation.core.fit import (
    PRODUCTS,
    Gram,
    Method,
    Moments,
    chosen,
    from_sums,
    parts,
    products,
    shifted,
    variance_of_scores,
)
from estimation.core.intervals import half_width
from estimation.core.sample import Floats, Ints, Sample, Scale

# --- The sufficient statistics after each judgment, or after some of them, at once.
#
# A further judgment changes the weights of earlier ones: all judgments of its item share the item's
# weight, and with balanced weights a person's judgments weigh less the more there are. `_changes`
# lists each such change with the look at which it happens. All sums follow from the list: the rows
# of an item, of a person or of a judgment grow by the change, and what their products gain is added
# at that look.


def moments_along(
    sample: Sample, *, x: Floats, looks: Ints, balance: float | None = None
) -> Moments:
    """The statistics after so many judgments; entries (L,).

    x: (N,) as in `moments`. looks: (L,) numbers of judgments, ascending to T. balance: lambda of
    the weights 1 / (k_i (1 + lambda m_j)); None for 1 / k_i. The work is that of sorting the
    changes: T log T for 1 / k_i; with balanced weights each look adds the judgments of those who
    judged the items since.
    """
    shift, y = shifted(sample)
    look = np.searchsorted(looks, np.arange(1, y.size + 1))  # at which each judgment is first seen
    size = int(look[-1]) + 1
    row = np.stack([np.ones(y.size), x[sample.item], y])
    listed = _changes(sample, look) if balance is None else _balanced(sample, look, balance)
    person = sample.incidence.person[listed.judgment]
    people = _gained(person, listed, row, size, powers=True)
    means, within = _means_along(sample, look, x, y)
    if balance is None:
        weighted = items = means
    else:
        each = (line[listed.judgment] * listed.change for line in products(row))
        weighted = _summed(listed.look, each, size)
        items = _gained(sample.item[listed.judgment], listed, row, size)
    if sample.group is not None:
        items = _gained(sample.incidence.unit[listed.judgment], listed, row, size)
    judged = _summed(look, products(row), size)
    replicates = judged[0] - means[0]
    _, first = np.unique(sample.annotator, return_index=True)
    _, begun = np.unique(sample.incidence.unit, return_index=True)
    return Moments(
        means=Gram(*means),
        judgments=Gram(*judged),
        weighted=Gram(*weighted),
        items=Gram(*items),
        annotators=Gram(*people[:6]),
        cells=Gram(*_gained(listed.judgment, listed, row, size)),
        cubes=people[6],
        fourths=people[7],
        within=np.maximum(0.0, within),
        replicates=replicates,
        score_variance=variance_of_scores(Gram(*judged)),
        n_annotators=_summed(look[first], np.ones((1, first.size)), size)[0].astype(np.int64),
        n_units=_summed(look[begun], np.ones((1, begun.size)), size)[0],
        grouped=sample.group is not None,
        shift=shift,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Changes:
    """Changes of weights, all (M,): whose, at which look, and by how much."""

    judgment: Ints
    look: Ints
    change: Floats


def _summed(look: Ints, values: Iterable[Floats], size: int) -> Floats:
    """(K, L) the sums of `values` (K, M) over all looks so far."""
    return np.stack([np.cumsum(np.bincount(look, line, size)) for line in values])


def _gained(key: Ints, listed: _Changes, row: Floats, size: int, *, powers: bool = False) -> Floats:
    """(6, L) the sums of products of the weighted sums of rows (1, x, y) with the same key.

    powers: add the third and fourth power of the sum of weights.
    """
    order = np.lexsort((listed.look, key))
    start, judgment = group_start(key[order]), listed.judgment[order]
    deltas = [line[judgment] * listed.change[order] for line in row]
    after = [grouped_cumsum(delta, start) for delta in deltas]
    before = [now - delta for now, delta in zip(after, deltas, strict=True)]
    return _summed(listed.look[order], _gains(before, after, powers=powers), size)


def _gains(before: list[Floats], after: list[Floats], *, powers: bool) -> Iterator[Floats]:
    """What products of (1, x, y) gain, in the order of `Gram`; one at a time, to spare memory."""
    for i, j in PRODUCTS:
        yield after[i] * after[j] - before[i] * before[j]
    if powers:
        for power in (3, 4):
            yield after[0] ** power - before[0] ** power


def _changes(sample: Sample, look: Ints) -> _Changes:
    """The changes of 1 / k_i: one when a judgment comes, one for each later one of its item."""
    order = np.argsort(sample.item, kind="stable")
    start = group_start(sample.item[order])
    rank = np.arange(order.size) - start + 1
    repeats = np.bincount(start, minlength=start.size)[start] - rank + 1
    source, offset = _runs(repeats)
    count = rank[source] + offset
    change = 1 / count - np.where(offset > 0, 1 / np.maximum(count - 1, 1), 0.0)
    return _Changes(order[source], look[order[source + offset]], change)


def _balanced(sample: Sample, look: Ints, balance: float) -> _Changes:
    """The changes of 1 / (k_i (1 + lambda m_j)), m_j the sum of 1 / k_i over j's judgments.

    An event is a look at which some k_i of a person's judgments changes, and so m_j. At each event
    all judgments that the person has made so far change.
    """
    of_count = _changes(sample, look)
    size = int(look[-1]) + 1
    event, at = np.unique(
        sample.incidence.person[of_count.judgment] * size + of_count.look, return_inverse=True
    )
    start = group_start(event // size)
    m = grouped_cumsum(np.asarray(np.bincount(at, of_count.change), dtype=np.float64), start)
    first = np.searchsorted(event, sample.incidence.person * size + look)
    end = start + np.bincount(start, minlength=start.size)[start]
    source, offset = _runs(end[first] - first)
    now = first[source] + offset
    when = event[now] % size
    weight = _share_of_item(of_count, source, when, size) / (1 + balance * m[now])
    return _Changes(source, when, weight - np.where(offset > 0, np.roll(weight, 1), 0.0))


def _share_of_item(of_count: _Changes, judgment: Ints, look: Ints, size: int) -> Floats:
    """(M,) 1 / k_i of each judgment at each look."""
    order = np.lexsort((of_count.look, of_count.judgment))
    key = (of_count.judgment * size + of_count.look)[order]
    share = grouped_cumsum(of_count.change[order], group_start(of_count.judgment[order]))
    return np.asarray(share[np.searchsorted(key, judgment * size + look, side="right") - 1])


def _runs(repeats: Ints) -> tuple[Ints, Ints]:
    """(source, offset): each number s as often as `repeats[s]` says, counted from 0."""
    source = np.repeat(np.arange(repeats.size), repeats)
    return source, np.arange(source.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)


def _means_along(sample: Sample, look: Ints, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """((6, L) products of rows (1, x_i, mean score), (L,) squares within items)."""
    order = np.argsort(sample.item, kind="stable")
    start = group_start(sample.item[order])
    rank = np.arange(order.size) - start + 1
    total, squares = grouped_cumsum(np.stack([y[order], y[order] ** 2]), start)
    after = _item_state(rank, total, squares, x[sample.item[order]])
    # The state before a judgment: the one after the item's previous judgment, or nothing.
    before = np.where(rank > 1, np.roll(after, 1, axis=1), 0.0)
    sums = _summed(look[order], after - before, int(look[-1]) + 1)
    return sums[:6], sums[6]


def _item_state(k: Ints, total: Floats, squares: Floats, x: Floats) -> Floats:
    """(7, T) what one item with k judgments contributes to means and within."""
    mean = total / k
    return np.vstack([products(np.stack([np.ones(k.size), x, mean])), squares - k * mean**2])


def group_start(ordered: Ints) -> Ints:
    """For each place of a sorted array, the place where its group starts."""
    new = np.r_[True, ordered[1:] != ordered[:-1]]
    return np.asarray(np.flatnonzero(new)[np.cumsum(new) - 1])


def grouped_cumsum(values: Floats, start: Ints) -> Floats:
    """Cumulative sums along the last axis that restart at each group."""
    sums = np.cumsum(values, axis=-1)
    return np.asarray(sums - (sums - values)[..., start])


# --- Estimates after each judgment of a history, at once.


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """The estimates of a growing sample; every array is (L,), NaN where undefined.

    Each entry equals what `estimate` gives for that many of the first judgments.

    n_judgments: (L,) ints; how many judgments each entry has: by default 1, 2, ..., T.
    estimate, centre, std_error, df: (L,) floats; as in `Estimate`.
    n_items, n_units, effective_annotators: (L,) floats; as in `Estimate`.
    method: the options that were asked for.
    scale: the scale of the scores.
    """

    n_judgments: Ints
    estimate: Floats
    centre: Floats
    std_error: Floats
    df: Floats
    n_items: Floats
    n_units: Floats
    effective_annotators: Floats
    method: Method
    scale: Scale

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of each interval, as `Estimate.interval` has them.

        level: the confidence level, such as 0.95.
        Returns: low, high, (L,) floats; in score units, not clipped to the scale; NaN where there
            is no interval.
        Raises InvalidOptionError: the level is not between 0 and 1.
        """
        return self.around(half_width(self.std_error, self.df, level=level))

    def around(self, half: Floats) -> tuple[Floats, Floats]:
        """Return the ends of intervals with these half-widths; they contain the estimates.

        half: (L,) floats; in score units; NaN where there is no interval.
        Returns: low, high, (L,) floats.
        """
        low = np.minimum(self.centre - half, self.estimate)
        return low, np.maximum(self.centre + half, self.estimate)

    def widths(self, level: float) -> Floats:
        """Return the width of each interval.

        level: the confidence level, such as 0.95.
        Returns: (L,) floats; in score units; NaN where there is no interval.
        Raises InvalidOptionError: the level is not between 0 and 1.
        """
        low, high = self.ends(level)
        return high - low


def trajectory(
    sample: Sample,
    method: Method | None = None,
    *,
    looks: ArrayLike | None = None,
    **options: Any,
) -> Trajectory:
    """Return the estimate after every single judgment, computed at once.

    The sample's rows must be in order of arrival. There are no refits: the work is that of sorting
    the changes of weights, T log T where items weigh equally. With balanced weights each judgment
    changes all those of its annotator, so people who judge hundreds of items take longer; then
    look less often.

    sample: the judgments in order of arrival.
    method, options: as in `estimate`; the estimators that a few sums determine, with one metric or
        none.
    looks: (L,) ints; after how many judgments to look, ascending; after the last in any case. By
        default after each judgment.
    Returns: arrays with one entry for each look.
    Raises InvalidOptionError: an option is unknown, the estimator needs more than sums, or the
        looks do not ascend from 1 or more to at most T.
    Raises MetricMissingError: the estimator needs a metric and the sample has none.
    """
    method = chosen(method, options)
    checked(method)
    metric = metric_for(sample, from_sums(method.estimator))
    stats = moments_along(
        sample,
        x=np.zeros(sample.n_population) if metric is None else metric,
        balance=method.balance if method.estimator == "balanced" else None,
        looks=_looks(looks, sample.n_judgments),
    )
    found = parts(stats, method=method, scale=sample.scale, n_units=sample.incidence.n_units)
    return Trajectory(
        n_judgments=stats.judgments.one_one.astype(np.int64),
        estimate=found.estimate,
        centre=found.centre,
        std_error=np.sqrt(found.variance),
        df=found.df,
        n_items=stats.n_items,
        n_units=stats.n_units,
        effective_annotators=found.effective_annotators,
        method=method,
        scale=sample.scale,
    )


def _looks(asked: ArrayLike | None, n_judgments: int) -> Ints:
    """(L,) after how many judgments to look; raises InvalidOptionError if that cannot be."""
    if asked is None:
        return np.arange(1, n_judgments + 1)
    looks = np.append(np.asarray(asked, dtype=np.int64), n_judgments)
    if (np.diff(looks, prepend=0) < 0).any() or looks[0] < 1:
        raise errors.InvalidOptionError(
            f"Looks are numbers of judgments that ascend from 1 or more to at most {n_judgments}."
        )
    return np.unique(looks)
