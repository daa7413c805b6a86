"""The others as a yardstick: what their answers come down to, and whose are left out of it.

Most combinations of answers that are possible never occur, and most that do occur are one person's.
So only what occurs is counted: with people × combinations a study of 8 questions fills the memory.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlogy

from annotate.screening.base import Columns
from annotate.screening.thresholds import CrowdThresholds
from estimation.core import Floats, Ints, person_correlation

# What a judgment of paragraphs comes down to: implausible, all for or all against the answer, or
# how many are against and for it, where counts of MANY and more are treated alike.
IMPLAUSIBLE, ALL_FOR, ALL_AGAINST, COUNTED = range(4)
MANY = 2
PARAGRAPH_CATEGORIES = COUNTED + (MANY + 1) ** 2

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Categories:
    """What judgments come down to: all answers of a judgment together are one category.

    category: (T,). dice: (T,) how probable each judgment's category is if answers are diced.
    typical: (K,) the same for each category, on average over the judgments. unrelated: (K,) how
    probable it is if answers were as frequent as they are and had nothing to do with each other
    (of paragraphs, which have an order but no names: as `typical`). possible: how many categories
    there could be, whether or not anybody's judgments fell into them.
    """

    category: Ints
    dice: Floats
    typical: Floats
    unrelated: Floats
    possible: int


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each of A annotators' judgments fall into each category, where they ever do.

    who, category, times: (P,) one row for each pair that occurs. people: A.
    """

    who: Ints
    category: Ints
    times: Floats
    people: int

    @cached_property
    def judgments(self) -> Floats:
        """(A,) how many each annotator made."""
        return np.asarray(np.bincount(self.who, self.times, self.people), dtype=np.float64)

    @cached_property
    def modal(self) -> Floats:
        """(A,) how many of them have the annotator's most frequent category."""
        most = np.zeros(self.people)
        np.maximum.at(most, self.who, self.times)
        return most


@dataclass(frozen=True, eq=False)
class Others:
    """What everybody else who can serve as a yardstick did.

    times: (P,) how often they gave the category of each row of `Counts`. judgments: (A,) how many
    they made. information: (A,) how much one of their answers says about the others, see
    `of_others`.
    """

    times: Floats
    judgments: Floats
    information: Floats


def categories(columns: Columns) -> Categories:
    """Return the category of each judgment; of paragraphs, of which there are many, by how many
    speak for the answer and how many against it."""
    if columns.verdicts is not None and columns.plausible is not None:
        return _of_paragraphs(columns.plausible, columns.verdicts)
    answers = columns.answers
    rows, category = np.unique(answers, axis=0, return_inverse=True)
    possible = len(columns.levels) ** answers.shape[1]
    chance = 1.0 / possible
    return Categories(
        category.ravel(),
        np.full(len(answers), chance),
        np.full(len(rows), chance),
        _unrelated(answers, rows),
        possible,
    )


def _unrelated(answers: Floats, rows: Floats) -> Floats:
    """(K,) the product of the shares that each answer of a row has in its column."""
    product = np.ones(len(rows))
    for column, wanted in zip(answers.T, rows.T, strict=True):
        levels, n = np.unique(column, return_counts=True)
        product *= n[np.searchsorted(levels, wanted)] / max(len(answers), 1)
    return product


def _of_paragraphs(plausible: Floats, verdict: Floats) -> Categories:
    m = np.isfinite(verdict).sum(axis=1)
    pro, con = (verdict > 0).sum(axis=1), (verdict < 0).sum(axis=1)
    category = np.where(plausible == 0, IMPLAUSIBLE, _category(con, pro, m))
    # How many paragraphs an implausible answer had is not asked: as many as usual.
    usual = int(np.median(m[plausible == 1])) if plausible.any() else 1
    sizes, at = np.unique(np.where(plausible == 0, usual, m), return_inverse=True)
    tables = np.array([_dice(size) for size in sizes.tolist()]).reshape(-1, PARAGRAPH_CATEGORIES)
    share = np.bincount(at, minlength=sizes.size) / max(at.size, 1)
    typical = share @ tables
    return Categories(category, tables[at, category], typical, typical, PARAGRAPH_CATEGORIES)


def _category(con: Ints, pro: Ints, m: Ints) -> Ints:
    counted = COUNTED + (MANY + 1) * np.minimum(con, MANY) + np.minimum(pro, MANY)
    everything = [(pro == m) & (m > 0), (con == m) & (m > 0)]
    return np.select(everything, [ALL_FOR, ALL_AGAINST], counted)


def _dice(m: int) -> Floats:
    """(K,) the probabilities of the categories if plausibility and m verdicts are diced."""
    con, pro = np.divmod(np.arange((m + 1) ** 2), m + 1)
    con, pro = con[con + pro <= m], pro[con + pro <= m]
    ways = gammaln(m + 1) - gammaln(con + 1) - gammaln(pro + 1) - gammaln(m - con - pro + 1)
    chance = np.zeros(PARAGRAPH_CATEGORIES)
    np.add.at(chance, _category(con, pro, np.full(con.size, m)), np.exp(ways - m * np.log(3)) / 2)
    chance[IMPLAUSIBLE] = 0.5
    return chance


def counts(columns: Columns, found: Categories) -> Counts:
    size = max(found.typical.size, 1)
    pair, times = np.unique(columns.who * size + found.category, return_counts=True)
    who, category = np.divmod(pair, size)
    return Counts(who, category, times.astype(np.float64), columns.people.size)


def varied(counts: Counts, crowd: CrowdThresholds) -> Mask:
    """(A,) whose answers may serve as a yardstick for others'.

    Not those who nearly always answer the same: where many do, they would excuse each other, and
    accuse the annotators who look at the outputs. Having no say here is no flag.
    """
    n = counts.judgments
    return np.asarray((n < crowd.uniform_minimum) | (counts.modal < crowd.uniform * n))


def large_enough(counts: Counts, yardstick: Mask, crowd: CrowdThresholds) -> Mask:
    """(A,) whether enough *other* people with enough judgments can serve as a yardstick."""
    n = np.where(yardstick, counts.judgments, 0)
    people = yardstick.sum() - yardstick
    return np.asarray((people >= crowd.people) & (n.sum() - n >= crowd.judgments))


def of_others(counts: Counts, yardstick: Mask, unrelated: Floats) -> Others:
    """Return what the other yardsticks did, and how far that is from `unrelated` (K,) answers.

    information: nats a judgment, 0 or more: the Kullback–Leibler divergence of their shares from
    the unrelated ones, less what chance adds to it in expectation, (categories seen - 1) / 2
    judgments (Miller 1955).
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
    """The correlation of categories within people who can serve as a yardstick, or `least`."""
    used = yardstick[columns.who]
    return max(least, person_correlation(columns.who[used], category[used]))
