"""Paired differences at a fixed number of judgments hold the truth as often as they claim.

People are a sample of an uneven crowd, at most 25 judgments each; a quarter of the outputs of each
system is judged twice. A person has a leniency towards everything and a taste for either system.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.stats import binom

from estimation.core import Sample, difference
from estimation.core.simulation import TERNARY, latent_share

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

SEED, CAMPAIGNS, CAP, OUTPUTS = 2018, 1000, 25, 1500
LEVELS = (0.95, 0.90)
# The claim leaves half a point for what an interval of few people and discrete scores may miss.
SLACK = 0.005


@dataclass(frozen=True)
class Crowd:
    """A campaign of two systems.

    taste: the part of a person's effect that is about one system. together: whether one person
    judges both outputs of an item. rho: correlation of the metric with the quality.
    """

    taste: float = 0.5
    people: int = 40
    unevenness: float = 1.0
    items: int = 150
    together: bool = False
    rho: float = 0.5


ROWS = {
    "ternary, 40 people": Crowd(),
    "one person judges both outputs": Crowd(together=True),
    "very uneven people": Crowd(unevenness=2.0, people=60),
    "15 people, 60 items, both outputs": Crowd(people=15, items=60, together=True),
    "people have nothing but taste": Crowd(taste=1.0),
    "no metric": Crowd(rho=0.0),
}
ITEM, PERSON = (latent_share(TERNARY, share / 0.43) for share in (0.139, 0.059))


def campaign(crowd: Crowd, rng: np.random.Generator) -> tuple[Sample, Sample, float]:
    """Two samples, and the difference that people in general make between all outputs."""
    incidence = work(crowd, rng)
    shared, mild = rng.normal(size=OUTPUTS), rng.normal(size=crowd.people)
    samples, truth = [], []
    for item, person in incidence:
        quality = 0.3**0.5 * shared + 0.7**0.5 * rng.normal(size=OUTPUTS)
        liking = crowd.taste**0.5 * rng.normal(size=crowd.people)
        effect = (1 - crowd.taste) ** 0.5 * mild + liking
        latent = ITEM**0.5 * quality[item] + PERSON**0.5 * effect[person]
        latent += (1 - ITEM - PERSON) ** 0.5 * rng.normal(size=item.size)
        metric = crowd.rho * quality + (1 - crowd.rho**2) ** 0.5 * rng.normal(size=OUTPUTS)
        score = TERNARY.scores(latent)
        samples.append(Sample(score, item, person, OUTPUTS, TERNARY.scale, metric))
        truth.append(float(TERNARY.conditional_mean(quality, ITEM).mean()))
    return samples[0], samples[1], truth[0] - truth[1]


def work(crowd: Crowd, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each system the items and the people; an item's judgments come together."""
    activity = np.exp(crowd.unevenness * rng.normal(size=crowd.people))
    left = np.full(crowd.people, CAP)
    rows: list[list[tuple[int, int]]] = [[], []]
    for item in rng.permutation(OUTPUTS)[: crowd.items].tolist():
        sizes = 1 + (rng.random(2) < 0.25)
        needed = sizes.max() if crowd.together else sizes.sum()
        waits = rng.exponential(size=crowd.people) / np.maximum(activity * (left > 0), 1e-12)
        drawn = np.argsort(waits)[:needed]
        parts = (drawn, drawn) if crowd.together else (drawn[: sizes[0]], drawn[sizes[0] :])
        for system in (0, 1):
            who = parts[system][: sizes[system]]
            rows[system] += [(item, person) for person in who.tolist()]
            left[who] -= 1
    return [(np.array(one)[:, 0], np.array(one)[:, 1]) for one in rows]


def refuted(count: int, level: float) -> bool:
    """Whether so few covered that the claim would bring it about in one run of twenty."""
    return bool(binom.cdf(count, CAMPAIGNS, level - SLACK) < 0.05)


@pytest.mark.parametrize("row", ROWS)
def test_both_kinds_of_weights_cover(row):
    held, width = np.zeros((2, 2), dtype=int), np.zeros(2)
    for seed in np.random.SeedSequence(SEED).spawn(CAMPAIGNS):
        first, second, truth = campaign(ROWS[row], np.random.default_rng(seed))
        for place, estimator in enumerate(("balanced", "regression")):
            found = difference(first, second, estimator=estimator)
            ends = [found.interval(level) for level in LEVELS]
            held[place] += [end.low <= truth <= end.high for end in ends]
            width[place] += ends[0].width
    print(row, held.tolist(), width / CAMPAIGNS)
    for counts in held.tolist():
        for count, level in zip(counts, LEVELS, strict=True):
            assert not refuted(count, level)
    assert width[0] < width[1]


@pytest.mark.parametrize("together", [False, True])
def test_the_gate_sees_people_who_are_no_sample(together):
    """An interval about these people alone misses what people in general would say."""
    crowd, held = replace(ROWS["people have nothing but taste"], together=together), 0
    for seed in np.random.SeedSequence(SEED).spawn(CAMPAIGNS):
        first, second, truth = campaign(crowd, np.random.default_rng(seed))
        interval = difference(first, second, estimand="panel").interval(0.95)
        held += interval.low <= truth <= interval.high
    assert refuted(held, 0.95)
