"""Notes in Redis that save work and are never needed: nobody waits for a Redis that is away."""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import redis
from django.conf import settings

PREFIX = "plumbline:note"
SILENCE = 5.0  # seconds after a failure in which requests do not wait for Redis
Found = TypeVar("Found")

logger = logging.getLogger(__name__)
_silent_until = 0.0


def attempt(act: Callable[[redis.Redis], Found], *, otherwise: Found) -> Found:
    """Return what `act` finds in Redis; `otherwise` where that does not answer."""
    global _silent_until
    if not settings.REDIS_URL or time.monotonic() < _silent_until:
        return otherwise
    try:
        return act(shared(settings.REDIS_URL))
    except redis.RedisError as error:
        _silent_until = time.monotonic() + SILENCE
        logger.warning("Redis does not answer, the catch-up finds what is due: %s", error)
        return otherwise


@lru_cache(maxsize=1)
def shared(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_connect_timeout=0.3, socket_timeout=0.4)
