"""The embedded mode: web server, Celery worker and ticker in one process, with SQLite."""

import logging
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from celery.platforms import SecurityWarning
from django.conf import settings
from waitress import create_server
from waitress.server import BaseWSGIServer

from config.celery import app, enqueue
from config.wsgi import application

THREADS = 8

logger = logging.getLogger(__name__)


def start_worker() -> threading.Thread:
    """Run one Celery worker in a thread; with the memory broker it sees this process's tasks."""
    # Celery warns when root uses pickled messages; these do not leave the process.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = app.Worker(
        pool="solo",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        beat=False,
        loglevel="ERROR",
    )
    return _in_background(worker.start, name="celery-worker")


def start_ticker() -> threading.Thread:
    """Send the periodic tasks of the beat schedule."""
    return _in_background(_tick, name="ticker")


def make_server(port: int, *, host: str = "127.0.0.1") -> BaseWSGIServer:
    """Return a threaded web server; port 0 is any free one."""
    return create_server(application, host=host, port=port, threads=THREADS, ident="plumbline")


def port_of(server: BaseWSGIServer) -> int:
    return int(server.effective_port)


def _tick() -> None:
    schedule: dict[str, dict[str, Any]] = settings.CELERY_BEAT_SCHEDULE
    due = dict.fromkeys(schedule, 0.0)
    while True:
        now = time.monotonic()
        for name, entry in schedule.items():
            if now >= due[name]:
                due[name] = now + entry["schedule"].total_seconds()
                enqueue(app.tasks[entry["task"]], **entry["options"])
        time.sleep(0.5)


def _in_background(target: Callable[[], object], *, name: str) -> threading.Thread:
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread
