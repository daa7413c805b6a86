"""Paired differences after many looks at once are those of the engine after each."""

from dataclasses import astuple, replace

import numpy as np
import pytest

from bench.paired_histories import Judged, paired_states
from bench.ranking import FEW, SCALE, Design, collect, quality
from estimation.core import PairState, Sample, difference

CONSTANTS = {"balance": 0.16, "person_share": 0.08}
LOOKS = np.array([2, 3, 30, 31, 90, 150, 200])
SMALL = replace(FEW, n_items=200, means=(0.0, 0.3))
DESIGNS = {
    "8 people": SMALL,
    "6 people with a metric": replace(SMALL, people=6, rho=0.5),
    "people who reach the cap": Design(n_items=200, means=(0.0, 0.3), cap=10),
    "single judgments": replace(SMALL, twice=0.0),
    "all judged twice": replace(SMALL, twice=1.0, people=3),
    "a part of the outputs": replace(SMALL, unevenness=2.0),
}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("seed", [3, 4])
def test_each_look_is_the_engines(name, seed):
    design, rng = DESIGNS[name], np.random.default_rng(seed)
    given = collect(design, quality(design, rng), rng)
    population = 900 if name == "a part of the outputs" else design.n_items
    metric = [None if one is None else np.resize(one, population) for one in given.metric]
    looks = LOOKS[2:] if design.rho else LOOKS  # least squares on two metrics takes some items
    found = paired_states(
        *(Judged(given.item[k], given.person[k], given.score[k], metric[k]) for k in (0, 1)),
        looks,
        scale=SCALE,
        n_population=population,
        **CONSTANTS,
    )
    for n, state in zip(looks.tolist(), found, strict=True):
        rows = [slice(0, int(np.searchsorted(item, n))) for item in given.item]
        samples = (
            Sample(given.score[k][r], given.item[k][r], given.person[k][r], population, SCALE, m)
            for k, r, m in zip((0, 1), rows, metric, strict=True)
        )
        expected = PairState.of(difference(*samples, **CONSTANTS))
        assert (state.std_error is None) == (expected.std_error is None)
        known = [one or 0.0 for one in astuple(expected)]
        assert [one or 0.0 for one in astuple(state)] == pytest.approx(known, rel=1e-9, abs=1e-12)
