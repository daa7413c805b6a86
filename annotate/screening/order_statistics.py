"""Medians of people's values, with bounds, and the median of everybody else's."""

from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrik

from annotate.screening.grouping import by_group
from estimation.core import Floats, Ints

_FEW = 500  # values of one person


def medians(who: Ints, value: Floats, n: Ints, level: float) -> tuple[Floats, Floats, Floats]:
    """Return (A,) medians with one-sided bounds from order statistics, infinite for few values."""
    ordered = in_groups(who, value, n)
    rank = _quantile(level, n)  # this many may be below, and one more is below
    low, high = _at(ordered, n, n - 1 - rank, -np.inf), _at(ordered, n, rank, np.inf)
    return _middle(ordered, n), low, high


def middles(who: Ints, value: Floats, n: Ints) -> Floats:
    """Return (A,) medians alone, NaN for people without values. n: (A,) how many they have."""
    return _middle(in_groups(who, value, n), n)


def _middle(ordered: Floats, n: Ints) -> Floats:
    return (_at(ordered, n, (n - 1) // 2, np.nan) + _at(ordered, n, n // 2, np.nan)) / 2


def _at(ordered: Floats, n: Ints, position: Ints, beyond: float) -> Floats:
    """Return (A,) the value at each person's position, and `beyond` where there is none."""
    there = (position >= 0) & (position < n)
    found = np.full(n.size, beyond)
    found[there] = ordered[((np.cumsum(n) - n) + position)[there]]
    return found


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
    screen. Most people have few values; what these need is computed once.
    """
    few = np.minimum(n, _FEW)
    found = _quantiles(level)[few]
    many = n > _FEW
    if many.any():
        found[many] = _heads(level, n[many])
    return found


@lru_cache(maxsize=16)
def _quantiles(level: float) -> Ints:
    """Return (F + 1,) the quantiles of 0 to F tosses."""
    return np.asarray(np.r_[0, _heads(level, np.arange(1, _FEW + 1))])


def _heads(level: float, tosses: Ints) -> Ints:
    near = np.ceil(bdtrik(level, tosses, 0.5))
    below = np.maximum(near - 1, 0)
    return np.asarray(np.where(bdtr(below, tosses, 0.5) >= level, below, near), dtype=np.int64)
