"""Many people at once: what must hold whatever the threads' order (data rules 2, 5, 6, 9).

After each storm the invariants are read by SQL from slots, judgments and the ledger, not
from what the services believe.
"""

import random
import threading
import time
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.common import marks as common_marks
from annotate.common.errors import Conflict, Gone
from annotate.models import (
    Assignment,
    Campaign,
    ChangeMark,
    Draft,
    Judgment,
    LedgerEntry,
    Participation,
    Slot,
)
from annotate.work import leasing, submitting
from tests.annotate.work.storms import (
    THREADS,
    Job,
    at_once,
    check_invariants,
    counted,
    crowd,
    try_submit,
)
from tests.factories import campaign, leased, person

pytestmark = [pytest.mark.slow, pytest.mark.orm, pytest.mark.django_db(transaction=True)]


def test_tabs_that_fetch_ahead_get_two_assignments_and_no_more():
    study = campaign(items=20)
    who = person(study)
    first = leased(who)
    got = at_once([lambda: leasing.lease_ahead(who.pk, after=first.pk) for _ in range(THREADS)])
    assert len({each.pk for each in got}) == 1
    assert Assignment.objects.filter(status="leased").count() == 2
    check_invariants(study)


def test_tabs_that_ask_at_once_get_the_same_assignment():
    study = campaign(items=20)
    who = person(study)
    assert len(set(at_once([lambda: leased(who).pk for _ in range(THREADS)]))) == 1
    check_invariants(study)


def test_one_person_enters_once_from_many_tabs():
    study = campaign()
    assert len(set(at_once([lambda: person(study).pk for _ in range(THREADS)]))) == 1


# --- leases that end while people submit


def dawdle(who: Participation, *, turns: int, seed: int) -> int:
    """Lease and submit, now and then so slowly that somebody else ends the lease first."""
    chance, n_leased = random.Random(seed), 0
    for _ in range(turns):
        got = leasing.lease(who.pk)
        if not isinstance(got, Assignment):
            if got.final and got.reason != "budget":
                break
            time.sleep(0.002)
            continue
        n_leased += 1
        if chance.random() < 0.4:
            time.sleep(chance.random() * 0.03)
        if chance.random() < 0.1:
            with suppress(Gone):
                leasing.give_back(got.pk, participation_id=who.pk)
        try_submit(got, who)
    return n_leased


class Countdown:
    """How many jobs still run."""

    def __init__(self, n: int) -> None:
        self.left = n
        self._lock = threading.Lock()

    def after(self, job: Job) -> Job:
        """Return `job`, counting itself down when it ends, however it ends."""

        def run() -> object:
            try:
                return job()
            finally:
                with self._lock:
                    self.left -= 1

        return run


def end_leases(study: Campaign, running: Countdown) -> int:
    """Expire every lease again and again, as if its time had passed, while people work."""
    ended = 0
    while running.left:
        ended += leasing.expire_due(study.pk, now=timezone.now() + timedelta(hours=1))
        time.sleep(0.005)
    return ended


@pytest.mark.parametrize("budget", [None, Decimal("30.00")])
def test_leases_that_end_during_submits_leave_consistent_facts(budget):
    study = campaign(
        items=40, annotator_cap=30, reward=Decimal("0.37"), fee_rate=Decimal("0.2"), budget=budget
    )
    workers = [
        lambda number=number, who=who: dawdle(who, turns=22, seed=number)
        for number, who in enumerate(crowd(study, 12))
    ]
    done = Countdown(len(workers))
    sweepers = [lambda: end_leases(study, done)] * 4
    results = at_once([*(done.after(work) for work in workers), *sweepers])
    assert sum(results[:12]) >= 60
    assert sum(results[12:]) > 0, "no lease ended: the test tests nothing"
    late = LedgerEntry.objects.filter(campaign=study, kind="compensation")
    assert late.exists(), "no late work was compensated: the test tests nothing"
    check_invariants(study)


@pytest.mark.parametrize("turn", range(2))
def test_a_submit_that_races_the_end_of_its_lease_has_one_of_two_outcomes(turn):
    study = campaign(items=1, systems=("alpha",), double_share=0)
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    later = timezone.now() + timedelta(hours=1)

    def take_over() -> object:
        leasing.expire_due(study.pk, now=later)
        return leasing.lease(quick.pk)

    receipt, taken = at_once([lambda: try_submit(lost, slow), take_over])
    holders = Slot.objects.filter(assignment__isnull=False).values_list("assignment", flat=True)
    entry = LedgerEntry.objects.get()
    assert receipt.earned == study.reward
    if receipt.counts:
        assert list(holders) == [lost.pk]
        assert not isinstance(taken, Assignment)
        assert entry.kind == LedgerEntry.Kind.REWARD
    else:
        assert list(holders) == [taken.pk]
        assert entry.kind == LedgerEntry.Kind.COMPENSATION
    check_invariants(study)


@pytest.mark.parametrize("turn", range(2))
def test_a_submit_that_races_a_give_back_is_never_lost(turn):
    study = campaign(items=1, systems=("alpha",), double_share=0)
    who = person(study)
    mine = leased(who)
    receipt, _none = at_once(
        [
            lambda: try_submit(mine, who),
            lambda: leasing.give_back(mine.pk, participation_id=who.pk),
        ]
    )
    assert receipt.counts
    assert counted(study) == 1
    check_invariants(study)


@pytest.mark.parametrize("turn", range(2))
def test_a_heartbeat_that_races_the_sweep_either_keeps_the_lease_or_says_so(turn):
    study = campaign(items=1, systems=("alpha",), double_share=0)
    who = person(study)
    mine = leased(who)
    Assignment.objects.filter(pk=mine.pk).update(expires_at=timezone.now())

    def beat() -> bool:
        with suppress(Gone):
            return bool(leasing.heartbeat(mine.pk, participation_id=who.pk))
        return False

    kept, ended = at_once([beat, lambda: leasing.expire_due(study.pk, now=timezone.now())])
    assert kept != bool(ended)
    check_invariants(study)


# --- twice the same


@pytest.mark.parametrize("turn", range(2))
def test_a_double_submit_makes_one_judgment_and_one_receipt(turn):
    study = campaign(budget=Decimal("0.40"))
    who = person(study)
    mine = leased(who)
    receipts = at_once([lambda: try_submit(mine, who) for _ in range(4)])
    assert len({receipt.judgment_id for receipt in receipts}) == 1
    assert {(receipt.counts, receipt.earned) for receipt in receipts} == {(True, study.reward)}
    assert sorted(receipt.already for receipt in receipts) == [False, True, True, True]
    assert Judgment.objects.count() == LedgerEntry.objects.count() == 1
    check_invariants(study)


@pytest.mark.parametrize("turn", range(2))
def test_a_double_late_submit_is_paid_once(turn):
    study = campaign(items=1, systems=("alpha",), double_share=0)
    slow, quick = person(study, "slow"), person(study, "quick")
    lost = leased(slow)
    leasing.expire_due(study.pk, now=timezone.now() + timedelta(hours=1))
    try_submit(leased(quick), quick)
    receipts = at_once([lambda: try_submit(lost, slow) for _ in range(4)])
    assert len({receipt.judgment_id for receipt in receipts}) == 1
    assert {(receipt.counts, receipt.earned) for receipt in receipts} == {(False, study.reward)}
    assert LedgerEntry.objects.filter(kind="compensation").count() == 1
    check_invariants(study)


def test_each_revision_of_a_draft_has_one_winner():
    who = person(campaign())
    mine = leased(who)

    def type_on(tab: int) -> list[int]:
        won = []
        for revision in range(5):
            with suppress(Conflict):
                submitting.save_draft(
                    mine.pk, participation_id=who.pk, revision=revision, data={"tab": tab}
                )
                won.append(revision)
        return won

    tabs = at_once([lambda tab=tab: type_on(tab) for tab in range(8)])
    won = sorted(revision for tab in tabs for revision in tab)
    assert won == list(range(len(won)))
    assert won
    assert Draft.objects.get().revision == len(won)


def test_two_estimators_do_not_both_clear_the_same_marks():
    study = campaign()
    for _ in range(40):
        common_marks.mark(study.pk, "judgment")
    marks = list(ChangeMark.objects.values_list("pk", flat=True))

    def clear(order: list[int]) -> bool:
        with transaction.atomic():
            return common_marks.clear(order)

    outcomes = at_once([lambda: clear(marks), lambda: clear(marks[::-1])] * 4)
    assert sorted(outcomes) == [False] * 7 + [True]
