"""Leave-one-out alpha: how far the others agree, for each annotator.

One person's judgments are subtracted from the sums over all; the sums are not built again for each
person. The work grows with the judgments, not with people times judgments.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core.agreement.alpha import (
    Distance,
    alphas,
    check_options,
    judgment_arrays,
    pairable,
)
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints, distinct

# Above this, a table of pairs of values costs more than starting again for each person.
MOST_LEVELS = 32
_CELLS = 1_000_000  # numbers of pairs held at a time: 8 MB


@dataclass(frozen=True, slots=True, eq=False)
class WithoutEach:
    """Alpha without each annotator who shares items with others; rows (A,).

    Attributes
    ----------
    annotator : (A,) array
        The labels, in ascending order.
    alpha : (A,) array of float
        Alpha of what all others judged; NaN where it does not exist.
    shared : (A,) array of int
        The annotator's judgments of items that others judged too.
    """

    annotator: NDArray[np.generic]
    alpha: Floats
    shared: Ints


def alpha_without_each(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike, *, distance: Distance = "ordinal"
) -> WithoutEach:
    """Return Krippendorff's alpha of the others, for each annotator who shares an item.

    The judgments of one person are subtracted from the sums over all. The ordinal distance is slow
    where there are more than 32 different values.

    Parameters
    ----------
    item, annotator, value, distance
        As in `krippendorff_alpha`.

    Returns
    -------
    WithoutEach
        One row for each annotator who shares an item with another.

    Raises
    ------
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError, InvalidOptionError
        As in `krippendorff_alpha`.

    Examples
    --------
    Without the third person the other two agree perfectly.

    >>> from estimation.core import alpha_without_each
    >>> item = [0, 0, 1, 1, 0, 1]
    >>> annotator = [1, 2, 1, 2, 3, 3]
    >>> found = alpha_without_each(item, annotator, [1, 1, 0, 0, 0, 1])
    >>> found.annotator.tolist(), found.alpha.round(2).tolist()
    ([1, 2, 3], [-0.5, -0.5, 1.0])
    """
    check_options(distance, 0.95, 0)
    items, people, values = judgment_arrays(item, annotator, value)
    several = np.bincount(items)[items] > 1 if items.size else np.zeros(0, dtype=bool)
    labels, person = np.unique(people[several], return_inverse=True)
    found = _Shared(items[several], person, values[several])
    names = distinct(np.asarray(annotator))[labels]
    return WithoutEach(names, _alphas(found, distance), np.bincount(person))


class _Shared:
    """Judgments (T,) of items that several people judged, and what goes with each person.

    item, person: from 0 (item: perhaps with gaps). values: (V,) ascending. level: (T,) which.
    size: (T,) how many judged the row's item. Without the row's person a pair loses its other
    judgment too, because nothing is left to compare it with: `left` are those rows, and
    `left_by` the person whose absence leaves them.
    """

    def __init__(self, item: Ints, person: Ints, value: Floats) -> None:
        self.item, self.person, self.value = item, person, value
        self.people = int(person.max(initial=-1)) + 1
        self.values, self.level = np.unique(value, return_inverse=True)
        self.of_item = np.bincount(item)
        self.size = self.of_item[item].astype(np.float64)
        pairs = np.flatnonzero(self.size == 2)
        by_item = pairs[np.argsort(item[pairs], kind="stable")].reshape(-1, 2)
        self.left = by_item[:, ::-1].ravel()
        self.left_by = person[by_item.ravel()]

    def sums(self, of_row: Floats) -> Floats:
        """(A,) the sum over a person's rows."""
        return np.asarray(np.bincount(self.person, of_row, self.people), dtype=np.float64)

    def kept(self, of_row: Floats) -> Floats:
        """(A,) the sum over all rows that can be compared without the person."""
        gone = np.bincount(self.left_by, of_row[self.left], self.people)
        return np.asarray(of_row.sum() - self.sums(of_row) - gone)

    def per_item(self, of_row: Floats) -> Floats:
        """(T,) the sum over all rows of the row's item."""
        return np.asarray(np.bincount(self.item, of_row)[self.item])

    def removed(self) -> tuple[Ints, Ints, Ints]:
        """(person, level, how often) for each level of which judgments go with a person."""
        size = max(self.values.size, 1)
        person = np.r_[self.person, self.left_by]
        level = np.r_[self.level, self.level[self.left]]
        pair, times = np.unique(person * size + level, return_counts=True)
        return pair // size, pair % size, times

    def varies(self) -> NDArray[np.bool_]:
        """(A,) whether the others gave more than one value."""
        person, level, times = self.removed()
        gone = times == np.bincount(self.level)[level]
        return np.asarray(self.values.size - np.bincount(person, gone, self.people) > 1)


def _alphas(found: _Shared, distance: Distance) -> Floats:
    """(A,) alpha = 1 - (n - 1) observed / expected, NaN where nothing varies."""
    if not found.people:
        return np.empty(0)
    if distance == "ordinal":
        small = found.values.size <= MOST_LEVELS
        return np.array(list((_ordinal if small else _anew)(found)), dtype=np.float64)
    observed, expected = (_nominal if distance == "nominal" else _interval)(found)
    varies = found.varies()
    total = found.kept(np.ones(found.size.size))
    ratio = (total - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, 1 - ratio, np.nan)


def _without(found: _Shared, now: Floats, then: Floats) -> Floats:
    """(A,) a sum over items, without each person. `now` (T,) is the value of the row's item and
    `then` (T,) its value without the row's person; an item of two judgments then counts 0."""
    change = now - np.where(found.size > 2, then, 0.0)
    return np.asarray((now / found.size).sum() - found.sums(change))


def _nominal(found: _Shared) -> tuple[Floats, Floats]:
    """(A,) as `alpha._nominal`, without each person."""
    size, levels = found.size, max(found.values.size, 1)
    _, pair, times = np.unique(
        found.item * levels + found.level, return_inverse=True, return_counts=True
    )
    alike = times[pair].astype(np.float64)  # judgments of the item with the row's value
    same = found.per_item(alike)
    rest = np.maximum(size - 2, 1)
    observed = _without(
        found, (size**2 - same) / (size - 1), ((size - 1) ** 2 - (same - 2 * alike + 1)) / rest
    )
    count = np.bincount(found.level).astype(np.float64)
    person, level, removed = found.removed()
    less = np.bincount(person, removed * (2 * count[level] - removed), found.people)
    return observed, found.kept(np.ones(size.size)) ** 2 - ((count**2).sum() - less)


def _interval(found: _Shared) -> tuple[Floats, Floats]:
    """(A,) as `alpha._interval`, without each person."""
    size, value = (
        found.size,
        found.value - found.values.mean() if found.values.size else found.value,
    )
    first, second = found.per_item(value), found.per_item(value**2)
    without = (size - 1) * (second - value**2) - (first - value) ** 2
    observed = _without(
        found, 2 * (size * second - first**2) / (size - 1), 2 * without / np.maximum(size - 2, 1)
    )
    total, sums, squares = (found.kept(of_row) for of_row in (np.ones(size.size), value, value**2))
    return observed, 2 * (total * squares - sums**2)


def _ordinal(found: _Shared) -> Iterator[float]:
    """Alpha without each person, from pairs of values (V, V), because mid-ranks change."""
    levels, units = found.values.size, found.of_item.size
    counts = np.zeros((units, levels))
    np.add.at(counts, (found.item, found.level), 1)
    weight = np.divide(1.0, found.of_item - 1, where=found.of_item > 1, out=np.zeros(units))
    pairs = (counts * weight[:, None]).T @ counts
    marginal = counts.sum(axis=0)
    order, n = np.argsort(found.person, kind="stable"), np.bincount(found.person)
    ends = np.cumsum(n)
    block = max(1, _CELLS // (levels**2 * int(n.max())))
    for first in range(0, n.size, block):
        own = slice(first, first + block)
        rows, starts = order[ends[first] - n[first] : ends[own][-1]], ends[own] - n[own]
        change, gone = _taken(found, counts, rows)
        at = starts - starts[0]
        yield from _of_pairs(
            pairs + np.add.reduceat(change, at), marginal - np.add.reduceat(gone, at)
        ).tolist()


def _taken(found: _Shared, counts: Floats, rows: Ints) -> tuple[Floats, Floats]:
    """((R, V, V), (R, V)) what pairs gain and counts lose without the person of each row."""
    mine, size = counts[found.item[rows]], found.size[rows, None]
    others = mine.copy()
    others[np.arange(rows.size), found.level[rows]] -= 1
    compared = np.where(size > 2, others, 0.0)
    less = (mine / (size - 1))[:, :, None] * mine[:, None]
    more = (compared / np.maximum(size - 2, 1))[:, :, None] * others[:, None]
    return more - less, mine - compared  # of a pair of judgments, both are gone


def _of_pairs(pairs: Floats, marginal: Floats) -> Floats:
    """(B,) ordinal alpha of (B, V, V) pairs, which weigh 1 / (m - 1), and (B, V) counts."""
    rank = np.cumsum(marginal, axis=1) - marginal / 2
    apart = (rank[:, :, None] - rank[:, None]) ** 2
    expected = (marginal[:, :, None] * apart * marginal[:, None]).sum(axis=(1, 2))
    observed = (pairs * apart).sum(axis=(1, 2))
    varies = np.count_nonzero(marginal, axis=1) > 1
    alpha = 1 - (marginal.sum(axis=1) - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, alpha, np.nan)


def _anew(found: _Shared) -> Iterator[float]:
    """Alpha without each person, computed from the beginning every time."""
    for j in range(found.people):
        keep = found.person != j
        try:
            table, _ = pairable(found.item[keep], found.person[keep], found.value[keep])
        except errors.ReplicatesNeededError:
            yield float("nan")
        else:
            yield float(alphas(table, table.items[None].astype(np.float64), "ordinal")[0])
