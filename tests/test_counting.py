"""Counting lately: in Redis for all processes, in this one while there is no answer."""

import os
import threading

import pytest
import redis

from annotate.common import limits
from tests.servers import start_redis


@pytest.fixture(params=["alone", "shared"], autouse=True)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings) -> str:
    settings.REDIS_URL = os.environ["REDIS_URL"] if request.param == "shared" else ""
    redis.Redis.from_url(os.environ["REDIS_URL"]).delete("plumbline:a", "plumbline:b")
    monkeypatch.setattr(limits, "_silent_until", 0.0)
    return request.param


def test_what_is_counted_is_told_with_the_rest_of_its_time() -> None:
    assert [limits.count("a", 100) for _ in range(3)] == [1, 2, 3]
    assert limits.count("b", 100) == 1
    assert 95 <= limits.seconds_to_wait("a") <= 101


def test_the_time_begins_with_the_first() -> None:
    limits.count("a", 1)
    limits.count("a", 100)
    assert limits.seconds_to_wait("a") <= 2


def test_a_count_can_be_taken_back_or_forgotten() -> None:
    for _ in range(3):
        limits.count("a", 100)
    limits.take_back("a", 100)
    assert limits.count("a", 100) == 3
    limits.forget("a")
    assert limits.count("a", 100) == 1


def test_many_at_once_are_all_counted() -> None:
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(limits.count("a", 100))) for _ in range(30)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen)[-1] == 30
    assert len(seen) == 30


def test_a_redis_that_goes_away_stops_nothing(
    place: str, settings, caplog: pytest.LogCaptureFixture
) -> None:
    if place == "alone":
        assert limits.count("a", 100) == 1
        return
    url, server = start_redis()
    settings.REDIS_URL = url
    assert [limits.count("a", 100), limits.count("a", 100)] == [1, 2]
    server.kill()
    server.wait()
    assert [limits.count("a", 100), limits.count("a", 100)] == [1, 2]
    assert caplog.text.count("counted in this process alone") == 1
    limits._shared.cache_clear()
