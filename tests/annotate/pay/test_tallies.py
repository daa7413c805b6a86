"""What people judged and earned is added up beforehand, and is right at every moment."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal

import numpy as np
import psycopg2.extensions
import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.models import Judgment, LedgerEntry, Participation, Payout, PersonTally, TallyProgress
from annotate.selectors.pay import accounts, tallies
from annotate.services.pay import payouts, tallying
from tests.factories import campaign, judge, person, user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ids settle as soon as their transactions are over."""
    monkeypatch.setattr(tallying, "SETTLED", timedelta(0))


def shown(campaign_id: int) -> dict[int, tuple[int, int, int, int]]:
    found = tallies.of_campaign(campaign_id)
    columns = (found.judgments, found.earned, found.refused, found.paid)
    return {
        int(who): tuple(int(column[at]) for column in columns)  # type: ignore[misc]
        for at, who in enumerate(found.annotator)
    }


def facts(campaign_id: int) -> dict[int, tuple[int, int, int, int]]:
    """The same by brute force."""
    found = {}
    for who in Participation.objects.filter(campaign=campaign_id):
        account = accounts.of(who.pk)
        n = Judgment.objects.filter(campaign=campaign_id, annotator=who.annotator_id).count()
        cents = [round(one * 100) for one in (account.earned, account.refused, account.paid)]
        found[who.annotator_id] = (n, *cents)
    return found


def entry(who: Participation, amount: str, kind: str = "bonus", key: str = "") -> LedgerEntry:
    return LedgerEntry.objects.create(
        campaign=who.campaign,
        participation=who,
        kind=kind,
        amount=Decimal(amount),
        fee=Decimal("0.01"),
        key=key or f"{who.pk}:{LedgerEntry.objects.count()}",
    )


STEPS = st.lists(
    st.sampled_from(["judge", "come", "bonus", "refuse", "pay", "advance", "rebuild"]),
    min_size=1,
    max_size=14,
)


@pytest.mark.orm
@given(steps=STEPS)
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_figures_are_right_whenever_they_are_added_up(steps: list[str]) -> None:
    made = campaign(items=12)
    people = [person(made, "first")]
    for n, step in enumerate(steps):
        who = people[n % len(people)]
        if step == "judge":
            judge(who)
        elif step == "come":
            people.append(person(made, f"p{n}"))
        elif step == "bonus":
            entry(who, "1.25")
        elif step == "refuse":
            entry(who, "-0.29", "refusal")
        elif step == "pay":
            Payout.objects.create(participation=who, amount="0.29", key=f"pay:{made.pk}:{n}")
        elif step == "advance":
            tallying.advance()
        else:
            tallying.rebuild()
        assert shown(made.pk) == facts(made.pk), steps[: n + 1]
    tallying.advance()
    tallying.advance()
    assert shown(made.pk) == facts(made.pk)


def advanced(is_done: Callable[[], bool]) -> None:
    """Advance until it is so."""
    until = time.monotonic() + 60
    while tallying.advance() or not is_done():
        assert time.monotonic() < until, "the tallies do not advance"
        time.sleep(0.05)


@pytest.mark.orm
def test_each_fact_is_added_once_in_steps_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallying, "STEP", 2)
    made = campaign(items=12)
    for name in ("a", "b", "c"):
        who = person(made, name)
        for _task in range(3):
            judge(who)
    before = facts(made.pk)
    last = Judgment.objects.latest("pk").pk
    advanced(lambda: TallyProgress.objects.get().judgment == last)
    assert shown(made.pk) == before
    assert PersonTally.objects.filter(campaign=made).count() == 3
    assert tallying.advance() == 0


def test_a_fact_that_is_committed_late_is_added_all_the_same() -> None:
    """Its id is lower than ids that were there when the tallies were made."""
    who = person(campaign(items=12))
    began, done = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            entry(who, "5.00", key="slow")
            began.set()
            done.wait(30)
        connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    began.wait(30)
    try:
        judge(who)
        for _time in range(3):
            tallying.advance()
        assert TallyProgress.objects.get().entry == 0, "it is not known what else comes"
        assert shown(who.campaign_id) == facts(who.campaign_id)
    finally:
        done.set()
        thread.join(30)
    assert shown(who.campaign_id) == facts(who.campaign_id)
    last = LedgerEntry.objects.latest("pk").pk
    advanced(lambda: TallyProgress.objects.get().entry == last)
    assert shown(who.campaign_id) == facts(who.campaign_id)


# On Postgres alone, as above.
def test_a_fact_of_the_newest_transaction_is_waited_for() -> None:
    """Its id was taken before the last fact that is there, and its number after it."""
    who = person(campaign(items=12))
    earlier = taken_id()
    last = entry(who, "2.00", key="there").pk
    began, done = threading.Event(), threading.Event()

    def late() -> None:
        with transaction.atomic():
            fact = {"kind": "bonus", "amount": Decimal(5), "fee": Decimal(0), "key": "late"}
            LedgerEntry.objects.create(pk=earlier, campaign=who.campaign, participation=who, **fact)
            began.set()
            done.wait(30)
        connection.close()

    thread = threading.Thread(target=late)
    thread.start()
    began.wait(30)
    try:
        for _time in range(3):
            tallying.advance()
    finally:
        done.set()
        thread.join(30)
    advanced(lambda: TallyProgress.objects.get().entry == last)
    assert earlier < last
    assert shown(who.campaign_id) == facts(who.campaign_id)


def taken_id() -> int:
    """Take the next id of the ledger, as a statement does before it inserts."""
    table = LedgerEntry._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(pg_get_serial_sequence(%s, 'id'))", [table])
        return int(cursor.fetchone()[0])


# On Postgres alone, as above.
def test_transactions_of_other_databases_hold_nothing_up() -> None:
    """A server may hold other databases, and numbers the transactions of all of them together."""
    who = person(campaign(items=12))
    with other_database() as cursor:
        cursor.execute("SELECT txid_current()")
        last = entry(who, "5.00").pk
        advanced(lambda: TallyProgress.objects.get().entry == last)
        going = int(cursor.fetchone()[0])
        with connection.cursor() as own:
            own.execute("SELECT txid_snapshot_xmin(txid_current_snapshot())")
            assert own.fetchone()[0] <= going, "it was over when the facts were added"


@contextmanager
def other_database() -> Iterator[psycopg2.extensions.cursor]:
    """A transaction in the database that each server has."""
    there = psycopg2.connect(**(connection.get_connection_params() | {"dbname": "postgres"}))
    try:
        yield there.cursor()
    finally:
        there.close()


def test_reading_while_facts_are_added_counts_nothing_twice() -> None:
    who = person(campaign(items=12))
    over = threading.Event()

    def write() -> None:
        for n in range(60):
            entry(who, "1.00", key=f"n{n}")
            tallying.advance()
        over.set()
        connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    seen = []
    while not over.is_set():
        seen.append(int(tallies.of_campaign(who.campaign_id).earned.sum()))
    thread.join(60)
    assert seen == sorted(seen)
    assert max(seen, default=0) <= 6000
    assert int(tallies.of_campaign(who.campaign_id).earned.sum()) == 6000


@pytest.mark.orm
def test_sums_of_many_campaigns() -> None:
    first, second = campaign(items=4), campaign(items=4)
    judge(person(first))
    tallying.advance()
    tallying.advance()
    judge(person(second))
    judge(person(first, "p2"))
    wanted = {one.pk: accounts.spent(one.pk) for one in (first, second)}
    assert tallies.spent([first.pk, second.pk]) == wanted
    assert wanted[first.pk] > 0


@pytest.mark.orm
def test_a_whole_list_is_marked_as_paid_and_added_up() -> None:
    ada = user()
    made = campaign(owner=ada, items=12)
    for n in range(5):
        judge(person(made, f"p{n}"))
    tallying.advance()
    listed = payouts.prepare(made.pk, actor_id=ada.pk)
    assert (listed.people, listed.amount) == (5, Decimal("2.00"))
    assert payouts.mark_paid(listed.pk, actor_id=ada.pk) == 5
    assert not tallies.of_campaign(made.pk).due.any()
    tallying.advance()
    assert np.array_equal(tallies.of_campaign(made.pk).paid, [40] * 5)
