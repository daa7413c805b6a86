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


def begin(name: str, *, spacing: float) -> None:
    """The work begins: later events send the next message, `spacing` seconds from now.

    Call it before the work reads what is to be done; then nothing can fall between two messages.
    """
    notes.attempt(lambda there: _begin_there(there, name, spacing), otherwise=None)


def begin_if_due(name: str, *, spacing: float) -> bool:
    """Begin as a message asks to, unless another one follows; return whether the work is to go on.

    False within the first half of `spacing` after work began otherwise: that work found all of
    which this message was to tell, and what came later has a message of its own, for the end of
    `spacing`. Otherwise each surplus message would set off another, as long as events go on.
    True where Redis does not answer.
    """
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


def _sent(name: str) -> str:
    return f"{PREFIX}:sent:{name}"


def _next(name: str) -> str:
    return f"{PREFIX}:next:{name}"
