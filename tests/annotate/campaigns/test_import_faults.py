"""Imports with real processes: a worker is killed, Redis is away, somebody presses three times."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections
from django.utils import timezone

from annotate.campaigns import imports
from annotate.models import Campaign, CampaignImport, Item
from annotate.models.base import ImportStatus
from tests.factories import plan, user
from tests.processes import stack, wait_for
from tests.servers import start_redis

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

ITEMS = 4000


@pytest.fixture
def redis():
    """A Redis of this test's own: other tests' messages stay out."""
    url, process = start_redis()
    yield url
    process.kill()


def content(items: int = ITEMS) -> bytes:
    return b"".join(
        json.dumps({"item": f"i{i}", "system": s, "output": f"{s} wrote {i}. " * 5}).encode()
        + b"\n"
        for i in range(items)
        for s in ("alpha", "beta")
    )


def receive(owner_id: int, **options: Any) -> CampaignImport:
    file = SimpleUploadedFile("outputs.jsonl", content(options.pop("items", ITEMS)))
    return imports.receive(plan(metrics=()), file, owner_id=owner_id, key="k", **options)


def status_of(of: CampaignImport) -> str:
    of.refresh_from_db()
    return of.status


def test_a_worker_killed_in_the_middle_is_followed_by_another(tmp_path, redis):
    of = receive(user().pk)
    with stack(tmp_path, redis_url=redis) as processes:
        processes.start("worker", "beat")
        wait_for(lambda: status_of(of) == ImportStatus.READY)
        imports.create(of, revision=0, actor_id=of.owner_id or 0)
        wait_for(lambda: Item.objects.count() > 500)
        processes.kill("worker")
        stored = Item.objects.count()
        assert stored < ITEMS
        # A claim lasts a minute; it is over sooner here.
        CampaignImport.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
        processes.start("worker")
        wait_for(lambda: status_of(of) == ImportStatus.DONE, seconds=120)
    made = Campaign.objects.get()
    assert sorted(made.items.values_list("position", flat=True)) == list(range(ITEMS))
    assert made.outputs.count() == 2 * ITEMS
    assert made.memberships.count() == 1
    assert made.audit.filter(verb="create").count() == 1


def test_without_a_message_the_periodic_task_finds_it(tmp_path, redis):
    # Nobody listens on the Redis of this process: the message of this import is lost.
    of = receive(user().pk, items=20, at_once=True)
    with stack(tmp_path, redis_url=redis) as processes:
        processes.start("worker", "beat")
        wait_for(lambda: status_of(of) == ImportStatus.DONE)


def at_the_same_time(act: Any, times: int) -> list[Any]:
    """Call `act` in threads that begin together; return what they return or raise."""
    gate, found = threading.Barrier(times), []

    def run() -> None:
        gate.wait()
        try:
            found.append(act())
        except Exception as error:
            found.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.orm
def test_three_presses_at_the_same_moment_are_one_import_and_one_campaign():
    owner = user().pk
    found = at_the_same_time(lambda: receive(owner, items=50), 3)
    assert [of.pk for of in found] == [CampaignImport.objects.get().pk] * 3
    of = found[0]
    assert of.chunks.count() == 1
    assert sum(at_the_same_time(lambda: imports.run(of.pk), 3)) == 1

    def create() -> None:
        imports.create(CampaignImport.objects.get(), revision=0, actor_id=owner)

    assert at_the_same_time(create, 3) == [None] * 3
    assert sum(at_the_same_time(lambda: imports.run(of.pk), 3)) == 1
    assert Campaign.objects.get().outputs.count() == 100


@pytest.mark.orm
def test_the_same_small_request_at_the_same_moment_is_one_campaign():
    owner = user().pk
    file = SimpleUploadedFile("outputs.jsonl", content(300))

    def send() -> Any:
        copy = SimpleUploadedFile("outputs.jsonl", file.read() or content(300))
        return imports.at_once(plan(metrics=()), copy, owner_id=owner, key="k")

    found = at_the_same_time(send, 3)
    assert sum(is_new for _made, is_new in found) == 1
    assert Campaign.objects.count() == CampaignImport.objects.count() == 1
    assert Campaign.objects.get().items.count() == 300
