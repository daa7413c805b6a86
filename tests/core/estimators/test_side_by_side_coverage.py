"""Intervals where one person rates all texts of an item: of a system, and of a difference.

`python -m bench.coverage.side_by_side 4000` prints the table of docs/statistics.md; here are rows
of it. Each gate is a one-sided binomial bound at 5 %.
"""

from functools import cache

import numpy as np
import pytest

from bench.coverage.differences import ESTIMATORS, LEVELS, SEED, refuted
from bench.coverage.side_by_side import ROWS, TOLD, campaign, covered
from estimation.core import Sample, difference

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

CAMPAIGNS = 1000
HELD = ["strong views of items", "contrast 1, strong views", "15 people, 60 items"]


@cache
def runs(row: str) -> np.ndarray:
    seeds = np.random.SeedSequence(SEED).spawn(CAMPAIGNS)
    return np.array([covered(ROWS[row], seed) for seed in seeds])


@pytest.mark.parametrize("what", range(len(TOLD)), ids=TOLD)
@pytest.mark.parametrize("row", HELD)
def test_intervals_cover(row, what):
    for place, estimator in enumerate(ESTIMATORS):
        counts = runs(row)[:, place, what, :2].sum(axis=0).astype(int).tolist()
        print(row, TOLD[what], estimator, counts, runs(row)[:, place, what, 2].mean())
        for count, level in zip(counts, LEVELS, strict=True):
            assert not refuted(count, CAMPAIGNS, level)


def test_the_gate_sees_people_taken_for_many():
    """Each judgment by a person of its own, as if nobody rated several items: too narrow."""
    held = 0
    for seed in np.random.SeedSequence(SEED).spawn(CAMPAIGNS):
        samples, truth = campaign(
            ROWS["people have nothing but taste"], np.random.default_rng(seed)
        )
        first, second = map(apart, samples[:2])
        interval = difference(first, second).interval(0.95)
        held += interval.low <= truth[0] - truth[1] <= interval.high
    print(f"held {held} of {CAMPAIGNS}")
    assert refuted(held, CAMPAIGNS, 0.95)


def apart(sample: Sample) -> Sample:
    own = np.arange(sample.n_judgments)
    return Sample(sample.score, sample.item, own, sample.n_population, sample.scale, sample.metric)


def test_one_persons_view_of_an_item_leaves_differences_alone():
    """It moves both texts alike, so differences are narrower than between different people."""
    with_views, without = (
        runs(row)[:, 0, 1, 2].mean() for row in ("strong views of items", "no view of items")
    )
    assert with_views < without
