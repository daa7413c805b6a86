"""How often crowds are called: so many calls a second for each crowd and environment.

Counted in Redis where there is one, so that all workers share it; in this process otherwise,
and while Redis does not answer: then each worker keeps to the limit by itself.
"""

import logging
import threading
import time
from collections import Counter
from functools import lru_cache

import redis
from django.conf import settings

KEPT = 5  # seconds that Redis keeps a second's count
SILENCE = 5.0  # seconds: after a failure nobody waits for this Redis again

logger = logging.getLogger(__name__)
_lock = threading.Lock()
_counts: Counter[tuple[str, int]] = Counter()
_silent_until = 0.0


def permit(crowd: str, environment: str, *, wait: float = 0.0) -> bool:
    """Return whether this crowd may be called now, or within `wait` seconds (it is waited)."""
    name, until = f"{crowd}:{environment}", time.monotonic() + wait
    while not _take(name):
        rest = 1.0 - time.time() % 1.0  # until the next second's count begins
        if time.monotonic() + rest > until:
            return False
        time.sleep(rest)
    return True


def _take(name: str) -> bool:
    second = int(time.time())
    taken = _shared(name, second)
    if taken is None:
        taken = _local(name, second)
    return taken <= settings.CROWD_CALLS_PER_SECOND


def _shared(name: str, second: int) -> int | None:
    """Count this call in Redis; None where there is none, or it does not answer."""
    global _silent_until
    if not settings.REDIS_URL or time.monotonic() < _silent_until:
        return None
    key = f"plumbline:calls:{name}:{second}"
    try:
        with _client(settings.REDIS_URL).pipeline() as calls:
            calls.incr(key)
            calls.expire(key, KEPT)
            return int(calls.execute()[0])
    except redis.RedisError as error:
        _silent_until = time.monotonic() + SILENCE
        logger.warning("calls are counted in this process alone: %s", error)
        return None


@lru_cache(maxsize=1)
def _client(url: str) -> "redis.Redis":
    return redis.Redis.from_url(url, socket_connect_timeout=0.3, socket_timeout=0.4)


def _local(name: str, second: int) -> int:
    with _lock:
        for old in [key for key in _counts if key[1] < second]:
            del _counts[old]
        _counts[name, second] += 1
        return _counts[name, second]
