"""What every marketplace does, whatever goes wrong on the way.

The far sides are real servers. Effects are driven as the outbox drives them: after AMBIGUOUS
they are looked for, or asked again under the same name where the crowd recognises that. What a
crowd cannot do is read from its `can`, never from its name.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.base import (
    Audience,
    Bonus,
    Configuration,
    Effect,
    Marketplace,
    NotFound,
    Outcome,
    Spec,
    Stage,
    Throttled,
    Transient,
    UnitState,
)
from tests.crowds.far_side import FarSide, Fault, NoPlace
from tests.crowds.mturk_far_side import mturk_far_side

REWARD = Decimal("1.50")
REASON = (
    "Every answer was given within two seconds, and none of them fits the text it is about: " * 2
)
FAR_SIDES: dict[str, Callable[[], AbstractContextManager[FarSide]]] = {
    "mturk": mturk_far_side,
    "mturk, ids used again": lambda: mturk_far_side(reuse_ids=True),
}
faults = pytest.mark.parametrize("fault", list(Fault), ids=str)


@pytest.fixture(params=FAR_SIDES)
def far(request) -> Iterator[FarSide]:
    with FAR_SIDES[request.param]() as far_side:
        yield far_side


@pytest.fixture
def crowd(far) -> Marketplace:
    return far.adapter()


# ---------------------------------------------------------------- how tests act


def spec(places: int = 3, **changes: object) -> Spec:
    made = Spec(
        title="Compare short texts", description="Read two texts and say which reads better.",
        keywords=("reading", "comparison"), reward=REWARD, places=places,
        url="https://plumbline.example/work/on/crowd/token/", minutes=5.0,
        duration=timedelta(hours=1), lifetime=timedelta(days=3), auto_approval=timedelta(days=7),
        code="C0MPLETE",
    )  # fmt: skip
    return replace(made, **changes)


def publish(crowd: Marketplace, op_id: str = "publish-1", **changes: object) -> str:
    outcome = crowd.publish(spec(**changes), op_id)
    assert outcome.effect is Effect.APPLIED, outcome
    assert outcome.posted is not None
    return outcome.posted.listing


def hand_in(far: FarSide, listing: str, number: int = 1) -> str:
    unit = far.accept(listing, far.person(number))
    far.submit(unit, receipt=f"receipt-{number}")
    return unit


def carried_out(
    call: Callable[[], Outcome],
    n_effects: Callable[[], int],
    *,
    find: Callable[[], bool] | None = None,
    repeatable: bool = True,
) -> Outcome:
    """Follow the rule of the outbox; AMBIGUOUS comes back where only a person can tell.

    An outcome may be unsure, but what it says for sure has to be so.
    """
    for _attempt in range(5):
        outcome = call()
        if outcome.effect is not Effect.AMBIGUOUS:
            assert n_effects() == outcome.happened, outcome
            if outcome.effect is not Effect.RETRYABLE:
                return outcome
        elif find is not None and find():
            return Outcome(Effect.ALREADY)
        elif not repeatable:
            return outcome
    raise AssertionError(f"it never ends: {outcome}")


def state_is(crowd: Marketplace, unit: str, state: UnitState) -> Callable[[], int]:
    return lambda: crowd.get_submission(unit).state is state


def takes_nobody(far: FarSide, listing: str) -> bool:
    try:
        far.give_back(far.accept(listing, far.person(99)))
    except NoPlace:
        return True
    return False


# ---------------------------------------------------------------- postings


def test_a_posting_that_can_be_validated_is_published(far, crowd):
    assert crowd.validate(spec()) == []
    outcome = crowd.publish(spec(), "publish-1")
    assert outcome.effect is Effect.APPLIED
    assert far.postings() == [outcome.posted.listing]
    assert outcome.posted.places == 3
    level = crowd.posting_level(outcome.posted.listing)
    assert (level.stage, level.places, level.available) == (Stage.OPEN, 3, 3)


@faults
def test_an_interrupted_publication_makes_one_posting(far, crowd, fault):
    far.fail_next("publish", fault)
    outcome = carried_out(lambda: crowd.publish(spec(), "publish-1"), lambda: len(far.postings()))
    assert outcome.happened
    assert far.postings() == [outcome.posted.listing]
    assert [one.listing for one in crowd.find_postings("publish-1")] == far.postings()


@faults
def test_a_publication_that_is_looked_for_before_it_is_repeated_is_made_once(far, crowd, fault):
    far.fail_next("publish", fault)
    outcome = carried_out(
        lambda: crowd.publish(spec(), "publish-1"), lambda: len(far.postings()),
        find=lambda: bool(crowd.find_postings("publish-1")),
    )  # fmt: skip
    assert outcome.happened
    assert len(far.postings()) == 1


def test_throttling_says_so_and_changes_nothing(far, crowd):
    far.fail_next("publish", Fault.THROTTLE)
    outcome = crowd.publish(spec(), "publish-1")
    assert (outcome.effect, outcome.code) == (Effect.RETRYABLE, "throttled")
    assert far.postings() == []


def test_a_broken_connection_after_the_effect_is_never_called_a_failure(far, crowd):
    far.fail_next("publish", Fault.AFTER)
    outcome = crowd.publish(spec(), "publish-1")
    assert outcome.effect in (Effect.AMBIGUOUS, Effect.APPLIED, Effect.ALREADY)
    assert len(far.postings()) == 1


def test_another_operation_makes_another_posting(far, crowd):
    first, second = publish(crowd, "publish-1"), publish(crowd, "publish-2")
    assert first != second
    assert [one.listing for one in crowd.find_postings("publish-2")] == [second]
    assert crowd.find_postings("publish-3") == []


def test_a_posting_is_found_after_its_token_has_lapsed(far, crowd):
    listing = publish(crowd)
    far.move_clock((crowd.can.token_life or timedelta(hours=24)) + timedelta(hours=1))
    found = crowd.find_postings("publish-1")
    assert [(one.listing, one.places) for one in found] == [(listing, 3)]


def test_a_posting_is_found_among_more_than_a_page_of_others(far, crowd):
    listing = publish(crowd)
    for number in range(105):
        publish(crowd, f"other-{number}", places=1)
    assert [one.listing for one in crowd.find_postings("publish-1")] == [listing]


@faults
def test_places_are_added_once(far, crowd, fault):
    listing = publish(crowd)
    far.fail_next("add_places", fault)
    outcome = carried_out(
        lambda: crowd.add_places(listing, 2, "add-1"),
        lambda: crowd.posting_level(listing).places - 3 == 2,
    )
    assert outcome.happened
    assert crowd.posting_level(listing).places == 5
    assert crowd.add_places(listing, 1, "add-2").effect is Effect.APPLIED
    assert crowd.posting_level(listing).places == 6


def test_more_places_than_a_posting_may_have_are_refused_with_what_to_do(far, crowd):
    most = crowd.can.places_at_most
    listing = publish(crowd, places=most or 9)
    outcome = crowd.add_places(listing, 1, "add-1")
    assert outcome.effect is (Effect.REFUSED if most else Effect.APPLIED)
    assert crowd.posting_level(listing).places == (most or 10)
    if most:
        assert "new posting" in outcome.message
        assert [one.field for one in crowd.validate(spec(places=most + 1))] == ["places"]


@faults
def test_nobody_comes_in_after_a_stop_and_who_is_in_may_finish(far, crowd, fault):
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    far.fail_next("stop", fault)
    outcome = carried_out(lambda: crowd.stop(listing), lambda: takes_nobody(far, listing))
    assert outcome.happened
    assert crowd.posting_level(listing).stage is Stage.DRAINING
    far.submit(unit, receipt="receipt-1")
    assert crowd.posting_level(listing).stage is Stage.CLOSED
    assert crowd.stop(listing).effect is Effect.ALREADY


def test_a_level_counts_who_is_where(far, crowd):
    listing = publish(crowd, places=5)
    hand_in(far, listing, 1)
    far.accept(listing, far.person(2))
    far.give_back(far.accept(listing, far.person(3)))
    level = crowd.posting_level(listing)
    assert (level.places, level.available, level.pending, level.handed_in) == (5, 3, 1, 1)


def test_what_was_decided_still_counts_as_handed_in(far, crowd):
    listing = publish(crowd)
    approved, rejected = hand_in(far, listing, 1), hand_in(far, listing, 2)
    crowd.approve(approved)
    crowd.reject(rejected, reason=REASON)
    level = crowd.posting_level(listing)
    assert (level.pending, level.handed_in) == (0, 2)


def test_only_what_is_decided_is_archived(far, crowd):
    listing = publish(crowd)
    unit = hand_in(far, listing)
    assert not crowd.archive(listing).happened
    assert crowd.stop(listing).happened
    crowd.approve(unit)
    assert crowd.archive(listing).happened
    assert crowd.archive(listing).effect is Effect.ALREADY
    assert far.paid() == {unit: REWARD}


# ---------------------------------------------------------------- reading


def test_all_that_was_handed_in_is_listed(far, crowd):
    most = crowd.can.places_at_most or 120
    listings = [publish(crowd, f"op-{n}", places=most) for n in range(-(-120 // most))]
    expected = {}
    for number in range(120):
        listing = listings[number // most]
        expected[hand_in(far, listing, number)] = (listing, far.person(number), f"receipt-{number}")
    listed = [one for listing in listings for one in crowd.iter_submissions(listing)]
    assert len(listed) == 120
    assert {one.unit: (one.listing, one.person) for one in listed} == {
        unit: found[:2] for unit, found in expected.items()
    }
    assert all(one.state is UnitState.SUBMITTED and one.submitted_at for one in listed)
    if not crowd.can.verify_at_entry:  # then the receipt is all that proves it is our work
        assert {one.unit: one.receipt for one in listed} == {
            unit: found[2] for unit, found in expected.items()
        }


def test_a_unit_handed_in_twice_is_listed_once(far, crowd):
    listing = publish(crowd)
    unit = hand_in(far, listing)
    far.submit(unit, receipt="receipt-1")
    assert [one.unit for one in crowd.iter_submissions(listing)] == [unit]


def test_a_unit_is_never_shown_as_handed_in_before_it_is(far, crowd):
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    with suppress(NotFound):
        assert crowd.get_submission(unit).state is UnitState.ACTIVE
    assert all(one.state is UnitState.ACTIVE for one in crowd.iter_submissions(listing))
    far.submit(unit, receipt="receipt-1")
    found = crowd.get_submission(unit)
    assert (found.listing, found.unit, found.person) == (listing, unit, far.person(1))
    assert found.state is UnitState.SUBMITTED


def test_work_belongs_to_whoever_handed_it_in_after_somebody_else_gave_it_back(far, crowd):
    listing = publish(crowd, places=1)
    given_back = far.accept(listing, far.person(1))
    far.give_back(given_back)
    unit = hand_in(far, listing, 2)
    submitted = [one for one in crowd.iter_submissions(listing) if one.state is UnitState.SUBMITTED]
    assert [(one.unit, one.person) for one in submitted] == [(unit, far.person(2))]
    assert crowd.approve(unit).effect is Effect.APPLIED
    wrong = Bonus(listing, unit, far.person(1), Decimal("0.50"), "For the tutorial")
    outcome = crowd.pay_bonus(wrong, "bonus-1")
    if outcome.happened:  # a crowd that pays by unit pays whoever has it
        assert far.bonuses() == [(far.person(2), unit, Decimal("0.50"))]
    else:
        assert (outcome.effect, far.bonuses()) == (Effect.REFUSED, [])


def test_the_same_person_may_come_back_after_giving_back(far, crowd):
    listing = publish(crowd, places=1)
    far.give_back(far.accept(listing, far.person(1)))
    unit = hand_in(far, listing, 1)
    submitted = [one for one in crowd.iter_submissions(listing) if one.state is UnitState.SUBMITTED]
    assert [(one.unit, one.person) for one in submitted] == [(unit, far.person(1))]


READS: dict[str, Callable[[Marketplace, str, str], object]] = {
    "balance": lambda crowd, listing, unit: crowd.balance(),
    "find_postings": lambda crowd, listing, unit: crowd.find_postings("publish-1"),
    "posting_level": lambda crowd, listing, unit: crowd.posting_level(listing),
    "iter_submissions": lambda crowd, listing, unit: list(crowd.iter_submissions(listing)),
    "get_submission": lambda crowd, listing, unit: crowd.get_submission(unit),
}


@pytest.mark.parametrize("operation", READS)
def test_a_read_that_fails_raises_and_is_never_taken_for_an_empty_one(far, crowd, operation):
    listing = publish(crowd)
    unit = hand_in(far, listing)
    far.fail_next(operation, Fault.THROTTLE)
    with pytest.raises(Throttled):
        READS[operation](crowd, listing, unit)
    far.heal()
    assert READS[operation](crowd, listing, unit)


@pytest.mark.parametrize("fault", [Fault.BEFORE, Fault.TIMEOUT], ids=str)
def test_a_server_that_does_not_answer_is_a_passing_fault(far, crowd, fault):
    listing = publish(crowd)
    far.fail_next("iter_submissions", fault)
    with pytest.raises(Transient):
        list(crowd.iter_submissions(listing))


def test_a_posting_that_nobody_knows_is_not_found(far, crowd):
    listing = publish(crowd)
    unknown = ("A" if listing[0] != "A" else "B") + listing[1:]
    for read in (crowd.posting_level, lambda name: list(crowd.iter_submissions(name))):
        with pytest.raises(NotFound):
            read(unknown)
    assert crowd.stop(unknown).effect is Effect.REFUSED


# ---------------------------------------------------------------- review


@faults
def test_a_unit_is_paid_once_however_often_it_is_approved(far, crowd, fault):
    unit = hand_in(far, publish(crowd))
    before = far.balance
    far.fail_next("approve", fault)
    outcome = carried_out(
        lambda: crowd.approve(unit, message="Thank you."), lambda: len(far.paid())
    )
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
        lambda: crowd.pay_bonus(bonus, "bonus-1"), lambda: len(far.bonuses()),
        find=lambda: found(crowd, bonus, "bonus-1"), repeatable=crowd.can.idempotent_bonus,
    )  # fmt: skip
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


def test_the_balance_is_what_the_far_side_has(far, crowd):
    far.balance = Decimal("123.45")
    assert crowd.balance() in (Decimal("123.45"), None)


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
    assert outcome.failed == ()
