"""The rule about pairs that are judged side by side: what it decides, and how often it is wrong."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.core import Estimate as Estimated
from estimation.core import Sample, Scale, estimate
from estimation.rule import PairRule

FLIPPED = {"first": "second", "second": "first", "close": "close", "open": "open"}


def rule(**changes: Any) -> PairRule:
    said = {"tie": 0.0, "margin": 0.3, "pairs": 3, "least": 30}
    return PairRule(0.95, None, 100.0, **{**said, **changes})


def found(score: Any, *, people: int = 21, low: float = -1.0) -> Estimated:
    """The estimate of one judgment of each item, by people in turn."""
    n = len(score)
    return estimate(
        Sample(np.array(score, float), np.arange(n), np.arange(n) % people, 400, Scale(low, 1.0))
    )


# --- the rule


def test_what_is_better_is_known_where_the_interval_leaves_a_tie_out() -> None:
    better = found([1, 1, 0.5, 1, 0, 1, 1, 0.5] * 20)
    assert rule().decided(better).outcome == "first"
    assert rule().interval(better).low > 0
    wins = found([1, 1, 0.5, 1, 0.5, 1, 1, 1] * 20, low=0.0)
    assert rule(tie=0.5, margin=0.1).decided(wins).outcome == "first"
    assert rule(tie=0.5, margin=0.1).interval(wins).low > 0.5
    halves = found([1, 0, 0.5, 0.5] * 100, low=0.0)
    assert rule(tie=0.5, margin=0.2).decided(halves).outcome == "close"


@pytest.mark.parametrize(
    ("n", "people", "needs"), [(29, 21, "items"), (80, 4, "people"), (80, 21, "items")]
)
def test_an_open_pair_says_what_it_needs(n: int, people: int, needs: str) -> None:
    said = rule(margin=0.1).ranked(found(([0.5, -0.5, 0, 0.5, 0] * 20)[:n], people=people))
    assert (said.outcome, said.needs) == ("open", needs)
    assert (said.interval is None) == (n < 30)


answers = st.lists(st.sampled_from([-1, -0.5, 0, 0.5, 1]), min_size=30, max_size=120)


@given(score=answers, people=st.integers(3, 30), margin=st.sampled_from([0.1, 0.3, 0.6]))
@settings(max_examples=150)
def test_changing_the_two_sides_flips_what_is_decided(
    score: list[float], people: int, margin: float
) -> None:
    one, other = found(score, people=people), found([-value for value in score], people=people)
    said, turned = (rule(margin=margin).ranked(each) for each in (one, other))
    assert turned.outcome == FLIPPED[said.outcome]
    assert (turned.needs, turned.items) == (said.needs, said.items)
    if said.interval and turned.interval:
        ends = -said.interval.high, -said.interval.low
        assert (turned.interval.low, turned.interval.high) == pytest.approx(ends)
    wins = [(1 + (value > 0) - (value < 0)) / 2 for value in score]
    of_wins = rule(tie=0.5, margin=margin / 2)
    one, other = (found(each, people=people, low=0.0) for each in (wins, [1 - w for w in wins]))
    assert of_wins.decided(other).outcome == FLIPPED[of_wins.decided(one).outcome]


# --- how often it is wrong
