"""Counting lately: in Redis for all processes, in this one while there is no answer."""

import os
import threading

import pytest
import redis

from annotate.requests import counting
from tests.servers import start_redis


@pytest.fixture(params=["alone", "shared"], autouse=True)
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, settings) -> str:
    settings.REDIS_URL = os.environ["REDIS_URL"] if request.param == "shared" else ""
    redis.Redis.from_url(os.environ["REDIS_URL"]).delete("plumbline:a", "plumbline:b")
    monkeypatch.setattr(counting, "_silent_until", 0.0)
    return request.param


def test_what_is_counted_is_told_with_the_rest_of_its_time() -> None:
    assert [counting.count("a", 100) for _ in range(3)] == [1, 2, 3]
    assert counting.count("b", 100) == 1
    assert 95 <= counting.wait("a") <= 101


def test_the_time_begins_with_the_first() -> None:
    counting.count("a", 1)
    counting.count("a", 100)
    assert counting.wait("a") <= 2


def test_a_count_can_be_taken_back_or_forgotten() -> None:
    for _ in range(3):
        counting.count("a", 100)
    counting.take_back("a", 100)
    assert counting.count("a", 100) == 3
    counting.forget("a")
    assert counting.count("a", 100) == 1


def test_many_at_once_are_all_counted() -> None:
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(counting.count("a", 100))) for _ in range(30)
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
        assert counting.count("a", 100) == 1
        return
    url, server = start_redis()
    settings.REDIS_URL = url
    assert [counting.count("a", 100), counting.count("a", 100)] == [1, 2]
    server.kill()
    server.wait()
    assert [counting.count("a", 100), counting.count("a", 100)] == [1, 2]
    assert caplog.text.count("counted in this process alone") == 1
    counting._shared.cache_clear()
