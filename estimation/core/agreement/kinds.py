"""Items by the scores they got: items with the same scores are of one kind and counted together."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from estimation.core.data.incidence import Floats, Ints

_BITS = 62  # of the number that stands for all scores of an item


@dataclass(frozen=True)
class Table:
    """Pairable judgments: counts (K, V) of each value in each kind of item.

    Items with the same scores are of one kind. values: (V,) ascending. items: (K,) how many items
    are of each kind.
    """

    counts: csr_array
    values: Floats
    items: Ints

    @cached_property
    def size(self) -> Floats:
        """(K,) judgments per item, at least 2."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @cached_property
    def ends(self) -> tuple[Ints, Ints]:
        """((K,), (K,)) the places in `values` of the lowest and of the highest score."""
        start, levels = self.counts.indptr, self.counts.indices
        return np.minimum.reduceat(levels, start[:-1]), np.maximum.reduceat(levels, start[:-1])

    @cached_property
    def sums(self) -> Floats:
        """(4, K) of one item: observed disagreement (interval), judgments, sums of v and of v²."""
        # Centred, so that large scores with a small spread keep their digits.
        values = self.values - self.values.mean()
        size, first, second = self.size, self.counts @ values, self.counts @ values**2
        return np.stack([2 * (size * second - first**2) / (size - 1), size, first, second])


def tabled(items: Ints, values: Floats) -> Table:
    """The table of these judgments: any number of items, each judged by at least one person."""
    levels, level = np.unique(values, return_inverse=True)
    order = np.lexsort((level, items))
    sorted_items, level = items[order], level[order]
    start = np.flatnonzero(np.r_[True, sorted_items[1:] != sorted_items[:-1]])
    size = np.diff(np.r_[start, items.size])
    first, times = _kinds(level, start, size, levels.size)
    # The rows of the first item of each kind, one below the other.
    row = np.repeat(np.arange(first.size), size[first])
    own = np.arange(row.size) - np.repeat(np.cumsum(size[first]) - size[first], size[first])
    column = level[start[first][row] + own]
    counts = csr_array((np.ones(row.size), (row, column)), shape=(first.size, levels.size))
    counts.sum_duplicates()
    return Table(counts, levels, times)


def _kinds(level: Ints, start: Ints, size: Ints, levels: int) -> tuple[Ints, Ints]:
    """(K,) one item of each kind, and (K,) how many there are of it.

    level: (T,) sorted within each item; start, size: (U,) of the items in it. An item whose scores
    do not fit into one number is a kind of its own.
    """
    code = np.zeros(start.size, dtype=np.int64)
    fits = size * np.log2(levels + 1) < _BITS
    for m in range(int(size[fits].max(initial=0))):
        longer = fits & (size > m)
        code[longer] = code[longer] * (levels + 1) + level[start[longer] + m] + 1
    alone = np.flatnonzero(~fits)
    code[alone] = -1 - np.arange(alone.size)
    _, first, times = np.unique(code, return_index=True, return_counts=True)
    return first, times
