"""How likely answers are of somebody who does not look, or answers upside down.

Both are compared with careful people, in a normal model: two careful people's answers to one output
are correlated, in each direction by itself (`apart`). Answers without a look are related to
nobody's, and answers upside down are related to them as much, in the other direction. Whom a person
is compared with is believed as far as they themselves look careful on all other outputs; that is
the step of Dawid and Skene (1979) with two errors in place of a table of errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from annotate.screening.agreement.apart import apart
from annotate.screening.base import Columns
from annotate.screening.crowd import Mask
from estimation.core import Floats, Ints

ROUNDS = 6  # how often people are believed anew
# Of careless people, the share that is taken to answer upside down, and how likely somebody is
# careless before they are compared.
UPSIDE_DOWN, CARELESS = 0.3, 0.5
# The weight of "unrelated" beside the campaign's own agreement, in comparisons.
_UNRELATED = 60.0
_LEAST_LEFT = 0.1  # of the variance, which no other answer explains
_MOST = 0.9  # of the variance, which careful people can have in common
_FAR = 50.0  # logarithms of odds beyond which nothing changes


@dataclass(frozen=True, eq=False)
class SameOutputs:
    """The judgments of outputs that several people judged.

    rows: (S,) which judgments. who, text: (S,). z: (D, S) what each says, 0 where nothing. there:
    (D, S) whether it says something, None if always. kinds: (D,) which directions are alike.
    """

    rows: Ints
    who: Ints
    text: Ints
    z: Floats
    there: Mask | None
    kinds: Ints

    @classmethod
    def of(cls, columns: Columns) -> SameOutputs:
        said, text = apart(columns), columns.text
        rows = np.flatnonzero((np.bincount(text) > 1)[text])
        there = None if said.there is None else said.there[:, rows]
        return cls(rows, columns.who[rows], text[rows], said.filled[:, rows], there, said.kinds)

    def of_others(self, values: Floats) -> Floats:
        """Return (S,) the sums over all other judgments of the same output."""
        return np.asarray(np.bincount(self.text, values)[self.text] - values)

    def of_people(self, values: Floats, people: int) -> Floats:
        return np.asarray(np.bincount(self.who, values, people))


@dataclass(frozen=True, eq=False)
class _Others:
    """What the others say in one direction; (S,) each.

    own: how far the judgment counts. total: the sum of z of the others, each as far as it counts.
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
    """Compare each judgment with what the others say; belief: (S,) how far each counts.

    The guess is the best linear one (BLUP) from the others' answers: they are correlated with one's
    own, and with each other, as far as they are believed. cautious: take the agreement to be one
    standard error lower. A campaign that has just begun does not show it well, and where it is
    taken for high, careful people soon look careless.
    """
    others = list(_others(same, belief))
    agreement = _agreement(same, others, cautious=cautious)
    unseen, mirrored, x, v, rest, expected = np.zeros((6, belief.size))
    shared = np.zeros(belief.size, dtype=bool)
    for z, other, share in zip(same.z, others, agreement, strict=True):
        spread = other.square + share * (other.square**2 - other.fourth)
        factor = share * other.square / np.where(spread > 0, spread, 1.0)
        guess, explained = factor * other.total, share * other.square * factor
        left = np.maximum(1 - explained, _LEAST_LEFT)
        product, square = z * guess, guess**2
        mirrored -= 2 * product / left
        unseen += (square + z**2 * explained - 2 * product) / (2 * left) + np.log(left) / 2
        rest += (product - square) / left
        expected += square / left
        x += product
        v += square
        shared |= other.square > 0
    more = _overdispersion(rest, expected, belief)
    return Ratios(unseen / more, mirrored / more, x, v, shared)


def _others(same: SameOutputs, belief: Floats) -> Iterator[_Others]:
    """Yield what the others say in each direction; where all is said, powers are once for all."""
    powers = None
    for direction, z in enumerate(same.z):
        there = None if same.there is None else same.there[direction]
        own = belief if there is None else belief * there
        if powers is None or there is not None:
            powers = [same.of_others(own**2), same.of_others(own**4)]
        square, fourth = powers if there is None else (power * there for power in powers)
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


def believed(same: SameOutputs, yardstick: Mask) -> Floats:
    """Return (S,) how far each judgment counts: how likely its person is careful, by all others.

    So nobody is believed, or not, for what they say of the very output that is compared. Who is no
    yardstick (A,) counts nothing.
    """
    count = yardstick[same.who].astype(np.float64)
    belief = count
    for _ in range(ROUNDS):
        found = ratios(same, belief)
        without = (
            same.of_people(part, yardstick.size)[same.who] - part
            for part in (found.unseen, found.mirrored)
        )
        odds = CARELESS / (1 - CARELESS) * np.exp(np.clip(careless(*without), -_FAR, _FAR))
        belief = count / (1 + odds)
    return belief


def careless(unseen: Floats, mirrored: Floats) -> Floats:
    """Return the natural logarithm of how much likelier one of both is than somebody careful."""
    return np.asarray(
        np.logaddexp(unseen + np.log(1 - UPSIDE_DOWN), mirrored + np.log(UPSIDE_DOWN))
    )
