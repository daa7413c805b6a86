"""Real workers on a real Postgres: no campaign keeps the others waiting, and no task hangs."""

import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest
import redis
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotate.campaigns.problems import Row
from annotate.models import Campaign, ChangeMark, PendingScore, Score, TaskLease
from config.workers import BACKGROUND
from estimation.models import Agreement, Estimate
from tests.factories import campaign, judge, leased, person
from tests.processes import stack, wait_for
from tests.servers import start_redis

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

OTHERS = 30.0  # seconds: a worker starts in a few, on a busy machine in more


@pytest.fixture
def broker() -> Iterator[str]:
    """A Redis of this test's own: other tests' messages stay out."""
    url, process = start_redis()
    yield url
    process.kill()


def shuffled(seed: int) -> tuple[str, str]:
    """A text of 1,500 words, and its blocks of eight words in another order."""
    rng = np.random.default_rng(seed)
    blocks = np.array([f"word{i}" for i in rng.zipf(1.3, 1504) % 4000]).reshape(-1, 8)
    return " ".join(blocks.ravel()), " ".join(blocks[rng.permutation(len(blocks))].ravel())


def estimated(study: Campaign) -> bool:
    return Estimate.objects.filter(campaign=study).exists()


def working(study: Campaign, n: int = 3) -> None:
    for i in range(n):
        judge(person(study, f"p{i}"))


def test_an_edit_in_another_order_delays_no_other_campaign(tmp_path, broker):
    texts = [shuffled(i) for i in range(4)]
    rows = [Row(item=f"{i}", system="alpha", output=text) for i, (text, _) in enumerate(texts)]
    long_ = campaign(rows_=rows, systems=("alpha",), metrics=())
    edits = dict(texts)
    for i in range(4):
        who = person(long_, f"p{i}")
        judge(who, overall=-1, edit=edits[leased(who).output.text])
    quick = campaign(systems=("alpha",))
    working(quick)
    with stack(tmp_path, redis_url=broker) as processes:
        processes.start("processes", "beat")
        wait_for(lambda: estimated(quick), seconds=OTHERS)
        wait_for(lambda: Score.objects.filter(judgment__campaign=long_).count() == 16)
        wait_for(lambda: Estimate.objects.filter(campaign=long_, n_judgments=4).exists())
    assert not PendingScore.objects.exists()


def test_a_campaign_that_hangs_keeps_one_process_and_the_others_go_on(tmp_path, broker):
    stuck = campaign()
    working(stuck)
    others = [campaign() for _ in range(3)]
    for study in others:
        working(study)
    with stack(tmp_path, redis_url=broker) as processes:
        with transaction.atomic():
            # Holding its marks stops whoever wants to write its estimates.
            list(ChangeMark.objects.filter(campaign=stuck).select_for_update())
            processes.start("processes", "beat")
            for study in others:
                wait_for(lambda: estimated(study), seconds=OTHERS)  # noqa: B023
            wait_for(TaskLease.objects.filter(name=f"refresh:{stuck.pk}").exists)
            assert not estimated(stuck)
        wait_for(lambda: estimated(stuck))


def test_judgments_in_quick_succession_share_refreshes_and_none_waits_for_the_catch_up(tmp_path):
    """The session's Redis carries the messages of this process; no beat finds what they lose."""
    study = campaign(items=60, systems=("alpha",), double_share=1.0, annotator_cap=60)
    working(study, 2)
    with stack(tmp_path, redis_url=os.environ["REDIS_URL"]) as processes:
        processes.start("processes")
        wait_for(lambda: estimated(study))
        before, began = refreshes(study), time.monotonic()
        who = [person(study, f"q{i}") for i in range(5)]
        for i in range(50):
            judge(who[i % 5])
        took = time.monotonic() - began
        wait_for(lambda: Estimate.objects.filter(campaign=study, n_judgments=52).exists())
        assert refreshes(study) - before <= took / settings.REFRESH_SECONDS + 2


def refreshes(study: Campaign) -> int:
    return Estimate.objects.filter(campaign=study, criterion="overall").count()


def test_agreement_follows_in_a_task_of_its_own(tmp_path, broker):
    study = campaign(systems=("alpha",), double_share=1.0)
    for name in ("a", "b"):
        judge(person(study, name))
        judge(person(study, name), overall=-1, edit="It met.")
    with stack(tmp_path, redis_url=broker) as processes:
        processes.start("processes", "beat")
        wait_for(lambda: Agreement.objects.filter(campaign=study, alpha__isnull=False).exists())


def test_a_task_that_takes_too_long_is_stopped_and_done_again(tmp_path, broker):
    study = campaign()
    working(study)
    with stack(tmp_path, redis_url=broker, TASK_SECONDS="5") as processes:
        with transaction.atomic():
            list(ChangeMark.objects.filter(campaign=study).select_for_update())
            processes.start("processes", "beat")
            wait_for(lambda: "TimeLimitExceeded" in processes.logs(), seconds=90)
        wait_for(lambda: estimated(study), seconds=120)


def test_messages_of_beat_are_dropped_once_they_are_old(tmp_path, broker):
    with stack(tmp_path, redis_url=broker) as processes:
        processes.start("beat")
        queue = redis.Redis.from_url(broker)
        wait_for(lambda: queue.llen("celery") >= 3 and queue.llen(BACKGROUND) >= 6)
        processes.kill("beat")
        messages = queue.lrange("celery", 0, -1) + queue.lrange(BACKGROUND, 0, -1)
        headers = [json.loads(message)["headers"] for message in messages]
        assert {"estimation.tasks.catch_up", "annotate.tasks.score_waiting"} <= {
            header["task"] for header in headers
        }
        assert all(header["expires"] for header in headers)


def test_what_takes_long_waits_in_a_queue_of_its_own(tmp_path, broker):
    """A worker that estimates alone leaves it; the other one does it."""
    study = campaign()
    working(study, n=12)
    # Old enough for the look that a worker takes when it starts: no message and no beat tells it.
    ChangeMark.objects.update(at=timezone.now() - timedelta(seconds=10))
    with stack(tmp_path, redis_url=broker) as servers:
        servers.start("estimating")
        wait_for(lambda: estimated(study), seconds=OTHERS)
        waiting = redis.Redis.from_url(broker)
        wait_for(lambda: waiting.llen(BACKGROUND) >= 5, seconds=OTHERS)
        assert waiting.llen("celery") == 0
        assert not Agreement.objects.filter(campaign=study).exists()
        servers.start("background")
        wait_for(lambda: waiting.llen(BACKGROUND) == 0, seconds=OTHERS)
