"""Balanced (GLS) against regression at the moment of stopping: the figures of decision 009.

Run from the checkout: python -m bench.balanced [campaigns a row] [processes]

Both stop by the precision rule, looked at after every fifth judgment (the balanced estimate has
no incremental form; a look after each judgment stops a little earlier for both).
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np

from bench.coverage import EDIT, GOOD, OVERALL, SEED
from estimation.core import AnyEstimator, Estimate, EstimationError, Sample, estimate, precision
from estimation.core.simulation import Plan, draw

STEP, FIRST = 5, 60
ESTIMATORS: tuple[AnyEstimator, ...] = ("regression", "balanced")
ROWS = [
    ("ternary, cap 25", OVERALL, 0.25),
    ("ternary, cap 10", replace(OVERALL, cap=10), 0.25),
    ("ternary, cap 25, active people milder", replace(OVERALL, leniency=0.32), 0.25),
    ("binary .9, cap 25", GOOD, 0.15),
    ("HTER-like, cap 25", EDIT, 0.15),
]
Ending = tuple[int, bool, bool]  # judgments, covers the plan's mean, stopped


def run(plan: Plan, width: float, estimator: AnyEstimator, seed: np.random.SeedSequence) -> Ending:
    """Collect one campaign until its interval is narrow enough."""
    campaign = draw(plan, np.random.default_rng(seed))
    sample = campaign.sample
    for judgments in range(FIRST, sample.n_judgments + 1, STEP):
        found = _estimate(sample, judgments, estimator)
        if found is None:
            continue
        if precision(found, target_width=width, level=0.95).stop:
            ends = found.interval(0.95)
            return judgments, bool(ends.low <= campaign.truth <= ends.high), True
    return sample.n_judgments, False, False


def _estimate(sample: Sample, judgments: int, estimator: AnyEstimator) -> Estimate | None:
    first = replace(
        sample,
        score=sample.score[:judgments],
        item=sample.item[:judgments],
        annotator=sample.annotator[:judgments],
    )
    try:
        return estimate(first, estimator=estimator)
    except EstimationError:  # too early for this estimator
        return None


def line(name: str, endings: list[Ending]) -> str:
    stopped = [ending for ending in endings if ending[2]]
    if not stopped:
        return f"| {name} | – | – | 0.00 |"
    coverage = np.mean([covered for _, covered, _ in stopped])
    judgments = np.mean([count for count, _, _ in stopped])
    return f"| {name} | {coverage:.3f} | {judgments:.0f} | {len(stopped) / len(endings):.2f} |"


def lines(campaigns: int, processes: int) -> Iterator[str]:
    seeds = np.random.SeedSequence(SEED).spawn(campaigns)
    with ProcessPoolExecutor(processes) as pool:
        for name, plan, width in ROWS:
            for estimator in ESTIMATORS:
                job = partial(run, plan, width, estimator)
                yield line(f"{name}, width {width}, {estimator}", list(pool.map(job, seeds)))


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    campaigns, processes = (given + [150, 2][len(given) :])[:2]
    print(
        f"seed {SEED}, {campaigns} campaigns a row, level .95, looked at every {STEP} judgments\n"
    )
    print("| scores | coverage | mean judgments | stopped |\n|---|---|---|---|")
    for text in lines(campaigns, processes):
        print(text, flush=True)
