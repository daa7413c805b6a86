"""Simulated campaigns that rank systems: texts judged apart, or two texts side by side.

People are a sample, with favourites, at work some at a time and replaced at the cap.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, norm

from estimation.core import Sample, Scale

LEVEL, FIRST = 0.95, 30  # of the ranking; items before the first look
SCALE = Scale(-1.0, 1.0)
APART_EDGES, BESIDE_EDGES = (0.6,), (0.3, 1.0)  # of latent scores, between the levels

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """Latent scores: a judgment's own noise has a variance of 1.

    means: (K,) of the systems, or of the pairs of systems. item, person, favour: variances between
    outputs, between people, and of what a person thinks of each system or pair. unevenness: sd of
    the log of people's activity. rho: correlation of the metric with the latent score.
    """

    means: tuple[float, ...] = (0.0, 0.0)
    margin: float = 0.2
    planned_items: int = 100
    n_items: int = 200
    item: float = 0.6
    person: float = 0.25
    favour: float = 0.0
    people: int = 40
    cap: int | None = 25
    unevenness: float = 0.5
    rho: float | None = None
    every: int = 20
    edges: tuple[float, ...] = APART_EDGES

    @property
    def looks(self) -> range:
        return range(FIRST, self.n_items + 1, self.every)


def draw(design: Design, rng: np.random.Generator) -> tuple[list[Sample], Floats]:
    """Return K samples of all items, and (K,) what people in general say on average.

    Items are in order, a quarter of the outputs is judged twice, by different people. Every system
    has the same values in another order, evenly around its mean, so that ties are exact.
    """
    half = design.item**0.5 * rng.normal(size=design.n_items // 2)
    around = np.concatenate([half, -half])
    latent = np.array([rng.permutation(around) + mean for mean in design.means])
    incidence, came = work(design, rng)
    mild = design.person**0.5 * rng.normal(size=came)
    taste = design.favour**0.5 * rng.normal(size=(len(latent), came))
    samples = []
    for k, (item, person) in enumerate(incidence):
        heard = latent[k, item] + mild[person] + taste[k, person] + rng.normal(size=item.size)
        score = np.mean([np.sign(heard) * (np.abs(heard) > edge) for edge in design.edges], axis=0)
        metric = None
        if design.rho is not None:
            own = (1 - design.rho**2) ** 0.5 * rng.normal(size=design.n_items)
            metric = design.rho * (latent[k] - latent[k].mean()) / latent[k].std() + own
        samples.append(Sample(score, item, person, design.n_items, SCALE, metric))
    sd = (design.person + design.favour + 1) ** 0.5
    steps = [norm.sf((e - latent) / sd) - norm.cdf((-e - latent) / sd) for e in design.edges]
    return samples, np.asarray(np.mean(steps, axis=0).mean(axis=1))


def work(
    design: Design, rng: np.random.Generator
) -> tuple[list[tuple[NDArray[np.int64], NDArray[np.int64]]], int]:
    """Who judges which item of each system, and how many people came in all."""
    who, done = np.arange(design.people), np.zeros(design.people, dtype=np.int64)
    activity = np.exp(design.unevenness * rng.normal(size=design.people))
    came = design.people
    found: list[list[tuple[int, int]]] = [[] for _ in design.means]
    for item in range(design.n_items):
        times = 1 + int(rng.random() < 0.25)
        for k in rng.permutation(len(design.means)):
            # Who is first, when each waits for as long as an exponential of this rate.
            seats = np.argsort(rng.exponential(size=who.size) / activity)[:times]
            found[k] += [(item, person) for person in who[seats].tolist()]
            done[seats] += 1
            for seat in seats[done[seats] >= (design.cap or np.inf)]:
                who[seat], done[seat] = came, 0
                activity[seat] = np.exp(design.unevenness * rng.normal())
                came += 1
    columns = [tuple(np.array(rows).T) for rows in found]
    return columns, came  # type: ignore[return-value]


def first(sample: Sample, items: int) -> Sample:
    """The judgments of the first items."""
    rows = slice(0, int(np.searchsorted(sample.item, items)))
    columns = sample.score[rows], sample.item[rows], sample.annotator[rows]
    return Sample(*columns, sample.n_population, sample.scale, sample.metric)


def is_wrong(outcome: str, truth: float, margin: float) -> bool:
    """Whether a decision names the wrong system, or calls close what is not."""
    slack = 1e-9  # equal means are equal but for rounding
    wrong = {"first": truth <= slack, "second": truth >= -slack, "close": abs(truth) > margin}
    return bool(wrong.get(outcome, False))


def refuted(wrong: int, campaigns: int) -> bool:
    """Whether so many are wrong that at most alpha would bring it about in one run of a hundred."""
    print(f"{wrong} of {campaigns} wrong at some look")
    return bool(binom.sf(wrong - 1, campaigns, 1 - LEVEL) < 0.01)


def streams(seed: int, campaigns: int) -> list[np.random.Generator]:
    """A random stream for each campaign."""
    return list(map(np.random.default_rng, np.random.SeedSequence(seed).spawn(campaigns)))
