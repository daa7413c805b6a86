"""Counts recent events, in Redis for all processes if it is configured.

Without Redis, and while it does not answer, each process counts separately. A count starts with its
first event, and ends when its time is over.
"""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import redis
from django.conf import settings
from limits.storage import MemoryStorage, RedisStorage

PREFIX = "plumbline"
SILENCE = 5.0  # seconds after a failure in which requests do not wait for Redis

T = TypeVar("T")
Store = RedisStorage | MemoryStorage
logger = logging.getLogger(__name__)
_own = MemoryStorage()
_silent_until = 0.0


def count(name: str, seconds: int) -> int:
    """Count one more under this name, and return the number within `seconds`."""
    return _ask(lambda store: store.incr(name, seconds))


def take_back(name: str, seconds: int) -> None:
    """Undo the last `count`."""
    _ask(lambda store: store.incr(name, seconds, amount=-1))


def forget(name: str) -> None:
    """Restart the count."""
    _ask(lambda store: store.clear(name))


def wait(name: str) -> int:
    """Return in how many whole seconds this count ends, at least 1."""
    until = _ask(lambda store: store.get_expiry(name))
    return max(1, round(until - time.time() + 0.5))


def _ask(act: Callable[[Store], T]) -> T:
    global _silent_until
    if settings.REDIS_URL and time.monotonic() >= _silent_until:
        try:
            return act(_shared(settings.REDIS_URL))
        except redis.RedisError as error:
            _silent_until = time.monotonic() + SILENCE
            logger.warning("limits are counted in this process alone: %s", error)
    return act(_own)


@lru_cache(maxsize=1)
def _shared(url: str) -> RedisStorage:
    return RedisStorage(url, key_prefix=PREFIX, socket_connect_timeout=0.3, socket_timeout=0.4)
