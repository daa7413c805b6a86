"""The others' combinations of answers where most of them are too rare to be counted.

Their shares come from pairs of questions: a tree in which each question hangs on the one that says
most about it (Chow and Liu 1968, "Approximating discrete probability distributions with dependence
trees"). A table of two questions is filled long before one of all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import xlogy

from annotate.screening.base import Columns
from annotate.screening.crowd import Counts, Mask, categories
from annotate.screening.grouping import levels, once
from estimation.core import Floats, Ints, numbered

PRIOR = 0.5  # of each cell of a table: the prior of Krichevsky and Trofimov (1981)
# How much more, or less, people give high answers than others do: factors e^t and e^-t of the odds
# of all questions' highest answers. One of them suits each person best.
TILTS = (0.0, -4.0, -2.0, -1.0, 1.0, 2.0, 4.0)


@dataclass(frozen=True, eq=False)
class Combined:
    """shares: (P,) of the category in each row of `Counts`, among the others, tilted to oneself.

    information: how much the pairs of the tree say about each other, in nats per judgment.
    """

    shares: Floats
    information: float


@dataclass(frozen=True, eq=False)
class _Asked:
    """answer: (T,) numbers 0 to `size` - 1."""

    answer: Ints
    size: int


def combined(columns: Columns, counts: Counts, yardstick: Mask) -> Combined:
    """Return the shares of combinations among all other yardsticks.

    The tree is one for all people; the tables leave out each one's own answers. Somebody who is
    harsh or lenient in everything has combinations of their own: the shares are tilted (Esscher
    1932) as suits each person best.
    """
    asked = _questions(columns)
    said = _information(asked, yardstick[columns.who])
    edges = _tree(said)
    others = _Tables(columns, counts, yardstick)
    shares = others.share(asked[0])
    for parent, child in edges:
        shares = shares * others.share_given(asked[child], asked[parent])
    tilted = _tilted(shares, others.tilts(_height(asked)), counts)
    return Combined(tilted, float(sum(said[edge] for edge in edges)))


@once
def _questions(columns: Columns) -> Sequence[_Asked]:
    found = [levels(column) for column in columns.presented.T]
    return [_Asked(which, n.size) for _values, which, n in found]


def _height(asked: Sequence[_Asked]) -> Floats:
    """Return (T,) how high the answers are: 0 if all are the lowest, 1 if the highest."""
    each = [one.answer / max(one.size - 1, 1) for one in asked]
    return np.asarray(np.mean(each, axis=0))


def _tilted(shares: Floats, tilts: Floats, counts: Counts) -> Floats:
    """Return (P,) the shares with the tilt that makes each person's answers most probable.

    tilts: (len(TILTS), P) by which factor each row's share changes.
    """
    likelihood = np.stack(
        [np.bincount(counts.who, counts.times * np.log(one), counts.people) for one in tilts]
    )
    best = likelihood.argmax(axis=0)[counts.who]
    return np.asarray(shares * tilts[best, np.arange(best.size)])


def _information(asked: Sequence[_Asked], used: Mask) -> Floats:
    """Return (C, C) the mutual information of two questions, 0 or more.

    Less its expectation by chance (Miller 1955), as in `crowd.of_others`.
    """
    said = np.zeros((len(asked), len(asked)))
    for j, k in combinations(range(len(asked)), 2):
        one, other = asked[j], asked[k]
        cell = one.answer[used] * other.size + other.answer[used]
        table = np.bincount(cell, minlength=one.size * other.size).reshape(one.size, other.size)
        said[j, k] = said[k, j] = _mutual(table.astype(np.float64))
    return said


def _mutual(table: Floats) -> float:
    n = max(float(table.sum()), 1.0)
    sides = (table.sum(axis=0), table.sum(axis=1))
    found = xlogy(table, table).sum() - sum(xlogy(side, side).sum() for side in sides)
    seen = (table > 0).sum() - sum((side > 0).sum() for side in sides) + 1
    return float(max((found + xlogy(n, n) - seen / 2) / n, 0.0))


def _tree(said: Floats) -> list[tuple[int, int]]:
    """Return (parent, child) of the tree that says most, from question 0 on (Prim 1957)."""
    best, parent, left = said[0].copy(), np.zeros(len(said), dtype=int), set(range(1, len(said)))
    edges = []
    while left:
        child = max(left, key=lambda one: best[one])
        left.remove(child)
        edges.append((int(parent[child]), child))
        closer = said[child] > best
        best[closer], parent[closer] = said[child][closer], child
    return edges


class _Tables:
    """How often the others gave an answer, for each row of `Counts` the answer of its category."""

    def __init__(self, columns: Columns, counts: Counts, yardstick: Mask) -> None:
        self.who, self.used = columns.who, yardstick[columns.who]
        self.rows = counts
        self.row = _examples(columns, counts)
        self.mine = yardstick[counts.who]
        self.alone: dict[_Asked, Floats] = {}
        n = np.where(yardstick, counts.judgments, 0.0)
        self.judgments = (n.sum() - n)[counts.who]

    def share(self, question: _Asked) -> Floats:
        """Return (P,) the share of the answer to this question."""
        found = self._said(question) + PRIOR
        return np.asarray(found / (self.judgments + PRIOR * question.size))

    def share_given(self, question: _Asked, known: _Asked) -> Floats:
        """Return (P,) the share of the answer to `question` among those with that to `known`."""
        both = known.answer * question.size + question.answer
        prior = PRIOR * question.size
        found = self._others(both, known.size * question.size) + prior * self.share(question)
        return np.asarray(found / (self._said(known) + prior))

    def tilts(self, height: Floats) -> Floats:
        """Return (len(TILTS), P) the factors of the shares; over the others their mean is 1."""
        return np.stack([self._tilt(np.exp(t * height)) for t in TILTS])

    def _tilt(self, factor: Floats) -> Floats:
        mine = np.bincount(self.who, factor * self.used, self.rows.people)
        whole = (mine.sum() - mine)[self.rows.who]
        alone = self.judgments == 0  # there are no others to be tilted
        return np.where(alone, 1.0, factor[self.row] * self.judgments / np.where(alone, 1.0, whole))

    def _said(self, question: _Asked) -> Floats:
        """Return (P,) how often the others gave the answer to this question."""
        if question not in self.alone:
            self.alone[question] = self._others(question.answer, question.size)
        return self.alone[question]

    def _others(self, number: Ints, size: int) -> Floats:
        """Return (P,) how often all yardsticks but oneself gave the number of the row."""
        whole = np.bincount(number, self.used, size)
        own = numbered(self.who * size + number)
        mine = np.bincount(own)[own[self.row]] * self.mine
        return np.asarray(whole[number[self.row]] - mine)


def _examples(columns: Columns, counts: Counts) -> Ints:
    """Return (P,) a judgment of each row of `Counts`: of its person, with its category."""
    category = categories(columns).category
    size = int(category.max(initial=0)) + 1
    example = np.empty(counts.who.size, dtype=np.int64)
    row = np.searchsorted(counts.who * size + counts.category, columns.who * size + category)
    example[row] = np.arange(category.size)
    return example
