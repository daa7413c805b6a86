"""The Celery application, and the one way to send it work."""

import logging
import os

from celery import Celery, Task
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("plumbline")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

logger = logging.getLogger(__name__)


def enqueue(task: Task, *args: int) -> None:
    """Send `task`, without waiting for a broker that is down.

    A lost message costs seconds, never a result: whatever must happen is a committed row that
    a periodic task finds (docs/operations.md, "When Redis is down").
    """
    try:
        task.apply_async(args=args, retry=False)
    except (OperationalError, ConnectionError, TimeoutError) as error:
        logger.warning("broker unreachable, %s%s waits for the catch-up: %s", task.name, args, error)
