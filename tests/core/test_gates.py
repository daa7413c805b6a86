"""Coverage at the stopping time, on simulated campaigns with a known truth.

Each gate is a binomial bound; `refuted` is what a gate that fails looks like. The figures that
these settings give, and how they depend on them: docs/statistics.md.
"""

from dataclasses import replace
from functools import cache

import pytest
from scipy.stats import binom

from estimation.core.simulation import BINARY, HTER_LIKE, TERNARY, Outcome, Plan, simulate

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

SEED = 2018
REPLICATES = 300
# Shares of the released data's components: overall .139/.059/.232, edit .143/.006/.061.
OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43, cap=25)
EDIT = Plan(HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21, cap=25)
RATHER_GOOD = replace(OVERALL, marginal=BINARY)
# Fifty people at work at once; log time and overall score correlate as in the released data.
BUSY = replace(OVERALL, places=50, unevenness=0.0, time_correlation=-0.38)
# One output in ten is another system's too, and those are somewhat better.
SHARING = replace(OVERALL, shared=0.1, shared_quality=0.3)
# As the released data's correlation of log activity and mean score.
MILD = replace(OVERALL, leniency=0.45)
CLAIM = 0.93


@cache  # two tests look at the same ternary campaigns
def run(plan: Plan, width: float, **options) -> Outcome:
    outcome = simulate(
        plan, target_width=width, level=0.95, replicates=REPLICATES, seed=SEED, **options
    )
    print(f"seed {SEED}: {outcome} coverage {outcome.coverage:.3f}")
    return outcome


def refuted(outcome: Outcome, claim: float = CLAIM) -> bool:
    """Whether so few covered that the claim would bring it about in one run of a hundred."""
    return bool(binom.cdf(outcome.covered, outcome.stopped, claim) < 0.01)


@pytest.mark.parametrize(
    ("plan", "width"),
    [(OVERALL, 0.2), (OVERALL, 0.15), (RATHER_GOOD, 0.15), (EDIT, 0.1)],
    ids=["ternary-wide", "ternary", "binary", "hter"],
)
def test_default_interval_covers_when_people_differ(plan, width):
    outcome = run(plan, width)
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)


@pytest.mark.parametrize(
    ("plan", "width"),
    [(OVERALL, 0.15), (RATHER_GOOD, 0.15), (EDIT, 0.1)],
    ids=["ternary", "binary", "hter"],
)
def test_default_interval_covers_when_people_agree(plan, width):
    outcome = run(replace(plan, person=0.0), width)
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)


@pytest.mark.parametrize(("width", "judgments"), [(0.2, 290), (0.15, 721)])
def test_ternary_scores_take_the_expected_number_of_judgments(width, judgments):
    # statistics.md section 4, cap 25; not wider than needed either.
    outcome = run(OVERALL, width)
    assert outcome.mean_judgments == pytest.approx(judgments, rel=0.15)
    assert binom.sf(outcome.covered - 1, outcome.stopped, 0.98) > 0.01


def test_independent_interval_fails_when_people_differ():
    assert refuted(run(OVERALL, 0.15, interval="iid"))


def test_plain_interval_fails_on_unbounded_scores():
    assert refuted(run(EDIT, 0.1, pseudo_rows=False))


def test_reporting_at_once_fails_with_many_people_at_work():
    outcome = run(BUSY, 0.25, report="at_once")
    assert refuted(outcome)
    assert outcome.mean_error > 0.03  # what is still in progress took long, and is worse


def test_reporting_after_the_drain_covers_with_many_people_at_work():
    outcome = run(BUSY, 0.25)
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)
    assert abs(outcome.mean_error) < 0.01


def test_judgments_that_spill_from_shared_outputs_fail():
    assert refuted(run(SHARING, 0.2, report="spill"))


def test_a_systems_own_prefix_covers():
    outcome = run(SHARING, 0.2)
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)


def test_people_counted_equally_are_not_covered_where_active_people_are_milder():
    assert refuted(run(MILD, 0.2, weighing="equal"))


def test_people_counted_by_their_work_are_covered_where_active_people_are_milder():
    assert not refuted(run(MILD, 0.2))


def test_a_notice_says_where_active_people_are_milder():
    told, usual = run(MILD, 0.2), run(OVERALL, 0.2)
    assert told.activity_notices > told.stopped / 2
    assert told.activity_notices > 2 * usual.activity_notices


def test_a_panel_is_covered():
    outcome = run(OVERALL, 0.2, estimand="panel")
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)
