"""The items of a system without an estimate: they are counted up to what is enough for one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.campaigns import progress
from annotate.models import Authorship, Campaign, Item, Slot
from tests.annotate.pay.test_slot_counts import STEPS, World
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.orm]


def facts(made: Campaign, enough: int) -> dict[int, tuple[int, int]]:
    """Judged items of each system, and all of them, by brute force."""
    counting = Slot.objects.filter(campaign=made, assignment__status="verified")
    outputs = set(counting.values_list("output", flat=True))
    found = {}
    for system in made.systems.all():
        wrote = list(Authorship.objects.filter(system=system))
        judged = {one.item_id for one in wrote if one.output_id in outputs}
        found[system.pk] = (min(enough, len(judged)), min(enough, len(wrote)))
    return found


def told(made: Campaign, enough: int) -> dict[int, tuple[int, int]]:
    held = progress.held(made.pk)
    return progress.items(made.pk, held=held, enough=enough)


@given(steps=STEPS, first=st.sampled_from([1, 3, 1000]), enough=st.integers(1, 9))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_they_are_what_a_count_of_everything_says_up_to_enough(
    monkeypatch: pytest.MonkeyPatch, steps: list[tuple[str, int]], first: int, enough: int
) -> None:
    monkeypatch.setattr(progress, "FIRST", first)
    world = World()
    for step, who in steps:
        world.act(step, who)
        assert told(world.made, enough) == facts(world.made, enough), step


@pytest.mark.parametrize("first", [2, 1000])
def test_a_system_of_few_judged_items_among_many_is_counted_wholly(
    monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(progress, "FIRST", first)
    made = campaign(owner=user(), items=12, annotator_cap=None, double_share=0)
    late = made.systems.order_by("pk").last()
    assert late is not None
    # Of the late system only the last items are free, so that its judgments come after all others.
    last = Item.objects.filter(campaign=made, position__lt=9).values("pk")
    Authorship.objects.filter(system=late, item__in=last).delete()
    for n in range(8):
        judge(person(made, f"p{n}"))
    assert told(made, 10) == facts(made, 10)


def test_the_number_of_queries_does_not_grow() -> None:
    seen = set()
    for systems, items in ((("alpha", "beta"), 4), (tuple("abcdef"), 20)):
        made = campaign(owner=user(f"u{items}"), systems=systems, items=items)
        judge(person(made))
        with CaptureQueriesContext(connection) as queries:
            progress.items(made.pk, held=1, enough=10)
        seen.add(len(queries))
    assert seen == {4}
