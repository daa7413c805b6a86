"""A change of pace: far faster from some task on than in one's own tasks before."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, owens_t, stdtr

from annotate.screening.base import Columns
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
    rows: (T,) the tasks since. before, since: the geometric means of their seconds.
    """

    evidence: Floats
    rows: NDArray[np.bool_]
    before: Floats
    since: Floats


def change(columns: Columns, rows: NDArray[np.bool_], needed: Floats, most: Floats) -> PaceChange:
    """Find the change of pace among some tasks.

    rows: (T,) those. needed: (T,) the seconds that reading takes. most: (A,) the seconds that a
    fall must end below.
    """
    people = columns.people.size
    evidence, after = np.zeros(people), np.zeros(rows.size, dtype=bool)
    said = np.full((2, people), np.nan)
    # Whose times are never below reading have no such fall; most people's are not.
    some = np.bincount(columns.who, rows & (columns.seconds < needed), people) > 0
    at = columns.turns[(rows & some[columns.who])[columns.turns]]
    who, n = columns.who[at], np.bincount(columns.who[at], minlength=people)
    seconds = _logs(columns.seconds[at])
    pace = seconds - np.log(needed[at])
    before = np.arange(who.size) - (np.cumsum(n) - n)[who]
    since = n[who] - before
    early, late = _means(pace, who, n, before)
    near = np.flatnonzero((late < 0) & (before >= LEAST) & (since >= LEAST))
    if not near.size:
        return PaceChange(evidence, after, *said)
    own_before, own_since = _means(seconds, who, n, before)
    near = near[own_since[near] < np.log(np.maximum(most, 1e-9))[who[near]]]
    if not near.size:
        return PaceChange(evidence, after, *said)
    inside = np.bincount(who, pace**2, people)[who] - before * early**2 - since * late**2
    usual = _usual_variance(columns.who[rows], _logs(columns.seconds[rows]) - np.log(needed[rows]))
    variance = (np.maximum(inside, 0.0) + _PRIOR * usual) / (n[who] - 2 + _PRIOR)
    error = np.sqrt(variance * (1 / np.maximum(before, 1) + 1 / since))
    t = (early[near] - late[near] - PRACTICE) / error[near]
    place = _largest(t, near, who, people)
    known = np.flatnonzero(place >= 0)
    best = place[known]
    fall = (early[best] - late[best] - PRACTICE) / error[best]
    chance = _at_any(stdtr(n[known] - 2 + _PRIOR, -fall), n[known])
    evidence[known] = np.maximum(-np.log10(np.maximum(chance, 1e-300)), 0.0)
    said[:, known] = np.exp([own_before[best], own_since[best]])
    after[at] = (place[who] >= 0) & (np.arange(who.size) >= place[who])
    return PaceChange(evidence, after, *said)


def _at_any(chance: Floats, n: Ints) -> Floats:
    """Return (P,) the probability of a fall at any of n (P,) tasks, given that at one task.

    The falls at neighbouring tasks are of nearly the same times. Who has one at some task either
    has it at the first, or somewhere has none at a task and one at the next (Worsley 1982). Falls
    at k and k + 1 of n tasks correlate by √(k (n - k - 1) / ((k + 1) (n - k))).
    """
    more = np.maximum(n - 2 * LEAST, 0)
    person = np.repeat(np.arange(n.size), more)
    k = np.arange(person.size) - np.repeat(np.cumsum(more) - more, more) + LEAST
    size = n[person]
    alike = np.sqrt(k * (size - k - 1) / ((k + 1) * (size - k)))
    begins = 2 * owens_t(-ndtri(chance)[person], np.sqrt((1 - alike) / (1 + alike)))
    return chance + np.bincount(person, begins, n.size)


def _means(values: Floats, who: Ints, n: Ints, before: Ints) -> tuple[Floats, Floats]:
    """Return (T,) the means of a person's values before each one, and from it on."""
    running = np.cumsum(values) - values
    sums = running - running[(np.cumsum(n) - n)[who]]
    rest = np.bincount(who, values, n.size)[who] - sums
    return sums / np.maximum(before, 1), rest / (n[who] - before)


def _usual_variance(who: Ints, pace: Floats) -> float:
    """Return the variance within people."""
    n = np.bincount(who)
    squares, total = np.bincount(who, pace**2), np.bincount(who, pace)
    apart = (squares - total**2 / np.maximum(n, 1)).sum()
    return max(float(apart / max(np.maximum(n - 1, 0).sum(), 1)), _LEAST_VARIANCE)


def _logs(seconds: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(seconds, 0.01)))


def _largest(values: Floats, places: Ints, who: Ints, people: int) -> Ints:
    """Return (A,) the place of each person's largest value, -1 for people without any."""
    found = np.full(people, -1)
    order = places[np.argsort(values, kind="stable")]
    found[who[order]] = order  # the last one assigned is the largest
    return found
