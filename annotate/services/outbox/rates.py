"""Limits the calls per second to each crowd and environment.

All workers share the count where there is Redis (`annotate.requests.counting`).
"""

import time

from django.conf import settings

from annotate.requests import counting

KEPT = 5  # seconds that a second's count is kept


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
    taken = counting.count(f"calls:{name}:{int(time.time())}", KEPT)
    return bool(taken <= settings.CROWD_CALLS_PER_SECOND)
