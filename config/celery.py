"""The Celery application, and the only function that sends it work."""

import gc
import logging
import os
import time
from functools import cached_property
from typing import Any

from celery import Celery, Task
from celery.signals import worker_process_init, worker_ready
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Plumbline(Celery):
    @cached_property
    def Beat(self) -> Any:  # noqa: N802  Celery's name of it
        return self.subclass_with_self("config.workers:Beat")


app = Plumbline("plumbline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

logger = logging.getLogger(__name__)

COLLECTING = (10_000, 20, 50)  # thresholds of the garbage collector's three generations
SILENCE = 5.0  # seconds after a failure in which requests do not wait for the broker
_silent_until = 0.0


def enqueue(
    task: Task, *args: int, expires: float | None = None, countdown: float | None = None
) -> None:
    """Send `task`, without waiting for a broker that is down.

    expires: seconds after which no worker starts it any more.
    countdown: seconds before which no worker starts it.

    A lost message only delays a result by seconds: necessary work is a committed row that a
    periodic task finds (docs/operations.md, "When Redis is down"). A broker that does not answer
    costs the first caller the time-outs of the settings, and later callers nothing.
    """
    from django.conf import settings

    global _silent_until
    if not settings.REDIS_URL or time.monotonic() < _silent_until:
        return
    try:
        task.apply_async(args=args, retry=False, expires=expires, countdown=countdown)
    except (OperationalError, ConnectionError, TimeoutError) as error:
        _silent_until = time.monotonic() + SILENCE
        logger.warning(
            "broker unreachable, %s%s waits for the catch-up: %s", task.name, args, error
        )


@worker_process_init.connect
def keep_what_is_loaded(**_signal: Any) -> None:
    """Let the garbage collector pass over what is loaded, and look at the rest less often.

    Code stays until a process ends, and requests leave few circles of objects behind.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTING)


@worker_ready.connect
def look_at_once(**_signal: Any) -> None:
    """Run the periodic tasks at once, as none ran without a worker."""
    from django.conf import settings

    schedule: dict[str, dict[str, Any]] = settings.CELERY_BEAT_SCHEDULE
    for entry in schedule.values():
        enqueue(app.tasks[entry["task"]], **entry["options"])
