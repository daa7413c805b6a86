"""Many people at once where texts stand side by side: each item by one person, nothing twice."""

from collections import defaultdict

import pytest

from annotate.models import Assignment, Slot
from tests.annotate.side_by_side.studies import study, work
from tests.annotate.work.storms import THREADS, at_once, check_people, check_slots, counted, crowd

pytestmark = [pytest.mark.slow, pytest.mark.orm, pytest.mark.django_db(transaction=True)]


def people_of_items(made) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for item, annotator in Assignment.objects.filter(campaign=made).values_list(
        "output__item__position", "annotator"
    ):
        found[item].add(annotator)
    return found


def test_everything_planned_is_judged_once_and_items_stay_together():
    made = study(items=200, systems="ABCD", annotator_cap=None)
    at_once([lambda who=who: work(who) for who in crowd(made, THREADS)])
    assert counted(made) == Slot.objects.filter(campaign=made).count() == 800
    check_slots(made.pk)
    check_people(made)
    shared = [item for item, people in people_of_items(made).items() if len(people) > 1]
    # Those in progress at the end, whose rest is shared, and some where two people were as fast as
    # each other: 76 to 82 with sixteen people who never pause. Most items stay with one person.
    assert len(shared) <= 100, sorted(shared)


def test_two_tabs_of_one_person():
    made = study(items=20, systems="ABC", annotator_cap=15)
    people = crowd(made, 4)
    at_once([lambda who=who: work(who) for who in people for _tab in range(2)])
    assert counted(made) == 60
    check_slots(made.pk)
    check_people(made)
