"""Who finds no lease allowance waits for the campaign's lock, and goes on without it."""

import threading

import pytest
from django.db import connection, transaction

from annotate.models import LeaseAllowance
from annotate.services import lease_allowances, locks
from annotate.services.work import spending
from tests.factories import campaign, judge, person

pytestmark = pytest.mark.django_db


def failing(times: int):
    """An act that finds no allowance so many times."""
    calls = []

    def act(_who) -> str:
        calls.append(1)
        if len(calls) <= times:
            raise spending.NoneLeft
        return "leased"

    return act, calls


@pytest.fixture
def who():
    made = campaign(items=40)
    found = person(made, "p")
    judge(found)
    assert lease_allowances.is_left(made.pk)
    return found


@pytest.mark.orm
@pytest.mark.parametrize("times", range(spending.ATTEMPTS))
def test_it_is_tried_again_while_leases_are_allowed(who, times):
    act, calls = failing(times)
    assert spending.tried(who.pk, act) == "leased"
    assert len(calls) == times + 1


@pytest.mark.orm
def test_it_is_not_tried_without_end(who):
    act, calls = failing(99)
    assert spending.tried(who.pk, act) is None
    assert len(calls) == spending.ATTEMPTS


@pytest.mark.orm
def test_where_nothing_is_allowed_the_campaign_s_lock_decides(who):
    LeaseAllowance.objects.update(leases=0)
    act, calls = failing(1)
    assert spending.tried(who.pk, act) is None
    assert len(calls) == 1


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_all_who_waited_work_at_the_same_time():
    """Each act ends only while all others are at work, too."""
    made = campaign(items=40)
    people = [person(made, f"p{i}") for i in range(4)]
    judge(people[0])
    own, together, done = threading.local(), threading.Barrier(len(people)), []

    def act(_who) -> str:
        if not getattr(own, "came", False):
            own.came = True
            raise spending.NoneLeft
        together.wait(timeout=30)
        return "leased"

    def work(pk: int) -> None:
        done.append(spending.tried(pk, act))
        connection.close()

    threads = [threading.Thread(target=work, args=[who.pk]) for who in people]
    with transaction.atomic():
        locks.campaign_with_allowance(made.pk)
        for thread in threads:
            thread.start()
        assert not done
    for thread in threads:
        thread.join()
    assert done == ["leased"] * len(people)
