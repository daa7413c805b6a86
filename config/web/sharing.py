"""A web process that leaves new connections to processes with fewer.

All web processes listen at one socket, and the kernel gives a connection to the first that asks.
One that is awake asks again at once: of 50 connections that came together, one of two processes
got 45. Their requests then wait for each other, while the other process has few.
"""

import time

from gunicorn.workers.gthread import ThreadWorker

PAUSE = 0.0001  # seconds that each connection at hand leaves to other processes
LONGEST = 0.001  # so that a process with many still takes a thousand a second


class SharingWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Threads as gunicorn's, in a process that asks the later the more connections it has."""

    def accept(self, listener) -> None:  # type: ignore[no-untyped-def]
        """Take a new connection, unless another process has taken it in the pause."""
        time.sleep(min(PAUSE * self.nr_conns, LONGEST))
        super().accept(listener)
