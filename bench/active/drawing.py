"""Campaigns whose items are drawn uniformly, or where the metric predicts a large spread.

Waves of 50 items. The first is uniform; in a later one an item's chance is in proportion to the
spread that a line in the metric and its square predicts, learnt from the waves before.
"""

from dataclasses import dataclass
from functools import cache
from math import sqrt

import numpy as np
from numpy.random import Generator

from bench.coverage.cells import Cell
from estimation.core import Floats, Ints
from estimation.core.simulation import Plan, draw, latent_share

WAVE = 50  # items
FLOOR = 0.4  # of the mean predicted spread
MOST = 700  # judgments, where the outputs would allow more


def _cells() -> tuple[Cell, ...]:
    kinds = (
        # scores, ρ, and the widths with people as released and .30, for N 1,500 and 300
        ("HTER", 0.3, (0.12, 0.24, 0.13, 0.25)),
        ("HTER", 0.5, (0.12, 0.24, 0.13, 0.25)),
        ("HTER", 0.0, (0.12, 0.24, 0.13, 0.25)),
        ("ternary", 0.5, (0.25, 0.30, 0.25, 0.36)),
    )
    return tuple(
        Cell(scores, 40, 1, width, rho=rho, person=person, outputs=outputs)
        for scores, rho, widths in kinds
        for width, (outputs, person) in zip(
            widths, ((1500, None), (1500, 0.30), (300, None), (300, 0.30)), strict=True
        )
    )


CELLS = _cells()


def plan_of(cell: Cell) -> Plan:
    """As the cell says; where people have .30 of HTER's variance, outputs have less."""
    released, person = cell.criterion, cell.person
    person = released.person if person is None else person
    return Plan(
        released.marginal,
        min(released.item, 0.71 - person),
        person,
        rho=cell.rho,
        n_population=cell.outputs,
        cap=cell.cap,
        double_share=cell.doubles,
        places=cell.places,
        unevenness=cell.sd,
    )


@cache
def _latent_shares(plan: Plan) -> tuple[float, float]:
    """The shares of output and person in the variance of the latent score."""
    return latent_share(plan.marginal, plan.item), latent_share(plan.marginal, plan.person)


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """What both ways of drawing share: outputs, people and the noise of each judgment.

    quality, x: (N,). twice: (N,) 1 where an output is judged twice. who: (T,) labels.
    effect: (A,), noise: (T,) standard normal. shares: of output and person in the latent score.
    """

    plan: Plan
    quality: Floats
    x: Floats
    twice: Ints
    who: Ints
    effect: Floats
    noise: Floats
    truth: float
    shares: tuple[float, float]

    @classmethod
    def drawn(cls, plan: Plan, rng: Generator) -> "World":
        """Draw one."""
        campaign = draw(plan, rng)
        sample = campaign.sample
        who = sample.annotator[:MOST]
        twice = (np.bincount(sample.item, minlength=plan.n_population) > 1).astype(np.int64)
        noise, x = rng.standard_normal(who.size), sample.standardised_metric()
        shares = _latent_shares(plan)
        return cls(
            plan, campaign.quality, x, twice, who, campaign.effect, noise, campaign.truth, shares
        )


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """One campaign in order of judging; (T,) unless said.

    chance: an item's probability at its draw over that of a uniform draw. wave: number of its
    wave. gain: (waves,) the predicted variance with these chances over that with uniform ones.
    """

    score: Floats
    x: Floats
    item: Ints
    who: Ints
    chance: Floats
    wave: Ints
    gain: Floats


def collected(world: World, rng: Generator, *, active: bool) -> Drawn:
    """Judge outputs wave by wave until the people or the outputs end."""
    size, total = world.plan.n_population, world.who.size
    left, who = np.ones(size, dtype=np.bool_), world.who.copy()
    uniform = rng.permutation(size)
    score, item = np.zeros(total), np.zeros(total, dtype=np.int64)
    chance, wave = np.ones(total), np.zeros(total, dtype=np.int64)
    gain: list[float] = []
    done = 0
    while done < total:
        rest = uniform[left[uniform]]
        odds, better = np.ones(rest.size), 1.0
        if active and gain:
            odds, better = _odds(world.x, rest, item[:done], score[:done])
        picked = _picked(odds, rng) if better < 1 else np.arange(min(WAVE, rest.size))
        items = np.repeat(rest[picked], 1 + world.twice[rest[picked]])[: total - done]
        rows = slice(done, done + items.size)
        item[rows], wave[rows] = items, len(gain)
        chance[rows] = np.repeat(odds[picked], 1 + world.twice[rest[picked]])[: items.size]
        _part(item, who, rows)
        score[rows] = _scores(world, items, who[rows], world.noise[rows])
        left[items] = False
        gain.append(better)
        done += items.size
    return Drawn(score, world.x[item], item, who, chance, wave, np.array(gain))


def _odds(x: Floats, rest: Ints, item: Ints, score: Floats) -> tuple[Floats, float]:
    """The chances of the items not judged, over uniform ones, and the predicted gain.

    Absolute residuals of item means are regressed on the metric and on its square. Each coefficient
    is shrunk towards 0 by 1 - (standard error / coefficient)², at least 0.
    """
    items, place = np.unique(item, return_inverse=True)
    mean, at = np.bincount(place, score) / np.bincount(place), x[items]
    off = at - at.mean()
    residual = np.abs(mean - mean.mean() - off * (off @ mean) / (off @ off))
    # Columns (1, x, x²), orthogonal over the judged items.
    basis, change = np.linalg.qr(np.column_stack([np.ones(items.size), at, at**2]))
    found = basis.T @ residual
    noise = ((residual - basis @ found) ** 2).sum() / (items.size - 3)
    found[1:] *= np.maximum(0.0, 1 - noise / np.maximum(found[1:] ** 2, 1e-12))
    there = np.clip(x[rest], at.min(), at.max())
    spread = np.column_stack([np.ones(rest.size), there, there**2]) @ np.linalg.solve(change, found)
    spread = np.maximum(spread, FLOOR * np.maximum(spread, 0).mean())
    odds = _at_most_certain(spread / spread.mean())
    return odds, float((spread**2 / odds).mean() / (spread**2).mean())


def _at_most_certain(odds: Floats) -> Floats:
    """Odds with mean 1 of which none makes an item's chance to be in the wave more than 1."""
    top = max(1.0, odds.size / WAVE)
    for _ in range(20):
        free = odds < top
        if (odds <= top + 1e-9).all() or not free.any():
            break
        odds = np.where(free, odds, top)
        odds[free] *= (odds.size - top * (~free).sum()) / odds[free].sum()
    return np.minimum(odds, top)


def _picked(odds: Floats, rng: Generator) -> Ints:
    """A wave by systematic sampling from a random order: each item has exactly its chance."""
    if odds.size <= WAVE:
        return rng.permutation(odds.size)
    order = rng.permutation(odds.size)
    ends = np.cumsum(odds[order]) * (WAVE / odds.sum())
    found = np.searchsorted(ends, np.arange(WAVE) + rng.random(), side="right")
    return np.asarray(rng.permutation(order[np.minimum(found, odds.size - 1)]))


def _part(item: Ints, who: Ints, rows: slice) -> None:
    """Let another person give an item's second judgment."""
    for row in range(rows.start + 1, rows.stop):
        if item[row] == item[row - 1] and who[row] == who[row - 1]:
            other = np.flatnonzero(who[row + 1 :] != who[row])
            if other.size:
                there = row + 1 + other[0]
                who[row], who[there] = who[there], who[row]


def _scores(world: World, items: Ints, who: Ints, noise: Floats) -> Floats:
    item, person = world.shares
    latent = sqrt(item) * world.quality[items] + sqrt(person) * world.effect[who]
    return world.plan.marginal.scores(latent + sqrt(1 - item - person) * noise)
