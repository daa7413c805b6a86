"""A worker that is killed between two refreshes: the next one finds the same estimates."""

import os

import pytest
from django.db import transaction
from django.utils import timezone

from annotate.campaigns import facts
from annotate.models import Campaign, ChangeMark, Exclusion, Judgment, TaskLease
from annotate.models.base import CampaignStatus
from estimation import read, refresh
from estimation.models import Decision
from tests.estimation.refreshing.acting import World
from tests.estimation.refreshing.recounting import as_bytes, recounted, told
from tests.processes import stack, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LONG = 120.0  # seconds


def test_a_killed_worker_is_followed_by_one_that_finds_what_a_recount_finds(tmp_path):
    world = World(1, items=150, people=60)
    study = world.study
    for _ in range(250):
        world.judge()
    with stack(tmp_path, redis_url=os.environ["REDIS_URL"]) as processes:
        processes.start("worker", "beat")
        for _life in range(2):
            assert_settles(study)
            for act in (world.exclude, world.correct, world.exclude, world.restore, world.late):
                one_more(world)
                with transaction.atomic():
                    act()
                assert_settles(study)
            one_more(world)
            processes.kill("worker")
            for _ in range(15):
                happen(world)
            processes.start("worker")
            for _ in range(15):
                happen(world)
        assert_settles(study)
        study.targets.update(width=1.9)
        with transaction.atomic():
            ChangeMark.objects.create(campaign=study, reason="target")
        wait_for(lambda: is_closed(world), seconds=LONG)
    assert_all_happened(study)
    last = Decision.objects.get(campaign=study, verb="finish").estimates.all()
    primary = {one.criterion for one in last}
    for _again in range(2):
        full = [row for row in recounted(study) if row["criterion"] in primary]
        assert as_bytes(told(last)) == as_bytes(full)


def happen(world: World) -> None:
    """Let anybody do anything, as one service call."""
    with transaction.atomic():
        world.step()


def one_more(world: World) -> None:
    """Add a judgment, and see it estimated."""
    before = Judgment.objects.count()
    while Judgment.objects.count() == before:
        world.judge()
    wait_for(lambda: is_settled(world.study), seconds=LONG)


def assert_settles(study: Campaign) -> None:
    """Whatever happened, the newest estimates become those of all facts, to 1e-9 of each number."""
    wait_for(lambda: is_settled(study), seconds=LONG)
    stored, full = told(read.newest([study.pk])), recounted(study)
    assert full
    assert len(stored) == len(full)
    for one, other in zip(stored, full, strict=True):
        for name, value in other.items():
            assert one[name] == (close(value) if isinstance(value, float) else value), name


def is_settled(study: Campaign) -> bool:
    """Return whether no refresh is due or at work."""
    at_work = TaskLease.objects.filter(
        name=refresh.name_of(study.pk), expires_at__gt=timezone.now()
    )
    return not facts.changes(study.pk) and not at_work.exists()


def is_closed(world: World) -> bool:
    """Let people finish what was begun; return whether the campaign is closed."""
    world.judge()
    world.study.refresh_from_db()
    return bool(world.study.status == CampaignStatus.CLOSED)


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9, abs=0)


def assert_all_happened(study: Campaign) -> None:
    """Otherwise the test would show less than it says."""
    assert Judgment.objects.filter(campaign=study).exclude(supersedes=None).exists()
    excluded = Exclusion.objects.filter(judgment__campaign=study)
    assert excluded.filter(restored_at=None).exists()
    assert excluded.exclude(restored_at=None).exists()
