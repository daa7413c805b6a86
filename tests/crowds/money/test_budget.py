"""What a campaign spends at a crowd never passes its budget, and is what its ledger says."""

from contextlib import suppress
from decimal import Decimal
from unittest.mock import patch

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.campaigns import life, totals
from annotate.common.errors import Conflict
from annotate.crowds import adapters, batches, outbox
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import Terms
from annotate.models import AuditEntry, Campaign, LedgerEntry, Posting
from annotate.pay import budget as pay_budget
from annotate.pay import promise_queries, settling
from tests.crowds.batches.launching import launched
from tests.crowds.clock import Clock
from tests.crowds.money.purse import CENT, Money, Purse, whole
from tests.crowds.mturk.far_side import MTurkFarSide, mturk_far_side
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
SLOW = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture
def turk(clock: Clock, quick: None):
    """MTurk's stand-in, and the adapter that speaks with it."""
    with mturk_far_side(seed=1) as far:
        adapter = far.adapter()
        with patch.object(adapters, "marketplace", lambda _crowd: adapter):
            yield far


class _Done(Exception):
    """Each example begins with an empty database."""


def launch_all(made: Campaign, terms: Terms) -> int:
    """Launch what is suggested until nothing is; return how many units were published."""
    published = 0
    while places := batches.suggested_places(made.pk, terms.tasks):
        published += launched(made, places, terms, key=f"k{published}").places
    outbox.carry_out_due(within=60)
    assert sum(Posting.objects.values_list("places", flat=True)) == published
    return published


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "units"), [(1, 100), (2, 60), (5, 25)])
def test_the_least_fee_belongs_to_the_budget(turk: MTurkFarSide, tasks: int, units: int) -> None:
    """$3.00 pay for 100 units of $0.02 at MTurk, which charges a cent for each."""
    made = campaign(
        crowd="mturk",
        reward=Decimal("0.02"),
        budget=Decimal("3.00"),
        items=200,
        systems=("alpha",),
        double_share=0.0,
        annotator_cap=None,
    )
    assert launch_all(made, Terms("Rate news", "Read a text.", tasks=tasks)) == units
    assert pay_budget.left(made) == 0


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=SLOW)
@given(
    reward=st.integers(1, 30),
    tasks=st.integers(1, 9),
    bonus=st.sampled_from([0, 1, 2, 7, 75]),
    after=st.sampled_from([0, 1, 3]),
)
def test_what_the_account_fell_by_is_what_the_ledger_says(
    turk: MTurkFarSide, clock: Clock, reward: int, tasks: int, bonus: int, after: int
) -> None:
    """Whole units, part of one with its rest, and bonuses."""
    with suppress(_Done), transaction.atomic():
        purse = Purse.opened(turk, clock, Money(reward, tasks, bonus, after, items=2 * tasks + 2))
        purse.launch(2)
        outbox.carry_out_due()
        whole(purse, 1)
        whole(purse, 2)
        purse.bonus()
        purse.later(hours=3)
        purse.close()
        for _turn in range(4):
            purse.later(minutes=20)
        life.finish(purse.study.pk)
        purse.later(minutes=20)
        purse.balanced()
        assert LedgerEntry.objects.filter(kind="tutorial").count() == (2 if bonus else 0)
        raise _Done


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=SLOW)
@given(
    reward=st.integers(1, 30),
    tasks=st.integers(1, 9),
    bonus=st.sampled_from([0, 2, 40]),
    budget=st.integers(3, 1500),
)
def test_a_suggestion_is_never_refused_and_takes_what_the_budget_pays(
    turk: MTurkFarSide, clock: Clock, reward: int, tasks: int, bonus: int, budget: int
) -> None:
    with suppress(_Done), transaction.atomic():
        purse = Purse.opened(turk, clock, Money(reward, tasks, bonus, budget=budget, items=60))
        study = purse.study
        while places := batches.suggested_places(study.pk, tasks):
            assert purse.launch(places) == places
        left, each = pay_budget.left(study), pay_budget.unit_price(study, reward * tasks * CENT)
        assert left is not None
        assert left >= 0
        enough = sum(Posting.objects.values_list("places", flat=True)) * tasks
        assert left < each or enough >= study.slots.count()
        raise _Done


@pytest.mark.slow
def test_a_unit_that_is_rejected_and_paid_after_all_costs_what_it_would_have_cost(
    turk: MTurkFarSide, clock: Clock
) -> None:
    """By one bonus, not by one for each task: each would cost another cent."""
    purse = Purse.opened(turk, clock, Money(2, 5))
    purse.launch(1)
    outbox.carry_out_due()
    unit = whole(purse, 1)
    purse.sync()
    purse.ruled(unit, "exclude", "refuse")
    purse.later(days=31)
    assert (purse.ledger(), purse.fell()) == (0, 0)
    purse.ruled(unit, "repay")
    purse.sync()
    assert purse.far.bonuses() == [(unit.person, unit.unit, Decimal("0.10"))]
    assert purse.fell() == Decimal("0.12")
    purse.balanced()


@pytest.mark.slow
def test_what_version_0_1_wrote_down_is_corrected_when_it_is_paid(
    turk: MTurkFarSide, clock: Clock
) -> None:
    """It reckoned a fee for each task, without the least one."""
    purse = Purse.opened(turk, clock, Money(2, 3))
    purse.launch(1)
    outbox.carry_out_due()
    whole(purse, 1)
    LedgerEntry.objects.all()._raw_delete("default")
    for assignment in purse.study.assignments.all():
        LedgerEntry.objects.create(
            campaign=purse.study,
            participation=assignment.participation,
            assignment=assignment,
            kind="reward",
            amount=Decimal("0.02"),
            fee=0,
            key=f"assignment:{assignment.pk}",
        )
    totals.recount(purse.study.pk)
    purse.later(hours=3)
    assert purse.fell() == purse.ledger() == Decimal("0.07")
    assert LedgerEntry.objects.get(amount=0).fee == Decimal("0.01")


@pytest.mark.slow
def test_nothing_is_kept_for_more_units_than_there_are_places(
    turk: MTurkFarSide, clock: Clock
) -> None:
    """Nobody has confirmed yet who comes: made-up units cost no more than the real ones."""
    purse = Purse.opened(turk, clock, Money(10, 2, 50, budget=500))
    purse.launch(1)
    outbox.carry_out_due()
    before = pay_budget.left(purse.study)
    for _ in range(3):
        purse.forge()
    assert purse.study.participations.count() == 3
    assert pay_budget.left(purse.study) == before


@pytest.mark.slow
def test_who_accepted_before_a_stop_is_let_in_only_where_the_money_is_still_there(
    turk: MTurkFarSide, clock: Clock
) -> None:
    purse = Purse.opened(turk, clock, Money(10, 2, budget=48))
    purse.launch(2)
    outbox.carry_out_due()
    listing = purse.ours()[0]
    early = [(turk.person(n), turk.accept(listing, turk.person(n))) for n in (1, 2)]
    batches.stop(purse.study.batches.get().pk, actor_id=None)
    purse.sync()
    assert purse.launch(1) == 1
    first, second = early
    assert purse._arrive(listing, first[1], first[0])
    with pytest.raises(Exception, match="complete"):
        purse._arrive(listing, second[1], second[0])
    purse.within_budget()


@pytest.mark.slow
def test_paying_a_unit_in_doubt_asks_where_the_budget_is_exceeded(
    turk: MTurkFarSide, clock: Clock
) -> None:
    """Its money is kept from the start, so only what exceeds the budget already makes it ask."""
    purse = Purse.opened(turk, clock, Money(10, 3, budget=60))
    purse.launch(1)
    outbox.carry_out_due()
    unit = purse.come(1)
    purse.judge(unit, 1)
    purse.far.submit(unit.unit, receipt=purse.of(unit).receipt)  # without our last page
    purse.sync()
    who = purse.of(unit)
    assert "1 of 3 tasks" in who.problem
    assert pay_budget.left(purse.study) == Decimal("0.24")
    Campaign.objects.update(budget=Decimal("0.30"))
    with pytest.raises(Conflict, match=r"exceed its budget of \$0.30 by \$0.06") as asked:
        settling.accept(who.pk, actor_id=purse.ada.pk)
    assert asked.value.code == "budget"
    assert purse.of(unit).problem, "nothing was done"
    settling.accept(who.pk, actor_id=purse.ada.pk, beyond_budget=True)
    assert pay_budget.excess(Campaign.objects.get()) == Decimal("0.06")
    assert AuditEntry.objects.get(verb="unit_accepted").detail["beyond_budget"] == "0.06"
    purse.later(hours=3)
    purse.balanced()
    assert purse.fell() == Decimal("0.36")


@pytest.mark.slow
def test_a_bonus_that_falls_due_when_all_is_put_away_is_paid(
    turk: MTurkFarSide, clock: Clock
) -> None:
    purse = Purse.opened(turk, clock, Money(5, 2, 30))
    purse.launch(2)  # one unit stays to be taken
    outbox.carry_out_due()
    unit = whole(purse, 1)
    purse.later(hours=3)
    purse.ruled(unit, "exclude")
    purse.close()
    for _turn in range(4):
        purse.later(days=11)
    assert purse.ops("archive")
    assert not crowds_queries.watching_kept().exists()
    assert purse.far.bonuses() == [], "a ruling brings it no sooner"
    life.finish(purse.study.pk)
    purse.sync()
    assert purse.far.bonuses() == [(unit.person, unit.unit, Decimal("0.30"))]
    purse.balanced()
    assert promise_queries.to_be_paid() == []
