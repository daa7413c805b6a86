"""Counts recent events, in Redis for all processes if it is configured.

Without Redis, and while it does not answer, each process counts separately. A count starts with its
first event, and ends when its time is over.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TypeVar

import redis
from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext
from limits.storage import MemoryStorage, RedisStorage

from annotate.common.errors import TooMany

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


def seconds_to_wait(name: str) -> int:
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


# Waiting times in words.


def in_minutes(seconds: float) -> str:
    """Return whole minutes, rounded up, so that waiting that long is enough."""
    n = max(1, -(-int(seconds) // 60))
    return ngettext("%(n)d minute", "%(n)d minutes", n) % {"n": n}


# Limits on attempts, by whatever identifies who tries or what is tried.


@dataclass(frozen=True)
class Limit:
    """The number of attempts of one kind within a number of seconds."""

    name: str
    most: int
    seconds: int

    def exceeded(self) -> bool:
        return count(self.name, self.seconds) > self.most


def key(kind: str, *parts: str) -> str:
    """Return a name of bounded length that reveals neither account nor address."""
    digest = salted_hmac(kind, "\0".join(parts)).hexdigest()
    return f"{kind}:{digest}"


def check(*limits: Limit) -> None:
    """Count an attempt; raise `TooMany` where one of the limits is exceeded."""
    for limit in limits:
        if limit.exceeded():
            wait = seconds_to_wait(limit.name)
            raise TooMany(f"Too many attempts. Wait {in_minutes(wait)}, then try again.", wait=wait)


def guesses(kind: str, account: str, address: str) -> tuple[Limit, ...]:
    """Return the limits of a guess at an account's secret in the order in which they are checked.

    The account's own limit, over all addresses, comes last: attempts that another limit has refused
    do not count there, so no one can lock others out of their accounts from one address.
    """
    tries, seconds = settings.LOGIN_TRIES, settings.LOGIN_MINUTES * 60
    limits = (
        Limit(key(kind, "account", account, address), tries, seconds),
        Limit(key(kind, "account", account), 5 * tries, 4 * seconds),
    )
    if not address:
        return limits
    return (Limit(key(kind, "address", address), 10 * tries, seconds), *limits)


def succeeded(limits: tuple[Limit, ...]) -> None:
    """Forget the failed guesses after a success, which is not counted either."""
    *others, own, account = limits
    forget(own.name)
    for limit in (*others, account):
        take_back(limit.name, limit.seconds)


# The network address of a request's client, as limits need it.


OF_ONE_SUBSCRIBER = 64  # bits of an IPv6 address that identify a connection; users choose the rest


def client_address(request: HttpRequest) -> str:
    """Return the client's address (for IPv6, its network); "" if it is unknown.

    `NUM_PROXIES` says how many of the addresses appended by proxies are reliable. A client can
    write anything before them.
    """
    passed = [one.strip() for one in request.headers.get("X-Forwarded-For", "").split(",")]
    believed = settings.NUM_PROXIES
    given = passed[-min(believed, len(passed))] if believed and any(passed) else ""
    return _network(given or request.META.get("REMOTE_ADDR", ""))


def _network(given: str) -> str:
    try:
        address = ip_address(given)
    except ValueError:
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((address, OF_ONE_SUBSCRIBER), strict=False))
