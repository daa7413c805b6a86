"""Where a person stands in a campaign."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.models import Assignment, Participation
from annotate.work import leasing, picking
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


def asked(who: Participation) -> picking.TaskCounts:
    return picking.standing_of(who, now=timezone.now())


def test_everything_of_a_person_is_counted():
    who = at_work()
    found = asked(who)
    assert (found.held, found.n_open, found.judged, found.judged_today) == (5, 2, 3, 3)
    is_open = Assignment.objects.filter(participation=who, status="leased")
    assert found.waiting == is_open.order_by("leased_at", "pk")[0].pk


def test_a_second_visit_counts_too():
    who = at_work()
    other = Participation.objects.create(
        campaign=who.campaign,
        annotator=who.annotator,
        verified_at=who.verified_at,
        external_key="second",
    )
    judge(other)
    found = asked(who)
    assert (found.held, found.judged, found.judged_today) == (6, 3, 4)


def test_somebody_without_a_task_stands_at_nothing():
    found = asked(person(campaign(items=4)))
    assert (found.held, found.had_gold, found.n_open, found.judged) == (0, 0, 0, 0)
    assert found.waiting is None


def test_what_was_earlier_than_today_is_not_of_today():
    who = at_work()
    yesterday = timezone.now() - timedelta(days=1)
    Assignment.objects.filter(participation=who, status="verified").update(ended_at=yesterday)
    found = asked(who)
    assert (found.judged, found.judged_today) == (3, 0)
