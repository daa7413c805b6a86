"""Numbers by groups: rows in their order, medians, and slopes of everybody beside the others'."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrik, stdtr

from estimation.core import Floats, Ints, distinct

T = TypeVar("T")


def levels(values: Floats | Ints) -> tuple[Any, Ints, Ints]:
    """Return the different values, (T,) which of them each is, and how often each occurs.

    As `np.unique`, which sorts: columns hold few different values. NaN is a value, one for all.
    """
    found = distinct(values[~np.isnan(values)])
    which = np.searchsorted(found, values)  # NaN comes after all others
    n = np.bincount(which, minlength=found.size)
    return (np.append(found, np.nan) if n.size > found.size else found), which, n


def in_company(group: Ints) -> NDArray[np.bool_]:
    """Return (T,) which rows are not the only ones of their group (0 or more)."""
    return np.asarray((np.bincount(group) > 1)[group])


def products(values: Floats, group: Ints) -> float:
    """Return the sum of the products of every two values (T,) of one group (T,)."""
    total, squares = np.bincount(group, values), np.bincount(group, values**2)
    return float((total**2 - squares).sum()) / 2


def once(act: Callable[..., T]) -> Callable[..., T]:
    """Compute a function of columns (and hashable arguments) once for the same columns.

    Several screens ask for the same. The results live as long as the columns, which do not change.
    """

    @wraps(act)
    def kept(columns: Any, *more: Any) -> T:
        memory = vars(columns).setdefault("_once", {})
        if (act, *more) not in memory:
            memory[act, *more] = act(columns, *more)
        found: T = memory[act, *more]
        return found

    return kept


def medians(who: Ints, value: Floats, n: Ints, level: float) -> tuple[Floats, Floats, Floats]:
    """Return (A,) medians with one-sided bounds from order statistics, infinite for few values."""
    ordered = value[np.lexsort((value, who))]
    rank = _heads(level, n)  # this many may be below, and one more is below
    low, high = _at(ordered, n, n - 1 - rank, -np.inf), _at(ordered, n, rank, np.inf)
    return _middle(ordered, n), low, high


def middles(who: Ints, value: Floats, n: Ints) -> Floats:
    """Return (A,) medians alone, NaN for people without values. n: (A,) how many they have."""
    return _middle(value[np.lexsort((value, who))], n)


def _middle(ordered: Floats, n: Ints) -> Floats:
    return (_at(ordered, n, (n - 1) // 2, np.nan) + _at(ordered, n, n // 2, np.nan)) / 2


def _at(ordered: Floats, n: Ints, position: Ints, beyond: float) -> Floats:
    """Return (A,) the value at each person's position, and `beyond` where there is none."""
    there = (position >= 0) & (position < n)
    found = np.full(n.size, beyond)
    found[there] = ordered[((np.cumsum(n) - n) + position)[there]]
    return found


def median_of_others(value: Floats) -> Floats:
    """Return (A,) the median of all others' values, NaN for an annotator without others."""
    known = np.flatnonzero(np.isfinite(value))
    return medians_of_others(known, value[known], value.size)


def _heads(level: float, tosses: Ints) -> Ints:
    """Return (A,) the least number of heads that tosses do not exceed with this probability.

    It equals `scipy.stats.binom.ppf`, whose import would take 60 MB in every process that may
    screen.
    """
    near = np.nan_to_num(np.ceil(bdtrik(level, tosses, 0.5)))
    below = np.maximum(near - 1, 0)
    return np.asarray(np.where(bdtr(below, tosses, 0.5) >= level, below, near), dtype=np.int64)


def medians_of_others(who: Ints, value: Floats, people: int) -> Floats:
    """Return (A,) the median over all others' values, NaN without any.

    who: (T,) the person of each value, 0 to A - 1. value: (T,) finite.
    All values are sorted once. A person's own values are then skipped: the r-th of the rest stands
    behind as many own ones as have at most r others before them.
    """
    order = np.argsort(value, kind="stable")
    ordered, owner = value[order], who[order]
    own = np.bincount(who, minlength=people)
    rest = value.size - own
    place = np.argsort(owner, kind="stable")  # of each own value among all, person by person
    person = owner[place]
    before = place - (np.arange(place.size) - (np.cumsum(own) - own)[person])  # others before it

    def at(rank: Ints) -> Floats:
        skipped = np.bincount(person, before <= rank[person], people).astype(np.int64)
        return np.append(ordered, np.nan)[np.where(rest > 0, rank + skipped, value.size)]

    return np.asarray((at((rest - 1) // 2) + at(rest // 2)) / 2)


_FAR = 1.3  # evidence from which a person is no yardstick
_MANY = 20  # people who must remain
# The middle half of people tells the spread as well as this part of all would (Rousseeuw and Croux
# 1993, "Alternatives to the median absolute deviation"): so many are the degrees of freedom.
_MIDDLE_HALF = 0.37
_LEAST_USUAL = 0.05  # below this, or less than 3 standard errors above 0, nobody is compared


def slopes(
    who: Ints, x: Floats, v: Floats, counts: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    """Compare the slopes of people with the others': return (own, usual, evidence), (A,) each.

    usual: NaN where it is not clearly above 0. evidence: -log10 of the probability of so low a
    slope of a person like the others.

    who, x, v: (T,) each row's person and its parts of the sums; rows with v = 0 say nothing.
    counts: (A,) who is a yardstick for others.

    The spread of a person's sum is the yardstick's, in proportion to v. People differ as well: the
    middle half of all show by how much, which a careless minority hardly changes. Who is then much
    lower than the others is no yardstick, and all is computed once more.
    """
    evidence = _slopes(who, x, v, counts)[2]
    near = counts & ~(np.nan_to_num(evidence) > _FAR)
    return _slopes(who, x, v, near if near.sum() >= _MANY else counts)


def _slopes(
    who: Ints, x: Floats, v: Floats, counts: NDArray[np.bool_]
) -> tuple[Floats, Floats, Floats]:
    people = counts.size
    sums: Floats = np.stack([np.bincount(who, part, people) for part in (x, v)])
    used = sums * counts
    rest = used.sum(axis=1, keepdims=True) - used
    usual, own = _ratio(rest), _ratio(sums)
    mine = counts[who] & (v > 0)
    residual = np.where(mine, x - own[who] * v, 0.0)
    error = np.sqrt(residual @ residual) / max(float(v @ mine), 1e-12)
    usual = np.where(usual > max(_LEAST_USUAL, 3 * error), usual, np.nan)
    about = np.where(mine, x - np.nan_to_num(usual[who]) * v, 0.0)
    spread = about @ about / max(float(v @ mine), 1e-12)
    scale = np.sqrt(spread * np.where(sums[1] > 0, sums[1], np.nan))
    z = (sums[0] - usual * sums[1]) / np.where(scale > 0, scale, np.nan)
    known = z[counts & np.isfinite(z)]
    wider = np.quantile(np.abs(known - np.median(known)), 0.5) / 0.6745 if known.size else 1.0
    z = z / max(1.0, float(wider))
    chance = stdtr(max(_MIDDLE_HALF * known.size, 1.0), z)
    return own, usual, -np.log10(np.maximum(chance, 1e-300))


def _ratio(sums: Floats) -> Floats:
    """Return (A,) the first row over the second, NaN where the second is not above 0."""
    return np.asarray(sums[0] / np.where(sums[1] > 0, sums[1], np.nan))
