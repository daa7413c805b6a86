"""Rulings and the ledger become approvals, rejections and bonuses at the crowd: once each."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from annotate.common.errors import Conflict
from annotate.crowds import outbox, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import NOT_YET, Effect, Outcome
from annotate.models import Campaign, LedgerEntry, Operation, Payout, TutorialRun
from annotate.pay import payouts, settling, tallies
from annotate.review import effects as review_effects
from annotate.review import reviews
from tests.crowds.far_side import Fault
from tests.crowds.market import Kind, Market, Status
from tests.crowds.walk import REASON, REWARD, TERMS, Unit

pytestmark = pytest.mark.orm
UNIT = 2 * REWARD


def confirmed(market: Market, number: int = 1) -> Unit:
    unit = market.done(number)
    market.sync()
    assert market.of(unit).status == Status.CONFIRMED
    return unit


def sums(unit: Unit) -> tuple[Decimal, Decimal, Decimal]:
    account = tallies.accounts_of(unit.entered)
    return account.earned - account.refused, account.paid, account.due


def give(market: Market, unit: Unit, amount: str, *, kind: str = "bonus", key: str = "k") -> None:
    name = market.of(unit).annotator.pseudonym
    gift = payouts.Gift(payouts.Kind(kind), name, Decimal(amount), "For the care.", key)
    payouts.give(market.study.pk, gift, actor_id=market.ada.pk)


# ---------------------------------------------------------------- approving


def test_work_is_approved_once_reviewers_have_had_their_time(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.later(minutes=115)
    assert not mturk.ops(Kind.APPROVE)
    mturk.later(minutes=10)
    assert mturk.of(unit).status == Status.APPROVED
    assert sums(unit) == (UNIT, UNIT, 0)
    assert mturk.far.paid() == {unit.unit: UNIT}
    assert len(mturk.ops(Kind.APPROVE)) == 1


def test_a_review_that_opens_before_the_approval_is_sent_holds_it_back(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.pass_time(timedelta(hours=3))
    settling.settle_campaign(mturk.study.pk)
    (approve,) = mturk.ops(Kind.APPROVE)
    reviews.open_by_hand(mturk.study.pk, mturk.of(unit).annotator_id, actor_id=mturk.ada.pk)
    outbox.carry_out(approve.pk)
    approve.refresh_from_db()
    assert approve.status == Operation.Status.PENDING
    mturk.ruled(unit, "exclude", "refuse")
    approve.refresh_from_db()
    assert approve.status == Operation.Status.DROPPED
    assert mturk.of(unit).status == Status.REJECTED


def test_a_review_holds_back_an_approval_however_often_it_is_tried(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.pass_time(timedelta(hours=3))
    mturk.far.fail_next("approve", Fault.THROTTLE)  # a first try, that is known not to have worked
    settling.settle_campaign(mturk.study.pk)
    outbox.carry_out_due()
    mturk.far.heal()
    reviews.open_by_hand(mturk.study.pk, mturk.of(unit).annotator_id, actor_id=mturk.ada.pk)
    for _ in range(3):
        mturk.pass_time(timedelta(minutes=1))
        outbox.carry_out_due()
    assert mturk.far.paid() == {}
    assert [op.status for op in mturk.ops(Kind.APPROVE)] == [Operation.Status.PENDING]


@pytest.mark.slow
def test_what_was_refused_there_and_is_not_wanted_any_more_cannot_be_tried_again(
    mturk: Market,
) -> None:
    unit = confirmed(mturk)
    full, mturk.far.balance = mturk.far.balance, Decimal("0.01")
    give(mturk, unit, "0.50", kind="compensation")
    outbox.carry_out_due()
    (bonus,) = mturk.ops(Kind.BONUS)
    assert (bonus.status, bonus.code) == (Operation.Status.REFUSED, "funds")
    mturk.far.balance = full
    mturk.ruled(unit, "exclude", "refuse")
    with pytest.raises(Conflict, match="no longer wanted"):
        outbox.retry(bonus.pk, actor_id=mturk.ada.pk)
    assert mturk.far.bonuses() == []


def test_a_refused_rejection_cannot_be_tried_again_once_pay_is_restored(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = confirmed(mturk)
    too_short = Outcome(Effect.REFUSED, "reason", "Longer, please.")
    with monkeypatch.context() as refusing:
        refusing.setattr(type(mturk.crowd), "reject", lambda *_unit, **_reason: too_short)
        mturk.ruled(unit, "exclude", "refuse")
    (reject,) = mturk.ops(Kind.REJECT)
    assert reject.status == Operation.Status.REFUSED
    mturk.ruled(unit, "repay")
    with pytest.raises(Conflict, match="no longer wanted"):
        outbox.retry(reject.pk, actor_id=mturk.ada.pk)
    assert mturk.of(unit).status == Status.CONFIRMED


@pytest.mark.slow
def test_excluded_work_is_paid_all_the_same(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.ruled(unit, "exclude")
    mturk.later(hours=3)
    assert mturk.of(unit).status == Status.APPROVED
    assert mturk.counting() == 0


@pytest.mark.slow
def test_a_unit_that_the_crowd_never_lists_again_is_left_to_a_person(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = confirmed(mturk)
    monkeypatch.setattr(
        mturk.crowd,
        "approve",
        lambda *_unit, **_how: Outcome(Effect.RETRYABLE, NOT_YET, "It is not known there."),
    )
    mturk.later(hours=3)
    for _ in range(5):
        assert [op.status for op in mturk.ops(Kind.APPROVE)] == [Operation.Status.PENDING]
        mturk.later(minutes=11)
    mturk.later(minutes=11)
    (stuck,) = crowds_queries.operations_told(mturk.study.pk)
    assert (stuck.status, stuck.code, stuck.needs_a_person) == ("refused", "unlisted", True)
    assert "on the crowd’s own pages" in stuck.remedy
    monkeypatch.undo()
    outbox.retry(stuck.pk, actor_id=mturk.ada.pk)
    outbox.carry_out_due()
    assert mturk.of(unit).status == Status.APPROVED


@pytest.mark.slow
def test_what_a_person_gives_up_stays_given_up(mturk: Market) -> None:
    unit = confirmed(mturk)
    full, mturk.far.balance = mturk.far.balance, Decimal("0.01")
    give(mturk, unit, "0.50")
    mturk.later(hours=3)
    refused = [*mturk.ops(Kind.APPROVE), *mturk.ops(Kind.BONUS)]
    assert [op.status for op in refused] == [Operation.Status.REFUSED] * 2
    for op in refused:
        assert outbox.drop(op.pk, actor_id=mturk.ada.pk)
    mturk.far.balance = full
    mturk.later(hours=1)
    assert [*mturk.ops(Kind.APPROVE), *mturk.ops(Kind.BONUS)] == refused, "nothing is tried anew"
    assert sums(unit)[2] == UNIT + Decimal("0.50"), "and nothing is forgotten"
    mturk.later(days=4)
    assert mturk.of(unit).status == Status.APPROVED, "by the crowd itself"
    assert not mturk.far.bonuses()


@pytest.mark.slow
def test_an_override_that_is_given_up_is_paid_by_bonuses(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = confirmed(mturk)
    mturk.ruled(unit, "exclude", "refuse")
    with monkeypatch.context() as refusing:
        final = Outcome(Effect.REFUSED, "rejected", "It was rejected for good.")
        refusing.setattr(mturk.crowd, "approve", lambda *_unit, **_more: final)
        mturk.ruled(unit, "repay")
    (override,) = mturk.ops(Kind.OVERRIDE)
    assert outbox.drop(override.pk, actor_id=mturk.ada.pk)
    mturk.sync()
    assert mturk.far.bonuses() == [(unit.person, unit.unit, UNIT)]
    assert sums(unit) == (UNIT, UNIT, 0)


# ---------------------------------------------------------------- refusing


@pytest.mark.slow
def test_refused_pay_is_a_rejection_with_its_reason_and_a_message(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.ruled(unit, "exclude", "refuse")
    assert mturk.of(unit).status == Status.REJECTED
    assert sums(unit) == (0, 0, 0)
    assert mturk.far.world.assignments[unit.unit].feedback == REASON
    outbox.carry_out_due()  # MTurk passes it on to whom it knows as ours
    (notice,) = mturk.far.world.notices
    assert REASON in notice.text
    assert "/work/p/" in notice.text
    mturk.later(days=4)
    assert mturk.far.paid() == {}
    assert not mturk.ops(Kind.APPROVE)


@pytest.mark.slow
def test_pay_that_is_restored_overrides_the_rejection(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.ruled(unit, "exclude", "refuse")
    mturk.ruled(unit, "repay")
    assert mturk.of(unit).status == Status.APPROVED
    assert sums(unit) == (UNIT, UNIT, 0)
    assert mturk.far.paid() == {unit.unit: UNIT}


@pytest.mark.slow
def test_prolific_never_overrides_so_restored_pay_goes_as_bonuses(prolific: Market) -> None:
    unit = confirmed(prolific)
    prolific.ruled(unit, "exclude", "refuse")
    assert prolific.of(unit).status == Status.REJECTED
    prolific.ruled(unit, "restore")
    prolific.sync()
    assert sums(unit) == (UNIT, UNIT, 0)
    assert prolific.far.paid() == {}


@pytest.mark.slow
def test_a_rejection_that_was_not_sent_yet_is_given_up_when_pay_is_restored(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.far.fail_next("reject", Fault.THROTTLE)
    mturk.ruled(unit, "exclude", "refuse")
    mturk.far.heal()
    mturk.ruled(unit, "repay")
    mturk.later(hours=3)
    assert [op.status for op in mturk.ops(Kind.REJECT)] == [Operation.Status.DROPPED]
    assert mturk.of(unit).status == Status.APPROVED


@pytest.mark.slow
def test_the_limit_is_when_the_crowd_approves_by_itself(mturk: Market) -> None:
    unit = confirmed(mturk)
    annotator = mturk.of(unit).annotator_id
    assert review_effects.until(mturk.study.pk, annotator) == mturk.of(unit).auto_approval_at
    reviews.open_by_hand(mturk.study.pk, annotator, actor_id=mturk.ada.pk)
    mturk.pass_time(TERMS.auto_approval + timedelta(minutes=1))
    with pytest.raises(Conflict, match="could be refused until"):
        mturk.ruled(unit, "exclude", "refuse")
    mturk.sync()
    assert mturk.of(unit).status == Status.APPROVED, "whatever the review: it is paid there"
    assert sums(unit) == (UNIT, UNIT, 0)
    with pytest.raises(Conflict, match="paid out already"):
        mturk.ruled(unit, "exclude", "refuse")


@pytest.mark.slow
def test_where_the_crowd_was_quicker_than_a_refusal_the_ledger_follows(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.far.fail_next("reject", Fault.THROTTLE)
    mturk.ruled(unit, "exclude", "refuse")
    assert sums(unit) == (0, 0, 0)
    mturk.far.heal()
    mturk.later(days=4)
    mturk.sync()
    assert mturk.of(unit).status == Status.APPROVED
    assert sums(unit) == (UNIT, UNIT, 0)


@pytest.mark.slow
def test_a_rejection_made_at_the_crowd_itself_is_followed(mturk: Market) -> None:
    unit = confirmed(mturk)
    assert mturk.crowd.reject(unit.unit, reason="By hand, there.").happened
    mturk.sync()
    assert mturk.of(unit).status == Status.REJECTED
    assert sums(unit) == (0, 0, 0)
    mturk.later(hours=3)
    assert not mturk.ops(Kind.OVERRIDE), "it stands"


def test_refusing_a_unit_that_holds_no_work_rejects_it(mturk: Market) -> None:
    unit = mturk.come()
    mturk.far.submit(unit.unit, receipt="none")
    mturk.sync()
    assert "without the receipt" in mturk.of(unit).problem
    mturk.ruled(unit, "exclude", "refuse")
    assert mturk.of(unit).status == Status.REJECTED


@pytest.mark.slow
def test_pay_of_lost_work_does_not_come_back_with_a_repay(mturk: Market) -> None:
    unit, other = mturk.come(1), confirmed(mturk, 2)
    mturk.judge(unit, 1)
    mturk.ruled(unit, "exclude", "refuse")
    reconciling.leave(unit.entered)
    mturk.ruled(unit, "repay")
    assert tallies.accounts_of(unit.entered).due == 0
    assert tallies.accounts_of(other.entered).due == UNIT


# ---------------------------------------------------------------- bonuses


@pytest.mark.slow
def test_extra_pay_is_a_bonus_on_the_persons_own_unit(mturk: Market) -> None:
    unit = confirmed(mturk)
    give(mturk, unit, "0.50")
    give(mturk, unit, "0.50")  # the same key: pressed twice
    mturk.sync()
    mturk.sync()
    assert mturk.far.bonuses() == [(unit.person, unit.unit, Decimal("0.50"))]
    assert sums(unit) == (UNIT + Decimal("0.50"), Decimal("0.50"), UNIT)


@pytest.mark.slow
def test_a_bonus_waits_until_its_person_has_handed_something_in(mturk: Market) -> None:
    first = mturk.come()
    give(mturk, first, "0.50", kind="compensation")
    mturk.far.give_back(first.unit)
    mturk.later(hours=2)
    assert mturk.of(first).status == Status.LEFT
    assert not mturk.ops(Kind.BONUS)
    assert tallies.accounts_of(first.entered).due == Decimal("0.50")
    mturk.launch(1)
    outbox.carry_out_due()
    second = mturk.done(listing=mturk.ours()[1])
    mturk.sync()
    assert mturk.far.bonuses() == [(first.person, second.unit, Decimal("0.50"))]
    assert tallies.accounts_of(first.entered).due == 0


@pytest.mark.slow
def test_a_tutorial_is_paid_as_a_bonus_and_no_refusal_takes_it_back(mturk: Market) -> None:
    unit = mturk.done()
    run = TutorialRun.objects.create(
        annotator=mturk.of(unit).annotator,
        participation=mturk.of(unit),
        instrument=mturk.study.instrument,
        version="1",
        started_at=timezone.now(),
        passed_at=timezone.now(),
        promised=Decimal("0.05"),
    )
    Campaign.objects.update(bonus_after=2)
    mturk.sync()
    assert LedgerEntry.objects.get(kind="tutorial").participation == run.participation
    mturk.ruled(unit, "exclude", "refuse")
    mturk.sync()
    assert mturk.far.bonuses() == [(unit.person, unit.unit, Decimal("0.05"))]
    assert mturk.of(unit).status == Status.REJECTED


@pytest.mark.slow
@pytest.mark.parametrize("fault", [Fault.AFTER, Fault.BEFORE, Fault.TIMEOUT])
def test_an_interrupted_bonus_is_paid_once_even_after_its_key_is_forgotten(
    mturk: Market, fault: Fault
) -> None:
    unit = confirmed(mturk)
    mturk.far.fail_next("pay_bonus", fault)
    give(mturk, unit, "0.50")
    outbox.carry_out_due()
    mturk.far.heal()
    mturk.later(hours=30)  # tokens are known for a day
    mturk.sync()
    assert mturk.far.bonuses() == [(unit.person, unit.unit, Decimal("0.50"))]
    assert Payout.objects.filter(entry__isnull=False).count() == 1


@pytest.mark.slow
def test_refused_compensation_is_not_paid_unless_it_was_already(mturk: Market) -> None:
    unit = confirmed(mturk)
    mturk.far.fail_next("pay_bonus", Fault.THROTTLE)
    give(mturk, unit, "0.50", kind="compensation")
    outbox.carry_out_due()
    mturk.far.heal()
    mturk.ruled(unit, "exclude", "refuse")
    assert [op.status for op in mturk.ops(Kind.BONUS)] == [Operation.Status.DROPPED]
    mturk.later(minutes=20)
    assert mturk.far.bonuses() == []
    mturk.ruled(unit, "repay")
    mturk.later(minutes=20)
    assert mturk.far.bonuses() == [(unit.person, unit.unit, Decimal("0.50"))]
    assert sums(unit) == (UNIT + Decimal("0.50"), UNIT + Decimal("0.50"), 0)


@pytest.mark.slow
def test_an_unclear_bonus_at_prolific_waits_for_a_person(
    prolific: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = confirmed(prolific)
    prolific.far.fail_next("pay_bonus", Fault.AFTER)
    give(prolific, unit, "0.50")
    outbox.carry_out_due()
    prolific.far.heal()
    prolific.later(hours=1)
    (bonus,) = prolific.ops(Kind.BONUS)
    assert bonus.status == Operation.Status.UNCLEAR
    outbox.decide(bonus.pk, True, actor_id=prolific.ada.pk)
    prolific.sync()
    assert len(prolific.far.bonuses()) == 1
    assert sums(unit)[1] == Decimal("0.50")
