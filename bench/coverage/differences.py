"""Coverage of paired differences at a fixed number of judgments: balanced weights and regression.

Run from the checkout: python -m bench.coverage.differences [campaigns a row] [processes]

People are a sample of an uneven crowd, at most 25 judgments each; a quarter of the outputs of each
system is judged twice. A person has a leniency towards everything and a taste for either system.
"""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from estimation.core import Sample, difference
from estimation.core.simulation import BINARY, HTER_LIKE, TERNARY, Marginal, latent_share

SEED = 2018
ESTIMATORS: tuple[Literal["balanced", "regression"], ...] = ("balanced", "regression")
LEVELS = (0.95, 0.90)
Rows = list[NDArray[np.intp]]  # one array for each system
# The claim leaves half a point for what an interval of few people and discrete scores may miss.
SLACK = 0.005


@dataclass(frozen=True)
class Crowd:
    """A campaign of two systems.

    item, person: shares of the variance of a score. taste: the part of a person's effect that is
    about one system. common: the part of an item's effect that both systems share. together:
    whether one person judges both outputs of an item.
    """

    marginal: Marginal = TERNARY
    item: float = 0.139 / 0.43
    person: float = 0.059 / 0.43
    taste: float = 0.5
    common: float = 0.3
    people: int = 40
    unevenness: float = 1.0
    cap: int = 25
    items: int = 150
    outputs: int = 1500
    twice: float = 0.25
    together: bool = False
    rho: float = 0.5


DEFAULT = Crowd()
ROWS = {
    "ternary, 40 people": DEFAULT,
    "one person judges both outputs": replace(DEFAULT, together=True),
    "very uneven people": replace(DEFAULT, unevenness=2.0, people=60),
    "15 people, 100 items": replace(DEFAULT, people=15, items=100),
    "15 people, 40 items": replace(DEFAULT, people=15, items=40),
    "130 people": replace(DEFAULT, people=130),
    "people have nothing but taste": replace(DEFAULT, taste=1.0),
    "taste is .30 of the variance": replace(DEFAULT, taste=1.0, person=0.3),
    "the same, 15 people, 100 items": replace(DEFAULT, taste=1.0, person=0.3, people=15, items=100),
    "people without taste": replace(DEFAULT, taste=0.0),
    "people who agree": replace(DEFAULT, person=0.0),
    "three quarters of 200 outputs judged": replace(DEFAULT, outputs=200),
    "no metric": replace(DEFAULT, rho=0.0),
    "binary .9": replace(DEFAULT, marginal=BINARY),
    "HTER-like": replace(DEFAULT, marginal=HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21),
}


@lru_cache(maxsize=64)
def shares(marginal: Marginal, item: float, person: float) -> tuple[float, float]:
    """The shares of the latent that give the scores these shares."""
    return latent_share(marginal, item), latent_share(marginal, person)


def campaign(crowd: Crowd, rng: np.random.Generator) -> tuple[Sample, Sample, float]:
    """Two samples, and the difference that people in general make between all outputs."""
    of_item, of_person = shares(crowd.marginal, crowd.item, crowd.person)
    item, person = _incidence(crowd, rng)
    shared = rng.normal(size=crowd.outputs)
    mild = rng.normal(size=crowd.people)
    samples, truth = [], []
    for system in (0, 1):
        own = rng.normal(size=crowd.outputs)
        quality = crowd.common**0.5 * shared + (1 - crowd.common) ** 0.5 * own
        liking = crowd.taste**0.5 * rng.normal(size=crowd.people)
        effect = (1 - crowd.taste) ** 0.5 * mild + liking
        noise = rng.normal(size=item[system].size)
        latent = of_item**0.5 * quality[item[system]] + of_person**0.5 * effect[person[system]]
        latent += (1 - of_item - of_person) ** 0.5 * noise
        metric = crowd.rho * quality + (1 - crowd.rho**2) ** 0.5 * rng.normal(size=crowd.outputs)
        samples.append(
            Sample(
                crowd.marginal.scores(latent),
                item[system],
                person[system],
                crowd.outputs,
                crowd.marginal.scale,
                metric,
            )
        )
        truth.append(float(crowd.marginal.conditional_mean(quality, of_item).mean()))
    return samples[0], samples[1], truth[0] - truth[1]


def _incidence(crowd: Crowd, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """Of each system the items and the people; an item's judgments come together."""
    chosen = rng.permutation(crowd.outputs)[: crowd.items]
    activity = np.exp(crowd.unevenness * rng.normal(size=crowd.people))
    left = np.full(crowd.people, crowd.cap)
    items: list[list[int]] = [[], []]
    people: list[list[int]] = [[], []]
    for item in chosen.tolist():
        sizes = 1 + (rng.random(2) < crowd.twice)
        needed = sizes.max() if crowd.together else sizes.sum()
        drawn = pick(activity * (left > 0), int(needed), rng)
        parts = (drawn, drawn) if crowd.together else (drawn[: sizes[0]], drawn[sizes[0] :])
        for system in (0, 1):
            who = parts[system][: sizes[system]]
            items[system] += [item] * who.size
            people[system] += who.tolist()
            left[who] -= 1
    return [np.array(line) for line in items], [np.array(line) for line in people]


def pick(activity: NDArray[np.float64], size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Different people, one after another, by their activity."""
    return np.argsort(rng.exponential(size=activity.size) / np.maximum(activity, 1e-12))[:size]


def covered(crowd: Crowd, seed: np.random.SeedSequence) -> list[tuple[bool, bool, float]]:
    """Of each estimator: whether its intervals at both levels hold the truth, and its width."""
    first, second, truth = campaign(crowd, np.random.default_rng(seed))
    found = []
    for estimator in ESTIMATORS:
        result = difference(first, second, estimator=estimator)
        ends = [result.interval(level) for level in LEVELS]
        holds = [bool(end.low <= truth <= end.high) for end in ends]
        found.append((holds[0], holds[1], ends[0].width))
    return found


def refuted(count: int, campaigns: int, level: float) -> bool:
    """Whether so few covered that the claim would bring it about in one run of twenty."""
    return bool(binom.cdf(count, campaigns, level - SLACK) < 0.05)


def row(head: str, runs: NDArray[np.float64]) -> str:
    """A line of the table. runs: of each campaign whether both levels hold, and the width."""
    at_95, at_90, width = runs.mean(axis=0)
    counts = runs[:, :2].sum(axis=0).astype(int).tolist()
    wrong = any(
        refuted(count, len(runs), level) for count, level in zip(counts, LEVELS, strict=True)
    )
    numbers = f"{at_95:.3f} | {at_90:.3f} | {width:.3f}"
    return f"| {head} | {numbers} | {'refuted' if wrong else 'hold'} |"


def lines(campaigns: int, processes: int) -> Iterator[str]:
    seeds = np.random.SeedSequence(SEED).spawn(campaigns)
    with ProcessPoolExecutor(processes) as pool:
        for name, crowd in ROWS.items():
            runs = np.array(list(pool.map(partial(covered, crowd), seeds, chunksize=50)))
            for place, estimator in enumerate(ESTIMATORS):
                yield row(f"{name} | `{estimator}`", runs[:, place])


def show(columns: str, lines: Callable[[int, int], Iterator[str]]) -> None:
    """Print the table for the numbers on the command line: campaigns a row, and processes."""
    given = [int(word) for word in sys.argv[1:]]
    campaigns, processes = (given + [1000, 2][len(given) :])[:2]
    print(f"seed {SEED}, {campaigns} campaigns a row\n")
    print(f"| {columns} | .95 covers | .90 covers | mean width at .95 | claims of .945 and .895 |")
    print("|---" * (columns.count("|") + 5) + "|")
    for text in lines(campaigns, processes):
        print(text, flush=True)


if __name__ == "__main__":
    show("differences | estimator", lines)
