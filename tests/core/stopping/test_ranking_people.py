"""Rankings are rarely wrong though people are a sample, few of them, and have favourites.

The claim: at most 5 % of campaigns hold a wrong decision at any look. Systems are compared by
balanced paired differences with the constants of `overall`, as in a campaign.
"""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from estimation.core import PairState, difference, ranking
from tests.core.ranked_campaigns import LEVEL, Design, draw, first, is_wrong, refuted, streams

FEW = Design(people=8, cap=None, unevenness=0.2, favour=0.3)
RUNS = 200


def ever_wrong(design: Design, rng: np.random.Generator) -> bool:
    """Whether any look at a simulated campaign holds a wrong decision about any pair."""
    samples, truth = draw(design, rng)
    pairs = list(combinations(range(len(samples)), 2))
    for n in design.looks:
        part = [first(sample, n) for sample in samples]
        states = {
            (str(i), str(j)): PairState.of(
                difference(part[i], part[j], estimator="balanced", balance=0.16, person_share=0.08)
            )
            for i, j in pairs
        }
        said = ranking(
            states, margin=design.margin, level=LEVEL, planned_items=design.planned_items
        )
        if any(
            is_wrong(verdict.outcome, truth[int(i)] - truth[int(j)], design.margin)
            for (i, j), verdict in said.pairs.items()
        ):
            return True
    return False


def wrong(design: Design) -> int:
    return sum(ever_wrong(design, rng) for rng in streams(2034, RUNS))


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize(
    "design",
    [
        replace(FEW, people=6),
        FEW,
        replace(FEW, means=(0.0,) * 4, favour=0.1),
        replace(FEW, rho=0.5),
        Design(means=(0.7, 0.1, 0.1, -0.5), every=40),
    ],
    ids=["6 favourites", "8 favourites", "4 systems", "a metric", "1, 2-3, 2-3, 4"],
)
def test_few_decisions_are_wrong(design):
    assert not refuted(wrong(design), RUNS)


@pytest.mark.slow
@pytest.mark.simulation
def test_fixed_intervals_that_forget_people_would_fail(monkeypatch):
    # Without the factor, without the pairs' shares of alpha, and as if 5 people were many.
    rule = "estimation.core.rankings"
    monkeypatch.setattr(f"{rule}.few_people_factor", lambda people, *, alpha: 1.0)
    monkeypatch.setattr(
        f"{rule}.sequence_half_widths", lambda error, n, **_rule: 1.96 * error + 0 * n
    )
    assert refuted(wrong(replace(FEW, people=6)), RUNS)
