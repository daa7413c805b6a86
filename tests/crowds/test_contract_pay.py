"""What every marketplace does about work and people: review, pay, bonuses, exclusion, messages."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.contract import Audience, Bonus, Configuration, Effect, Marketplace, UnitState
from tests.crowds.contract import (
    REASON,
    REWARD,
    carried_out,
    faults,
    hand_in,
    publish,
    state_is,
    takes_nobody,
)
from tests.crowds.far_side import FarSide, NoPlace

# ---------------------------------------------------------------- review


@faults
def test_a_unit_is_paid_once_however_often_it_is_approved(far, crowd, fault):
    unit = hand_in(far, publish(crowd))
    before = far.balance
    far.fail_next("approve", fault)
    outcome = carried_out(lambda: crowd.approve(unit), lambda: len(far.paid()))
    assert outcome.happened
    assert crowd.approve(unit).effect is Effect.ALREADY
    assert far.paid() == {unit: REWARD}
    assert before - far.balance in (Decimal(0), REWARD, crowd.estimate_cost(REWARD, 1).total)
    assert crowd.get_submission(unit).state is UnitState.APPROVED


@faults
def test_a_unit_is_rejected_once_and_not_paid(far, crowd, fault):
    unit = hand_in(far, publish(crowd))
    far.fail_next("reject", fault)
    outcome = carried_out(
        lambda: crowd.reject(unit, reason=REASON), state_is(crowd, unit, UnitState.REJECTED)
    )
    assert outcome.happened
    assert crowd.reject(unit, reason=REASON).effect is Effect.ALREADY
    assert crowd.get_submission(unit).state is UnitState.REJECTED
    assert far.paid() == {}


def test_a_rejection_needs_a_reason(far, crowd):
    unit = hand_in(far, publish(crowd))
    outcome = crowd.reject(unit, reason=" ")
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "reason")
    assert crowd.get_submission(unit).state is UnitState.SUBMITTED


def test_what_is_paid_stays_paid(far, crowd):
    unit = hand_in(far, publish(crowd))
    crowd.approve(unit)
    assert crowd.reject(unit, reason=REASON).effect is Effect.REFUSED
    assert far.paid() == {unit: REWARD}


@faults
def test_a_rejection_is_turned_round_only_where_the_crowd_can(far, crowd, fault):
    unit = hand_in(far, publish(crowd))
    crowd.reject(unit, reason=REASON)
    assert crowd.approve(unit).effect is Effect.REFUSED
    assert far.paid() == {}
    far.fail_next("approve", fault)
    outcome = carried_out(lambda: crowd.approve(unit, override=True), lambda: len(far.paid()))
    assert outcome.happened == bool(crowd.can.override_refusal)
    assert far.paid() == ({unit: REWARD} if crowd.can.override_refusal else {})


def test_a_rejection_is_final_after_the_limit(far, crowd):
    unit = hand_in(far, publish(crowd))
    crowd.reject(unit, reason=REASON)
    far.move_clock((crowd.can.override_refusal or timedelta(0)) + timedelta(days=1))
    outcome = crowd.approve(unit, override=True)
    assert outcome.effect is Effect.REFUSED
    assert outcome.message
    assert far.paid() == {}


def test_what_nobody_decides_is_approved_by_itself_where_the_crowd_says_so(far, crowd):
    unit = hand_in(far, publish(crowd))
    promised = crowd.get_submission(unit).auto_approval_at
    far.move_clock(crowd.refusal_limit + timedelta(days=1))
    expected = UnitState.APPROVED if crowd.can.auto_approval else UnitState.SUBMITTED
    assert crowd.get_submission(unit).state is expected
    if crowd.can.auto_approval:
        assert promised is not None
        assert crowd.reject(unit, reason=REASON).effect is Effect.REFUSED
        assert crowd.approve(unit).effect is Effect.ALREADY
        assert far.paid() == {unit: REWARD}


def test_a_decision_about_what_is_not_handed_in_waits(far, crowd):
    unit = far.accept(publish(crowd), far.person(1))
    assert crowd.approve(unit).effect is Effect.RETRYABLE
    assert crowd.reject(unit, reason=REASON).effect is Effect.RETRYABLE
    far.submit(unit, receipt="receipt-1")
    assert crowd.approve(unit).effect is Effect.APPLIED


# ---------------------------------------------------------------- bonuses


def a_bonus(far: FarSide, crowd: Marketplace, amount: str = "0.75") -> Bonus:
    listing = publish(crowd)
    unit = hand_in(far, listing)
    assert crowd.approve(unit).happened
    return Bonus(listing, unit, far.person(1), Decimal(amount), "For the tutorial")


def found(crowd: Marketplace, bonus: Bonus, op_id: str) -> bool:
    """Whether a bonus is found; a crowd that cannot tell says so, and has nothing to find."""
    try:
        return crowd.find_bonus(bonus, op_id)
    except Configuration:
        assert not crowd.can.idempotent_bonus
        return False


@faults
def test_a_bonus_is_paid_at_most_once(far, crowd, fault):
    bonus = a_bonus(far, crowd)
    far.fail_next("pay_bonus", fault)
    outcome = carried_out(
        lambda: crowd.pay_bonus(bonus, "bonus-1"),
        lambda: len(far.bonuses()),
        find=lambda: found(crowd, bonus, "bonus-1"),
        repeatable=crowd.can.idempotent_bonus,
    )
    if crowd.can.idempotent_bonus:
        assert outcome.happened
        assert crowd.pay_bonus(bonus, "bonus-1").effect is Effect.ALREADY
    once = [(bonus.person, bonus.unit, bonus.amount)]
    assert far.bonuses() in ((once,) if outcome.happened else (once, []))


def test_a_bonus_is_found_by_its_operation_when_the_token_has_lapsed(far, crowd):
    bonus = a_bonus(far, crowd)
    assert not found(crowd, bonus, "bonus-1")
    assert crowd.pay_bonus(bonus, "bonus-1").happened
    if crowd.can.token_life and crowd.can.idempotent_bonus:
        far.move_clock(crowd.can.token_life + timedelta(hours=1))
    assert found(crowd, bonus, "bonus-1") == crowd.can.idempotent_bonus
    assert not found(crowd, bonus, "bonus-2")
    assert not found(crowd, replace(bonus, amount=Decimal("0.76")), "bonus-1")
    assert not found(crowd, replace(bonus, person=far.person(2)), "bonus-1")


def test_two_bonuses_of_the_same_amount_are_two(far, crowd):
    bonus = a_bonus(far, crowd)
    for op_id in ("bonus-1", "bonus-2"):
        assert crowd.pay_bonus(bonus, op_id).effect is Effect.APPLIED
    assert far.bonuses() == [(bonus.person, bonus.unit, bonus.amount)] * 2


def test_without_funds_nothing_is_paid_until_somebody_adds_some(far, crowd):
    bonus = a_bonus(far, crowd)
    far.balance = Decimal("0.10")
    outcome = crowd.pay_bonus(bonus, "bonus-1")
    assert (outcome.effect, outcome.code) == (Effect.REFUSED, "funds")
    assert outcome.message
    assert far.bonuses() == []
    far.balance = Decimal("10.00")
    assert crowd.pay_bonus(bonus, "bonus-1").happened
    assert len(far.bonuses()) == 1


# ---------------------------------------------------------------- people


@faults
def test_who_is_excluded_is_kept_out_of_work_that_names_the_list(far, crowd, fault):
    closed = publish(crowd, "op-1", audience=Audience(exclusion="study-a"))
    other = publish(crowd, "op-2", audience=Audience(exclusion="study-b"))
    kept_out = lambda: takes_nobody(far, closed)  # noqa: E731
    out = lambda on: crowd.set_excluded(far.person(99), on, group="study-a")  # noqa: E731
    far.fail_next("set_excluded", fault)
    assert carried_out(lambda: out(True), kept_out).happened
    assert out(True).happened
    assert kept_out()
    assert not takes_nobody(far, other)
    far.give_back(far.accept(closed, far.person(2)))
    far.fail_next("set_excluded", fault)
    assert carried_out(lambda: out(False), lambda: not kept_out()).happened
    assert out(False).happened
    assert not kept_out()


def test_an_exclusion_after_the_launch_keeps_people_out_too(far, crowd):
    listing = publish(crowd, audience=Audience(exclusion="study-a"))
    assert crowd.set_excluded(far.person(1), True, group="study-a").happened
    with pytest.raises(NoPlace):
        far.accept(listing, far.person(1))


def test_lifting_an_exclusion_that_never_was_changes_nothing(crowd, far):
    assert crowd.set_excluded(far.person(1), False, group="study-a").effect is Effect.ALREADY


def test_people_who_worked_for_us_are_written_to(far, crowd):
    listing = publish(crowd)
    crowd.approve(hand_in(far, listing, 1))
    outcome = crowd.message([far.person(1)], "Your work", "It was approved. Thank you.")
    assert outcome.happened == crowd.can.messaging
