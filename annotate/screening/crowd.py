"""The others as a yardstick: the categories and levels of their answers, and who is left out.

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
from scipy.special import gammaln, ndtri, xlogy

from annotate.screening.arrays import levels, once, pairs
from annotate.screening.base import Columns, CrowdThresholds
from estimation.core import Floats, Ints, numbered, person_correlation

# The categories of judgments with paragraphs: implausible, all for or all against the answer, or
# how many are against and for it, where counts of MANY and more are treated alike.
IMPLAUSIBLE, ALL_FOR, ALL_AGAINST, COUNTED = range(4)
MANY = 2
ALWAYS = 0.9  # of somebody's answers
MOST_VARIED = 0.75  # of the people
PARAGRAPH_CATEGORIES = COUNTED + (MANY + 1) ** 2

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Categories:
    """The categories of judgments: all answers of a judgment together are one category.

    category: (T,).
    dice: (T,) the probability of each judgment's category if answers are random.
    typical: (K,) the same for each category, on average over the judgments.
    unrelated: (K,) the probability if answers had their observed frequencies and were independent
        (for paragraphs, which have an order but no names: as `typical`).
    possible: how many categories are possible, observed or not.
    possible_pairs: how many combinations of two questions' answers are; of paragraphs, as many as
        categories.
    """

    category: Ints
    dice: Floats
    typical: Floats
    unrelated: Floats
    possible: int
    possible_pairs: int


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


@dataclass(frozen=True, eq=False)
class Others:
    """The answers of all other annotators who serve as a yardstick.

    times: (P,) how often they gave the category of each row of `Counts`.
    judgments: (A,) how many they made.
    information: (A,) how much one of their answers says about the others; see `of_others`.
    """

    times: Floats
    judgments: Floats
    information: Floats


@once
def categories(columns: Columns) -> Categories:
    """Return the category of each judgment. Judgments of paragraphs are counted by verdict."""
    if columns.verdicts is not None and columns.plausible is not None:
        return _of_paragraphs(columns.plausible, columns.verdicts)
    answers = columns.presented
    rows, category = _different(answers)
    possible = len(columns.levels) ** answers.shape[1]
    chance = 1.0 / possible
    return Categories(
        category,
        np.full(len(answers), chance),
        np.full(len(rows), chance),
        _unrelated(answers, rows),
        possible,
        len(columns.levels) ** min(answers.shape[1], 2),
    )


def _different(answers: Floats) -> tuple[Floats, Ints]:
    """Return the different rows in ascending order, and (T,) which of them each row is."""
    if not (answers.size and np.isfinite(answers).all()):
        rows, category = np.unique(answers, axis=0, return_inverse=True)
        return rows, category.ravel()
    # Columns have few levels: rows numbered column by column take a tenth of the time of sorting.
    category = np.zeros(len(answers), dtype=np.int64)
    for column in answers.T:
        values, which, _n = levels(column)
        category = numbered(category * values.size + which)
    rows = np.empty((int(category.max()) + 1, answers.shape[1]))
    rows[category] = answers
    return rows, category


def _unrelated(answers: Floats, rows: Floats) -> Floats:
    """Return (K,) the product of the shares of each answer of a row in its column."""
    product = np.ones(len(rows))
    for column, wanted in zip(answers.T, rows.T, strict=True):
        values, _which, n = levels(column)
        product *= n[np.searchsorted(values, wanted)] / max(len(answers), 1)
    return product


def _of_paragraphs(plausible: Floats, verdict: Floats) -> Categories:
    m = np.isfinite(verdict).sum(axis=1)
    pro, con = (verdict > 0).sum(axis=1), (verdict < 0).sum(axis=1)
    category = np.where(plausible == 0, IMPLAUSIBLE, _category(con, pro, m))
    # An implausible answer's number of paragraphs is not recorded; the median is used.
    usual = int(np.median(m[plausible == 1])) if plausible.any() else 1
    sizes, at = np.unique(np.where(plausible == 0, usual, m), return_inverse=True)
    tables = np.array([_dice(size) for size in sizes.tolist()]).reshape(-1, PARAGRAPH_CATEGORIES)
    share = np.bincount(at, minlength=sizes.size) / max(at.size, 1)
    typical = share @ tables
    return Categories(category, tables[at, category], typical, typical, *[PARAGRAPH_CATEGORIES] * 2)


def _category(con: Ints, pro: Ints, m: Ints) -> Ints:
    counted = COUNTED + (MANY + 1) * np.minimum(con, MANY) + np.minimum(pro, MANY)
    everything = [(pro == m) & (m > 0), (con == m) & (m > 0)]
    return np.select(everything, [ALL_FOR, ALL_AGAINST], counted)


def _dice(m: int) -> Floats:
    """Return (K,) the probabilities of the categories if plausibility and m verdicts are random."""
    con, pro = np.divmod(np.arange((m + 1) ** 2), m + 1)
    con, pro = con[con + pro <= m], pro[con + pro <= m]
    ways = gammaln(m + 1) - gammaln(con + 1) - gammaln(pro + 1) - gammaln(m - con - pro + 1)
    chance = np.zeros(PARAGRAPH_CATEGORIES)
    np.add.at(chance, _category(con, pro, np.full(con.size, m)), np.exp(ways - m * np.log(3)) / 2)
    chance[IMPLAUSIBLE] = 0.5
    return chance


def counts(columns: Columns, found: Categories) -> Counts:
    size = max(found.typical.size, 1)
    pair, times = pairs(columns.who, found.category, size)
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


def of_others(counts: Counts, yardstick: Mask, unrelated: Floats) -> Others:
    """Return the other yardsticks' answers, and how far they are from `unrelated` (K,) ones.

    information: nats per judgment, 0 or more: the Kullback–Leibler divergence of their shares from
        the unrelated ones, less its expectation by chance, (categories seen - 1) / 2 judgments
        (Miller 1955).
    """
    used = counts.times * yardstick[counts.who]
    total = np.asarray(np.bincount(counts.category, used, unrelated.size), dtype=np.float64)
    times = np.asarray(total[counts.category] - used)
    judgments = total.sum() - np.bincount(counts.who, used, counts.people)

    def term(given: Floats, probability: Floats) -> Floats:
        return np.asarray(xlogy(given, given) - xlogy(given, probability))

    expected = unrelated[counts.category]
    mine = term(total[counts.category], expected)
    less = np.bincount(counts.who, mine - term(times, expected), counts.people)
    alone = np.bincount(counts.who, (times == 0) & (used > 0), counts.people)
    size = np.maximum(judgments, 1)
    divergence = (term(total, unrelated).sum() - less) / size - np.log(size)
    chance = np.maximum((total > 0).sum() - alone - 1, 0) / (2 * size)
    return Others(times, judgments, np.maximum(divergence - chance, 0))


def correlation(columns: Columns, category: Ints, yardstick: Mask, least: float) -> float:
    """Return the correlation of categories within people who serve as a yardstick, or `least`."""
    used = yardstick[columns.who]
    return max(least, person_correlation(columns.who[used], category[used]))


# What each level says, (L,), by how often it occurs.
Code = Callable[[Ints], Floats]
_ALIKE = 1e-9  # the spread of scores that differ by rounding only


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
