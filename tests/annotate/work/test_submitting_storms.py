"""Many people submit and lease at once: no limit gives way."""

import random
import threading
from decimal import Decimal

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotate.campaigns import life, totals
from annotate.common import locks
from annotate.instruments import registry
from annotate.models import Assignment, Campaign, Judgment, Participation, Slot
from annotate.pay import budget
from annotate.work import leasing, submitting
from tests.annotate import panels
from tests.annotate.work.locking.test_lock_order import Running, until_waiting
from tests.annotate.work.storms import (
    THREADS,
    at_once,
    check_invariants,
    check_people,
    check_slots,
    counted,
    crowd,
    sql,
    sum_of,
)
from tests.factories import GOOD, campaign, leased, person

pytestmark = [pytest.mark.slow, pytest.mark.orm, pytest.mark.django_db(transaction=True)]

VERSION = registry.get("language_quality").version


def work(who: Participation, *, turns: int = 10**6) -> int:
    """Work as a page does, until nothing follows; return how many were submitted."""
    got, n = leasing.lease(who.pk), 0
    now = got.pk if isinstance(got, Assignment) else None
    while now is not None and n < turns:
        now = submit(who, now).next
        n += 1
    return n


def submit(who: Participation, assignment: int) -> submitting.AfterSubmit:
    given = submitting.PageResponse(GOOD, active_seconds=1.0, version=VERSION)
    return submitting.submit(assignment, participation_id=who.pk, given=given)[1]


def check(study: Campaign) -> None:
    check_invariants(study)
    assert list(totals.each([study.public_id], mend=False)) == [(study.public_id, [])]


def test_six_hundred_tasks_by_sixteen_threads():
    study = campaign(items=300, annotator_cap=None, budget=Decimal(100_000), max_judgments=90_000)
    people = crowd(study, THREADS)
    assert sum(at_once([lambda who=who: work(who, turns=38) for who in people])) == 608
    assert counted(study) == 608
    check(study)


def test_everything_planned_is_judged_once():
    study = campaign(items=160, annotator_cap=None)
    at_once([lambda who=who: work(who) for who in crowd(study, THREADS)])
    assert counted(study) == Slot.objects.filter(campaign=study).count() == 400
    check(study)


@pytest.mark.parametrize(
    ("fee", "given", "spent", "n"),
    [("0", "111", "111.00", 300), ("0.20", "33.43", "33.00", 75)],  # the fee of 0.074 is 0.07
)
def test_the_budget_is_spent_to_the_cent(fee, given, spent, n):
    money = {"reward": Decimal("0.37"), "fee_rate": Decimal(fee), "budget": Decimal(given)}
    study = campaign(items=160, annotator_cap=None, **money)
    at_once([lambda who=who: work(who) for who in crowd(study, THREADS)])
    assert budget.commitments_of(study).total == Decimal(spent)
    assert counted(study) == n
    check(study)


def test_the_maximum_is_reached_and_not_passed():
    study = campaign(items=160, annotator_cap=None, max_judgments=250)
    at_once([lambda who=who: work(who) for who in crowd(study, THREADS)])
    assert counted(study) == 250
    check(study)


def test_the_cap_binds_for_people_with_two_tabs():
    study = campaign(items=160, annotator_cap=7)
    people = crowd(study, THREADS // 2)
    at_once([lambda who=who: work(who) for who in people for _tab in range(2)])
    assert counted(study) == 7 * len(people)
    check(study)


def frontier_holds(study: Campaign) -> bool:
    """No lease stands beyond a system's stop position."""
    return not sql(
        "SELECT p.id FROM annotate_slot p JOIN annotate_authorship w ON w.output_id = p.output_id "
        "JOIN annotate_system s ON s.id = w.system_id WHERE p.campaign_id = %s "
        "AND p.assignment_id IS NOT NULL GROUP BY p.id, p.position "
        "HAVING max(s.stop_position) <= p.position",
        study.pk,
    )


@pytest.mark.parametrize("seed", range(3))
def test_closing_in_the_middle_leases_nothing_beyond_the_frontier(seed):
    study = campaign(items=600, annotator_cap=None)  # whoever closes waits for its turn among many
    chance, started = random.Random(seed), threading.Event()

    def close() -> None:
        started.wait(20)
        threading.Event().wait(chance.uniform(0.05, 0.3))
        life.close(study.pk, Campaign.Reason.HAND)

    def one(who: Participation) -> int:
        started.set()
        return work(who)

    people = crowd(study, THREADS - 1)
    at_once([close, *(lambda who=who: one(who) for who in people)])
    assert frontier_holds(study)
    assert Judgment.objects.count() < Slot.objects.filter(campaign=study).count()
    check(study)


@pytest.mark.parametrize("seed", range(2))
def test_pausing_and_opening_again_and_again(seed):
    study = campaign(items=100, annotator_cap=None, budget=Decimal(60), reward=Decimal("0.40"))
    chance, over = random.Random(seed), threading.Event()

    def pause_and_open() -> None:
        while not over.is_set():
            life.pause(study.pk)
            threading.Event().wait(chance.uniform(0, 0.02))
            life.open_(study.pk)
            threading.Event().wait(chance.uniform(0, 0.1))

    def one(who: Participation) -> None:
        for _ in range(40):
            work(who)

    def everybody() -> None:
        try:
            at_once([lambda who=who: one(who) for who in crowd(study, THREADS // 2)])
        finally:
            over.set()
            connection.close()

    at_once([everybody, pause_and_open])
    assert counted(study) <= 150
    # Who was paused at each of their turns works what is left.
    at_once([lambda who=who: work(who) for who in Participation.objects.filter(campaign=study)])
    assert counted(study) == 150
    check(study)


@pytest.mark.parametrize("seed", range(3))
def test_an_expert_is_replaced_and_another_released_while_all_of_them_judge(seed):
    """Each output has a slot for every expert who stays, and all that was judged is paid once."""
    names = ("Ann Lee", "Bob Ray", "Cem Ünal", "Dan Orr")
    study = panels.panel(names=names, items=60)
    chance, started = random.Random(seed), threading.Event()

    def change() -> None:
        started.wait(20)
        for name, replacement in (("Ann Lee", "Eve Ito"), ("Bob Ray", "")):
            threading.Event().wait(chance.uniform(0.05, 0.4))
            panels.release(study, name, replacement)

    def one(who: Participation) -> int:
        started.set()
        return work(who)

    # Two tabs each, so that a release meets submits and leases at any moment.
    people = panels.come(study, names)
    at_once([change, *(lambda who=who: one(who) for who in people for _tab in range(2))])
    work(person(study, "Eve Ito"))
    study.refresh_from_db()
    assert study.raters == 3
    assert set(study.experts.filter(released_at=None).values_list("name", flat=True)) == {
        *("Cem Ünal", "Dan Orr", "Eve Ito")
    }
    assert sql(
        "SELECT a.annotator_id, count(*) FROM annotate_slot p JOIN annotate_assignment a "
        "ON a.id = p.assignment_id WHERE p.campaign_id = %s GROUP BY 1 ORDER BY 1",
        study.pk,
    ) == [(who.annotator_id, 60) for who in study.participations.order_by("annotator")[2:]]
    assert study.slots.count() == study.planned == 180
    check_slots(study.pk)
    check_people(study)
    assert sum_of(study, "amount") == study.reward * Judgment.objects.count()
    assert list(totals.each([study.public_id], mend=False)) == [(study.public_id, [])]


# --- what waits for what


def test_who_locks_the_campaign_waits_for_a_lease_that_is_under_way():
    study = campaign(items=20)
    who = person(study)
    now = leased(who).pk
    with transaction.atomic():
        submit(who, now)
        closing = Running(lambda: life.close(study.pk, Campaign.Reason.HAND))
        until_waiting(1)
    assert closing.outcome()
    assert frontier_holds(study)
    check(study)


def test_a_release_of_an_expert_waits_for_a_lease_that_is_under_way():
    study = panels.panel()
    ann, *_others = panels.come(study)
    with transaction.atomic():
        leasing.lease(ann.pk)
        releasing = Running(lambda: panels.release(study, "Ann Lee"))
        until_waiting(1)
    releasing.outcome()
    assert not Slot.objects.filter(assignment__annotator=ann.annotator_id).exists()


def test_people_who_work_do_not_wait_for_one_another_until_they_count():
    """The first has leased and counted; the second has picked its slot and waits for the row."""
    study = campaign(items=20, double_share=0)
    first, second = person(study, "p1"), person(study, "p2")
    with transaction.atomic():
        one = leasing.lease(first.pk)
        other = Running(lambda: leasing.lease(second.pk))
        until_waiting(1)
    assert other.outcome().output_id != one.output_id
    check(study)


def test_a_lease_that_comes_after_the_lock_begins_again_behind_it():
    study = campaign(items=20)
    who = person(study)
    now = leased(who).pk
    with transaction.atomic():
        locks.campaign(study.pk)
        late = Running(lambda: submit(who, now).coming)
        until_waiting(1)  # for the campaign, with nothing in its hands
        Campaign.objects.filter(pk=study.pk).update(status=Campaign.Status.PAUSED)
    assert late.outcome() is None
    assert Judgment.objects.filter(submitted_at__lte=timezone.now()).count() == 1
