"""The answers of honest people like a campaign's: a latent normal scale under every question.

A latent answer is the sum of what the output, the person and chance contribute. Questions go
together as they do in the campaign. Shares are moments of standardised ranks, corrected for the few
levels of an answer, and shrunk towards usual ones where data are few.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

from annotate.screening.base import Columns
from annotate.screening.grouping import products
from estimation.core import Floats, Ints, distinct

ITEM, PERSON = 0.3, 0.12  # usual shares of the latent variance
WEIGHT = 60.0  # pairs of judgments, and 20 people, weigh as much as the usual shares
LEAST_PERSON, MOST = 0.06, 0.9


@dataclass(frozen=True, eq=False)
class LatentQuestion:
    """One kind of question: its levels, the latent values between them, and its variance shares."""

    levels: Floats
    cuts: Floats
    item: float
    person: float


@dataclass(frozen=True, eq=False)
class Contributions:
    """(T, C) each: what the output, the person and chance contribute; mean 0, variance 1."""

    item: Floats
    person: Floats
    rest: Floats


@dataclass(frozen=True, eq=False)
class Answering:
    """kinds: by the number in `Columns.kinds`. mixing: (C, C) a root of the correlations."""

    kinds: dict[int, LatentQuestion]
    mixing: Floats

    @classmethod
    def fitted(cls, columns: Columns, usable: NDArray[np.bool_], belief: Floats) -> Answering:
        """Return the model of the usable people's judgments; usable: (A,).

        belief: (T,) how far each judgment is of somebody careful, below 0 if it is upside down.
        """
        rows = usable[columns.who]
        answers, who = columns.answers[rows], columns.who[rows]
        output = columns.output[rows]
        z = np.full(answers.shape, np.nan)
        attenuation = np.ones(answers.shape[1])
        kinds = {}
        for kind in distinct(columns.kinds).tolist():
            at = columns.kinds == kind
            z[:, at], attenuation[at], levels, cuts = _standardised(answers[:, at])
            fade = float(attenuation[at][0])
            item = _item_share(z[:, at], output, belief[rows]) / fade
            person = _person_share(z[:, at], who, columns.people.size) / fade
            item, person = _together(item, person)
            kinds[kind] = LatentQuestion(levels, cuts, item, person)
        return cls(kinds, _mixing(z, attenuation, columns.kinds))

    def reasons(self, columns: Columns, rng: Generator) -> Contributions:
        """Return new reasons for answers to the same questions."""
        output = np.unique(columns.output, return_inverse=True)[1]
        size = (int(output.max(initial=-1)) + 1, columns.people.size, output.size)
        item, person, rest = (
            rng.standard_normal((n, len(columns.kinds))) @ self.mixing.T for n in size
        )
        return Contributions(item[output], person[columns.who], rest)

    def careful(self, reasons: Contributions, look: Floats, rng: Generator) -> Contributions:
        """Return the reasons of the same people if they had looked; look: (T,), as in `answers`.

        Who does not look says nothing of what they would have said, and who answers upside down
        says the opposite.
        """
        same = np.clip(look, -1, 1)[:, None]
        rest = rng.standard_normal(reasons.rest.shape) @ self.mixing.T
        return replace(reasons, rest=same * reasons.rest + np.sqrt(1 - same**2) * rest)

    def answers(self, columns: Columns, reasons: Contributions, look: Floats) -> Floats:
        """Return (T, C) answers for these reasons; paragraphs end where they end.

        look: (T,) 1 of people who look at the output as usual, more if they look better, 0 if they
        do not, and below 0 of people who answer upside down.
        """
        found = np.empty(reasons.rest.shape)
        for column, kind in enumerate(columns.kinds.tolist()):
            own = self.kinds[kind]
            most = np.sqrt(1 - own.person)
            follows = np.clip(np.sqrt(own.item) * look, -most, most)
            latent = follows * reasons.item[:, column]
            latent += np.sqrt(own.person) * reasons.person[:, column]
            latent += np.sqrt(np.maximum(1 - own.person - follows**2, 0)) * reasons.rest[:, column]
            found[:, column] = own.levels[np.searchsorted(own.cuts, latent)]
        return found


def _standardised(block: Floats) -> tuple[Floats, float, Floats, Floats]:
    """Return z, how far few levels fade its correlations, the levels, and the cuts between them."""
    there = np.isfinite(block)
    levels, which, n = np.unique(block[there], return_inverse=True, return_counts=True)
    z = np.full(block.shape, np.nan)
    if levels.size < 2:
        z[there] = 0.0
        return z, 1.0, levels if levels.size else np.zeros(1), np.empty(0)
    rank = (np.cumsum(n) - (n - 1) / 2)[which]
    z[there] = (rank - rank.mean()) / rank.std()
    share = n / n.sum()
    cuts = ndtri(np.cumsum(share)[:-1])
    density = np.r_[0, np.exp(-(cuts**2) / 2) / np.sqrt(2 * np.pi), 0]
    score = np.zeros(levels.size)
    score[which] = z[there]
    return z, float(np.clip((score @ -np.diff(density)) ** 2, 0.2, 1.0)), levels, cuts


def _item_share(z: Floats, output: Ints, belief: Floats) -> float:
    """Return the correlation of two careful people's answers on one output, nearer the usual one.

    Two people agree as far as both are believed: those who do not look would make the honest
    people that are simulated disagree as much as the campaign does.
    """
    place = np.unique(output, return_inverse=True)[1]
    product = pairs = 0.0
    for column in z.T:
        said, weight = belief * np.nan_to_num(column), belief**2 * np.isfinite(column)
        product += products(said, place)
        pairs += products(weight, place)
    return float(np.clip((product + ITEM * WEIGHT) / (pairs + WEIGHT), 0.02, MOST))


def _person_share(z: Floats, who: Ints, people: int) -> float:
    """Return the correlation of a person's answers on two outputs, shrunk, and rather too large."""
    filled, there = np.nan_to_num(z), np.isfinite(z).astype(np.float64)
    product, pairs = np.zeros(people), np.zeros(people)
    for column, known in zip(filled.T, there.T, strict=True):
        total, n = np.bincount(who, column, people), np.bincount(who, known, people)
        product += total**2 - np.bincount(who, column**2, people)
        pairs += n * (n - 1)
    whole = max(float(pairs.sum()), 1.0)
    share = float(product.sum()) / whole
    error = float(np.sqrt(((product - share * pairs) ** 2).sum())) / whole
    active = int((pairs > 0).sum())
    near = (active * (share + error) + 20 * PERSON) / (active + 20)
    return float(np.clip(near, LEAST_PERSON, MOST))


def _together(item: float, person: float) -> tuple[float, float]:
    """Return both shares, with a little left for chance."""
    shrink = min(1.0, 0.95 / (item + person))
    return item * shrink, person * shrink


def _mixing(z: Floats, attenuation: Floats, kinds: Ints) -> Floats:
    """Return a root of the correlations of the questions; paragraphs are correlated alike."""
    filled, there = np.nan_to_num(z), np.isfinite(z).astype(np.float64)
    both = there.T @ there
    found = (filled.T @ filled) / (both + WEIGHT)
    found /= np.sqrt(np.outer(attenuation, attenuation))
    for one in distinct(kinds):
        for other in distinct(kinds):
            block = np.ix_(kinds == one, kinds == other)
            weight = both[block] * (~np.eye(len(kinds), dtype=bool))[block]
            if weight.sum() > 0:
                found[block] = (found[block] * weight).sum() / weight.sum()
    found = np.clip(found, -0.95, 0.95)
    np.fill_diagonal(found, 1.0)
    values, vectors = np.linalg.eigh(found)
    root = vectors * np.sqrt(np.maximum(values, 1e-6))
    return np.asarray(root / np.sqrt((root**2).sum(axis=1, keepdims=True)))
