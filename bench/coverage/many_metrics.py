"""Twenty metrics at the stop: one of correlation .5, and 19 that say nothing (decision 007).

Run from the checkout: python -m bench.coverage.many_metrics [campaigns]

Campaigns are those of the first cell. The engine estimates them one at a time: several metrics need
a cross-fit, which has no form for many campaigns at once.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from bench.coverage.__main__ import SEED
from bench.coverage.cells import STOPPING
from bench.coverage.running import STEP
from estimation.core import Estimate, Sample, estimate, precision
from estimation.core.simulation import draw
from estimation.core.simulation.rule import only

CELL = STOPPING[0]
USELESS = 19
# An interval that is wider than this many targets is not narrow enough 15 judgments later.
FAR = 1.25


def with_useless_metrics(sample: Sample, rng: Generator) -> Sample:
    """The sample with 19 more metrics, drawn independently of everything."""
    assert sample.metric is not None
    useless = rng.standard_normal((sample.n_population, USELESS))
    return replace(sample, metric=np.column_stack([sample.metric, useless]))


def at_the_stop(sample: Sample) -> Estimate | None:
    """The estimate at the first look at which the interval is narrow enough."""
    judgments = 60
    while judgments <= sample.n_judgments:
        found = estimate(
            only(sample, np.arange(judgments)),
            balance=CELL.criterion.balance,
            person_share=CELL.criterion.person_share,
        )
        verdict = precision(found, target_width=CELL.width, level=CELL.level)
        if verdict.stop:
            return found
        far = verdict.width is None or verdict.width > FAR * CELL.width
        judgments += 3 * STEP if far else STEP
    return None


def endings(campaigns: int) -> Iterator[tuple[bool, int]]:
    """Whether the interval at the stop held the truth, and how many judgments it took."""
    for number in range(campaigns):
        rng = default_rng(SeedSequence(SEED, spawn_key=(1, number)))
        campaign = draw(CELL.plan, rng)
        found = at_the_stop(with_useless_metrics(campaign.sample, rng))
        if found is not None:
            ends = found.interval(CELL.level)
            yield ends.low <= campaign.truth <= ends.high, found.n_judgments


def main() -> None:
    """Print coverage and judgments."""
    campaigns = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    found = np.array(list(endings(campaigns)), dtype=np.float64)
    covered, judgments = found.mean(axis=0)
    error = np.sqrt(covered * (1 - covered) / len(found))
    print(
        f"seed {SEED}, {campaigns} campaigns, {len(found)} stopped: coverage {covered:.3f} "
        f"± {2 * error:.3f}, {judgments:.0f} judgments"
    )


if __name__ == "__main__":
    main()
