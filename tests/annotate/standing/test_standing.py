"""Where a person stands: the same by one key as by another."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Assignment, Participation
from annotate.selectors.work import standing
from annotate.services import locks
from annotate.services.work import leasing
from tests.factories import campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def at_work(done: int = 3) -> Participation:
    """Return a person with some done tasks, one that is over, and two in hand; others work too."""
    study = campaign(items=30)
    for n in range(2):
        judge(person(study, f"other-{n}"))
    who = person(study, "me")
    for _ in range(done):
        judge(who)
    over = leased(who)
    leasing.give_back(over.pk, participation_id=who.pk)
    leasing.lease_ahead(who.pk, after=leased(who).pk)
    return who


def asked(who: Participation, *, alone: bool) -> standing.PersonStanding:
    known = locks.person(who.pk)
    known.is_alone = alone
    return standing.of(known, now=timezone.now())


def test_who_is_alone_is_asked_about_by_one_key():
    who = at_work()
    assert locks.person(who.pk).is_alone
    mine, general = asked(who, alone=True), asked(who, alone=False)
    assert sorted(mine.recent) == sorted(general.recent)
    mine.recent[:] = general.recent[:] = []
    assert mine == general
    assert (mine.held, mine.n_open, mine.judged, mine.judged_today) == (5, 2, 3, 3)
    is_open = Assignment.objects.filter(participation=who, status="leased")
    assert mine.waiting == is_open.order_by("leased_at", "pk")[0].pk
    assert mine.earned_today == 3 * who.campaign.reward


def test_a_second_visit_counts_even_where_it_was_not_seen():
    """Another tab joins between the lock and the question."""
    who = at_work()
    other = Participation.objects.create(
        campaign=who.campaign,
        annotator=who.annotator,
        verified_at=who.verified_at,
        external_key="second",
    )
    judge(other)
    found = asked(who, alone=True)
    assert not locks.person(who.pk).is_alone
    assert found == asked(who, alone=False)
    assert (found.held, found.judged) == (6, 3)


def test_somebody_without_a_task_stands_at_nothing():
    found = asked(person(campaign(items=4)), alone=True)
    assert (found.held, found.had_gold, found.n_open, found.judged) == (0, 0, 0, 0)
    assert (found.waiting, found.recent, found.barred) == (None, [], False)


def test_what_was_earlier_than_today_is_not_of_today():
    who = at_work()
    yesterday = timezone.now() - timedelta(days=1)
    Assignment.objects.filter(participation=who, status="verified").update(ended_at=yesterday)
    found = asked(who, alone=True)
    assert (found.judged, found.judged_today) == (3, 0)
