"""The bootstraps agree with loops over resampled judgments, within three Monte Carlo errors."""

import random
from statistics import fmean, stdev

import numpy as np
import pytest

from estimation.core import Sample, Scale, bootstrap, pigeonhole

REPLICATES, TIMES = 1000, 8
LEVEL = 0.9
Row = tuple[int, int, float]  # item, person, score


def judged(seed: int) -> tuple[list[Row], list[float]]:
    """Forty of sixty outputs, every third judged twice, by nine people who differ."""
    rng = random.Random(seed)
    quality = [rng.gauss(0, 1) for _ in range(60)]
    mild = [rng.gauss(0, 0.5) for _ in range(9)]
    rows = []
    for item in range(40):
        for person in rng.sample(range(9), 2 if item % 3 == 0 else 1):
            score = quality[item] + mild[person] + rng.gauss(0, 0.7)
            rows.append((item, person, score))  # without ties, so that quantiles are smooth
    return rows, [0.6 * one + rng.gauss(0, 0.8) for one in quality]


def standardised(metric: list[float]) -> list[float]:
    mean = fmean(metric)
    spread = (fmean((one - mean) ** 2 for one in metric)) ** 0.5
    return [(one - mean) / spread for one in metric]


def fitted(rows: list[Row], weight: list[float], x: list[float], estimator: str) -> float | None:
    """The estimate from weighted judgments, by the textbook formulas."""
    total = sum(weight)
    if not total:
        return None
    x_mean = sum(w * x[item] for (item, _, _), w in zip(rows, weight, strict=True)) / total
    mean = sum(w * y for (_, _, y), w in zip(rows, weight, strict=True)) / total
    if estimator == "mean":
        return mean
    pairs = list(zip(rows, weight, strict=True))
    cross = sum(w * (y - mean) * x[item] for (item, _, y), w in pairs)
    if estimator == "algorithm_1":
        return mean - cross / total * x_mean
    square = sum(w * (x[item] - x_mean) ** 2 for (item, _, _), w in pairs)
    return mean - cross / square * x_mean if square > 1e-12 else mean


def counts(rows: list[Row], kind: str, rng: random.Random) -> list[int]:
    """How often each judgment is drawn."""
    if kind == "bootstrap":
        drawn = [0] * len(rows)
        for _ in rows:
            drawn[rng.randrange(len(rows))] += 1
        return drawn
    times = []
    for place in (0, 1):
        labels = sorted({row[place] for row in rows})
        drawn_labels = [rng.choice(labels) for _ in labels]
        times.append({label: drawn_labels.count(label) for label in labels})
    return [times[0][item] * times[1][person] for item, person, _ in rows]


def ends(rows: list[Row], x: list[float], kind: str, estimator: str, seed: int) -> list[float]:
    rng = random.Random(seed)
    k = {item: sum(row[0] == item for row in rows) for item, _, _ in rows}
    found = []
    for _ in range(REPLICATES):
        drawn = counts(rows, kind, rng)
        weight = [n / k[row[0]] for n, row in zip(drawn, rows, strict=True)]
        if (value := fitted(rows, weight, x, estimator)) is not None:
            found.append(value)
    return [float(np.quantile(found, end)) for end in ((1 - LEVEL) / 2, (1 + LEVEL) / 2)]


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["mean", "algorithm_1", "regression"])
@pytest.mark.parametrize("kind", ["bootstrap", "pigeonhole"])
def test_ends_are_those_of_loops(kind, estimator):
    rows, metric = judged(5)
    item, person, score = (list(column) for column in zip(*rows, strict=True))
    sample = Sample(score, item, person, 60, Scale(-1, 1, bounded=False), metric)
    by_hand = [ends(rows, standardised(metric), kind, estimator, seed) for seed in range(TIMES)]
    make = {"bootstrap": bootstrap, "pigeonhole": pigeonhole}[kind]
    found = make(sample, estimator=estimator, level=LEVEL, replicates=8000, seed=4)
    for end, values in zip((found.low, found.high), zip(*by_hand, strict=True), strict=True):
        # Of the mean of the runs by hand; that of the many replicates is smaller.
        error = stdev(values) / TIMES**0.5
        assert abs(end - fmean(values)) < 3 * (error**2 + stdev(values) ** 2 / 8) ** 0.5
