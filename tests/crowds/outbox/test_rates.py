"""So many calls a second, in all workers together where there is Redis."""

import os

import pytest
import redis

from annotate.common import limits
from annotate.crowds import outbox


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    settings.CROWD_CALLS_PER_SECOND = 3
    settings.REDIS_URL = ""
    monkeypatch.setattr(limits, "_silent_until", 0.0)


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of day, which only the test moves."""
    now = [1_000_000.0]
    monkeypatch.setattr(outbox.time, "time", lambda: now[0])
    return now


def granted(n: int = 5, environment: str = "sandbox") -> int:
    return sum(outbox.permit("mturk", environment) for _ in range(n))


def test_so_many_and_no_more_within_a_second(second: list[float]):
    assert granted() == 3
    assert granted() == 0
    second[0] += 1
    assert granted() == 3


def test_each_environment_has_its_own(second: list[float]):
    assert granted() == 3
    assert granted(environment="production") == 3


def test_who_can_wait_gets_one_in_the_next_second(second: list[float], monkeypatch):
    def sleep(seconds: float) -> None:
        second[0] += seconds

    monkeypatch.setattr(outbox.time, "sleep", sleep)
    assert granted() == 3
    assert outbox.permit("mturk", "sandbox", wait=1.5)
    assert second[0] == 1_000_001.0


def test_with_redis_processes_share_the_count(second: list[float], settings):
    settings.REDIS_URL = os.environ["REDIS_URL"]
    shared = redis.Redis.from_url(settings.REDIS_URL)
    shared.delete(*shared.keys("plumbline:calls:*"), "plumbline:calls:none")
    assert granted(2) == 2
    limits._shared.cache_clear()  # another process
    assert granted() == 1
    keys = shared.keys("plumbline:calls:*")
    assert len(keys) == 1
    assert 0 < shared.ttl(keys[0]) <= outbox.KEPT


def test_without_an_answer_of_redis_this_process_counts(second, settings, monkeypatch, caplog):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert granted() == 3
    assert caplog.text.count("counted in this process alone") == 1
