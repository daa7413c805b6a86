"""What breaks coverage at the stop, and what does not: the product's simulator.

Each gate is a binomial bound; `refuted` is what a gate that fails looks like. The figures that
these settings give, and how they depend on them: docs/statistics.md. The default interval is held
to its claim in test_gates_at_the_stop.py, on more campaigns.
"""

from dataclasses import replace
from functools import cache

import pytest
from scipy.stats import binom

from estimation.core.simulation import HTER_LIKE, TERNARY, Outcome, Plan, simulate

pytestmark = [pytest.mark.slow, pytest.mark.simulation]

SEED = 2018
REPLICATES = 300
# Shares of the released data's components: overall .139/.059/.232, edit .143/.006/.061.
OVERALL = Plan(TERNARY, item=0.139 / 0.43, person=0.059 / 0.43, cap=25)
EDIT = Plan(HTER_LIKE, item=0.143 / 0.21, person=0.006 / 0.21, cap=25)
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


def test_independent_interval_fails_when_people_differ():
    assert refuted(run(OVERALL, 0.15, estimator="regression", interval="iid"))


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
    # Not 0: who happens to get good outputs is faster, judges more, and counts less for each.
    assert -0.02 < outcome.mean_error < 0.01


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


def test_six_experts_who_judge_everything_are_covered_as_a_panel() -> None:
    experts = replace(
        OVERALL, cap=None, places=6, replaced=False, double_share=1.0, raters=6, n_population=100
    )
    outcome = run(experts, 0.3, estimand="panel")
    assert outcome.stop_share >= 0.9
    assert not refuted(outcome)
