"""How long people took is read beforehand in large campaigns, and is that of its moment."""

import statistics
from collections import defaultdict
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import OuterRef
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate import tasks
from annotate.campaigns import life
from annotate.models import Campaign, Judgment, LedgerEntry, WorkTimes
from annotate.pay import queries as pay_queries
from annotate.pay import work_times
from annotate.work import submitting
from tests.annotate.pay.test_slot_counts import World
from tests.annotate.screening.test_screening_service import slow_clock
from tests.factories import GOOD, campaign, judge, leased, person, user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.orm]

ACTS = ("late", "give_back", "expire", "exclude", "restore", "lose")
STEPS = st.lists(
    st.tuples(st.sampled_from(["lease", "judge"] * 3 + list(ACTS)), st.integers(0, 2)),
    min_size=8,
    max_size=30,
)


@pytest.fixture(autouse=True)
def always_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_times, "LEAST", 0)
    monkeypatch.setattr(work_times, "PAUSE", 0)


def facts(made: Campaign) -> tuple[object, ...]:
    """Seconds, judgments in an hour, and people, by brute force."""
    took, counting = defaultdict(list), set()
    verified = Judgment.objects.filter(campaign=made, assignment__status="verified")
    for one in verified.select_related("assignment"):
        page, server = one.active_seconds, one.elapsed_seconds
        took[one.annotator_id].append(server if page is None else min(page, server))
        if hasattr(one.assignment, "slot"):
            counting.add(one.annotator_id)
    means = [statistics.fmean(each) for each in took.values() if sum(each)]
    rates = sorted(3600 / mean for mean in means)
    seconds = statistics.median(means) if means else None
    refused = LedgerEntry.objects.filter(participation__campaign=made, kind="refusal")
    who = set(refused.values_list("participation__annotator", flat=True))
    return seconds, statistics.median(rates) if rates else None, len(counting), len(who)


def told(times: WorkTimes) -> tuple[object, ...]:
    return times.seconds, times.per_hour, times.people, times.refused


def about(expected: tuple[object, ...]) -> object:
    return tuple(one if one is None else pytest.approx(one) for one in expected)


def state(made: Campaign) -> str:
    rows = Campaign.objects.filter(pk=made.pk)
    return str(rows.values_list(work_times.state_of(OuterRef("pk"))).get()[0])


def made() -> Campaign:
    return campaign(owner=user(), items=12, annotator_cap=None, double_share=0)


@given(steps=STEPS)
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@pytest.mark.slow
def test_what_is_kept_is_what_a_recount_says_whatever_happens(steps: list[tuple[str, int]]) -> None:
    """And where it is not of now any more, it says of when it is."""
    world = World()
    tasks.keep_work_times()
    for step, who in steps:
        before, seen = facts(world.made), state(world.made)
        kept = work_times.of_campaign(world.made.pk)
        world.act(step, who)
        found = work_times.of_campaign(world.made.pk)
        if state(world.made) == seen:
            assert facts(world.made) == before, step
        else:
            assert (told(found), found.at is None) == (told(kept), False)
        tasks.keep_work_times()
        found = work_times.of_campaign(world.made.pk)
        assert (told(found), found.at) == (about(facts(world.made)), None), step


def test_the_least_is_what_nine_of_ten_people_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_clock(monkeypatch)
    study = made()
    for name, seconds in {"a": 12.0, "b": 24.0, "c": 50.0}.items():
        at = leased(who := person(study, name))
        submitting.submit_judgment(at.pk, participation_id=who.pk, raw=GOOD, active_seconds=seconds)
    tasks.keep_work_times()
    found = WorkTimes.objects.get(campaign=study)
    assert (found.seconds, found.per_hour, found.people) == (24.0, 150.0, 3)
    assert found.least_per_hour == pytest.approx(72 + 0.2 * (150 - 72))


def test_a_large_campaign_is_read_again_seldom_and_at_once_when_its_status_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = made()
    judge(person(study, "a"))
    assert tasks.keep_work_times() == 1
    assert tasks.keep_work_times() == 0  # nothing has happened
    WorkTimes.objects.update(took=60)
    monkeypatch.setattr(work_times, "PAUSE", 100)
    judge(person(study, "b"))
    assert tasks.keep_work_times() == 0
    found = work_times.of_campaign(study.pk)
    assert (found.people, found.at) == (1, WorkTimes.objects.get().at)
    WorkTimes.objects.update(at=timezone.now() - timedelta(seconds=6001))
    assert tasks.keep_work_times() == 1
    assert work_times.of_campaign(study.pk).people == 2
    WorkTimes.objects.update(took=60)
    judge(person(study, "c"))
    life.pause(study.pk, actor_id=study.memberships.get().user_id)
    assert tasks.keep_work_times() == 1
    assert work_times.of_campaign(study.pk).people == 3


def test_no_judgment_is_read_where_it_is_kept() -> None:
    study = made()
    judge(person(study, "a"))
    tasks.keep_work_times()
    study.refresh_from_db()
    seen = []
    for _turn in range(2):
        with CaptureQueriesContext(connection) as queries:
            pay_queries.of_campaign(study)
        seen.append(len(queries))
        assert not any("elapsed_seconds" in one["sql"] for one in queries)
        judge(person(study, "b"))
    assert seen[0] == seen[1]
