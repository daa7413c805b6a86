"""Which process remembers something that takes long to read, so that no other one reads it too.

In Redis, for all processes.
"""

import os
import socket

from config import notes

PREFIX = f"{notes.PREFIX}:keeper"
SECONDS = 10.0  # after which a process that has not said so again keeps it no longer


def keep(name: str) -> None:
    """Note that this process remembers it, for `SECONDS` from now."""
    life = round(1000 * SECONDS)
    notes.attempt(lambda there: there.set(_key(name), _me(), px=life), otherwise=None)


def is_kept_elsewhere(name: str) -> bool:
    """Return whether another process remembers it. False where Redis does not answer."""
    keeper = notes.attempt(lambda there: there.get(_key(name)), otherwise=None)
    return keeper is not None and keeper != _me()


def _key(name: str) -> str:
    return f"{PREFIX}:{name}"


def _me() -> bytes:
    return f"{socket.gethostname()}:{os.getpid()}".encode()
