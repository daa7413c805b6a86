"""How likely answers are of somebody who gives one answer nearly always, or has begun to do so.

That is compared with honest people, who answer like the others, each at a level of their own. Who
is lenient gives the best answer more often than others do, and the answers next to it as well. Who
gives one answer without a look gives few others, and these are like anybody's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from annotate.screening.crowd import Mask
from annotate.screening.variation.usual import STEPS, UsualAnswers
from estimation.core import Floats, Ints

SHARES = np.array([0.6, 0.7, 0.8, 0.9, 0.97])  # of their answers that may be one and the same
STRAIGHT = 0.5  # how likely that one has the same level for all questions
CORRELATION = 0.02  # of answers within people of one level
_LEAST = 1e-12
# (S,) logarithms of how many people are at each level.
_LEVELS = -(STEPS**2) / 2 - np.logaddexp.reduce(-(STEPS**2) / 2)


@dataclass(frozen=True, eq=False)
class GivenAnswers:
    """What N people answered in P rows of `Counts`, and how likely that is.

    times: (P,) how often. person: (P,) whose row it is, 0 to N - 1. begins: (N,) the first of each.
    usual: (P,) how likely an answer of the others is the same. tilted: (S, P) the same of people of
    each level. chosen: (P,) how likely it is the one of somebody who gives one answer.
    """

    times: Floats
    person: Ints
    begins: Ints
    usual: Floats
    tilted: Floats
    chosen: Floats

    @classmethod
    def of(cls, usual: UsualAnswers, rows: Ints) -> GivenAnswers:
        """Take the people of these rows, which are all of theirs.

        At a level t, the shares of the answers are tilted by what each says: p · exp(t · level).
        """
        who, category = usual.counts.who[rows], usual.counts.category[rows]
        times = usual.counts.times[rows]
        tilt = np.exp(np.outer(usual.spread * STEPS, usual.level[category]))
        begins = np.flatnonzero(np.r_[True, np.diff(who) != 0])
        person = np.cumsum(np.r_[False, np.diff(who) != 0])
        own = np.add.reduceat(tilt * (times * usual.people[who]), begins, axis=1)
        whole = (usual.tilted[:, None] - own) / usual.size[who[begins]]
        p = usual.rates[rows]
        tilted = p * tilt / whole[:, person]
        straight = usual.straight[category] / max(usual.straight.sum(), 1)
        chosen = STRAIGHT * straight + (1 - STRAIGHT) * p
        return cls(times, person, begins, p, np.maximum(tilted, _LEAST), chosen)

    def one_answer(self, lately: Floats | None = None) -> Floats:
        """Return (N,) how much likelier the answers are of somebody who gives one: a log10.

        lately: (P,) how often each answer was given since people began to do so; by default they
        always did.
        """
        last = self.times if lately is None else lately
        before = 0.0 if lately is None else self._honest(self.times - last)
        return np.asarray((before + self._one(last) - self._honest(self.times)) / np.log(10))

    def _honest(self, times: Floats) -> Floats:
        """Return (N,) how likely such answers are of honest people of any level.

        They vary about what is likely at a level as a Dirichlet distribution does: people differ in
        more than their level.
        """
        weight = 1 / CORRELATION - 1
        mean = weight * self.tilted
        each = np.add.reduceat(gammaln(mean + times) - gammaln(mean), self.begins, axis=1)
        judgments = np.add.reduceat(times, self.begins)
        found = np.logaddexp.reduce(each + _LEVELS[:, None], axis=0)
        return np.asarray(found + gammaln(weight) - gammaln(weight + judgments))

    def _one(self, times: Floats) -> Floats:
        """Return (N,) how likely they are of people who give one answer, and else usual ones.

        It is the answer that a person gave most often. All `SHARES` of it are as likely.
        """
        mine = self._first(times == np.maximum.reduceat(times, self.begins)[self.person])
        usual = np.outer(1 - SHARES, self.usual)
        usual[:, mine] += SHARES[:, None]
        found = np.logaddexp.reduce(np.add.reduceat(np.log(usual) * times, self.begins, axis=1))
        return np.asarray(found - np.log(SHARES.size) + np.log(self.chosen[mine]))

    def _first(self, rows: Mask) -> Ints:
        """Return (N,) the first of each person's rows among these; each person has one."""
        places = np.where(rows, np.arange(rows.size), rows.size)
        return np.asarray(np.minimum.reduceat(places, self.begins))
