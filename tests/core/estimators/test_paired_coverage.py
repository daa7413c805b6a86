"""Paired differences at a fixed number of judgments hold the truth as often as they claim.

`python -m bench.coverage.differences 4000` prints the table of docs/statistics.md; here are the
rows in which they cover least.
"""

import numpy as np
import pytest

from bench.coverage.differences import ESTIMATORS, LEVELS, ROWS, SEED, campaign, covered, refuted
from estimation.core import difference

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

CAMPAIGNS = 1000
LEAST = ["ternary, 40 people", "very uneven people", "people have nothing but taste", "no metric"]


@pytest.mark.parametrize("row", LEAST)
def test_both_kinds_of_weights_cover(row):
    seeds = np.random.SeedSequence(SEED).spawn(CAMPAIGNS)
    runs = np.array([covered(ROWS[row], seed) for seed in seeds])
    for place, estimator in enumerate(ESTIMATORS):
        counts = runs[:, place, :2].sum(axis=0).astype(int).tolist()
        print(row, estimator, counts, runs[:, place, 2].mean())
        for count, level in zip(counts, LEVELS, strict=True):
            assert not refuted(count, CAMPAIGNS, level)
    assert runs[:, 0, 2].mean() < runs[:, 1, 2].mean()


def test_people_must_count_as_a_sample():
    # An interval about these people alone misses what people in general would say.
    held = 0
    for seed in np.random.SeedSequence(SEED).spawn(CAMPAIGNS):
        rng = np.random.default_rng(seed)
        first, second, truth = campaign(ROWS["people have nothing but taste"], rng)
        interval = difference(first, second, estimand="panel").interval(0.95)
        held += interval.low <= truth <= interval.high
    print(f"held {held} of {CAMPAIGNS}")
    assert refuted(held, CAMPAIGNS, 0.95)
