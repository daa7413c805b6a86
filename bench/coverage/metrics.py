"""Metrics that are not Gaussian: coverage and judgments at the stop, by the rule of entering.

Run from the checkout: python -m bench.coverage.metrics [campaigns a row] [file]

All rules see the same campaigns, with balanced weights. "winsorised" was the other candidate: the
values cut at four robust standard deviations (1.4826 times the median absolute deviation) about
the median.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

from bench.coverage.cells import PAIRS, STOPPING, Cell
from bench.coverage.intervals import BALANCED
from bench.coverage.results import Tally, tally, write
from bench.coverage.running import Metric, run
from estimation.core import Floats, entering
from estimation.core.simulation import Campaign, Plan, latent_share

SEED = 2018
FILE = Path(__file__).resolve().parents[2] / "docs" / "coverage_metrics.json"
ROBUST = 4 * 1.4826
SENTINEL = 99999.0
Values = Callable[[Plan, Campaign, np.random.Generator], Floats]


def winsorised(values: Floats) -> Floats:
    """(M,) the values within four robust standard deviations of their median."""
    middle = float(np.median(values))
    reach = ROBUST * float(np.median(np.abs(values - middle)))
    return np.asarray(np.clip(values, middle - reach, middle + reach))


RULES: dict[str, Callable[[Floats], Floats]] = {
    "raw": lambda values: values,
    "winsorised": winsorised,
    "normal_scores": entering,
    "signed_scores": lambda values: entering(values, transform="signed_scores"),
}


def gaussian(_plan: Plan, campaign: Campaign, _rng: np.random.Generator) -> Floats:
    """As it is drawn."""
    assert campaign.sample.metric is not None
    return campaign.sample.metric


def log_normal(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """As perplexities are: the logarithm has an sd of 2."""
    return np.asarray(np.exp(2 * gaussian(plan, campaign, rng)))


def cauchy_like(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """With the tails of a Cauchy distribution."""
    return np.asarray(np.tan(np.pi * (ndtr(gaussian(plan, campaign, rng)) - 0.5)))


def cauchy_noise(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """With Cauchy noise, so that the extremes say nothing about the output."""
    found = gaussian(plan, campaign, rng)
    return np.asarray(found + 0.3 * rng.standard_cauchy(found.size))


def outliers(number: int, size: float) -> Values:
    """Some outputs at so many standard deviations."""

    def values(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
        found = gaussian(plan, campaign, rng).copy()
        found[rng.choice(found.size, number, replace=False)] = size
        return found

    return values


def sentinels(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """One output in a hundred has 99999 for no value."""
    found = gaussian(plan, campaign, rng).copy()
    found[rng.random(found.size) < 0.01] = SENTINEL
    return found


def loops(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """As `repetition` is where one output in fifty loops: mostly the bad ones, far off."""
    found = -gaussian(plan, campaign, rng)
    bad = np.argsort(campaign.quality + rng.standard_normal(found.size))[: round(found.size / 50)]
    found[bad] = 20 + 5 * rng.random(bad.size)
    return found


def constant_but_one(_plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """0 for all outputs, and 1 for one."""
    found = np.zeros(campaign.quality.size)
    found[rng.integers(found.size)] = 1.0
    return found


def calibrated(plan: Plan, campaign: Campaign, rng: np.random.Generator) -> Floats:
    """The expected score given the drawn metric: what a calibrated judge would say."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    share = latent_share(plan.marginal, plan.item)
    mean = plan.marginal.conditional_mean(nodes, share)
    sd = np.sqrt(weights @ mean**2 - (weights @ mean) ** 2)
    loading = float(plan.rho * sd / (weights @ (mean * nodes)))  # of the metric on the quality
    effect = np.sqrt(share) * loading * gaussian(plan, campaign, rng)
    return plan.marginal.expected(effect, noise=float(np.sqrt(1 - share * loading**2)))


KINDS: dict[str, Values] = {
    "Gaussian": gaussian,
    "log-normal": log_normal,
    "Cauchy-like": cauchy_like,
    "Cauchy noise": cauchy_noise,
    "one at 100 sd": outliers(1, 100.0),
    "one at 1,000 sd": outliers(1, 1000.0),
    "four at 100 sd": outliers(4, 100.0),
    "99999 for 1 %": sentinels,
    "loops": loops,
    "constant but one": constant_but_one,
    "calibrated": calibrated,
}
# The cells of the tests' gates.
CLAIMED = ("ternary, ρ .8", "binary .5, ρ .8", "HTER", "preference")
HEAVY = {
    "ternary": STOPPING[0],
    "ternary, ρ .8": replace(STOPPING[0], rho=0.8),
    "ternary, people agree": STOPPING[13],
    "binary .5, ρ .8": replace(STOPPING[20], rho=0.8),
    "binary .9": STOPPING[23],
    "proportion, ρ .8": replace(STOPPING[17], rho=0.8),
    "HTER": STOPPING[25],
    "preference": PAIRS[0],
}


def metric(cell: Cell, kind: str, rule: str) -> Metric:
    """What stands in place of the drawn metric."""
    plan, values, enters = cell.plan, KINDS[kind], RULES[rule]
    return lambda campaign, rng: enters(values(plan, campaign, rng))


def rules_of(scores: str) -> Sequence[str]:
    """The rules that are compared for these scores."""
    last = "signed_scores" if scores == "preference" else "normal_scores"
    return ("raw", "winsorised", last)


def simulated(scores: str, kind: str, rule: str, campaigns: int) -> Tally:
    """The tally of one rule."""
    stream = 301 + list(HEAVY).index(scores)
    cell = HEAVY[scores]
    found = run(cell, campaigns, SEED, stream, ways=(BALANCED,), metric=metric(cell, kind, rule))
    return tally(found[BALANCED.name])


def _row(asked: tuple[str, str, int]) -> dict[str, Any]:
    """What is kept of one kind of metric with these scores: coverage and mean judgments by rule."""
    scores, kind, campaigns = asked
    rules = {}
    for rule in rules_of(scores):
        found = simulated(scores, kind, rule, campaigns)
        rules[rule] = [round(found.coverage, 4), round(found.judgments, 1)]
    return {"scores": scores, "kind": kind, "campaigns": campaigns, "rules": rules}


def rows(campaigns: int, processes: int = 2) -> Iterator[dict[str, Any]]:
    """Simulate every kind of metric in every cell."""
    asked = [(name, kind, campaigns) for name in HEAVY for kind in KINDS]
    with Pool(processes) as pool:
        yield from pool.imap(_row, asked)


def main(campaigns: int = 1000, file: Path = FILE) -> None:
    """Print each row as it is done, and keep all."""
    kept = []
    for row in rows(campaigns):
        print(row, flush=True)
        kept.append(row)
    write({"seed": SEED, "rows": kept}, file)


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 1000, Path(given[1]) if len(given) > 1 else FILE)
