"""The product's settings in the demonstration's own environment (`environment.py`)."""

from datetime import timedelta

from config.settings import *  # noqa: F403
from config.settings import CELERY_BEAT_SCHEDULE, env

CROWD_CALLS_PER_SECOND = 200
CROWD_GRACE = timedelta(seconds=10)  # one clock, and lists without delay
_look = timedelta(seconds=env.int("DEMO_LOOK_SECONDS", default=10))
for _name in ("carry-out-due", "reconcile"):
    CELERY_BEAT_SCHEDULE[_name]["schedule"] = _look
