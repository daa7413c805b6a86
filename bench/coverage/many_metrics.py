"""Coverage at the stop with 20 metrics: one useful and 19 useless, or all useless.

`python -m bench.coverage.many_metrics [CAMPAIGNS]` draws campaigns of 40 uneven people, cap 25, ternary scores,
looks after each 20 judgments with the cross-fitted ridge, and stops at a width of .25 (some
minutes for 1,000 campaigns).
"""

import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from estimation.core import MIN_EFFECTIVE_ANNOTATORS, MIN_ITEMS, Estimate, Sample, estimate
from estimation.core.simulation import TERNARY, Plan, draw

SEED = 2018
USELESS = 19
STEP, WIDTH = 20, 0.25
PERSON = 0.14


def main(campaigns: int) -> None:
    print("| metrics | campaigns | stop | coverage | judgments |\n|---|---|---|---|---|")
    for name, rho in (("1 of correlation .5 and 19 useless", 0.5), ("20 useless", 0.0)):
        found = [one for one in _each(campaigns, rho) if one is not None]
        covered = np.mean([inside for inside, _judgments in found])
        error = 2 * (covered * (1 - covered) / len(found)) ** 0.5
        judgments = np.mean([number for _inside, number in found])
        share = len(found) / campaigns
        print(
            f"| {name} | {campaigns:,} | {share:.2f} | {covered:.3f} ± {error:.3f} "
            f"| {judgments:.0f} |"
        )


def _each(campaigns: int, rho: float) -> Iterator[tuple[bool, int] | None]:
    plan = Plan(TERNARY, item=0.32, person=PERSON, rho=rho, places=40)
    for child in np.random.SeedSequence(SEED).spawn(campaigns):
        rng = np.random.default_rng(child)
        campaign = draw(plan, rng)
        own = campaign.sample
        others = rng.standard_normal((own.n_population, USELESS))
        metric = np.column_stack([own.metric, others])
        yield _stopped(replace(own, metric=metric), campaign.truth)


def _stopped(sample: Sample, truth: float) -> tuple[bool, int] | None:
    for judgments in range(3 * STEP, sample.n_judgments + 1, STEP):
        found = _after(sample, judgments)
        enough = found.n_items >= MIN_ITEMS
        if not (enough and found.effective_annotators >= MIN_EFFECTIVE_ANNOTATORS):
            continue
        interval = found.interval(0.95)
        if interval.width <= WIDTH:
            return interval.low <= truth <= interval.high, judgments
    return None


def _after(sample: Sample, judgments: int) -> Estimate:
    rows = slice(0, judgments)
    first = {name: getattr(sample, name)[rows] for name in ("score", "item", "annotator")}
    return estimate(replace(sample, **first))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
