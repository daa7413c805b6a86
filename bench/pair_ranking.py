"""How often a ranking of pairs judged side by side is wrong: the figures in docs/statistics.md.

Run from the checkout: python -m bench.pair_ranking [campaigns a row] [processes]

Each pair is decided by its own balanced estimate with the constants of `preference`.
tests/estimation/test_ranking_of_pairs.py holds these decisions to those of a campaign.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from bench.ranking import HEAD, LEVEL, NOISE, Crowd, Ranked, drawn, is_wrong, line, metric_of
from estimation.core import (
    PairOutcome,
    PairState,
    Sample,
    Scale,
    Trajectory,
    ranking,
    trajectory,
)

SEED = 2082
FIRST = 30  # items before the first look
BALANCE, PERSON_SHARE = 0.15, 0.08  # of the criterion "preference"
SCALE = Scale(-1.0, 1.0)
EDGES = (0.3, 1.0)  # of the latent preference: beyond them, one text is slightly or clearly better

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Design:
    """A campaign and its crowd. Latent preferences: a judgment's own noise has a variance of 1.

    means: (P,) of the pairs. item, favour: variances between items, and of what a person thinks of
    each pair. people: at work at a time; each is replaced at the cap. unevenness: sd of the log of
    their activity. rho: correlation of the metric with the latent preference; None without one.
    every: items between two looks.
    """

    means: tuple[float, ...] = (0.0, 0.0, 0.0)
    margin: float = 0.2
    planned_items: int = 100
    n_items: int = 400
    item: float = 0.4
    favour: float = 0.1
    people: int = 40
    cap: int | None = 25
    unevenness: float = 0.5
    twice: float = 0.25
    rho: float | None = None
    every: int = 10


def campaign(design: Design, rng: np.random.Generator) -> Ranked:
    """Draw a campaign and decide its pairs; a decided pair takes no more judgments."""
    latent = quality(design, rng)
    truth = true_preferences(latent, design)
    sizes = np.arange(FIRST, design.n_items + 1, design.every)
    samples = collect(design, latent, rng)
    said = outcomes(design, [history(one, sizes) for one in samples], sizes)
    wrong = np.array(
        [
            [is_wrong(outcome, float(mean), design.margin) for outcome in row]
            for row, mean in zip(said, truth, strict=True)
        ]
    )
    decided = np.array(said) != "open"
    ends = np.where(decided.any(axis=1), decided.argmax(axis=1), sizes.size - 1)
    left = int((~decided.any(axis=1)).sum())
    judgments = sum(
        int(np.searchsorted(one.item, sizes[end])) for one, end in zip(samples, ends, strict=True)
    )
    at_stop = wrong[np.arange(ends.size), ends].any()
    items = None if left else int(sizes[ends.max()])
    return Ranked(items, judgments, left, bool(at_stop), bool(wrong.any()))


def quality(design: Design, rng: np.random.Generator) -> Floats:
    """(P, N) latent preferences. They lie evenly around their mean, so 0 is a tie exactly."""
    half = design.item**0.5 * rng.normal(size=design.n_items // 2)
    around = np.concatenate([half, -half])
    return np.array([rng.permutation(around) + mean for mean in design.means])


def true_preferences(latent: Floats, design: Design) -> Floats:
    """(P,) what all people would answer on average about all items."""
    sd = (design.favour + NOISE) ** 0.5
    steps = [norm.sf((edge - latent) / sd) - norm.cdf((-edge - latent) / sd) for edge in EDGES]
    return np.asarray(np.mean(steps, axis=0).mean(axis=1))


def collect(design: Design, latent: Floats, rng: np.random.Generator) -> list[Sample]:
    """Judge the pairs of all items in order, each once or twice, by different people."""
    crowd = Crowd(design, rng)
    times = 1 + (rng.random(design.n_items) < design.twice)
    found: list[list[tuple[int, int]]] = [[] for _ in latent]
    for item in range(design.n_items):
        for pair in rng.permutation(len(latent)):
            found[pair] += [(item, person) for person in crowd.take(int(times[item]))]
    taste = design.favour**0.5 * rng.normal(size=(len(latent), crowd.came))
    samples = []
    for pair, rows in enumerate(found):
        item, person = np.array(rows).T
        heard = latent[pair, item] + taste[pair, person] + NOISE**0.5 * rng.normal(size=item.size)
        score = np.mean([np.sign(heard) * (np.abs(heard) > edge) for edge in EDGES], axis=0)
        metric = metric_of(latent[pair], design.rho, rng)
        samples.append(Sample(score, item, person, design.n_items, SCALE, metric))
    return samples


def history(sample: Sample, sizes: NDArray[np.int64]) -> Trajectory:
    """The estimates after each number of items, and after all of them."""
    looks = np.searchsorted(sample.item, sizes)
    return trajectory(sample, balance=BALANCE, person_share=PERSON_SHARE, looks=looks)


def outcomes(
    design: Design, known: list[Trajectory], sizes: NDArray[np.int64]
) -> list[list[PairOutcome]]:
    """What the rule says of each of P pairs at each of L looks."""
    looks = []
    for look, n in enumerate(sizes.tolist()):
        states = {(str(pair), ""): _state(one, look, n) for pair, one in enumerate(known)}
        verdict = ranking(
            states, margin=design.margin, level=LEVEL, planned_items=design.planned_items
        )
        looks.append([one.outcome for one in verdict.pairs.values()])
    return [list(row) for row in zip(*looks, strict=True)]


def _state(known: Trajectory, look: int, n: int) -> PairState:
    error = float(known.std_error[look])
    return PairState(
        float(known.centre[look]),
        error if np.isfinite(error) else None,
        n,
        float(known.effective_annotators[look]),
    )


APART = Design(means=(0.6, 0.6, 0.0))
ROWS: dict[str, Design] = {
    "3 ties": Design(),
    "3 ties, 8 people with strong tastes": Design(people=8, cap=None, favour=0.3),
    "1 tie, 16 people with strong tastes": Design(means=(0.0,), people=16, cap=None, favour=0.3),
    "1 tie, 16 people with strong tastes, a metric": Design(
        means=(0.0,), people=16, cap=None, favour=0.3, rho=0.5
    ),
    "1 pair, a little further from a tie than the margin": Design(means=(0.37,)),
    "A > C, B > C, A and B a tie": APART,
    "a circle: A > B > C > A": replace(APART, means=(0.6, 0.6, -0.6)),
    "10 ties (5 systems)": Design(means=(0.0,) * 10),
}


def run(design: Design, n: int, *, seed: int = SEED, processes: int = 1) -> list[Ranked]:
    """Draw n campaigns, each from its own seed."""
    return drawn(partial(campaign, design), n, seed=seed, processes=processes)


def lines(n: int, processes: int) -> Iterator[str]:
    yield from HEAD
    for name, design in ROWS.items():
        yield line(name, run(design, n, processes=processes))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    print(f"seed {SEED}, {n} campaigns a row, level {LEVEL}, a look every 10 items")
    for one in lines(n, processes):
        print(one, flush=True)


if __name__ == "__main__":
    main()
