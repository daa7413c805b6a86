"""What every marketplace does with postings, and how it is read, whatever goes wrong on the way.

The far sides are real servers. What a crowd cannot do is read from its `can`, never from its
name. Review and pay: `test_contract_pay`.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.contract import (
    Bonus,
    Effect,
    Marketplace,
    NotFoundAtCrowd,
    Stage,
    Throttled,
    UnitState,
)
from tests.crowds.contract import (
    REASON,
    REWARD,
    carried_out,
    faults,
    hand_in,
    publish,
    spec,
    takes_nobody,
)
from tests.crowds.far_side import Fault

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
        lambda: crowd.publish(spec(), "publish-1"),
        lambda: len(far.postings()),
        find=lambda: bool(crowd.find_postings("publish-1")),
    )
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


def test_a_posting_is_found_after_its_token_has_lapsed(far, crowd):
    listing = publish(crowd)
    far.move_clock((crowd.can.token_life or timedelta(hours=24)) + timedelta(hours=1))
    found = crowd.find_postings("publish-1")
    assert [(one.listing, one.places) for one in found] == [(listing, 3)]


@pytest.mark.slow
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
    assert crowd.stop(listing).happened


def test_a_level_counts_who_is_where(far, crowd):
    listing = publish(crowd, places=5)
    hand_in(far, listing, 1)
    far.accept(listing, far.person(2))
    far.give_back(far.accept(listing, far.person(3)))
    level = crowd.posting_level(listing)
    assert (level.places, level.available, level.pending) == (5, 3, 1)


def test_what_was_decided_is_listed_still_and_holds_nobody(far, crowd):
    listing = publish(crowd)
    approved, rejected = hand_in(far, listing, 1), hand_in(far, listing, 2)
    crowd.approve(approved)
    crowd.reject(rejected, reason=REASON)
    listed = {one.unit: one.state for one in crowd.iter_submissions(listing)}
    assert listed == {approved: UnitState.APPROVED, rejected: UnitState.REJECTED}
    assert crowd.posting_level(listing).pending == 0


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


def test_a_unit_is_never_shown_as_handed_in_before_it_is(far, crowd):
    listing = publish(crowd)
    unit = far.accept(listing, far.person(1))
    with suppress(NotFoundAtCrowd):
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


def test_a_posting_that_nobody_knows_is_not_found(far, crowd):
    listing = publish(crowd)
    unknown = ("A" if listing[0] != "A" else "B") + listing[1:]
    for read in (crowd.posting_level, lambda name: list(crowd.iter_submissions(name))):
        with pytest.raises(NotFoundAtCrowd):
            read(unknown)
    assert crowd.stop(unknown).effect is Effect.REFUSED
