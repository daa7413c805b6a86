"""The others as a yardstick: what their answers come down to, and whose are left out of it."""

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns
from annotate.screening.settings import Crowd
from estimation.core.sample import Floats, Ints
from estimation.core.straightlining import person_correlation

# What a judgment of paragraphs comes down to.
IMPLAUSIBLE, NEUTRAL, FOR, AGAINST, BOTH = range(5)

Mask = NDArray[np.bool_]


def categories(columns: Columns) -> tuple[Ints, Floats]:
    """((T,) the category of each judgment, (T, K) the probabilities that dice give it).

    All answers of a judgment together are one category; paragraphs, of which there are many, only
    by whether any spoke for the answer and any against it.
    """
    if columns.verdicts is not None and columns.plausible is not None:
        return _of_paragraphs(columns.plausible, columns.verdicts)
    answers = columns.answers
    rows, category = np.unique(answers, axis=0, return_inverse=True)
    chance = float(len(columns.levels)) ** -answers.shape[1]
    return category.ravel(), np.full((len(answers), len(rows)), chance)


def _of_paragraphs(plausible: Floats, verdict: Floats) -> tuple[Ints, Floats]:
    pro, con = (verdict > 0).any(axis=1), (verdict < 0).any(axis=1)
    kinds = [plausible == 0, pro & con, pro, con]
    category = np.select(kinds, [IMPLAUSIBLE, BOTH, FOR, AGAINST], NEUTRAL)
    # How many paragraphs an implausible answer had is not asked: as many as usual.
    m = np.isfinite(verdict).sum(axis=1)
    m = np.where(plausible == 0, np.median(m[plausible == 1]) if plausible.any() else 1, m)
    none, one_sided = 3.0**-m, 1.5**-m - 3.0**-m
    shown = np.stack([none, one_sided, one_sided, 1 - 2 * one_sided - none], axis=1)
    return category, np.column_stack([np.full(len(m), 0.5), np.maximum(shown, 1e-12) / 2])


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


def correlation_of_others(
    columns: Columns, category: Ints, yardstick: Mask, j: int, least: float
) -> float:
    """The correlation of categories within the other people, `least` where it is lower."""
    rest = yardstick[columns.who] & (columns.who != j)
    return max(least, person_correlation(columns.who[rest], category[rest]))
