"""Small campaigns with a known truth for coverage at a fixed size; scores are normal."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from estimation.core import Sample, Scale

SCALE = Scale(-1, 1, bounded=False)
# Variances of items, people and the rest: overall-like (statistics.md, section 1).
ITEM, PERSON, REST = 0.14, 0.06, 0.23


@dataclass(frozen=True)
class Draw:
    """How many outputs, judged items, metrics (of which `useful` say something) and people."""

    outputs: int = 600
    items: int = 120
    metrics: int = 1
    useful: int = 1
    people: int = 30
    person: float = PERSON
    twice: float = 0.25


def quality(draw: Draw, rng) -> tuple[np.ndarray, np.ndarray]:
    """(N,) what people in general say of each output, and (N, p) metrics with R² = .4."""
    metric = rng.normal(size=(draw.outputs, draw.metrics))
    share = 0.4 * bool(draw.useful)
    told = metric[:, : draw.useful].sum(axis=1) / max(draw.useful, 1) ** 0.5
    own = rng.normal(size=draw.outputs)
    return ITEM**0.5 * (share**0.5 * told + (1 - share) ** 0.5 * own), metric


def incidence(draw: Draw, rng) -> tuple[np.ndarray, np.ndarray]:
    """(T,) items and people: the first items of a random order, some twice, uneven activity."""
    chosen = rng.permutation(draw.outputs)[: draw.items]
    item = np.repeat(chosen, 1 + (rng.random(draw.items) < draw.twice))
    activity = np.exp(rng.normal(size=draw.people))
    # The largest of activity-weighted keys: distinct people for the judgments of one item.
    first = np.argsort(np.log(rng.random((draw.items, draw.people))) / activity)[:, ::-1]
    rank = np.r_[0, np.where(np.diff(item) == 0, 1, 0)]
    row = np.cumsum(1 - rank) - 1
    return item, first[row, rank]


def campaign(draw: Draw, rng) -> tuple[Sample, float]:
    """A sample and the mean quality of all its outputs."""
    f, metric = quality(draw, rng)
    item, person = incidence(draw, rng)
    effect = draw.person**0.5 * rng.normal(size=draw.people)
    score = f[item] + effect[person] + REST**0.5 * rng.normal(size=item.size)
    return Sample(score, item, person, draw.outputs, SCALE, metric), float(f.mean())


def refuted(covered: int, replicates: int, claim: float) -> bool:
    """Whether so few covered that the claim would bring it about in one run of a hundred."""
    print(f"covered {covered} of {replicates}: {covered / replicates:.4f}")
    return bool(binom.cdf(covered, replicates, claim) < 0.01)


def covers(result, truth: float) -> bool:
    """Whether the 95 % interval holds the truth."""
    interval = result.interval(0.95)
    return bool(interval.low <= truth <= interval.high)
