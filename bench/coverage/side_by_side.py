"""Coverage where one person rates the texts of all systems of an item side by side (decision 086).

Run from the checkout: python -m bench.coverage.side_by_side [campaigns a row] [processes]

What one person thinks of one item moves all of its ratings (`opinion`), and a text is rated lower
the better the texts beside it are (`contrast`). Three systems, a fixed number of items, at most 24
judgments a person; a quarter of the items is rated by two people. What is to be covered is what
people in general would say on average of all outputs, each beside the same others.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bench.coverage import differences
from bench.coverage.differences import ESTIMATORS, LEVELS, SEED, pick, row, shares, show
from estimation.core import Sample, difference, estimate
from estimation.core.simulation import BINARY

SYSTEMS = 3
TOLD = ("system", "difference")


@dataclass(frozen=True)
class Crowd(differences.Crowd):
    """A campaign of three systems, of people who rate together what they rate of an item.

    opinion: the share of the latent score that is one person's view of one item, for all of its
    texts. contrast: how far a text is moved by the mean quality of those beside it. The shares of
    the variance are those of a score that stands alone.
    """

    cap: int = 24
    items: int = 120
    together: bool = True
    opinion: float = 0.15
    contrast: float = 0.0


DEFAULT = Crowd()
ROWS = {
    "ternary, 40 people": DEFAULT,
    "no view of items": replace(DEFAULT, opinion=0.0),
    "strong views of items": replace(DEFAULT, opinion=0.3),
    "contrast .5": replace(DEFAULT, contrast=0.5),
    "contrast 1, strong views": replace(DEFAULT, contrast=1.0, opinion=0.3),
    "15 people, 60 items": replace(DEFAULT, people=15, items=60, opinion=0.3),
    "very uneven people": replace(DEFAULT, unevenness=2.0, people=60),
    "nobody rates twice": replace(DEFAULT, twice=0.0),
    "people have nothing but taste": replace(DEFAULT, taste=1.0),
    "no metric": replace(DEFAULT, rho=0.0),
    "binary .9": replace(DEFAULT, marginal=BINARY, item=0.2, person=0.08, opinion=0.1),
}


def campaign(crowd: Crowd, rng: np.random.Generator) -> tuple[list[Sample], NDArray[np.float64]]:
    """A sample of each system, and what people in general say on average of its outputs."""
    of_item, of_person = shares(crowd.marginal, crowd.item, crowd.person)
    item, person = incidence(crowd, rng)
    quality = crowd.common**0.5 * rng.normal(size=crowd.outputs) + (
        1 - crowd.common
    ) ** 0.5 * rng.normal(size=(SYSTEMS, crowd.outputs))
    beside = (quality.sum(axis=0) - quality) / (SYSTEMS - 1)
    seen = of_item**0.5 * (quality - crowd.contrast * beside)
    mild, liking = rng.normal(size=crowd.people), rng.normal(size=(SYSTEMS, crowd.people))
    effect = (1 - crowd.taste) ** 0.5 * mild + crowd.taste**0.5 * liking
    view = crowd.opinion**0.5 * rng.normal(size=item.size)
    rest = (1 - of_item - of_person - crowd.opinion) ** 0.5
    samples = []
    for system in range(SYSTEMS):
        latent = seen[system, item] + of_person**0.5 * effect[system, person] + view
        latent += rest * rng.normal(size=item.size)
        metric = crowd.rho * quality[system]
        metric = metric + (1 - crowd.rho**2) ** 0.5 * rng.normal(size=crowd.outputs)
        score = crowd.marginal.scores(latent)
        samples.append(Sample(score, item, person, crowd.outputs, crowd.marginal.scale, metric))
    spread = float(np.sqrt(1 - of_item))
    truth = [crowd.marginal.expected(one, noise=spread).mean() for one in seen]
    return samples, np.array(truth)


def incidence(crowd: Crowd, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The items, and who rated all of their texts: one person or two."""
    chosen = rng.permutation(crowd.outputs)[: crowd.items]
    activity = np.exp(crowd.unevenness * rng.normal(size=crowd.people))
    left = np.full(crowd.people, crowd.cap // SYSTEMS)
    items: list[int] = []
    people: list[int] = []
    for item in chosen.tolist():
        size = 1 + int(rng.random() < crowd.twice)
        drawn = pick(activity * (left > 0), size, rng)
        items += [item] * size
        people += drawn.tolist()
        left[drawn] -= 1
    return np.array(items), np.array(people)


def covered(crowd: Crowd, seed: np.random.SeedSequence) -> NDArray[np.float64]:
    """(estimators, 2, 3): of a system and of a difference, whether both levels hold, and width."""
    samples, truth = campaign(crowd, np.random.default_rng(seed))
    found = []
    for estimator in ESTIMATORS:
        one = estimate(samples[0], estimator=estimator)
        two = difference(samples[0], samples[1], estimator=estimator)
        rows = []
        for result, right in ((one, truth[0]), (two, truth[0] - truth[1])):
            ends = [result.interval(level) for level in LEVELS]
            rows.append([*(end.low <= right <= end.high for end in ends), ends[0].width])
        found.append(rows)
    return np.array(found, dtype=float)


def lines(campaigns: int, processes: int) -> Iterator[str]:
    seeds = np.random.SeedSequence(SEED).spawn(campaigns)
    with ProcessPoolExecutor(processes) as pool:
        for name, crowd in ROWS.items():
            runs = np.array(list(pool.map(partial(covered, crowd), seeds, chunksize=50)))
            for place, estimator in enumerate(ESTIMATORS):
                for what, told in enumerate(TOLD):
                    yield row(f"{name} | `{estimator}` | {told}", runs[:, place, what])


if __name__ == "__main__":
    show("side by side | estimator | of", lines)
