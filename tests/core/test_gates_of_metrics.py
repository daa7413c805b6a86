"""Coverage and cost at the stop for metrics of every kind, with the rule of new campaigns.

The gates are those of `test_gates_at_the_stop`; docs/coverage.md has the table.
"""

from functools import cache

import pytest
from scipy.stats import binom

from bench.coverage.metrics import CLAIMED, HEAVY, KINDS, simulated
from bench.coverage.results import Tally

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

CAMPAIGNS = 1000
CLAIM = 0.945
RULE = {"preference": "signed_scores"}


@cache  # the gates of coverage and of cost share their campaigns
def found(scores: str, kind: str, rule: str = "") -> Tally:
    return simulated(scores, kind, rule or RULE.get(scores, "normal_scores"), CAMPAIGNS)


def refuted(one: Tally) -> bool:
    """Whether so few covered that the claim would bring it about in one run of twenty."""
    return bool(binom.cdf(one.covered, one.stopped, CLAIM) < 0.05)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scores", CLAIMED)
def test_every_metric_keeps_the_claim(scores: str, kind: str) -> None:
    one = found(scores, kind)
    assert one.stopped == CAMPAIGNS
    assert not refuted(one)
    assert one.own == one.stopped


@pytest.mark.parametrize("kind", ["one at 1,000 sd", "four at 100 sd", "Cauchy-like"])
def test_raw_metrics_are_seen_to_fail(kind: str) -> None:
    assert refuted(found("ternary, ρ .8", kind, "raw"))


@pytest.mark.parametrize("scores", HEAVY)
def test_ranks_cost_at_most_two_percent_where_the_metric_is_gaussian(scores: str) -> None:
    cost = found(scores, "Gaussian").judgments
    assert cost <= 1.02 * found(scores, "Gaussian", "raw").judgments


@pytest.mark.parametrize("scores", ["binary .5, ρ .8", "binary .9"])
def test_and_where_it_is_a_calibrated_probability(scores: str) -> None:
    cost = found(scores, "calibrated").judgments
    assert cost <= 1.02 * found(scores, "calibrated", "raw").judgments
