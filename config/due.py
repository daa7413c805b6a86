"""Whether a message about something is on its way, so that a hundred events send one message.

In Redis for all processes; the embedded mode has one process and counts in it.
"""

import threading
import time

import redis
from django.conf import settings

from config import notes

PREFIX = f"{notes.PREFIX}:due"
LOST = 5.0  # seconds after which a message that no worker has taken counts as lost

_lock = threading.Lock()
_own: dict[str, float] = {}  # {key: until when it holds}, of the embedded mode


def claim(name: str) -> float | None:
    """Return after how many seconds the caller is to send the message; None: it sends nothing.

    None where one is on its way, and while Redis, which would carry it, does not answer.
    """
    if settings.EMBEDDED:
        return _claim_here(name)
    return notes.attempt(lambda there: _claim_there(there, name), otherwise=None)


def begin(name: str, *, spacing: float) -> None:
    """The work begins: later events send the next message, `spacing` seconds from now.

    Call it before the work reads what is to be done; then nothing can fall between two messages.
    """
    if settings.EMBEDDED:
        with _lock:
            _own[_next(name)] = time.monotonic() + spacing
            _own.pop(_sent(name), None)
        return
    notes.attempt(lambda there: _begin_there(there, name, spacing), otherwise=None)


def begin_if_due(name: str, *, spacing: float) -> bool:
    """Begin as a message asks to, unless another one follows; return whether the work is to go on.

    False within the first half of `spacing` after work began otherwise: that work found all of
    which this message was to tell, and what came later has a message of its own, for the end of
    `spacing`. Otherwise each surplus message would set off another, as long as events go on.
    True where Redis does not answer.
    """
    if settings.EMBEDDED:
        with _lock:
            if _own.get(_next(name), 0.0) - time.monotonic() > spacing / 2:
                return False
        begin(name, spacing=spacing)
        return True
    return notes.attempt(lambda there: _begin_if_due_there(there, name, spacing), otherwise=True)


def _claim_there(there: redis.Redis, name: str) -> float | None:
    with there.pipeline(transaction=False) as both:
        both.pttl(_next(name))
        both.set(_sent(name), 1, nx=True, px=round(1000 * LOST))
        wait, mine = both.execute()
    return max(0, wait) / 1000 if mine else None


def _begin_there(there: redis.Redis, name: str, spacing: float) -> None:
    with there.pipeline(transaction=False) as both:
        both.set(_next(name), 1, px=max(1, round(1000 * spacing)))
        both.delete(_sent(name))
        both.execute()


def _begin_if_due_there(there: redis.Redis, name: str, spacing: float) -> bool:
    with there.pipeline(transaction=True) as both:
        both.set(_next(name), 1, nx=True, px=max(1, round(1000 * spacing)))
        both.pttl(_next(name))
        first, left = both.execute()
    if not first and left > max(1, 500 * spacing):
        return False
    _begin_there(there, name, spacing)
    return True


def _claim_here(name: str) -> float | None:
    now = time.monotonic()
    with _lock:
        if _own.get(_sent(name), now) > now:
            return None
        _own[_sent(name)] = now + LOST
        return max(0.0, _own.get(_next(name), now) - now)


def _sent(name: str) -> str:
    return f"{PREFIX}:sent:{name}"


def _next(name: str) -> str:
    return f"{PREFIX}:next:{name}"
