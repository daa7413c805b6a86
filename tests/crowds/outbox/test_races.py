"""Somebody submits at the moment at which their unit is confirmed, or ends: forced, both orders.

Whoever comes first is still in a transaction when the other one arrives and has to wait. Nothing
that was promised is lost, nothing is paid twice, nothing counts that may not. On Postgres alone.
"""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.campaigns import facts
from annotate.common.errors import Gone
from annotate.crowds import outbox, reconciling
from annotate.crowds.contract import Submission, UnitState
from annotate.models import (
    Assignment,
    Judgment,
    LedgerEntry,
    Operation,
    Participation,
    Posting,
    Slot,
)
from annotate.models.crowds import ApprovePayload
from annotate.pay import settling, tallies
from annotate.work import leasing, participations, scoring, submitting
from tests.annotate.market import arrive, posting, study
from tests.annotate.work.locking.test_lock_order import Running, until_waiting
from tests.crowds import operations
from tests.factories import GOOD, leased

pytestmark = pytest.mark.django_db(transaction=True)  # Postgres alone tells who waits
Status, Task = Participation.Status, Assignment.Status
REWARD = Decimal("0.30")
Job = Callable[[], object]


class Scene:
    """One person in a unit of two tasks: one is done, the other is open."""

    def __init__(self, **terms: timedelta) -> None:
        self.there: Posting = posting(study(reward=REWARD), **terms)
        self.who = arrive(self.there)
        self.submit(leased(self.who))
        self.task = leased(self.who)

    def submit(self, task: Assignment) -> submitting.Receipt:
        return submitting.submit_judgment(task.pk, participation_id=self.who.pk, raw=GOOD)

    def submit_second(self) -> submitting.Receipt | None:
        try:
            return self.submit(self.task)
        except Gone:
            return None

    def take(self) -> None:
        reconciling.take(self.there.pk, self.seen())

    def leave(self) -> bool:
        return reconciling.leave(self.who.pk)

    def seen(self) -> Submission:
        return Submission(
            listing=self.there.external_id,
            unit=self.who.external_key,
            person="AW1",
            state=UnitState.SUBMITTED,
            receipt=self.who.receipt,
            submitted_at=timezone.now(),
        )

    def expire(self) -> None:
        """The lease of the open task ends: who submits it is late."""
        Assignment.objects.filter(pk=self.task.pk).update(expires_at=timezone.now())
        leasing.expire_due(self.who.campaign_id, now=timezone.now())

    # ---- what is there afterwards

    def status(self) -> str:
        return Participation.objects.get(pk=self.who.pk).status

    def tasks(self) -> list[str]:
        mine = Assignment.objects.filter(participation=self.who).order_by("pk")
        return list(mine.values_list("status", flat=True))

    def counting(self) -> int:
        scoring.ensure(self.who.campaign_id)
        return facts.scores(self.who.campaign_id).output.size

    def earned(self) -> Decimal:
        return tallies.accounts_of(self.who.pk).earned


@pytest.fixture
def scene() -> Scene:
    return Scene()


def meet(first: Job, second: Job) -> tuple[object, object]:
    """Do both; the second arrives while the first is not committed, and waits for it."""
    with transaction.atomic():
        one = first()
        other = Running(second)
        until_waiting(1)
    return one, other.outcome()


def nothing_is_lost_or_twice(scene: Scene, *receipts: object) -> None:
    """What people were told is stored is there, once, with one row of the ledger."""
    told = [one.judgment_id for one in receipts if isinstance(one, submitting.Receipt)]
    second = Judgment.objects.filter(assignment=scene.task)
    assert list(second.values_list("pk", flat=True)) == told
    rows = LedgerEntry.objects.filter(assignment=scene.task, kind="reward")
    assert rows.count() == len(told)
    holding = Slot.objects.filter(assignment__participation=scene.who)
    assert not holding.exclude(assignment__status__in=(Task.SUBMITTED, Task.VERIFIED)).exists()


# ---------------------------------------------------------------- confirmed


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_what_is_submitted_just_before_its_unit_is_confirmed_counts(scene: Scene, late: bool):
    if late:
        scene.expire()
    receipt, _none = meet(scene.submit_second, scene.take)
    nothing_is_lost_or_twice(scene, receipt)
    assert isinstance(receipt, submitting.Receipt)
    assert (scene.status(), scene.tasks()) == (Status.CONFIRMED, ["verified", "verified"])
    assert scene.counting() == 2
    assert scene.earned() == 2 * REWARD


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_what_comes_just_after_its_unit_was_confirmed_is_refused_with_words(
    scene: Scene, late: bool
):
    if late:
        scene.expire()
    _none, receipt = meet(scene.take, scene.submit_second)
    assert receipt is None
    nothing_is_lost_or_twice(scene)
    assert scene.status() == Status.CONFIRMED
    assert scene.tasks() == ["verified", "expired" if late else "returned"]
    assert scene.counting() == 1
    assert scene.earned() == REWARD
    assert "1 of 2 tasks" in Participation.objects.get().problem


# ---------------------------------------------------------------- left


@pytest.mark.slow
@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_what_is_submitted_just_before_its_unit_ends_ends_with_it(scene: Scene, late: bool):
    if late:
        scene.expire()
    receipt, left = meet(scene.submit_second, scene.leave)
    assert left
    nothing_is_lost_or_twice(scene, receipt)
    assert (scene.status(), scene.tasks()) == (Status.LEFT, ["returned", "returned"])
    assert not Slot.objects.filter(assignment__participation=scene.who).exists()
    assert (scene.counting(), scene.earned()) == (0, 0)
    scene.take()  # it turns up after all
    assert scene.counting() == 2
    assert scene.earned() == 2 * REWARD


@pytest.mark.parametrize("late", [False, True], ids=["in time", "late"])
def test_what_comes_just_after_its_unit_ended_is_refused_with_words(scene: Scene, late: bool):
    if late:
        scene.expire()
    left, receipt = meet(scene.leave, scene.submit_second)
    assert left
    assert receipt is None
    nothing_is_lost_or_twice(scene)
    assert scene.tasks() == ["returned", "expired" if late else "returned"]
    assert not Slot.objects.filter(assignment__participation=scene.who).exists()
    assert (scene.counting(), scene.earned()) == (0, 0)


# ---------------------------------------------------------------- handed in, looked at twice


def test_handing_in_waits_for_the_last_task_that_is_being_stored(scene: Scene):
    with transaction.atomic():
        receipt = scene.submit_second()
        handing_in = Running(lambda: participations.hand_in(scene.who.pk))
        until_waiting(1)  # for the unit, with the campaign locked
    assert handing_in.outcome() is True
    nothing_is_lost_or_twice(scene, receipt)
    assert scene.earned() == 2 * REWARD


def test_who_is_confirmed_by_one_worker_is_not_lost_by_another():
    """The other one's list is older: it was read before the unit was on it."""
    scene = Scene(duration=timedelta(seconds=30))
    scene.submit_second()
    Participation.objects.update(deadline_at=timezone.now() - timedelta(hours=2))
    _none, lapsed = meet(scene.take, lambda: reconciling.lapse(scene.there, ()))
    assert lapsed == 0
    assert scene.status() == Status.CONFIRMED
    assert scene.counting() == 2


def test_who_begins_anew_is_not_lost_by_a_worker_that_looked_before(scene: Scene):
    Participation.objects.update(deadline_at=timezone.now() - timedelta(hours=2))
    again, lapsed = meet(lambda: arrive(scene.there), lambda: reconciling.lapse(scene.there, ()))
    assert isinstance(again, Participation)
    assert lapsed == 0
    assert scene.status() == Status.ACTIVE


def test_two_workers_that_see_the_same_confirm_it_once(scene: Scene):
    scene.submit_second()
    meet(scene.take, scene.take)
    assert scene.status() == Status.CONFIRMED
    assert scene.who.campaign.audit.filter(verb="participation_confirmed").count() == 1
    assert scene.earned() == 2 * REWARD


def test_two_workers_that_settle_the_same_intend_it_once():
    scene = Scene(approve_after=timedelta(0))
    scene.submit_second()
    Participation.objects.update(
        status=Status.CONFIRMED, submitted_at=timezone.now(), verified_at=timezone.now()
    )
    meet(lambda: settling.settle(scene.who.pk), lambda: settling.settle(scene.who.pk))
    assert Operation.objects.filter(kind="approve").count() == 1


def test_an_operation_is_settled_by_whoever_holds_its_claim(scene: Scene):
    """Dropping meets a worker that has just claimed it: one of the two wins, and says so."""
    op = operations.on_unit(ApprovePayload(), scene.who)
    claimed = Operation.objects.get(pk=op.pk)
    won, dropped = meet(lambda: outbox._claim(claimed), lambda: outbox.drop(op.pk))
    assert (won, dropped) == (True, False)
    assert Operation.objects.get().status == Operation.Status.SENT
