"""Looking at the crowds: each by itself, in turn, with few calls; and what follows."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.campaigns import life, progress
from annotate.common.errors import Gone
from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import NotFoundAtCrowd
from annotate.crowds.contract import Stage as Level
from annotate.models import AuditEntry, Operation, Participation, Posting, Slot
from annotate.models.base import CloseReason
from annotate.work import participations
from tests.crowds.far_side import Fault
from tests.crowds.market import Kind, Market, Status
from tests.crowds.walk import Unit

pytestmark = pytest.mark.orm
Stage = Posting.Status


def posting(market: Market, n: int = 0) -> Posting:
    return Posting.objects.filter(batch__campaign=market.study).order_by("pk")[n]


def test_a_crowd_that_is_down_leaves_a_problem_and_the_others_are_looked_at(
    mturk: Market,
) -> None:
    mturk.launch(1)
    outbox.carry_out_due()
    first, second = mturk.ours()
    unit = mturk.done(listing=second)
    mturk.far.fail_next("posting_level", Fault.BEFORE)  # of whichever is asked first
    mturk.sync()
    problems = [posting(mturk, n).problem for n in (0, 1)]
    assert "could not be asked" in problems[0]
    assert problems[1] == ""
    assert mturk.of(unit).status == Status.CONFIRMED
    mturk.far.heal()
    mturk.sync()
    assert posting(mturk).problem == ""
    assert first != second


@pytest.mark.slow
def test_what_the_crowd_has_forgotten_is_not_waited_for_and_is_taken_in_if_it_comes_back(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit, working = mturk.done(1), mturk.come(2)
    mturk.judge(working, 1)
    with monkeypatch.context() as forgotten:
        for read in ("posting_level", "iter_submissions"):
            forgotten.setattr(mturk.crowd, read, gone)
        mturk.later(minutes=60)
        assert mturk.of(unit).status == Status.HANDED_IN, "its time is not over"
        mturk.later(minutes=60)
    assert "does not list this posting any more" in posting(mturk).problem
    assert {mturk.of(one).status for one in (unit, working)} == {Status.LEFT}
    assert not progress.open_leases(mturk.study.pk), "the campaign can end"
    mturk.later(minutes=10)
    assert mturk.of(unit).status == Status.APPROVED
    assert mturk.counting() == 2


def gone(_listing: str) -> None:
    raise NotFoundAtCrowd("It does not exist.")


def test_one_unit_that_cannot_be_taken_in_keeps_no_other_waiting(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = mturk.done(1), mturk.done(2)
    take = reconciling.take

    def fails(posting_id: int, seen) -> None:  # type: ignore[no-untyped-def]
        if seen.unit == first.unit:
            raise RuntimeError("unexpected")
        take(posting_id, seen)

    monkeypatch.setattr(reconciling, "take", fails)
    mturk.sync()
    assert mturk.of(second).status == Status.CONFIRMED
    assert first.unit in posting(mturk).problem


def test_postings_are_looked_at_in_turn(mturk: Market) -> None:
    mturk.sync()
    mturk.pass_time(timedelta(minutes=1))
    assert reconciling.reconcile_all() == 0, "nobody is at work"
    mturk.come()
    assert reconciling.reconcile_all() == 1
    Participation.objects.update(status=Status.LEFT)
    Posting.objects.update(pending=0)
    mturk.pass_time(timedelta(minutes=4))
    assert reconciling.reconcile_all() == 0
    mturk.pass_time(timedelta(minutes=2))
    assert reconciling.reconcile_all() == 1, "quiet ones every five minutes"


@pytest.mark.slow
def test_a_posting_drains_closes_and_is_put_away_once_all_is_decided(mturk: Market) -> None:
    unit = mturk.come(1)
    mturk.judge(unit)
    mturk.stop()
    outbox.carry_out_due()
    assert posting(mturk).status == Stage.DRAINING
    mturk.sync()
    assert posting(mturk).status == Stage.DRAINING, "somebody is at it"
    participations.hand_in(mturk.of(unit).pk)
    mturk.far.submit(unit.unit, receipt=mturk.of(unit).receipt)
    mturk.sync()
    assert posting(mturk).status == Stage.CLOSED
    assert not mturk.ops(Kind.ARCHIVE)
    mturk.later(hours=3)
    mturk.sync()
    assert [op.status for op in mturk.ops(Kind.ARCHIVE)] == [Operation.Status.DONE]
    assert AuditEntry.objects.filter(verb="posting_closed").count() == 1


def test_a_stop_that_was_dropped_can_be_asked_for_again(mturk: Market) -> None:
    mturk.stop()
    (stop,) = mturk.ops(Kind.STOP)
    assert outbox.drop(stop.pk, actor_id=mturk.ada.pk)
    outbox.carry_out_due()
    assert posting(mturk).status == Stage.OPEN
    life.close(mturk.study.pk, CloseReason.HAND, actor_id=mturk.ada.pk)
    outbox.carry_out_due()
    assert posting(mturk).status == Stage.DRAINING


@pytest.mark.slow
def test_a_rejection_that_could_be_overridden_keeps_its_posting(mturk: Market) -> None:
    unit = mturk.done()
    mturk.sync()
    mturk.ruled(unit, "exclude", "refuse")
    mturk.stop()
    mturk.later(hours=3)
    assert posting(mturk).status == Stage.CLOSED
    assert not mturk.ops(Kind.ARCHIVE), "deleting the HIT would make it final"
    mturk.later(days=31)
    assert [op.status for op in mturk.ops(Kind.ARCHIVE)] == [Operation.Status.DONE]


def test_a_campaign_does_not_end_before_its_crowd_has_confirmed(mturk: Market) -> None:
    unit = mturk.come()
    mturk.judge(unit)
    life.close(mturk.study.pk, CloseReason.HAND, actor_id=mturk.ada.pk)
    Slot.objects.filter(campaign=mturk.study, assignment=None).delete()
    assert not life.drained(mturk.study.pk)
    participations.hand_in(mturk.of(unit).pk)
    assert not life.drained(mturk.study.pk), "the crowd has not said yet that it was handed in"
    mturk.far.submit(unit.unit, receipt=mturk.of(unit).receipt)
    mturk.sync()
    assert life.drained(mturk.study.pk)


@pytest.mark.slow
def test_a_look_at_what_is_known_costs_few_queries_however_long_the_list(mturk: Market) -> None:
    mturk.done(1)
    mturk.sync()
    with CaptureQueriesContext(connection) as one:
        reconciling.reconcile(posting(mturk).pk)
    for number in (2, 3):
        mturk.done(number)
    mturk.sync()
    with CaptureQueriesContext(connection) as three:
        reconciling.reconcile(posting(mturk).pk)
    assert len(three) == len(one) <= 8


def test_who_never_came_here_and_hands_in_after_the_end_is_not_overlooked(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crowd calls the posting closed before it lists what was handed in to it."""
    unit = mturk.far.accept(mturk.ours()[0], mturk.far.person(7))
    mturk.stop()
    outbox.carry_out_due()
    mturk.far.submit(unit, receipt="none")
    with monkeypatch.context() as lagging:
        lagging.setattr(mturk.crowd, "iter_submissions", lambda _listing: iter(()))
        mturk.sync()
    assert posting(mturk).status == Stage.CLOSED
    assert not mturk.ops(Kind.ARCHIVE)
    mturk.pass_time(timedelta(minutes=6))
    reconciling.reconcile_all()
    assert "no one entered with it" in Participation.objects.get(external_key=unit).problem


@pytest.mark.slow
def test_who_accepted_in_time_may_come_although_the_crowd_calls_it_closed(
    mturk: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Amazon's documents say of an expired HIT: reviewable, and nobody is counted."""
    listing, person = mturk.ours()[0], mturk.far.person(1)
    unit = Unit(listing, mturk.far.accept(listing, person), person)
    mturk.stop()
    outbox.carry_out_due()
    level = mturk.crowd.posting_level
    monkeypatch.setattr(
        mturk.crowd,
        "posting_level",
        lambda one: replace(level(one), stage=Level.CLOSED, available=0, pending=0),
    )
    mturk.sync()
    assert posting(mturk).status == Stage.CLOSED
    mturk.enter(unit)
    mturk.judge(unit)
    participations.hand_in(mturk.of(unit).pk)
    mturk.far.submit(unit.unit, receipt=mturk.of(unit).receipt)
    mturk.pass_time(timedelta(minutes=6))
    reconciling.reconcile_all()
    assert mturk.of(unit).status == Status.CONFIRMED
    assert mturk.counting() == 2
    mturk.pass_time(timedelta(hours=1))
    with pytest.raises(Gone):
        mturk.enter(Unit(listing, "3LATER", mturk.far.person(2)))


def test_a_posting_of_another_environment_is_left_alone(mturk: Market) -> None:
    Posting.objects.update(environment="production")
    assert not reconciling.reconcile(posting(mturk).pk)
    assert "“production”" in posting(mturk).problem
    assert posting(mturk).looked_at <= timezone.now()
