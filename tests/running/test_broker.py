"""No page waits for the broker: how long `enqueue` takes while Redis is not there."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from kombu.exceptions import OperationalError

from config import celery
from estimation.tasks import catch_up
from tests.servers import free_port, start_redis

BOUND = 1.0
# A process of its own, because a broker address is fixed once Celery has made its first connection.
MEASURE = """
import time, django; django.setup()
from django.conf import settings
from config import celery
from estimation.tasks import catch_up
with celery.app.connection_for_write(): pass  # imports are not the broker's fault
for pause in (0, 0, celery.SILENCE):
    celery._silent_until -= pause
    began = time.monotonic()
    celery.enqueue(catch_up)
    print(time.monotonic() - began)
"""


def measure(url: str) -> list[float]:
    """Return how long three calls took: the first, one just after it, one after the silence."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        env={**os.environ, "REDIS_URL": url},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    return [float(line) for line in done.stdout.split()]


@contextmanager
def black_hole() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]


@pytest.mark.slow
def test_a_closed_port_delays_nobody():
    assert max(measure(f"redis://127.0.0.1:{free_port()}/0")) < BOUND


@pytest.mark.slow
def test_a_broker_that_never_answers_costs_one_wait_and_then_none():
    with black_hole() as port:
        first, just_after, after_silence = measure(f"redis://127.0.0.1:{port}/0")
    assert first < BOUND
    assert just_after < 0.05
    assert after_silence < BOUND


@pytest.mark.slow
def test_messages_arrive_while_redis_is_there():
    url, process = start_redis()
    try:
        measure(url)
        assert redis.Redis.from_url(url).llen("celery") == 3
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.parametrize("error", [OperationalError, ConnectionError, TimeoutError])
def test_no_failure_of_the_broker_reaches_the_caller(error, monkeypatch):
    def fail(**_given: object) -> None:
        raise error

    monkeypatch.setattr(catch_up, "apply_async", fail)
    monkeypatch.setattr(celery, "_silent_until", 0.0)
    celery.enqueue(catch_up)
    assert celery._silent_until > 0


def test_a_worker_that_starts_looks_at_everything_at_once(monkeypatch, settings):
    celery.app.loader.import_default_modules()  # as a worker does
    sent: list[str] = []

    def enqueue(task, *, expires):
        assert 0 < expires <= 300
        sent.append(task.name)

    monkeypatch.setattr(celery, "enqueue", enqueue)
    celery.look_at_once()
    assert {"annotate.tasks.carry_out_due", "estimation.tasks.catch_up"} <= set(sent)
    assert len(sent) == len(settings.CELERY_BEAT_SCHEDULE)
