"""Whether a message about something is on its way, so that a hundred events send one message.

In Redis, for all processes; nobody waits for a Redis that is away.
"""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

import redis
from django.conf import settings

PREFIX = "plumbline:note:due"
LOST = 5.0  # seconds after which a message that no worker has taken counts as lost
SILENCE = 5.0  # seconds after a failure in which requests do not wait for Redis
Found = TypeVar("Found")

logger = logging.getLogger(__name__)
_silent_until = 0.0


@lru_cache(maxsize=1)
def shared(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_connect_timeout=0.3, socket_timeout=0.4)


def claim(name: str) -> float | None:
    """Return after how many seconds the caller is to send the message; None: it sends nothing.

    None where one is on its way, and while Redis, which would carry it, does not answer.
    """

    def act(there: redis.Redis) -> float | None:
        with there.pipeline(transaction=False) as both:
            both.pttl(_next(name))
            both.set(_sent(name), 1, nx=True, px=round(1000 * LOST))
            wait, mine = both.execute()
        return max(0, wait) / 1000 if mine else None

    return _attempt(act, otherwise=None)


def pause(name: str, *, seconds: float) -> None:
    """The work is done: later events send the next message, so many seconds from now.

    The caller looks once more afterwards for what came during the work.
    """
    milliseconds = round(1000 * seconds)

    def act(there: redis.Redis) -> None:
        with there.pipeline(transaction=False) as both:
            both.set(_next(name), milliseconds, px=max(1, milliseconds))
            both.delete(_sent(name))
            both.execute()

    _attempt(act, otherwise=None)


def is_early(name: str) -> bool:
    """Return whether a message comes while more than half of the pause is left.

    It is a surplus one: what it was to tell is done, or has a message for the end of the pause.
    Otherwise each surplus message would set off another, as long as events go on. False where Redis
    does not answer.
    """

    def act(there: redis.Redis) -> bool:
        with there.pipeline(transaction=True) as both:
            both.get(_next(name))
            both.pttl(_next(name))
            whole, left = both.execute()
        return whole is not None and 2 * left > int(whole)

    return _attempt(act, otherwise=False)


def _attempt(act: Callable[[redis.Redis], Found], *, otherwise: Found) -> Found:
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


def _sent(name: str) -> str:
    return f"{PREFIX}:sent:{name}"


def _next(name: str) -> str:
    return f"{PREFIX}:next:{name}"
