"""One task at a time: a row with an expiry."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from annotate.common import locks
from annotate.models import TaskLease

pytestmark = [pytest.mark.orm, pytest.mark.django_db(transaction=True)]

MINUTE = timedelta(minutes=1)


def test_a_lease_is_held_once_and_free_afterwards():
    with locks.hold("estimate", MINUTE) as mine:
        assert mine is not None
        with locks.hold("estimate", MINUTE) as other:
            assert other is None
        with locks.hold("estimate", MINUTE) as third:
            assert third is None  # who did not get it gave nothing back
        with locks.hold("another", MINUTE) as elsewhere:
            assert elsewhere is not None
    with locks.hold("estimate", MINUTE) as again:
        assert again is not None
    assert TaskLease.objects.count() == 2


def test_a_failure_gives_it_back():
    with pytest.raises(ZeroDivisionError), locks.hold("estimate", MINUTE):
        raise ZeroDivisionError
    with locks.hold("estimate", MINUTE) as again:
        assert again is not None


def test_a_killed_holder_keeps_it_to_its_end_and_a_renewed_one_longer(clock):
    killed = locks.hold("estimate", MINUTE)
    held = killed.__enter__()
    assert held is not None
    clock.move(seconds=50)
    assert held.renew()
    clock.move(seconds=50)
    with locks.hold("estimate", MINUTE) as other:
        assert other is None
    clock.move(seconds=11)
    with locks.hold("estimate", MINUTE) as other:
        assert other is not None
        assert not held.renew()
        killed.__exit__(None, None, None)  # it lives after all: what is another's stays another's
        with locks.hold("estimate", MINUTE) as third:
            assert third is None


@pytest.mark.parametrize("known", [True, False])
def test_of_many_at_once_one_holds_it(known):
    if known:
        with locks.hold("estimate", MINUTE):
            pass
    start, stop = threading.Barrier(8), threading.Barrier(8)
    got: list[bool] = []

    def want() -> None:
        try:
            start.wait()
            with locks.hold("estimate", MINUTE) as lease:
                got.append(lease is not None)
                stop.wait(30)
        finally:
            connection.close()

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [False] * 7 + [True]
