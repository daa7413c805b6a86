"""What a crowd lists becomes state here, once, whatever came before it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import Submission, UnitState
from annotate.models import (
    Assignment,
    AuditEntry,
    ChangeMark,
    Exclusion,
    LedgerEntry,
    Participation,
    Payout,
    Slot,
)
from annotate.pay import settling, tallies
from annotate.work import leasing, participations
from tests.crowds.market import Market, Status
from tests.crowds.walk import REWARD, Unit
from tests.factories import leased

pytestmark = pytest.mark.orm


def submission(market: Market, unit: Unit, **changes: object) -> Submission:
    made = Submission(
        listing=unit.listing,
        unit=unit.unit,
        person=unit.person,
        state=UnitState.SUBMITTED,
        receipt=market.of(unit).receipt if unit.entered else "",
        submitted_at=timezone.now(),
    )
    return replace(made, **changes)


def take(market: Market, unit: Unit, **changes: object) -> None:
    reconciling.take(market.posting().pk, submission(market, unit, **changes))


def everything() -> list[int]:
    tables = (AuditEntry, LedgerEntry, Payout, ChangeMark, Participation)
    return [table.objects.count() for table in tables]


def test_work_that_was_handed_in_with_our_receipt_counts_from_then_on(mturk: Market) -> None:
    unit = mturk.done()
    assert mturk.counting() == 0
    mturk.sync()
    found = mturk.of(unit)
    assert (found.status, found.problem) == (Status.CONFIRMED, "")
    assert found.verified_at is not None
    assert found.auto_approval_at is not None
    assert mturk.counting() == 2


def test_taking_the_same_again_changes_nothing(mturk: Market) -> None:
    unit = mturk.done()
    take(mturk, unit)
    before = everything()
    take(mturk, unit)
    mturk.sync()
    assert everything() == before


@pytest.mark.slow
@pytest.mark.parametrize("receipt", ["", "0" * 32])
def test_without_our_receipt_nothing_counts_and_a_person_decides(
    mturk: Market, receipt: str
) -> None:
    unit = mturk.come()
    mturk.judge(unit)
    take(mturk, unit, receipt=receipt)
    found = mturk.of(unit)
    assert found.status == Status.CONFIRMED
    assert found.verified_at is None
    assert "without the receipt" in found.problem
    mturk.far.submit(unit.unit, receipt=receipt or "none")
    mturk.later(hours=3)
    assert mturk.of(unit).status == Status.CONFIRMED, "nobody has decided"
    settling.accept(unit.entered, actor_id=mturk.ada.pk)
    mturk.sync()
    mturk.sync()
    assert mturk.of(unit).status == Status.APPROVED
    assert mturk.counting() == 0
    assert set(unit_assignments(unit)) == {"returned"}
    assert tallies.accounts_of(unit.entered).due == 0


def unit_assignments(unit: Unit) -> list[str]:
    rows = Assignment.objects.filter(participation=unit.entered).order_by("pk")
    return list(rows.values_list("status", flat=True))


@pytest.mark.slow
def test_tasks_that_were_returned_undone_leave_the_unit_to_a_person(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit, 1)
    who = mturk.of(unit)
    while isinstance(task := leasing.lease(who.pk), Assignment):
        leasing.give_back(task.pk, participation_id=who.pk)
    assert participations.hand_in(who.pk)
    assert tallies.accounts_of(who.pk).earned == REWARD, "what was returned is not topped up"
    mturk.far.submit(unit.unit, receipt=who.receipt)
    mturk.later(hours=3)
    found = mturk.of(unit)
    assert found.status == Status.CONFIRMED, "nobody has decided"
    assert "1 of 2 tasks" in found.problem
    assert "returned undone" in found.problem
    assert found.verified_at is not None
    assert mturk.counting() == 1, "what was done counts all the same"
    settling.accept(who.pk, actor_id=mturk.ada.pk)
    mturk.sync()
    assert mturk.of(unit).status == Status.APPROVED
    assert mturk.far.paid() == {unit.unit: 2 * REWARD}
    account = tallies.accounts_of(who.pk)
    assert (account.earned, account.due) == (2 * REWARD, 0)


def test_who_returned_a_task_and_did_enough_others_waits_for_nobody(mturk: Market) -> None:
    unit = mturk.come()
    task = leased(mturk.of(unit))
    leasing.give_back(task.pk, participation_id=mturk.of(unit).pk)
    mturk.judge(unit, 2)
    participations.hand_in(mturk.of(unit).pk)
    mturk.far.submit(unit.unit, receipt=mturk.of(unit).receipt)
    mturk.later(hours=3)
    assert (mturk.of(unit).status, mturk.of(unit).problem) == (Status.APPROVED, "")


def test_a_unit_that_nobody_came_in_with_is_shown_to_a_person(mturk: Market) -> None:
    listing, person = mturk.ours()[0], mturk.far.person(7)
    unit = mturk.far.accept(listing, person)
    mturk.far.submit(unit, receipt="made up")
    mturk.sync()
    found = Participation.objects.get(external_key=unit)
    assert "no one entered with it" in found.problem
    assert found.verified_at is None
    mturk.later(days=4)  # the crowd approves it by itself
    found.refresh_from_db()
    assert found.status == Status.APPROVED
    account = tallies.accounts_of(found.pk)
    assert (account.earned, account.paid, account.due) == (2 * REWARD, 2 * REWARD, 0)


def test_an_id_that_is_used_again_by_another_person_is_another_unit(mturk: Market) -> None:
    first = mturk.come(1)
    mturk.judge(first, 1)
    mturk.far.give_back(first.unit)
    second = mturk.done(2, listing=first.listing)
    assert second.unit == first.unit
    mturk.sync()
    assert mturk.of(first).status == Status.LEFT
    assert mturk.of(second).status == Status.CONFIRMED
    assert tallies.accounts_of(first.entered).earned == 0
    assert tallies.accounts_of(second.entered).earned == 2 * REWARD


def test_somebody_elses_claim_on_a_unit_proves_nothing(mturk: Market) -> None:
    unit = mturk.done()
    forged = replace(unit, person=mturk.far.person(8))
    forged.entered = mturk._arrive(unit.listing, unit.unit, forged.person)
    mturk.judge(forged, 1)
    mturk.sync()
    assert mturk.of(unit).status == Status.CONFIRMED
    assert mturk.of(forged).status == Status.LEFT
    assert mturk.of(forged).verified_at is None


def test_a_claim_on_another_posting_is_not_verified(mturk: Market) -> None:
    unit = mturk.done()
    take(mturk, unit, listing="SOMEWHEREELSE")
    assert "another posting" in mturk.of(unit).problem
    assert mturk.counting() == 0


# ---------------------------------------------------------------- lost, and found again


def test_what_is_not_listed_after_its_time_is_lost(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit, 1)
    mturk.later(minutes=85)
    assert mturk.of(unit).status == Status.ACTIVE, "within the grace"
    mturk.later(minutes=10)
    assert mturk.of(unit).status == Status.LEFT
    assert unit_assignments(unit) == ["returned"]
    assert not Slot.objects.filter(assignment__participation=unit.entered).exists()
    assert tallies.accounts_of(unit.entered).earned == 0
    before = everything()
    mturk.sync()
    assert everything() == before


def test_a_unit_that_was_given_back_is_noticed_before_its_time_is_over(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit, 1)
    mturk.far.give_back(unit.unit)
    for minutes in (10, 19):
        mturk.later(minutes=minutes)
        assert mturk.of(unit).status == Status.ACTIVE, "lists may lag behind"
    mturk.later(minutes=2)
    assert mturk.of(unit).status == Status.LEFT
    assert unit_assignments(unit) == ["returned"]
    assert tallies.accounts_of(unit.entered).earned == 0


def test_one_look_at_a_count_is_not_believed(mturk: Market) -> None:
    unit = mturk.come()
    mturk.sync()
    mturk.far.give_back(unit.unit)
    mturk.later(minutes=40)
    assert mturk.of(unit).status == Status.ACTIVE
    mturk.later(minutes=1)
    assert mturk.of(unit).status == Status.LEFT


@pytest.mark.slow
def test_who_was_counted_and_is_not_listed_yet_has_not_left(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = mturk.done()
    with monkeypatch.context() as lagging:
        lagging.setattr(mturk.crowd, "iter_submissions", lambda _listing: iter(()))
        for _ in range(4):
            mturk.later(minutes=12)
        assert mturk.of(unit).status == Status.HANDED_IN
    mturk.sync()
    assert mturk.of(unit).status == Status.CONFIRMED


@pytest.mark.slow
def test_what_was_just_handed_in_here_is_waited_for(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit)
    mturk.later(minutes=35)
    participations.hand_in(mturk.of(unit).pk)
    mturk.far.give_back(unit.unit)
    mturk.sync()
    mturk.later(minutes=20)
    assert mturk.of(unit).status == Status.HANDED_IN
    mturk.later(minutes=11)
    assert mturk.of(unit).status == Status.LEFT


@pytest.mark.slow
def test_a_hit_that_was_stopped_counts_nobody_so_its_time_is_waited_for(mturk: Market) -> None:
    unit = mturk.come()
    mturk.stop()
    outbox.carry_out_due()
    mturk.far.give_back(unit.unit)
    for _ in range(4):
        mturk.later(minutes=12)
    assert mturk.of(unit).status == Status.ACTIVE
    mturk.later(minutes=45)
    assert mturk.of(unit).status == Status.LEFT


def test_what_turns_up_after_all_counts_and_is_paid(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit)
    participations.hand_in(unit.entered)
    assert reconciling.leave(unit.entered)
    take(mturk, unit)
    assert mturk.of(unit).status == Status.CONFIRMED
    assert unit_assignments(unit) == ["verified", "verified"]
    assert mturk.counting() == 2
    assert tallies.accounts_of(unit.entered).earned == 2 * REWARD


def test_a_place_that_was_given_away_meanwhile_stays_given(mturk: Market) -> None:
    unit = mturk.come(1)
    mturk.judge(unit)
    reconciling.leave(unit.entered)
    Slot.objects.filter(campaign=mturk.study, assignment=None).delete()  # all are wanted no more
    take(mturk, unit)
    assert unit_assignments(unit) == ["verified", "verified"]
    assert mturk.counting() == 0
    assert tallies.accounts_of(unit.entered).earned == 2 * REWARD, "kept, and paid"


def test_work_that_turns_up_after_an_exclusion_does_not_count_until_it_is_restored(
    mturk: Market,
) -> None:
    unit = mturk.come(1)
    mturk.judge(unit)
    reconciling.leave(unit.entered)
    mturk.ruled(unit, "exclude")
    take(mturk, unit)
    assert mturk.counting() == 0
    assert Exclusion.objects.filter(restored_at=None).count() == 2
    mturk.ruled(unit, "restore")
    assert mturk.counting() == 2


def test_restoring_the_work_of_a_unit_that_was_given_back_takes_no_slot(mturk: Market) -> None:
    unit = mturk.come(1)
    mturk.judge(unit)
    mturk.ruled(unit, "exclude")
    reconciling.leave(unit.entered)
    mturk.ruled(unit, "restore")
    assert not Slot.objects.filter(assignment__participation=unit.entered).exists()
    take(mturk, unit)
    assert mturk.counting() == 2


def test_a_unit_may_be_lost_found_and_lost_again(prolific: Market) -> None:
    unit = prolific.come()
    prolific.judge(unit)
    for state in (UnitState.RETURNED, UnitState.SUBMITTED, UnitState.RETURNED):
        take(prolific, unit, state=state)
    assert prolific.of(unit).status == Status.LEFT
    assert unit_assignments(unit) == ["returned", "returned"]
    assert tallies.accounts_of(unit.entered).earned == 0
    lapses = LedgerEntry.objects.filter(kind="lapse").order_by("pk")
    assert list(lapses.values_list("amount", flat=True)) == [-2 * REWARD, 2 * REWARD, -2 * REWARD]


def test_prolific_says_when_a_unit_is_given_back_or_its_time_is_over(prolific: Market) -> None:
    first, second = prolific.come(1), prolific.come(2)
    prolific.judge(first, 1)
    assert prolific.counting() == 1, "verified at entry"
    prolific.far.give_back(first.unit)
    prolific.sync()
    assert prolific.of(first).status == Status.LEFT
    assert prolific.counting() == 0
    assert prolific.of(second).status == Status.ACTIVE
    prolific.later(hours=2)
    assert prolific.of(second).status == Status.LEFT
    assert timezone.now() > prolific.of(second).deadline_at + timedelta(minutes=30)
