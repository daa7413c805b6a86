"""Balanced paired differences after each of many looks at once: for simulated rankings.

The sums are taken for all looks together; what follows from them is computed by the engine's own
`parts` and rule. tests/core/simulation/test_paired_histories.py compares them with `difference`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from estimation.core import PairState, Scale
from estimation.core.fit import Gram, Method, Moments, parts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Judged:
    """One system's judgments by ascending item, (T,) each: items from 0, without gaps, and people.

    metric: (N,) standardised, or None.
    """

    item: Ints
    person: Ints
    score: Floats
    metric: Floats | None


@dataclass(frozen=True, slots=True)
class _Looks:
    """size: (L,) the items of each look. of: (M,) the look of each item, M of all looks together.

    people: how many people there are at most.
    """

    size: Ints
    of: Ints
    people: int

    @property
    def first(self) -> Ints:
        """(L,) where the items of each look begin."""
        return np.cumsum(self.size) - self.size

    def sums(self, values: Floats) -> Floats:
        """(L,) the sums of (M,) values of items."""
        return np.asarray(np.bincount(self.of, values, self.size.size), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class _Side:
    """One system's judgments of all looks: (R,) their looks, items (of M) and people (by look)."""

    look: Ints
    item: Ints
    person: Ints
    score: Floats
    share: Floats  # 1 / k_i

    def by_item(self, values: Floats, size: int) -> Floats:
        return np.asarray(np.bincount(self.item, values, size), dtype=np.float64)

    def by_look(self, values: Floats, looks: _Looks) -> Floats:
        return np.asarray(np.bincount(self.look, values, looks.size.size), dtype=np.float64)


def paired_states(
    first: Judged,
    second: Judged,
    size: Ints,
    *,
    scale: Scale,
    n_population: int,
    balance: float,
    person_share: float,
) -> list[PairState]:
    """What is known of the pair after the first `size` items, for each of (L,) sizes."""
    people = 1 + int(max(first.person.max(), second.person.max()))
    looks = _Looks(size, np.repeat(np.arange(size.size), size), people)
    sides = _side(first, looks), _side(second, looks)
    found = parts(
        _moments(sides, (first.metric, second.metric), looks, balance),
        method=Method("balanced", balance=balance, person_share=person_share),
        scale=Scale(scale.low - scale.high, scale.high - scale.low, scale.bounded),
        n_units=n_population,
        form="balanced",
        ends=np.array([0.0, scale.low - scale.high, scale.high - scale.low, 0.0]),
    )
    error = np.sqrt(np.where(found.df > 0, found.variance, np.nan))
    return [
        PairState(float(centre), float(one) if np.isfinite(one) else None, int(n), float(a))
        for centre, one, n, a in zip(
            found.centre, error, size, found.effective_annotators, strict=True
        )
    ]


def _side(judged: Judged, looks: _Looks) -> _Side:
    rows = np.searchsorted(judged.item, looks.size)
    look = np.repeat(np.arange(rows.size), rows)
    row = np.arange(look.size) - (np.cumsum(rows) - rows)[look]
    item = looks.first[look] + judged.item[row]
    share = (1 / np.bincount(judged.item))[judged.item[row]]
    return _Side(look, item, look * looks.people + judged.person[row], judged.score[row], share)


def _moments(
    sides: tuple[_Side, _Side],
    metrics: tuple[Floats | None, Floats | None],
    looks: _Looks,
    balance: float,
) -> Moments:
    count = looks.of.size
    room = looks.size.size * looks.people
    one, other = (np.bincount(side.person, side.share, room) for side in sides)
    work = (one + other) / 2
    weight = [s.share / (1 + balance * work[s.person]) for s in sides]
    total = [s.by_item(w, count) for s, w in zip(sides, weight, strict=True)]
    mean = [s.by_item(w * s.score, count) / t for s, w, t in zip(sides, weight, total, strict=True)]
    of_item = (total[0] + total[1]) / looks.sums(total[0] + total[1])[looks.of]
    d = mean[0] - mean[1]
    taken = _taken(metrics, d, of_item, looks)
    net, used = [], []
    for s, w, t, m, sign, off in zip(sides, weight, total, mean, (1, -1), taken, strict=True):
        own = looks.sums(of_item * (m - sign * off))
        used.append(of_item[s.item] * w / t[s.item])
        net.append(sign * used[-1] * (s.score - sign * off[s.item] - own[s.look]))
    corrected = d - taken[0] - taken[1]
    return _assembled(sides, looks, of_item, d, corrected, net, used)


def _taken(
    metrics: tuple[Floats | None, Floats | None], d: Floats, weight: Floats, looks: _Looks
) -> tuple[Floats, Floats]:
    """(M,) what the metrics of the first system and of the second take off d: least squares."""
    if metrics[0] is None or metrics[1] is None:
        return np.zeros_like(d), np.zeros_like(d)
    item = np.arange(d.size) - looks.first[looks.of]
    x = [metrics[0][item], metrics[1][item]]
    about = [one - looks.sums(weight * one)[looks.of] for one in x]
    squares = np.array([[looks.sums(weight * p * q) for q in about] for p in about])
    along = np.array([looks.sums(weight * p * d) for p in about])
    slope = np.linalg.solve(np.moveaxis(squares, -1, 0), along.T[..., None])[..., 0]
    return slope[looks.of, 0] * x[0], slope[looks.of, 1] * x[1]


def _assembled(
    sides: tuple[_Side, _Side],
    looks: _Looks,
    weight: Floats,
    d: Floats,
    corrected: Floats,
    net: list[Floats],
    used: list[Floats],
) -> Moments:
    """The statistics; scores are not shifted."""
    n = looks.size.astype(np.float64)
    key = [s.item * looks.people + s.person % looks.people for s in sides]
    cell, place = np.unique(np.concatenate(key), return_inverse=True)
    look = looks.of[cell // looks.people]
    mean = looks.sums(weight * corrected)
    share = n[look] * np.bincount(place, np.concatenate(used) / 2)
    value = n[look] * np.bincount(place, np.concatenate(net)) + mean[look] * share
    person = look * looks.people + cell % looks.people
    room = n.size * looks.people
    work = np.bincount(person, share, room).reshape(n.size, -1)
    said = np.bincount(person, value, room).reshape(n.size, -1)
    plain = _gram(n, looks.sums(corrected), looks.sums(corrected**2))
    heavy = looks.sums((n[looks.of] * weight) ** 2)
    pairs = np.minimum(*(np.bincount(s.look, minlength=n.size) for s in sides)) - looks.size
    cells = np.bincount(look, share**2, n.size)
    noise = _noise(sides, looks, key, used, looks.sums(weight**2))
    return Moments(
        means=plain,
        judgments=plain,
        weighted=_gram(n, n * mean, n * looks.sums(weight * corrected**2)),
        items=_gram(
            heavy,
            looks.sums((n[looks.of] * weight) ** 2 * corrected),
            looks.sums((n[looks.of] * weight * corrected) ** 2),
        ),
        annotators=_gram((work**2).sum(axis=1), (work * said).sum(axis=1), (said**2).sum(axis=1)),
        cells=_gram(
            cells,
            np.bincount(look, share * value, n.size),
            np.bincount(look, value**2, n.size),
        ),
        cubes=(work**3).sum(axis=1),
        fourths=(work**4).sum(axis=1),
        within=np.where(pairs > 0, noise * heavy / cells * pairs, 0.0),
        replicates=pairs.astype(np.float64),
        score_variance=looks.sums(weight * (d - looks.sums(weight * d)[looks.of]) ** 2),
        n_annotators=(work > 0).sum(axis=1),
        n_units=n,
        grouped=False,
        shift=0.0,
    )


def _gram(one: NDArray[Any], crossed: NDArray[Any], squared: NDArray[Any]) -> Gram:
    """The sums of rows (one, 0, y)."""
    zero = np.zeros_like(one)
    return Gram(one, zero, crossed, zero, zero, squared)


def _noise(
    sides: tuple[_Side, _Side], looks: _Looks, key: list[Ints], used: list[Floats], squares: Floats
) -> Floats:
    """(L,) the variance of d_i about what all people would say of item i, averaged by W_i²."""
    own = np.zeros(looks.size.size)
    for s, w in zip(sides, used, strict=True):
        mean = s.by_item(s.share * s.score, looks.of.size)
        within = s.by_look((s.score - mean[s.item]) ** 2, looks)
        more = np.bincount(s.look, minlength=own.size) - looks.size
        own += within / np.maximum(more, 1) * s.by_look(w**2, looks)
    _, at_a, at_b = np.intersect1d(key[0], key[1], assume_unique=True, return_indices=True)
    item = sides[0].item[at_a]
    both = np.bincount(item, minlength=looks.of.size)
    about = [
        s.score[at] - (np.bincount(item, s.score[at], both.size) / np.maximum(both, 1))[item]
        for s, at in zip(sides, (at_a, at_b), strict=True)
    ]
    again = looks.sums(np.maximum(both - 1.0, 0.0))
    look = looks.of[item]
    covariance = np.bincount(look, about[0] * about[1], own.size) / np.maximum(again, 1)
    shared = covariance * np.bincount(look, used[0][at_a] * used[1][at_b], own.size)
    return np.asarray(np.maximum(0.0, (own - 2 * shared) / squares))
