"""What is usual: the others' answers, and what each of them says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns
from annotate.screening.coding import coded, normal, usual_rows
from annotate.screening.crowd import Categories, Counts, Mask, Others
from annotate.screening.grouping import once, pairs, products
from annotate.screening.thresholds import CrowdThresholds
from estimation.core import Floats, distinct

SHARE, WEIGHT = 0.15, 20.0  # usual correlation of levels within people, and its weight in people
STEPS = np.linspace(-4, 4, 33)  # (S,) levels of people, in standard deviations of a person's
_UNSEEN = 0.5  # how often an answer counts that nobody else gave


@dataclass(frozen=True, eq=False)
class UsualAnswers:
    """The answers of a campaign by category, and whose say what is usual: people (A,)."""

    columns: Columns
    found: Categories
    counts: Counts
    people: Mask

    @cached_property
    def others(self) -> Others:
        return crowd.of_others(self.counts, self.people, self.found.unrelated)

    @cached_property
    def size(self) -> Floats:
        """Return (A,) how many answers the others gave, with the unseen."""
        return np.asarray(self.others.judgments + _UNSEEN * self.found.typical.size)

    @cached_property
    def rates(self) -> Floats:
        """Return (P,) the others' shares of the answers in the rows of `Counts`."""
        return np.asarray((self.others.times + _UNSEEN) / self.size[self.counts.who])

    @cached_property
    def times(self) -> Floats:
        """Return (K,) how often each category is the answer of those who say what is usual."""
        used = self.counts.times * self.people[self.counts.who]
        times = np.bincount(self.counts.category, used, self.found.typical.size)
        return np.asarray(times + _UNSEEN, dtype=np.float64)

    @cached_property
    def level(self) -> Floats:
        """Return (K,) the mean normal score of a category's answers, of mean 0 and variance 1."""
        usual = usual_rows(self.columns, self.people)
        z = np.full(self.columns.presented.shape, np.nan)
        for kind in distinct(self.columns.kinds).tolist():
            at = self.columns.kinds == kind
            z[:, at] = coded(self.columns.presented[:, at], usual, normal)
        there = np.isfinite(z)
        mean = np.where(there, z, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        spread = float(mean[usual].std()) if usual.size else 0.0
        return self._means((mean - mean[usual].mean()) / spread if spread > 0 else 0.0 * mean)

    @cached_property
    def spread(self) -> float:
        """Return the standard deviation of people's levels, nearer the usual one the fewer are.

        The share of the variance that is between people, of those who say what is usual.
        """
        rows = self.people[self.columns.who]
        who, said = self.columns.who[rows], self.level[self.found.category[rows]]
        share = products(said, who) / max(products(np.ones(who.size), who), 1.0)
        active = int((np.bincount(who) > 1).sum())
        return float(np.sqrt((active * max(share, 0.0) + WEIGHT * SHARE) / (active + WEIGHT)))

    @cached_property
    def within(self) -> float:
        """Return the correlation of answers within people who say what is usual, 0 or more."""
        return crowd.correlation(self.columns, self.found.category, self.people, 0.0)

    @cached_property
    def tilted(self) -> Floats:
        """Return (S,) the sum of `times`, each answer tilted to the levels of people."""
        # One after the other: a study of many questions has as many categories as judgments.
        return np.array([np.exp(step * self.level) @ self.times for step in self.spread * STEPS])

    @cached_property
    def straight(self) -> Mask:
        """Return (K,) in which categories all questions of a kind have the same level."""
        same = np.ones(len(self.columns.who), dtype=bool)
        blocks = [np.column_stack(list(self.columns.scores.values()) or [same])]
        for block in blocks if self.columns.verdicts is None else [*blocks, self.columns.verdicts]:
            most = np.where(np.isfinite(block), block, -np.inf).max(axis=1, initial=-np.inf)
            same &= ~(block < most[:, None]).any(axis=1)
        return np.asarray(self._means(same.astype(np.float64)) == 1)

    def _means(self, values: Floats) -> Floats:
        """Return (K,) the mean over the judgments of each category."""
        size = self.found.typical.size
        times = np.bincount(self.found.category, minlength=size)
        return np.asarray(np.bincount(self.found.category, values, size) / np.maximum(times, 1))

    def kept(self, rows: Mask) -> Counts:
        """Return how often each answer is among the judgments that are kept (T,)."""
        size = max(self.found.typical.size, 1)
        pair, n = pairs(self.columns.who[rows], self.found.category[rows], size)
        times = np.zeros(self.counts.who.size)
        times[np.searchsorted(self.counts.who * size + self.counts.category, pair)] = n
        return replace(self.counts, times=times)


@once
def usual_answers(columns: Columns, limits: CrowdThresholds) -> UsualAnswers:
    """Return what is usual in a campaign; computed once for all looks at the same columns."""
    found = crowd.categories(columns)
    counts = crowd.counts(columns, found)
    return UsualAnswers(columns, found, counts, crowd.varied(counts, limits))
