"""The items of a system without an estimate."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings

from annotate.campaigns import progress
from annotate.models import Authorship, Campaign, Slot
from tests.annotate.pay.test_slot_counts import STEPS, World
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.orm]


def counted(made: Campaign) -> dict[int, tuple[int, int]]:
    """Judged items of each system, and all of them, by brute force."""
    counting = Slot.objects.filter(campaign=made, assignment__status="verified")
    outputs = set(counting.values_list("output", flat=True))
    found = {}
    for system in made.systems.all():
        wrote = list(Authorship.objects.filter(system=system))
        judged = {one.item_id for one in wrote if one.output_id in outputs}
        found[system.pk] = (len(judged), len(wrote))
    return found


@given(steps=STEPS)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_they_are_what_a_count_of_everything_says(steps: list[tuple[str, int]]) -> None:
    world = World()
    for step, who in steps:
        world.act(step, who)
        assert progress.items(world.made.pk) == counted(world.made), step


def test_the_number_of_queries_does_not_grow() -> None:
    seen = set()
    for systems, items in ((("alpha", "beta"), 4), (tuple("abcdef"), 20)):
        made = campaign(owner=user(f"u{items}"), systems=systems, items=items)
        judge(person(made))
        with CaptureQueriesContext(connection) as queries:
            progress.items(made.pk)
        seen.add(len(queries))
    assert seen == {1}
