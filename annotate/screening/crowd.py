"""The others as a yardstick: their answers as categories and as numbers, and who is left out.

Most possible combinations of answers never occur, and most that occur belong to one person. Only
combinations that occur are counted: counting people × combinations would fill the memory for a
study with 8 questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from annotate.screening.arrays import levels, once
from annotate.screening.base import Columns, CrowdThresholds
from estimation.core import Floats, Ints, numbered, person_correlation

# The categories of judgments with paragraphs: implausible, all for or all against the answer, or
# how many are against and for it, where counts of MANY and more are treated alike.
IMPLAUSIBLE, ALL_FOR, ALL_AGAINST, COUNTED = range(4)
MANY = 2
ALWAYS = 0.9  # of somebody's answers
MOST_VARIED = 0.75  # of the people
_ALIKE = 1e-9  # the spread of scores that differ by rounding only

Mask = NDArray[np.bool_]
Code = Callable[[Ints], Floats]  # what each level says, (L,), by how often it occurs


# ---- categories ------------------------------------------------------------------------------


@once
def categories(columns: Columns) -> Ints:
    """Return (T,) the category of each judgment: all its answers together are one.

    Judgments of paragraphs are counted by verdict.
    """
    if columns.verdicts is not None and columns.plausible is not None:
        m = np.isfinite(columns.verdicts).sum(axis=1)
        pro, con = (columns.verdicts > 0).sum(axis=1), (columns.verdicts < 0).sum(axis=1)
        counted = COUNTED + (MANY + 1) * np.minimum(con, MANY) + np.minimum(pro, MANY)
        kinds = [columns.plausible == 0, (pro == m) & (m > 0), (con == m) & (m > 0)]
        return np.select(kinds, [IMPLAUSIBLE, ALL_FOR, ALL_AGAINST], counted)
    category = np.zeros(len(columns.who), dtype=np.int64)
    for column in columns.presented.T:
        values, which, _n = levels(column)
        category = numbered(category * values.size + which)
    return category


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each of A annotators' judgments fall into each category, without zeros.

    who, category, times: (P,) one row for each pair that occurs.
    people: A.
    """

    who: Ints
    category: Ints
    times: Floats
    people: int

    @cached_property
    def judgments(self) -> Floats:
        """Return (A,) how many judgments each annotator made."""
        return np.asarray(np.bincount(self.who, self.times, self.people), dtype=np.float64)

    @cached_property
    def modal(self) -> Floats:
        """Return (A,) how many of them have the annotator's most frequent category."""
        most = np.zeros(self.people)
        np.maximum.at(most, self.who, self.times)
        return most

    def of_others(self, yardstick: Mask) -> tuple[Floats, Floats]:
        """Return (P,) how often the other yardsticks gave each row's category, and (A,) how often
        they judged at all."""
        used = self.times * yardstick[self.who]
        times = np.bincount(self.category, used)[self.category] - used
        return times, used.sum() - np.bincount(self.who, used, self.people)


@once
def counts(columns: Columns) -> Counts:
    """Return how often each annotator's judgments fall into each category."""
    category = categories(columns)
    size = int(category.max(initial=0)) + 1
    pair, times = np.unique(columns.who * size + category, return_counts=True)
    who, category = np.divmod(pair, size)
    return Counts(who, category, times.astype(np.float64), columns.people.size)


def varied(counts: Counts, crowd: CrowdThresholds) -> Mask:
    """Return (A,) whose answers may serve as a yardstick for others'.

    People who nearly always give the same answer may not: if many do, they would excuse each other,
    and implicate the annotators who read the outputs. Where more than a quarter are that uniform,
    outputs may be: then only those who always give one answer are left out. Being left out here is
    not a flag.
    """
    n = counts.judgments
    few = n < crowd.uniform_minimum
    found = np.asarray(few | (counts.modal < crowd.uniform * n))
    if are_most(found):
        return found
    return np.asarray(few | (counts.modal < max(crowd.uniform, ALWAYS) * n))


def are_most(varied: Mask) -> bool:
    """Return whether so many people vary their answers that the others are the odd ones."""
    return bool(varied.size and varied.mean() >= MOST_VARIED)


def large_enough(counts: Counts, yardstick: Mask, crowd: CrowdThresholds) -> Mask:
    """Return (A,) whether enough *other* people with enough judgments serve as a yardstick."""
    n = np.where(yardstick, counts.judgments, 0)
    people = yardstick.sum() - yardstick
    return np.asarray((people >= crowd.people) & (n.sum() - n >= crowd.judgments))


def correlation(columns: Columns, category: Ints, yardstick: Mask, least: float) -> float:
    """Return the correlation of categories within people who serve as a yardstick, or `least`."""
    used = yardstick[columns.who]
    return max(least, person_correlation(columns.who[used], category[used]))


# ---- numbers: what levels of answers say among usual judgments, with mean 0 and variance 1 ----


def usual_rows(columns: Columns, yardstick: Mask | None) -> Mask:
    """Return (T,) the judgments that say what is usual: all, where nobody is a yardstick (A,)."""
    found = np.ones(columns.who.size, dtype=bool) if yardstick is None else yardstick[columns.who]
    return found if found.any() else ~found


def coded(block: Floats, usual: Mask, code: Code) -> Floats:
    """Return (T, C) what the levels of a block say; NaN stays.

    Columns share the meaning of their levels. The `usual` (T,) judgments say how often these occur.
    """
    there = np.isfinite(block)
    different, which, n = levels(block[there])
    among = (there & usual[:, None])[there]
    if not among.all():
        n = np.bincount(which[among], minlength=different.size)
    z = np.full(block.shape, np.nan)
    z[there] = code(n)[which]
    return z


def ranked(n: Ints) -> Floats:
    """Return (L,) the mid-ranks of levels that occur n (L,) times; mean 0 and variance 1."""
    return _unit(_middle(n), n)


def normal(n: Ints) -> Floats:
    """Return (L,) the normal scores of levels that occur n (L,) times (van der Waerden 1952).

    If a normal scale is under the levels of a rating, two people's scores are nearly as correlated
    as these few levels allow. Mean 0 and variance 1; 0 without variation.
    """
    return _unit(ndtri(_middle(n)), n)


def beyond(n: Ints) -> Floats:
    """Return (L,) what levels that occur n (L,) times say beyond their order.

    The square of the rank, less what follows from the rank. Of three verdicts that is all that is
    left: two people may agree that a paragraph is beside the question, or not, whatever side else.
    """
    first = ranked(n)
    square = first**2
    return _unit(square - (square * first) @ n / max(n.sum(), 1) * first, n)


def rarity(n: Ints) -> Floats:
    """Return (L,) how much likelier dice give levels that occur n (L,) times: logarithms."""
    return np.asarray(np.log((n.sum() + n.size / 2) / ((n + 0.5) * n.size)))


def _middle(n: Ints) -> Floats:
    """Return (L,) the shares below levels that occur n (L,) times, counting half of their own."""
    whole = max(int(n.sum()), 1)
    return np.clip((np.cumsum(n) - n / 2) / whole, 0.5 / whole, 1 - 0.5 / whole)


def _unit(score: Floats, n: Ints) -> Floats:
    """Return (L,) the scores with mean 0 and variance 1; 0 without variation."""
    whole = max(int(n.sum()), 1)
    apart = score - score @ n / whole
    spread = np.sqrt(apart**2 @ n / whole)
    return np.asarray(apart / spread if spread > _ALIKE else np.zeros(apart.shape))
