"""The others as a yardstick: what their answers come down to, and whose are left out of it."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from annotate.screening.base import Columns
from annotate.screening.settings import Crowd
from estimation.core.sample import Floats, Ints
from estimation.core.straightlining import person_correlation

# What a judgment of paragraphs comes down to: implausible, all for or all against the answer, or
# how many are against and for it, where from MANY on they are not told apart.
IMPLAUSIBLE, ALL_FOR, ALL_AGAINST, COUNTED = range(4)
MANY = 2

Mask = NDArray[np.bool_]


def categories(columns: Columns) -> tuple[Ints, Floats]:
    """((T,) the category of each judgment, (T, K) the probabilities that dice give it).

    All answers of a judgment together are one category; paragraphs, of which there are many, by
    how many speak for the answer and how many against it.
    """
    if columns.verdicts is not None and columns.plausible is not None:
        return _of_paragraphs(columns.plausible, columns.verdicts)
    answers = columns.answers
    rows, category = np.unique(answers, axis=0, return_inverse=True)
    chance = float(len(columns.levels)) ** -answers.shape[1]
    return category.ravel(), np.full((len(answers), len(rows)), chance)


def _of_paragraphs(plausible: Floats, verdict: Floats) -> tuple[Ints, Floats]:
    m = np.isfinite(verdict).sum(axis=1)
    pro, con = (verdict > 0).sum(axis=1), (verdict < 0).sum(axis=1)
    category = np.where(plausible == 0, IMPLAUSIBLE, _category(con, pro, m))
    # How many paragraphs an implausible answer had is not asked: as many as usual.
    usual = int(np.median(m[plausible == 1])) if plausible.any() else 1
    m = np.where(plausible == 0, usual, m)
    tables = {size: _dice(size) for size in np.unique(m).tolist()}
    return category, np.stack([tables[size] for size in m.tolist()])


def _category(con: Ints, pro: Ints, m: Ints) -> Ints:
    counted = COUNTED + (MANY + 1) * np.minimum(con, MANY) + np.minimum(pro, MANY)
    everything = [(pro == m) & (m > 0), (con == m) & (m > 0)]
    return np.select(everything, [ALL_FOR, ALL_AGAINST], counted)


def _dice(m: int) -> Floats:
    """(K,) the probabilities of the categories if plausibility and m verdicts are diced."""
    con, pro = np.divmod(np.arange((m + 1) ** 2), m + 1)
    con, pro = con[con + pro <= m], pro[con + pro <= m]
    ways = gammaln(m + 1) - gammaln(con + 1) - gammaln(pro + 1) - gammaln(m - con - pro + 1)
    chance = np.zeros(COUNTED + (MANY + 1) ** 2)
    np.add.at(chance, _category(con, pro, np.full(con.size, m)), np.exp(ways - m * np.log(3)) / 2)
    chance[IMPLAUSIBLE] = 0.5
    return chance


def category_counts(columns: Columns, category: Ints, size: int) -> Floats:
    """(A, K) how often each annotator's judgments fall into each category."""
    counts = np.zeros((columns.people.size, size))
    np.add.at(counts, (columns.who, category), 1)
    return counts


def varied(counts: Floats, crowd: Crowd) -> Mask:
    """(A,) whose answers may serve as a yardstick for others'.

    Not those who nearly always answer the same: where many do, they would excuse each other, and
    accuse whoever looks at the outputs. Having no say here is no flag.
    """
    n = counts.sum(axis=1)
    modal = counts.max(axis=1, initial=0)
    return np.asarray((n < crowd.uniform_minimum) | (modal < crowd.uniform * n))


def large_enough(counts: Floats, yardstick: Mask, crowd: Crowd) -> Mask:
    """(A,) whether enough *other* people with enough judgments can serve as a yardstick."""
    n = np.where(yardstick, counts.sum(axis=1), 0)
    people = yardstick.sum() - yardstick
    return np.asarray((people >= crowd.people) & (n.sum() - n >= crowd.judgments))


def of_others(counts: Floats, yardstick: Mask) -> Floats:
    """(A, K) how often everybody else who can serve as a yardstick gave each category."""
    used = counts * yardstick[:, None]
    return np.asarray(used.sum(axis=0) - used)


def correlation(columns: Columns, category: Ints, yardstick: Mask, least: float) -> float:
    """The correlation of categories within people who can serve as a yardstick, or `least`."""
    used = yardstick[columns.who]
    return max(least, person_correlation(columns.who[used], category[used]))
