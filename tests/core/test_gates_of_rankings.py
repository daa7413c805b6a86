"""Coverage where people rank all texts of an item, at the moment when all systems are at target.

Each gate is a one-sided binomial bound at 5 %.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from annotate.instruments.rating.instrument import read_definition
from annotate.instruments.rating.questions import Rank
from estimation.core import Method, Sample, Scale, difference, estimate, precision
from tests.annotate.ranked_texts.studies import ranking
from tests.core.ranked_campaigns import Design, streams, work

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

CAMPAIGNS, EVERY, LEVEL, CLAIM = 600, 15, 0.95, 0.945
SCALE, METHOD = Scale(0, 1), Method("balanced", balance=0.15, person_share=0.08)
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """means: (K,) of the systems; item, favour: variances of texts, and of what a person thinks of
    a system. rho: correlation of a metric with the quality of a text; None: no metric."""

    means: tuple[float, ...]
    favour: float
    target: float
    item: float = 0.6
    rho: float | None = None
    best_only: bool = False


WORLDS = {
    "three, people differ": World((0.3, 0.0, -0.3), favour=0.3, target=0.24),
    "three, people agree": World((0.3, 0.0, -0.3), favour=0.0, target=0.2),
    "six, a metric": World((0.5, 0.2, 0.0, 0.0, -0.2, -0.5), favour=0.2, target=0.2, rho=0.6),
    "the best of four": World((0.4, 0.0, 0.0, -0.4), favour=0.3, target=0.26, best_only=True),
}


def truth_of(world: World, latent: Floats, rng: np.random.Generator) -> Floats:
    """(K,) what people in general say on average of these items (K, N)."""
    sd = (world.favour + 1) ** 0.5
    if world.best_only:
        heard = latent[:, :, None] + sd * rng.normal(size=(*latent.shape, 400))
        best = heard.argmax(axis=0)
        return np.array([(best == k).mean() for k in range(len(latent))])
    apart = (latent[:, None, :] - latent[None, :, :]) / (2**0.5 * sd)
    wins = norm.cdf(apart).mean(axis=2)
    return np.asarray((wins.sum(axis=1) - 1 / 2) / (len(latent) - 1))


def campaign(world: World, rng: np.random.Generator) -> tuple[list[Sample], Floats]:
    """Return a sample of each system over all that is planned, and the truths."""
    systems = len(world.means)
    design = Design(means=(0.0,), n_items=240, people=30)
    latent = world.item**0.5 * rng.normal(size=(systems, design.n_items))
    latent += np.array(world.means)[:, None]
    ((item, person),), came = work(design, rng)
    taste = world.favour**0.5 * rng.normal(size=(systems, came))
    heard = latent[:, item] + taste[:, person] + rng.normal(size=(systems, item.size))
    places = 1 + np.argsort(np.argsort(-heard, axis=0), axis=0)
    asked = read_definition(ranking(best_only=world.best_only)).criteria[0]
    assert isinstance(asked, Rank)
    if world.best_only:
        places = np.minimum(places, 2)
    rows = [asked.ranked(one, [1] * systems) for one in places.T.tolist()]
    scores = np.array([list(one.values()) for one in rows]).T
    metric: list[Floats | None] = [None] * systems
    if world.rho is not None:
        noise = (1 / world.rho**2 - 1) ** 0.5 * latent.std() * rng.normal(size=latent.shape)
        raw = latent + noise
        own = raw - (raw.sum(axis=0) - raw) / (systems - 1)
        metric = list(own)
    samples = [
        Sample(score, item, person, design.n_items, SCALE, known)
        for score, known in zip(scores, metric, strict=True)
    ]
    return samples, truth_of(world, latent, rng)


def upto(sample: Sample, n: int) -> Sample:
    columns = sample.score[:n], sample.item[:n], sample.annotator[:n]
    return Sample(*columns, sample.n_population, sample.scale, sample.metric)


@cache
def covered(name: str) -> tuple[int, int, int]:
    """Return how many campaigns stop, and how many intervals cover: of systems, of a difference."""
    world, stopped, of_systems, of_difference = WORLDS[name], 0, 0, 0
    for rng in streams(77, CAMPAIGNS):
        samples, truth = campaign(world, rng)
        for n in range(45, samples[0].score.size + 1, EVERY):
            found = [estimate(upto(one, n), METHOD) for one in samples]
            if all(precision(one, target_width=world.target, level=LEVEL).stop for one in found):
                break
        else:
            continue
        stopped += 1
        ends = [one.interval(LEVEL) for one in found]
        of_systems += sum(
            one.low <= true <= one.high for one, true in zip(ends, truth, strict=True)
        )
        apart = difference(upto(samples[0], n), upto(samples[-1], n), METHOD).interval(LEVEL)
        of_difference += apart.low <= truth[0] - truth[-1] <= apart.high
    print(name, stopped, of_systems / (stopped * len(world.means)), of_difference / stopped)
    return stopped, of_systems, of_difference


@pytest.mark.parametrize("name", WORLDS)
def test_intervals_of_systems_cover_when_all_stop(name: str) -> None:
    stopped, of_systems, _of_difference = covered(name)
    systems = len(WORLDS[name].means)
    assert stopped >= 0.9 * CAMPAIGNS
    # The systems of a campaign depend on each other: the bound is that of as many campaigns.
    assert binom.cdf(of_systems // systems, stopped, CLAIM) >= 0.05


@pytest.mark.parametrize("name", WORLDS)
def test_intervals_of_differences_cover_when_all_stop(name: str) -> None:
    stopped, _of_systems, of_difference = covered(name)
    assert binom.cdf(of_difference, stopped, CLAIM) >= 0.05
