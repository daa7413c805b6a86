"""A change of pace: far faster from some task on than in one's own tasks before."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from annotate.screening.base import Columns
from estimation.core import Floats, Ints

PRACTICE = np.log(2)  # people get quicker as they go on, but hardly twice as quick
LEAST = 4  # tasks before a change, and since
_LEAST_VARIANCE = 0.01  # of logarithms of times
_PRIOR = 8.0  # tasks for which the usual spread of a person's times counts


@dataclass(frozen=True, eq=False)
class PaceChange:
    """Where each person's times fall the most; (A,) each.

    evidence: -log10 of the probability of such a fall of somebody who gets no more than twice as
        quick; 0 unless the times since are also below reading, and a small part of the others'.
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
    at = columns.turns[rows[columns.turns]]
    who, n = columns.who[at], np.bincount(columns.who[at], minlength=people)
    seconds = np.log(np.maximum(columns.seconds[at], 0.01))
    pace = seconds - np.log(needed[at])
    before = np.arange(who.size) - (np.cumsum(n) - n)[who]
    since = n[who] - before
    early, late = _means(pace, who, n, before)
    early_seconds, late_seconds = _means(seconds, who, n, before)
    squares = np.bincount(who, pace**2, people)
    inside = squares[who] - before * early**2 - since * late**2
    error = np.sqrt(
        _variance(inside, squares, pace, who, n) * (1 / np.maximum(before, 1) + 1 / since)
    )
    far = np.log(np.maximum(most, 1e-9))
    there = (before >= LEAST) & (since >= LEAST) & (late < 0) & (late_seconds < far[who])
    t = np.where(there, (early - late - PRACTICE) / error, -np.inf)
    place = _largest(t, who, people)
    known = np.flatnonzero(place >= 0)
    best = place[known]
    chance = stdtr(n[known] - 2 + _PRIOR, -t[best]) * (n[known] - 2 * LEAST + 1)
    evidence = np.zeros(people)
    evidence[known] = np.maximum(-np.log10(np.maximum(chance, 1e-300)), 0.0)
    said = np.full((2, people), np.nan)
    said[:, known] = np.exp([early_seconds[best], late_seconds[best]])
    after = np.zeros(rows.size, dtype=bool)
    after[at] = (place[who] >= 0) & (np.arange(who.size) >= place[who])
    return PaceChange(evidence, after, *said)


def _means(values: Floats, who: Ints, n: Ints, before: Ints) -> tuple[Floats, Floats]:
    """Return (T,) the means of a person's values before each one, and from it on."""
    running = np.cumsum(values) - values
    sums = running - running[(np.cumsum(n) - n)[who]]
    rest = np.bincount(who, values, n.size)[who] - sums
    return sums / np.maximum(before, 1), rest / (n[who] - before)


def _variance(inside: Floats, squares: Floats, pace: Floats, who: Ints, n: Ints) -> Floats:
    """Return (T,) the variance within both parts, moderated by the usual one within people."""
    apart = squares - np.bincount(who, pace, n.size) ** 2 / np.maximum(n, 1)
    usual = max(apart.sum() / max(float(np.maximum(n - 1, 0).sum()), 1.0), _LEAST_VARIANCE)
    return np.asarray((np.maximum(inside, 0.0) + _PRIOR * usual) / (n[who] - 2 + _PRIOR))


def _largest(values: Floats, who: Ints, people: int) -> Ints:
    """Return (A,) the place of each person's largest value, -1 where none is finite."""
    found = np.full(people, -1)
    there = np.flatnonzero(np.isfinite(values))
    order = there[np.argsort(values[there], kind="stable")]
    found[who[order]] = order  # the last one assigned is the largest
    return found
