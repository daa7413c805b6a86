"""Medians of people's values, with bounds, and the median of everybody else's."""

import numpy as np
from scipy.special import bdtr, bdtrik

from annotate.screening.grouping import by_group
from estimation.core import Floats, Ints


def medians(who: Ints, value: Floats, n: Ints, level: float) -> tuple[Floats, Floats, Floats]:
    """Return (A,) medians with one-sided bounds from order statistics, infinite for few values."""
    ordered = in_groups(who, value, n)
    start = np.cumsum(n) - n
    rank = _quantile(level, n)  # this many may be below, and one more is below

    def at(position: Ints, beyond: float) -> Floats:
        there = (position >= 0) & (position < n)
        safe = np.where(there, start + position, 0)
        return np.where(there, np.append(ordered, np.nan)[safe], beyond)

    middle = (at((n - 1) // 2, np.nan) + at(n // 2, np.nan)) / 2
    return middle, at(n - 1 - rank, -np.inf), at(rank, np.inf)


def in_groups(who: Ints, value: Floats, n: Ints) -> Floats:
    """Return (T,) the values person by person, each one's ascending. n: (A,) how many they have.

    People with about as many values are the rows of a table, which is sorted by rows: that takes a
    tenth of the time of sorting all values by person and size.
    """
    ordered = value[by_group(who, n.size)]
    start, width = np.cumsum(n) - n, 1
    while width <= n.max(initial=0):
        people = np.flatnonzero((n >= width) & (n < 2 * width))
        width *= 2
        place = np.arange(width - 1)
        inside = place < n[people, None]
        at = np.where(inside, start[people, None] + place, 0)
        table = np.sort(np.where(inside, ordered[at], np.nan), axis=1)  # NaN comes last
        ordered[at[inside]] = table[inside]
    return ordered


def median_of_others(value: Floats) -> Floats:
    """Return (A,) the median of all others' values, NaN for an annotator without others."""
    known = np.sort(value[np.isfinite(value)])
    mine = np.where(np.isfinite(value), np.searchsorted(known, value), known.size)
    rest = known.size - np.isfinite(value)
    if known.size < 2:
        return np.where(rest > 0, known.sum(), np.nan)

    def at(position: Ints) -> Floats:
        """Return the value at this position among the others."""
        return np.asarray(known[np.maximum(position + (position >= mine), 0)])

    return (at((rest - 1) // 2) + at(rest // 2)) / 2


def _quantile(level: float, n: Ints) -> Ints:
    """Return (A,) the least number of heads that n tosses do not exceed with this probability.

    It equals `scipy.stats.binom.ppf`, whose import would take 60 MB in every process that may
    screen.
    """
    sizes, at = np.unique(n, return_inverse=True)
    tosses = np.maximum(sizes, 1)
    near = np.ceil(bdtrik(level, tosses, 0.5))
    below = np.maximum(near - 1, 0)
    least = np.where(bdtr(below, tosses, 0.5) >= level, below, near)
    return np.where(sizes > 0, least, 0).astype(np.int64)[at]
