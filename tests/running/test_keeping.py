"""One process remembers what takes long to read; the others leave it to that one while it lives."""

import time

import pytest

from config import keeping, notes
from tests.servers import free_port, start_redis


@pytest.fixture
def there(settings, monkeypatch):
    """A Redis without notes."""
    monkeypatch.setattr(notes, "_silent_until", 0.0)
    settings.REDIS_URL, process = start_redis()
    yield settings.REDIS_URL
    process.kill()
    process.wait()


def in_another_process(monkeypatch):
    monkeypatch.setattr(keeping, "_me", lambda: b"another:1")


@pytest.mark.usefixtures("there")
def test_the_process_that_keeps_it_is_not_another_one(monkeypatch):
    assert not keeping.is_kept_elsewhere("one")
    keeping.keep("one")
    assert not keeping.is_kept_elsewhere("one")
    in_another_process(monkeypatch)
    assert keeping.is_kept_elsewhere("one")
    assert not keeping.is_kept_elsewhere("two")


def test_a_process_that_says_nothing_more_keeps_it_no_longer(there, monkeypatch):
    keeping.keep("one")
    left = notes.shared(there).pttl(keeping._key("one"))
    assert 0 < left <= 1000 * keeping.SECONDS
    notes.shared(there).pexpire(keeping._key("one"), 1)
    in_another_process(monkeypatch)
    until_free("one")
    keeping.keep("one")
    assert not keeping.is_kept_elsewhere("one")


def until_free(name):
    while keeping.is_kept_elsewhere(name):
        time.sleep(0.001)


def test_without_redis_everybody_works_and_nothing_fails(settings, monkeypatch):
    monkeypatch.setattr(notes, "_silent_until", 0.0)
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    keeping.keep("one")
    assert not keeping.is_kept_elsewhere("one")
