"""Many events send one message, none of them is lost, and no page waits for Redis."""

import threading
import time
from collections.abc import Iterator

import pytest

from config import celery, due
from estimation.listeners import estimate_soon
from estimation.tasks import estimate_campaign
from tests.running.test_broker import black_hole
from tests.servers import free_port, start_redis


@pytest.fixture
def there(settings, monkeypatch) -> Iterator[None]:
    """Where the notes are kept, empty."""
    monkeypatch.setattr(due, "_silent_until", 0.0)
    settings.REDIS_URL, process = start_redis()
    yield
    process.kill()
    process.wait()


@pytest.mark.usefixtures("there")
def test_the_first_event_sends_at_once_and_the_others_nothing():
    assert due.claim("one") == 0
    assert [due.claim("one") for _ in range(99)] == [None] * 99
    assert due.claim("another") == 0


@pytest.mark.usefixtures("there")
def test_once_the_work_is_done_the_next_event_sends_for_later():
    due.claim("one")
    due.pause("one", seconds=10)
    wait = due.claim("one")
    assert wait is not None
    assert 9 < wait <= 10
    assert due.claim("one") is None


@pytest.mark.usefixtures("there")
def test_a_message_that_nobody_takes_is_sent_again(monkeypatch):
    monkeypatch.setattr(due, "LOST", 0.05)
    assert due.claim("one") == 0
    assert due.claim("one") is None
    time.sleep(0.06)
    assert due.claim("one") == 0


@pytest.mark.usefixtures("there")
def test_of_events_at_once_exactly_one_sends():
    found: list[float | None] = []
    start = threading.Barrier(16)

    def claim() -> None:
        start.wait()
        found.append(due.claim("one"))

    threads = [threading.Thread(target=claim) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=str) == [0.0] + [None] * 15


@pytest.mark.usefixtures("there")
def test_a_hundred_announcements_send_two_messages(monkeypatch):
    sent: list[float | None] = []
    monkeypatch.setattr(celery, "enqueue", lambda *_task, countdown: sent.append(countdown))
    for i in range(100):
        estimate_soon(sender=None, campaign_id=7)
        if i == 50:
            due.pause("refresh:7", seconds=1)
    assert len(sent) == 2
    assert sent[0] is None
    assert sent[1] is not None
    assert 0.5 < sent[1] <= 1


@pytest.mark.usefixtures("there")
def test_a_message_that_another_one_follows_is_early():
    """The catch-up has done its work, and there is a note for what came since."""
    due.claim("one")
    due.pause("one", seconds=10)
    assert due.claim("one") is not None
    assert due.is_early("one")
    assert due.claim("one") is None, "its message is on its way"


@pytest.mark.usefixtures("there")
def test_surplus_messages_die_out():
    """Of three on their way, one comes after another while events go on."""
    due.pause("one", seconds=0.2)
    on_their_way, begun = 3, 0
    for _turn in range(4):
        time.sleep(0.21)
        following = 0
        for _message in range(on_their_way):
            if not due.is_early("one"):
                due.pause("one", seconds=0.2)
                begun += 1
            following += due.claim("one") is not None
        on_their_way = following
    assert (on_their_way, begun) == (1, 4)


@pytest.fixture
def nowhere(settings, monkeypatch) -> None:
    monkeypatch.setattr(due, "_silent_until", 0.0)
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"


@pytest.mark.usefixtures("nowhere")
def test_without_redis_nothing_is_sent_and_nothing_fails():
    began = time.monotonic()
    assert due.claim("one") is None
    due.pause("one", seconds=1)
    assert not due.is_early("one")
    assert time.monotonic() - began < 1


def test_a_redis_that_never_answers_costs_one_wait_and_then_none(settings, monkeypatch):
    monkeypatch.setattr(due, "_silent_until", 0.0)
    with black_hole() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        began = time.monotonic()
        assert due.claim("one") is None
        assert time.monotonic() - began < 1
        began = time.monotonic()
        assert [due.claim("one") for _ in range(100)] == [None] * 100
        assert time.monotonic() - began < 0.1


def test_a_worker_is_told_when_to_begin(monkeypatch):
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(estimate_campaign, "apply_async", lambda **how: sent.append(how))
    celery.enqueue(estimate_campaign, 7, countdown=30)
    assert (sent[0]["args"], sent[0]["countdown"]) == ((7,), 30)


def test_a_command_beside_which_nothing_runs_sends_nothing(settings, monkeypatch):
    """The next worker finds in the database what is due."""
    settings.REDIS_URL = ""
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    monkeypatch.setattr(due, "_silent_until", 0.0)
    sent: list[dict[str, object]] = []
    monkeypatch.setattr(estimate_campaign, "apply_async", lambda **how: sent.append(how))
    celery.enqueue(estimate_campaign, 7)
    assert due.claim("one") is None
    assert (sent, celery._silent_until, due._silent_until) == ([], 0.0, 0.0)
