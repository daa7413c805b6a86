"""A few people among a sample of the others: what a look at new work needs of a large campaign.

Everybody is the yardstick of everybody, so a look at all takes as long as the campaign is large. A
sample of whole people gives the same base rates, medians and usual agreement nearly as well. What
must be complete is: all work of those who are looked at, and what others said of the same outputs.
"""

from dataclasses import replace

import numpy as np

from annotate.screening.base import Columns, joined, taken
from estimation.core import Ints, distinct

SAMPLE = 8000  # judgments of others


class SampledCrowd:
    """One campaign's judgments, indexed by people and outputs, with what has come since.

    columns: those of a look at everybody. most: how many judgments the sample has: half of whole
    people, half of others on the same outputs; all judgments of a smaller campaign.
    """

    def __init__(self, columns: Columns, *, most: int = SAMPLE) -> None:
        self._columns = replace(columns)  # without what screens computed from them
        self._new = taken(columns, np.arange(0))
        self._people = _Index(columns.annotator)
        self._outputs = _Index(columns.output)
        self._most = most
        self._sample = self._sampled()

    def __len__(self) -> int:
        return len(self._columns.annotator)

    def add(self, new: Columns) -> None:
        """Add judgments that are none of the earlier ones."""
        self._new = joined([self._new, new])

    def around(self, people: Ints) -> Columns:
        """Return all work of these people, that of others on the same outputs, and the sample."""
        mine, mine_new = self._people.rows(people), _rows(self._new.annotator, people)
        outputs = distinct(np.concatenate([self._columns.output[mine], self._new.output[mine_new]]))
        shared = self._some(self._outputs.rows(outputs))
        shared_new = self._some(_rows(self._new.output, outputs))
        old = distinct(np.concatenate([self._sample, mine, shared]))
        new = distinct(np.concatenate([mine_new, shared_new]))
        return joined([taken(self._columns, old), taken(self._new, new)])

    def _sampled(self) -> Ints:
        """Return the rows of some whole people, and of others on the same outputs."""
        if len(self) <= self._most:
            return np.arange(len(self))
        people = np.random.default_rng(len(self)).permutation(self._columns.people)
        rows = self._people.rows(people[: self._most])[: self._most // 2]
        outputs = distinct(self._columns.output[rows])
        return distinct(np.concatenate([rows, self._some(self._outputs.rows(outputs))]))

    def _some(self, rows: Ints) -> Ints:
        """Return at most half as many rows as the sample may have: an output may be everybody's."""
        most = self._most // 2
        if rows.size <= most:
            return rows
        return np.random.default_rng(rows.size).choice(rows, most, replace=False)


class _Index:
    """The rows of each label."""

    def __init__(self, labels: Ints) -> None:
        self._order = np.argsort(labels, kind="stable")
        self._labels = labels[self._order]

    def rows(self, labels: Ints) -> Ints:
        """Return the rows of these labels, one label after the other."""
        first = np.searchsorted(self._labels, labels, side="left")
        size = np.searchsorted(self._labels, labels, side="right") - first
        starts = np.repeat(first - (np.cumsum(size) - size), size)
        return np.asarray(self._order[starts + np.arange(size.sum())])


def _rows(labels: Ints, wanted: Ints) -> Ints:
    """Return the same of a small part, which changes too often for an index."""
    return np.flatnonzero(np.isin(labels, wanted))
