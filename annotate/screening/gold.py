"""Gold: who misses more tasks with known answers than an honest person does.

It lists people for a reviewer. It pauses nobody.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext_lazy
from numpy.typing import ArrayLike
from scipy.special import bdtr

from annotate.common.numbers import count, percent
from annotate.screening.base import (
    LISTED,
    ForReviewers,
    ScreenAxis,
    Thresholds,
    Verdict,
    between,
)
from estimation.core import Floats, Ints

GOLD = "gold"  # its key among the screens, and the name of its group in the stored settings
ROUNDING = 1e-12


class KnownAnswers(Thresholds):
    """Who misses more gold items than people who work with care do is listed, and nobody is paused.

    slips: probability that somebody who works with care misses an item.
    level: one minus the share of people who work with care that are listed, at most. A lower level
        lists more people, with fewer misses.
    minimum: answers that are needed.
    doubtful: an item that more than this share of the others missed is not used against a person,
        once enough of them have answered it: it may be wrong, or too hard.
    others: answers of others from which on an item may be doubted.
    """

    slips: float = between(0.1, 0.001, 0.5)
    level: float = between(0.99, 0.9, 0.99999)
    minimum: int = between(3, 1, 100)
    doubtful: float = between(0.5, 0.1, 1)
    others: int = between(5, 1, 1000)


@dataclass(frozen=True, slots=True)
class GoldVerdict:
    """What gold items say about a person.

    answered: gold items that the person answered. used: those that are not in doubt.
    wrong: how many of the used ones were missed.
    by_honest: the probability that an honest person misses as many.
    by_guess: the same for somebody who chooses among the levels at random.
    """

    annotator: int
    answered: int
    used: int
    wrong: int
    by_honest: float
    by_guess: float
    listed: bool


def find(
    annotator: ArrayLike,
    item: ArrayLike,
    right: ArrayLike,
    chance: ArrayLike,
    own: KnownAnswers | None = None,
) -> list[GoldVerdict]:
    """Return a verdict on each annotator, ascending.

    annotator, item: (T,) labels. right: (T,) whether the answer is. chance: (T,) the probability
    that a guess is right.
    """
    limits = own or KnownAnswers()
    who, what = np.asarray(annotator, np.int64), np.asarray(item, np.int64)
    missed = ~np.asarray(right, bool)
    used = _trusted(what, missed, limits)
    people, place = np.unique(who, return_inverse=True)
    answered = np.bincount(place, minlength=people.size)
    n = np.bincount(place, used, people.size).astype(np.int64)
    wrong = np.bincount(place, used & missed, people.size).astype(np.int64)
    honest = at_least(wrong, n, limits.slips)
    chances = np.asarray(chance, np.float64)
    by_person = np.argsort(place[used], kind="stable")
    misses = np.split(1 - chances[used][by_person], np.cumsum(n)[:-1])
    guess = [_misses(each, int(k)) for each, k in zip(misses, wrong, strict=False)]
    listed = (n >= limits.minimum) & (wrong > 0) & (honest <= 1 - limits.level + ROUNDING)
    rows = zip(people, answered, n, wrong, honest, guess, listed, strict=True)
    return [
        GoldVerdict(int(a), int(b), int(c), int(d), float(e), float(f), bool(g))
        for a, b, c, d, e, f, g in rows
    ]


def as_verdict(found: GoldVerdict, own: KnownAnswers | None = None) -> Verdict:
    """Return what gold says in the form in which all screens flag; the value is a share."""
    limits = own or KnownAnswers()
    return Verdict(
        GOLD,
        found.annotator,
        found.listed,
        found.wrong / found.used if found.used else None,
        None,
        None,
        fewest(found.used, limits) / max(1, found.used),
        found.used,
        found.used >= limits.minimum,
        {"wrong": found.wrong, "by_honest": found.by_honest, "by_guess": found.by_guess},
        tier=LISTED if found.listed else "",
        evidence=-math.log10(max(found.by_honest, 1e-300)),
    )


def fewest(n: int, own: KnownAnswers) -> int:
    """Return how many misses of n used answers list somebody at least; n + 1 if none do."""
    counts = np.arange(1, n + 1)
    tails = at_least(counts, np.full(counts.shape, n), own.slips)
    enough = (tails <= 1 - own.level + ROUNDING) & (n >= own.minimum)
    return int(np.argmax(np.append(enough, True))) + 1


def at_least(wrong: Ints, n: Ints, slips: float) -> Floats:
    """Return the probability of `wrong` or more misses among n, each with probability `slips`."""
    most = np.maximum(np.asarray(wrong) - 1, 0)
    tail = 1 - bdtr(most.astype(np.float64), np.maximum(n, 1), slips)
    return np.where(np.asarray(wrong) > 0, tail, 1.0)


def _trusted(item: Ints, missed: Floats, limits: KnownAnswers) -> Floats:
    """Return (T,) whether too few *others* missed the same item to doubt it."""
    _items, place = np.unique(item, return_inverse=True)
    others = np.bincount(place)[place] - 1
    wrong = np.bincount(place, missed)[place] - missed
    doubted = (others >= limits.others) & (wrong > limits.doubtful * others)
    return np.asarray(~doubted)


def _misses(chances: Sequence[float] | Floats, wrong: int) -> float:
    """Return the probability of `wrong` or more misses with these different probabilities."""
    exactly = np.array([1.0])
    for one in chances:
        exactly = np.convolve(exactly, [1 - one, one])
    return float(exactly[wrong:].sum())


def _wrong(said: Verdict) -> int:
    return round(said.numbers.get("wrong") or 0)


def _limit(said: Verdict) -> str:
    honest = said.numbers.get("by_honest") or 0.0
    share = percent(honest, 1) if honest >= 0.001 else "under 0.1\u00a0%"
    return f"Of people who work with care, {share} miss as many."


FOR_REVIEWERS = ForReviewers(
    "Gold items",
    "tasks whose right answer is known",
    "tasks with a known answer missed",
    big=lambda said: f"{count(_wrong(said))} of {count(said.n)}",
    detail=lambda _said: "",
    limit=_limit,
    axis=lambda _values: ScreenAxis(0, 1, percent, flags_above=True),
)
NOTICED = gettext_lazy("wrong answers to tasks whose right answer is known")
