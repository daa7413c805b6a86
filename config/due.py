"""Whether a message about something is on its way, so that a hundred events send one message.

In Redis, for all processes.
"""

import redis

from config import notes

PREFIX = f"{notes.PREFIX}:due"
LOST = 5.0  # seconds after which a message that no worker has taken counts as lost


def claim(name: str) -> float | None:
    """Return after how many seconds the caller is to send the message; None: it sends nothing.

    None where one is on its way, and while Redis, which would carry it, does not answer.
    """
    return notes.attempt(lambda there: _claim_there(there, name), otherwise=None)


def pause(name: str, *, seconds: float) -> None:
    """The work is done: later events send the next message, so many seconds from now.

    The caller looks once more afterwards for what came during the work.
    """
    notes.attempt(lambda there: _pause_there(there, name, round(1000 * seconds)), otherwise=None)


def is_early(name: str) -> bool:
    """Return whether a message comes while more than half of the pause is left.

    It is a surplus one: what it was to tell is done, or has a message for the end of the pause.
    Otherwise each surplus message would set off another, as long as events go on. False where Redis
    does not answer.
    """
    return notes.attempt(lambda there: _is_early_there(there, name), otherwise=False)


def _claim_there(there: redis.Redis, name: str) -> float | None:
    with there.pipeline(transaction=False) as both:
        both.pttl(_next(name))
        both.set(_sent(name), 1, nx=True, px=round(1000 * LOST))
        wait, mine = both.execute()
    return max(0, wait) / 1000 if mine else None


def _pause_there(there: redis.Redis, name: str, milliseconds: int) -> None:
    with there.pipeline(transaction=False) as both:
        both.set(_next(name), milliseconds, px=max(1, milliseconds))
        both.delete(_sent(name))
        both.execute()


def _is_early_there(there: redis.Redis, name: str) -> bool:
    with there.pipeline(transaction=True) as both:
        both.get(_next(name))
        both.pttl(_next(name))
        whole, left = both.execute()
    return whole is not None and 2 * left > int(whole)


def _sent(name: str) -> str:
    return f"{PREFIX}:sent:{name}"


def _next(name: str) -> str:
    return f"{PREFIX}:next:{name}"
