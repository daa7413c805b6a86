"""How likely answers are of somebody who does not look, or answers upside down.

Both are compared with careful people, in a normal model: two careful people's answers to one output
are correlated, in each direction by itself (`apart`). Answers without a look are related to
nobody's, and answers upside down are related to them as much, in the other direction. The people
whom somebody is compared with may be careless too. All other outputs say how likely that is: their
answers count as far as they are careful, and the other way round as far as they are upside down.
How many people are of which kind is learned from all of them. That is the model of Dawid and Skene
(1979) with three kinds of people in place of a table of errors for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotate.screening.agreement.apart import Apart, apart
from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from annotate.screening.grouping import in_company
from estimation.core import Floats, Ints, numbered

ROUNDS = 6  # how often people are believed anew
# The shares of people who are careful, do not look, and answer upside down, before anybody is
# compared, and their weight in people.
KINDS, FIRST = (0.8, 0.14, 0.06), 20.0
UPSIDE_DOWN = KINDS[2] / (KINDS[1] + KINDS[2])  # of careless people
_TURNS = 3  # how often the shares are learned anew in a round
# The weight of "unrelated" beside the campaign's own agreement, in comparisons.
_UNRELATED = 60.0
_LEAST_LEFT = 0.1  # of the variance, which no other answer explains
_MOST = 0.9  # of the variance, which careful people can have in common


@dataclass(frozen=True, eq=False)
class SameOutputs:
    """What S judgments of outputs that several people judged say in each direction.

    rows: (S,) which judgments. who: (S,) whose.
    judgment: (E,) which of the S says something in a direction in which somebody else does so of
        the same output. group: (E,) output and direction. z: (E,) what it says.
    kind: (E,) which directions are alike, 0 to K - 1. turning: (E,) whether it is the opposite when
        answers are upside down. directions: (K,) how many are alike.
    """

    rows: Ints
    who: Ints
    judgment: Ints
    group: Ints
    z: Floats
    kind: Ints
    turning: Mask
    directions: Ints

    @classmethod
    def of(cls, columns: Columns, yardstick: Mask | None = None) -> SameOutputs:
        rows = np.flatnonzero(in_company(columns.text))
        return cls.said(columns.who, columns.text, apart(columns, yardstick), rows)

    @classmethod
    def said(cls, who: Ints, text: Ints, said: Apart, rows: Ints) -> SameOutputs:
        """Take some judgments; who, text: (T,) of all."""
        direction, judgment = np.nonzero(np.isfinite(said.z[rows]).T)
        group = numbered(text[rows[judgment]] * said.kinds.size + direction)
        more = np.flatnonzero(in_company(group))
        judgment, direction = judgment[more], direction[more]
        return cls(
            rows,
            who[rows],
            judgment,
            group[more],
            said.z[rows[judgment], direction],
            said.kinds[direction],
            said.turning[direction],
            np.bincount(said.kinds),
        )

    def of_others(self, values: Floats) -> Floats:
        """Return (E,) the sums of all others' values (E,) in a direction of the same output."""
        return np.asarray(np.bincount(self.group, values)[self.group] - values)

    def of_judgments(self, values: Floats) -> Floats:
        """Return (S,) the sums of values (E,) over the directions."""
        return np.asarray(np.bincount(self.judgment, values, self.who.size))

    def of_people(self, values: Floats, people: int) -> Floats:
        """Return (people,) the sums of values (S,)."""
        return np.asarray(np.bincount(self.who, values, people))


@dataclass(frozen=True, eq=False)
class _Others:
    """What the others say in a direction; (E,) each.

    own: how far the judgment counts, below 0 if upside down. total: the sum of z of the others,
    each as far as it counts. square, fourth: the sums of the squares and fourth powers of how far.
    """

    own: Floats
    total: Floats
    square: Floats
    fourth: Floats

    @classmethod
    def of(cls, same: SameOutputs, belief: Floats) -> _Others:
        """Return what is said by others who are believed so far (S,).

        Where there is no other side, who answers upside down counts like somebody careful.
        """
        own = belief[same.judgment]
        own = np.where(same.turning, own, np.abs(own))
        square = own**2
        sums = (same.of_others(each) for each in (own * same.z, square, square**2))
        return cls(own, *sums)


@dataclass(frozen=True, eq=False)
class Ratios:
    """What each judgment says of its person; (S,) each.

    unseen, mirrored: natural logarithms of how much likelier it is of somebody who does not look,
        and of somebody who answers upside down, than of somebody careful.
    x, v: the sums over the directions of z · guess and guess², where the guess is what the others
        say. shared: whether somebody who is believed judged the same.
    """

    unseen: Floats
    mirrored: Floats
    x: Floats
    v: Floats
    shared: Mask


def ratios(same: SameOutputs, belief: Floats, *, cautious: bool = False) -> Ratios:
    """Compare each judgment with what the others say; belief: (S,) how far each counts, -1 to 1.

    The guess is the best linear one (BLUP) from the others' answers: they are correlated with one's
    own, and with each other, as far as they are believed. cautious: take the agreement to be one
    standard error lower. A campaign that has just begun does not show it well, and where it is
    taken for high, careful people soon look careless.
    """
    other = _Others.of(same, belief)
    share = _agreement(same, other, cautious=cautious)[same.kind]
    spread = other.square + share * (other.square**2 - other.fourth)
    factor = share * other.square / np.where(spread > 0, spread, 1.0)
    guess, explained = factor * other.total, share * other.square * factor
    left = np.maximum(1 - explained, _LEAST_LEFT)
    product, square = same.z * guess, guess**2
    odds = (square + same.z**2 * explained - 2 * product) / (2 * left) + np.log(left) / 2
    rest = same.of_judgments((np.sign(other.own) * product - square) / left)
    more = _overdispersion(rest, same.of_judgments(square / left), belief)
    return Ratios(
        same.of_judgments(odds) / more,
        same.of_judgments(np.where(same.turning, -2 * product / left, 0.0)) / more,
        same.of_judgments(product),
        same.of_judgments(square),
        same.of_judgments(other.square) > 0,
    )


def _agreement(same: SameOutputs, other: _Others, *, cautious: bool) -> Floats:
    """Return (K,) the correlation of two careful people's answers, by kind of direction."""
    kinds = same.directions.size
    judgments = same.who.size
    at = same.kind * judgments + same.judgment
    product, weight = (
        np.bincount(at, other.own * part, kinds * judgments).reshape(kinds, judgments)
        for part in (same.z * other.total, other.own * other.square)
    )
    whole, found = weight.sum(axis=1), product.sum(axis=1)
    known = np.where(whole > 0, whole, 1.0)
    error: float | Floats = 0.0
    if cautious:
        residual = product - (found / known)[:, None] * weight
        error = np.sqrt((residual**2).sum(axis=1)) / known
    near = found / (known + _UNRELATED * same.directions)
    return np.asarray(np.where(whole > 0, np.clip(near - error, 0.0, _MOST), 0.0))


def _overdispersion(rest: Floats, expected: Floats, belief: Floats) -> float:
    """Return how many times the expected variance the sum over the directions has, at least 1.

    Directions are not unrelated in all respects: who misreads a text does so in many of them.
    """
    weight = belief**2
    return max(1.0, float(rest**2 @ weight) / max(float(expected @ weight), 1e-12))


@dataclass(frozen=True, eq=False)
class Believed:
    """counted: (S,) how far each judgment counts, -1 to 1. shares: (3,) of the kinds of people."""

    counted: Floats
    shares: Floats


def believed(same: SameOutputs, yardstick: Mask) -> Believed:
    """Return how far each judgment counts: how likely it is careful, less upside down.

    It is how likely that is of the person by all *other* outputs, so nobody is believed, or not,
    for what they say of the very output that is compared. Who is no yardstick (A,) counts nothing.
    """
    count = yardstick[same.who].astype(np.float64)
    compared = yardstick & (same.of_people(count, yardstick.size) > 0)
    belief, shares = count, np.array(KINDS)
    for _ in range(ROUNDS):
        found = ratios(same, belief)
        each = np.stack([np.zeros_like(count), found.unseen, found.mirrored])
        people = np.stack([same.of_people(kind, yardstick.size) for kind in each])
        shares = _shares(people[:, compared])
        careful, _unseen, mirrored = _likely(people[:, same.who] - each, shares)
        belief = count * (careful - mirrored)
    return Believed(belief, shares)


def _shares(people: Floats) -> Floats:
    """Return (3,) the shares of the kinds; people: (3, A) logarithms of how likely each is one."""
    shares = np.array(KINDS)
    for _ in range(_TURNS):
        seen = _likely(people, shares).sum(axis=1) + FIRST * np.array(KINDS)
        shares = seen / seen.sum()
    return shares


def _likely(logarithms: Floats, shares: Floats) -> Floats:
    """Return (3, N) the probabilities of the kinds, by what speaks for each and their shares."""
    each = logarithms + np.log(shares)[:, None]
    return np.asarray(np.exp(each - np.logaddexp.reduce(each, axis=0)))


def careless(unseen: Floats, mirrored: Floats) -> Floats:
    """Return the natural logarithm of how much likelier one of both is than somebody careful."""
    return np.asarray(
        np.logaddexp(unseen + np.log(1 - UPSIDE_DOWN), mirrored + np.log(UPSIDE_DOWN))
    )
