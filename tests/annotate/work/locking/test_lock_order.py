"""Locks are taken in one order (annotate/work/leasing.py): nobody waits in a circle."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.common import locks
from annotate.models import Assignment, Campaign, Judgment, LedgerEntry
from annotate.review import reviews
from annotate.work import admission, leasing, participations, submitting
from tests.annotate.market import arrive, posting
from tests.annotate.market import study as market
from tests.annotate.passing import pass_tutorial
from tests.annotate.screening.test_screening_service import STORY, crowd, fast, slow_clock
from tests.factories import GOOD, campaign, judge, leased, person, rows

pytestmark = pytest.mark.django_db(transaction=True)


class Running(threading.Thread):
    """A job in a thread of its own, with a connection of its own."""

    def __init__(self, job: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.job, self.result, self.error = job, None, None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.job()
        except BaseException as error:
            self.error = error
        finally:
            connection.close()

    def outcome(self) -> object:
        self.join(timeout=60)
        assert not self.is_alive(), "it hangs"
        if self.error:
            raise self.error
        return self.result


def waiting() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # it would not change in a transaction
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return cursor.fetchone()[0]


def until_waiting(n: int) -> None:
    for _turn in range(2000):
        if waiting() == n:
            return
        time.sleep(0.01)
    raise AssertionError(f"{n} transactions should wait, {waiting()} do")


def test_a_submit_that_waited_for_the_end_of_its_lease_lets_the_row_go():
    """Who ends the lease, whoever submits late, and who leases next: in the order that hurts."""
    study = campaign(items=1, systems=("alpha",), double_share=0)
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    Assignment.objects.filter(pk=lost.pk).update(expires_at=timezone.now())
    with transaction.atomic():
        leasing.expire_due(study.pk, now=timezone.now())
        late = Running(
            lambda: submitting.submit_judgment(lost.pk, participation_id=slow.pk, raw=GOOD)
        )
        until_waiting(1)  # for the row of the assignment
        taken = Running(lambda: leasing.lease(quick.pk))
        until_waiting(2)  # for the same row, with the campaign locked
    receipt, got = late.outcome(), taken.outcome()
    assert isinstance(got, Assignment)
    assert (receipt.counts, receipt.earned) == (False, study.reward)
    assert Judgment.objects.get().assignment_id == lost.pk
    assert LedgerEntry.objects.get().kind == LedgerEntry.Kind.COMPENSATION


def test_of_two_judgments_at_the_same_moment_one_brings_the_bonus():
    """Each would count one less than there are, and neither would bring it."""
    study = campaign(items=20, tutorial=True, double_share=0)
    who = person(study)
    pass_tutorial(who)
    judge(who)
    first = leased(who)
    second = leasing.lease_ahead(who.pk, after=first.pk)
    assert isinstance(second, Assignment)
    with transaction.atomic():
        submitting.submit_judgment(first.pk, participation_id=who.pk, raw=GOOD)
        other = Running(
            lambda: submitting.submit_judgment(second.pk, participation_id=who.pk, raw=GOOD)
        )
        until_waiting(1)  # for what the tutorial has promised
    other.outcome()
    assert LedgerEntry.objects.get(kind="tutorial").amount == study.tutorial_bonus


def test_the_tasks_of_a_unit_are_paid_one_after_the_other():
    """Their fees add up to that of the unit: each looks at what the others have brought."""
    study = market(reward=Decimal("0.02"), fee_rate=Decimal("0.2"))
    who = arrive(posting(study, tasks=3))
    first = leased(who)
    second = leasing.lease_ahead(who.pk, after=first.pk)
    assert isinstance(second, Assignment)
    with transaction.atomic():
        submitting.submit_judgment(first.pk, participation_id=who.pk, raw=GOOD)
        other = Running(
            lambda: submitting.submit_judgment(second.pk, participation_id=who.pk, raw=GOOD)
        )
        until_waiting(1)  # for the unit
    other.outcome()
    fees = list(study.ledger.order_by("pk").values_list("fee", flat=True))
    assert fees == [Decimal("0.01"), 0], "a cent for both: 20 % of $0.04 is less"


def test_a_lease_that_waited_for_the_hand_in_of_its_unit_is_refused():
    """It has read the unit as active before it waits for the campaign."""
    there = posting(market(items=12), tasks=2)
    who = arrive(there)
    for _ in range(2):
        judge(who)
    made = there.batch.campaign
    with transaction.atomic():
        locks.campaign(made.pk)
        asking = Running(lambda: leasing.lease(who.pk))
        until_waiting(1)  # for the campaign
        assert participations.hand_in(who.pk)
    got = asking.outcome()
    assert isinstance(got, admission.NoTask)
    assert got.reason == "handed_in"


@pytest.mark.slow
def test_who_screens_waits_for_the_campaign_with_nothing_of_it_in_hand(monkeypatch):
    """Flagging asks for the campaign's lock; its row would be what the holder asks for next."""
    slow_clock(monkeypatch)
    long = [replace(row, output=f"{row.output} {STORY}") for row in rows(60)]
    study = campaign(rows_=long)
    crowd(study)
    fast(study)
    with transaction.atomic():
        locks.shared(study.pk)
        screening = Running(lambda: reviews.screen(study.pk))
        until_waiting(1)  # for the campaign
        assert Campaign.objects.select_for_update(no_key=True, nowait=True).get(pk=study.pk)
    assert screening.outcome() == 1
