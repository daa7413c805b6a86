"""A change of pace: far faster from some task on than in one's own tasks before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, owens_t, stdtr

from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from estimation.core import Floats, Ints

# People get quicker as they go on. By a power law with exponent .3, no fall in the first 25 tasks
# is larger.
PRACTICE = np.log(1.75)
LEAST = 4  # tasks before a change, and since
_LEAST_VARIANCE = 0.01  # of logarithms of times
_PRIOR = 8.0  # tasks for which the usual spread of a person's times counts


@dataclass(frozen=True, eq=False)
class PaceChange:
    """Where each person's times fall the most; (A,) each.

    evidence: -log10 of the probability of such a fall of somebody who gets quicker with practice
        alone; 0 unless the times since are also below reading, and a small part of the others'.
    rows: (T,) the tasks since. before, since: the geometric means of their seconds. Nobody without
        evidence has any.
    """

    evidence: Floats
    rows: Mask
    before: Floats
    since: Floats


def change(columns: Columns, rows: Mask, needed: Floats, most: Floats) -> PaceChange:
    """Find the change of pace among some tasks.

    rows: (T,) those. needed: (T,) the seconds that reading takes. most: (A,) the seconds that a
    fall must end below.
    """
    people, logs = columns.people.size, _logs(columns.seconds)
    pace = logs - np.log(needed)
    tasks = _Tasks.of(columns, rows & _some(columns, rows & (pace < 0)), logs, pace)
    near = tasks.near(most)
    sizes = tasks.falls(near, _usual_variance(columns.who[rows], pace[rows]))
    largest = _largest(sizes, tasks.who[near], people)
    some = largest >= 0
    evidence, said = np.zeros(people), np.full((2, people), np.nan)
    evidence[some] = _evidence(sizes[largest[some]], tasks.n[some])
    found, first = evidence > 0, np.full(people, rows.size)
    first[found] = near[largest[found]]
    said[:, found] = np.exp(tasks.own[:, first[found]])
    after = np.zeros(rows.size, dtype=bool)
    after[tasks.at] = np.arange(tasks.at.size) >= first[tasks.who]
    return PaceChange(evidence, after, *said)


def _some(columns: Columns, rows: Mask) -> Mask:
    """Return (T,) whose judgments have any of these rows; most people never are below reading."""
    return np.asarray((np.bincount(columns.who, rows, columns.people.size) > 0)[columns.who])


@dataclass(frozen=True, eq=False)
class _Tasks:
    """Tasks of some people, person by person in order; (S,) each.

    at: which judgments. who: whose. n: (A,) how many each person has. before, since: how many of
    the person's came before this one, and how many from it on. own, pace: (2, S) the means of
    logarithms before and since, of seconds and of seconds over those that reading takes.
    inside: the sum of squares of the pace about both means.
    """

    at: Ints
    who: Ints
    n: Ints
    before: Ints
    since: Ints
    own: Floats
    pace: Floats
    inside: Floats

    @classmethod
    def of(cls, columns: Columns, rows: Mask, logs: Floats, pace: Floats) -> _Tasks:
        at = columns.turns[rows[columns.turns]]
        who = columns.who[at]
        n = np.bincount(who, minlength=columns.people.size)
        before = np.arange(who.size) - (np.cumsum(n) - n)[who]
        since = n[who] - before
        own, mean = (_means(values[at], who, n, before) for values in (logs, pace))
        squares = np.bincount(who, pace[at] ** 2, n.size)[who]
        inside = squares - before * mean[0] ** 2 - since * mean[1] ** 2
        return cls(at, who, n, before, since, own, mean, np.maximum(inside, 0.0))

    def near(self, most: Floats) -> Ints:
        """Return (N,) at which tasks times may have fallen far enough; most: (A,) seconds."""
        long_ = (self.before >= LEAST) & (self.since >= LEAST)
        below = (self.pace[1] < 0) & (self.own[1] < np.log(np.maximum(most, 1e-9))[self.who])
        return np.flatnonzero(long_ & below)

    def falls(self, near: Ints, usual: float) -> Floats:
        """Return (N,) the t statistics; usual: the variance of times within people."""
        spread = (self.inside[near] + _PRIOR * usual) / (self.n[self.who[near]] - 2 + _PRIOR)
        error = np.sqrt(spread * (1 / self.before[near] + 1 / self.since[near]))
        return np.asarray((self.pace[0, near] - self.pace[1, near] - PRACTICE) / error)


def _evidence(falls: Floats, n: Ints) -> Floats:
    """Return (P,) -log10 of the probability of the largest t statistic of n (P,) tasks."""
    chance = _at_any(stdtr(n - 2 + _PRIOR, -falls), n)
    return np.asarray(np.maximum(-np.log10(np.maximum(chance, 1e-300)), 0.0))


def _at_any(chance: Floats, n: Ints) -> Floats:
    """Return (P,) the probability of a fall at any of n (P,) tasks, given that at one task.

    The falls at neighbouring tasks are of nearly the same times. Who has one at some task either
    has it at the first, or somewhere has none at a task and one at the next (Worsley 1982). Falls
    at k and k + 1 of n tasks correlate by √(k (n - k - 1) / ((k + 1) (n - k))). It is a bound for
    a known spread of normal times; for an estimated one it is simulated.
    """
    more = np.maximum(n - 2 * LEAST, 0)
    person = np.repeat(np.arange(n.size), more)
    k = np.arange(person.size) - np.repeat(np.cumsum(more) - more, more) + LEAST
    size = n[person]
    alike = np.sqrt(k * (size - k - 1) / ((k + 1) * (size - k)))
    begins = 2 * owens_t(-ndtri(chance)[person], np.sqrt((1 - alike) / (1 + alike)))
    return chance + np.bincount(person, begins, n.size)


def _means(values: Floats, who: Ints, n: Ints, before: Ints) -> Floats:
    """Return (2, S) the means of a person's values before each one, and from it on."""
    running = np.cumsum(values) - values
    sums = running - running[(np.cumsum(n) - n)[who]]
    rest = np.bincount(who, values, n.size)[who] - sums
    return np.stack([sums / np.maximum(before, 1), rest / (n[who] - before)])


def _usual_variance(who: Ints, pace: Floats) -> float:
    """Return the variance within people."""
    n = np.bincount(who)
    squares, total = np.bincount(who, pace**2), np.bincount(who, pace)
    apart = (squares - total**2 / np.maximum(n, 1)).sum()
    return max(float(apart / max(np.maximum(n - 1, 0).sum(), 1)), _LEAST_VARIANCE)


def _logs(seconds: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(seconds, 0.01)))


def _largest(values: Floats, who: Ints, people: int) -> Ints:
    """Return (A,) where each person's largest value (N,) is, -1 for people without any."""
    found = np.full(people, -1)
    order = np.argsort(values, kind="stable")
    found[who[order]] = order  # the last one assigned is the largest
    return found
