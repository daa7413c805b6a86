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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from annotate.screening.agreement.apart import apart
from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from estimation.core import Floats, Ints

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
    """The judgments of outputs that several people judged.

    rows: (S,) which judgments. who, text: (S,). z: (D, S) what each says, 0 where nothing. there:
    (D, S) whether it says something, None if always. kinds: (D,) which directions are alike.
    turning: (D,) which say the opposite when answers are upside down.
    """

    rows: Ints
    who: Ints
    text: Ints
    z: Floats
    there: Mask | None
    kinds: Ints
    turning: Mask

    @classmethod
    def of(cls, columns: Columns, yardstick: Mask | None = None) -> SameOutputs:
        said, text = apart(columns, yardstick), columns.text
        rows = np.flatnonzero((np.bincount(text) > 1)[text])
        there = None if said.there is None else said.there[:, rows]
        who, text, z = columns.who[rows], text[rows], said.filled[:, rows]
        return cls(rows, who, text, z, there, said.kinds, said.turning)

    def of_others(self, values: Floats) -> Floats:
        """Return (S,) the sums over all other judgments of the same output."""
        return np.asarray(np.bincount(self.text, values)[self.text] - values)

    def of_people(self, values: Floats, people: int) -> Floats:
        return np.asarray(np.bincount(self.who, values, people))


@dataclass(frozen=True, eq=False)
class _Others:
    """What the others say in one direction; (S,) each.

    own: how far the judgment counts, below 0 if upside down. total: the sum of z of the others,
    each as far as it counts.
    square, fourth: the sums of the squares and fourth powers of how far; 0 where nothing is said.
    """

    own: Floats
    total: Floats
    square: Floats
    fourth: Floats


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
    others = list(_others(same, belief))
    agreement = _agreement(same, others, cautious=cautious)
    unseen, mirrored, x, v, rest, expected = np.zeros((6, belief.size))
    shared = np.zeros(belief.size, dtype=bool)
    for z, other, share, turns in zip(same.z, others, agreement, same.turning, strict=True):
        spread = other.square + share * (other.square**2 - other.fourth)
        factor = share * other.square / np.where(spread > 0, spread, 1.0)
        guess, explained = factor * other.total, share * other.square * factor
        left = np.maximum(1 - explained, _LEAST_LEFT)
        product, square = z * guess, guess**2
        unseen += (square + z**2 * explained - 2 * product) / (2 * left) + np.log(left) / 2
        mirrored -= 2 * product / left if turns else 0.0
        rest += (np.sign(other.own) * product - square) / left
        expected += square / left
        x += product
        v += square
        shared |= other.square > 0
    more = _overdispersion(rest, expected, belief)
    return Ratios(unseen / more, mirrored / more, x, v, shared)


def _others(same: SameOutputs, belief: Floats) -> Iterator[_Others]:
    """Yield what the others say in each direction; where all is said, powers are once for all.

    Where there is no other side, who answers upside down counts like somebody careful.
    """
    counts = {True: belief, False: np.abs(belief)}
    powers: dict[bool, list[Floats]] = {}
    for direction, (z, turns) in enumerate(zip(same.z, same.turning.tolist(), strict=True)):
        there = None if same.there is None else same.there[direction]
        own = counts[turns] if there is None else counts[turns] * there
        if turns not in powers or there is not None:
            powers[turns] = [same.of_others(own**2), same.of_others(own**4)]
        square, fourth = powers[turns] if there is None else (p * there for p in powers[turns])
        yield _Others(own, same.of_others(own * z), square, fourth)


def _agreement(same: SameOutputs, others: list[_Others], *, cautious: bool) -> Floats:
    """Return (D,) the correlation of two careful people's answers, by kind of direction."""
    found = np.zeros(same.kinds.size)
    for kind in np.unique(same.kinds):
        at = np.flatnonzero(same.kinds == kind)
        product, weight = np.zeros((2, same.who.size))
        for direction in at.tolist():
            other = others[direction]
            product += other.own * same.z[direction] * other.total
            weight += other.own**2 * other.square
        whole = float(weight.sum())
        if whole > 0:
            residual = product - product.sum() / whole * weight
            error = np.sqrt(residual @ residual) / whole if cautious else 0.0
            near = product.sum() / (whole + _UNRELATED * at.size)
            found[at] = np.clip(near - error, 0.0, _MOST)
    return found


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
    return np.asarray(softmax(logarithms + np.log(shares)[:, None], axis=0))


def careless(unseen: Floats, mirrored: Floats) -> Floats:
    """Return the natural logarithm of how much likelier one of both is than somebody careful."""
    return np.asarray(
        np.logaddexp(unseen + np.log(1 - UPSIDE_DOWN), mirrored + np.log(UPSIDE_DOWN))
    )
