"""What happens when a worker is killed, or Redis is away: nothing is lost."""

import threading
import time
from urllib.parse import urlsplit

import pytest
import urllib3
from django.db import connection, transaction

from annotate.common.tokens import participation_token
from annotate.models import ChangeMark, Judgment, Participation
from estimation.models import Estimate
from extras.demo.browser import Browser
from tests.factories import GOOD, campaign, judge, person
from tests.processes import stack, wait_for
from tests.servers import free_port, start_redis

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def redis():
    """A Redis of this test's own: other tests' messages stay out."""
    url, process = start_redis()
    yield url, process
    process.kill()


def worker_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else a transaction sees one moment
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock' AND query LIKE '%annotate_changemark%'"
        )
        return cursor.fetchone()[0] > 0


def test_a_worker_killed_before_its_estimate_is_written_loses_nothing(tmp_path, redis):
    study = campaign()
    for name in ("a", "b", "c"):
        judge(person(study, name))
    with stack(tmp_path, redis_url=redis[0]) as processes:
        with transaction.atomic():
            # Holding the marks stops the worker just before it writes.
            list(ChangeMark.objects.select_for_update())
            processes.start("worker", "beat")
            wait_for(worker_waits_for_a_lock)
            processes.kill("worker")
        assert not Estimate.objects.exists()
        assert ChangeMark.objects.exists()
        processes.start("worker")
        # The killed one's lease ends first: nobody knows that it will not come back.
        wait_for(Estimate.objects.exists, seconds=120)
        wait_for(lambda: not ChangeMark.objects.exists())
    assert set(Estimate.objects.values_list("n_judgments", flat=True)) <= {2, 3}


def test_a_supervised_worker_comes_back_when_redis_goes_away_with_tasks_in_hand(tmp_path, redis):
    url, server = redis
    studies = [campaign() for _ in range(6)]
    port, kills = int(urlsplit(url).port or 0), 4
    with stack(tmp_path, redis_url=url) as processes, processes.supervised("processes", "beat"):
        for n in range(kills):
            with transaction.atomic():
                for study in studies:
                    judge(person(study, f"p{n}"))
            with transaction.atomic():
                # Holding the marks keeps the worker's tasks in hand.
                list(ChangeMark.objects.select_for_update())
                wait_for(worker_waits_for_a_lock, seconds=120)
                server.kill()
                server.wait()
            time.sleep(2)
            server = start_redis(port=port)[1]
        wait_for(lambda: not ChangeMark.objects.exists(), seconds=180)
    server.kill()
    newest = [Estimate.objects.filter(campaign=study).order_by("-pk").first() for study in studies]
    assert [one.n_judgments for one in newest] == [2] * len(studies)


def test_a_submit_without_redis_is_quick_and_its_estimate_follows(tmp_path, redis):
    url, server = redis
    study = campaign(systems=("alpha",))
    port = free_port()
    with stack(tmp_path, redis_url=url, port=port) as processes:
        processes.start("web")
        base = f"http://127.0.0.1:{port}"
        wait_for(lambda: answers(f"{base}/healthz"))
        assert submit(base, person(study, "first")) < 60  # the broker is there and connected
        server.kill()
        server.wait()
        # Who waits for a broker waits every time; who waits for a busy machine, now and then.
        assert min(submit(base, person(study, f"after-{i}")) for i in range(3)) < 1.0
        processes.start("worker", "beat")
        assert not Estimate.objects.exists()
        _url, again = start_redis(port=int(urlsplit(url).port or 0))
        try:
            wait_for(Estimate.objects.exists)
        finally:
            again.kill()
    assert set(Estimate.objects.values_list("n_judgments", flat=True)) == {4}


def submit(base: str, who: Participation) -> float:
    """Judge one text through the pages, and return how long the submit took in seconds."""
    browser = Browser(threading.Event())
    page = browser.open(f"{base}/work/p/{participation_token(who.pk)}/")
    before = Judgment.objects.count()
    began = time.monotonic()
    errors = browser.submit(page, GOOD, 20.0)
    took = time.monotonic() - began
    assert errors == {}  # a 2xx
    assert Judgment.objects.count() == before + 1
    return took


def answers(url: str) -> bool:
    try:
        return urllib3.request("GET", url, retries=False, timeout=5).status == 200
    except urllib3.exceptions.HTTPError:
        return False
