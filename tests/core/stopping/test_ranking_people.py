"""Rankings are rarely wrong though people are a sample, few of them, and have favourites.

The claim: at most 5 % of campaigns hold a wrong decision at any look. Systems are compared by
balanced paired differences, as in a campaign (tests/estimation/test_simulated_ranking.py). The
table of docs/statistics.md has more kinds of campaign, `python -m bench.ranking 250`.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from bench.ranking import FEW, Design, Ranked, campaign, is_wrong, run

PAIR = replace(FEW, means=(0.0, 0.0), n_items=200, favour=0.3, every=20)
RUNS = 300


def refuted(found: list[Ranked]) -> bool:
    """Whether so many are wrong that at most 5 % would bring it about in one run of a hundred."""
    wrong = sum(one.ever_wrong for one in found)
    print(f"{wrong} of {len(found)} wrong at some look")
    return bool(binom.sf(wrong - 1, len(found), 0.05) < 0.01)


@pytest.mark.slow
@pytest.mark.simulation
@pytest.mark.parametrize(
    "design",
    [
        replace(PAIR, people=6),
        replace(PAIR, people=8),
        replace(FEW, n_items=200),
        replace(PAIR, people=8, rho=0.5),
        Design(n_items=200, favour=0.1),
        Design(n_items=300, means=(0.7, 0.1, 0.1, -0.5)),
    ],
    ids=["6 favourites", "8 favourites", "4 systems", "a metric", "40 people", "1, 2-3, 2-3, 4"],
)
def test_few_decisions_are_wrong(design):
    assert not refuted(run(design, RUNS))


@pytest.mark.slow
@pytest.mark.simulation
def test_fixed_intervals_that_forget_people_would_fail(monkeypatch):
    # Without the factor, without the pairs' shares of alpha, and as if 5 people were many.
    rule = "estimation.core.rankings"
    monkeypatch.setattr(f"{rule}.few_people_factor", lambda people, *, alpha: 1.0)
    monkeypatch.setattr(
        f"{rule}.sequence_half_widths", lambda error, n, **_rule: 1.96 * error + 0 * n
    )
    assert refuted(run(replace(PAIR, people=6), RUNS))


def test_what_is_wrong_is_counted():
    assert is_wrong("first", 0.0, 0.2)
    assert is_wrong("first", -0.1, 0.2)
    assert not is_wrong("first", 0.1, 0.2)
    assert is_wrong("second", 0.1, 0.2)
    assert is_wrong("close", 0.21, 0.2)
    assert not is_wrong("close", -0.19, 0.2)
    assert not is_wrong("open", 0.5, 0.2)


def test_a_campaign_is_the_same_from_the_same_seed():
    design = replace(PAIR, n_items=60)
    one, other = (campaign(design, np.random.default_rng(3)) for _ in range(2))
    assert one == other
