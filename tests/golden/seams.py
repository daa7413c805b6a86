"""All that the golden data take from inside the product: a renamed module is followed here alone.

The rest is done by pages, the REST API, management commands, and Celery tasks by their names.
"""

import os
import random
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from celery import current_app
from django.apps import apps
from django.conf import settings
from django.test import override_settings
from django.utils import timezone

from annotate.common.tokens import posting_token
from extras.mturk_simulator.server import serve
from tests.crowds.far_side import FarSide
from tests.crowds.mturk.far_side import MTurkFarSide
from tests.crowds.prolific import world
from tests.crowds.prolific.far_side import SECRET, TOKEN, ProlificFarSide

DAY = os.environ.get("GOLDEN_DAY", "2026-03-02")
# Estimates first: other tasks read them. What is gone from the schedule is not run.
FIRST = ("annotate.tasks.score_waiting", "estimation.tasks.catch_up")
ROUNDS = 2  # a task may ask for another one


class Clock:
    """The time of the product and of the stand-ins; it stands still between two steps."""

    def __init__(self) -> None:
        self.at = datetime.fromisoformat(f"{DAY}T09:00:00").replace(tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        self.at += by

    def pass_(self, **by: float) -> None:
        self.move(timedelta(**by))


@contextmanager
def frozen() -> Iterator[Clock]:
    """Freeze the clock, and draw names from a seed: some lists are in the order of such names."""
    clock, drawn = Clock(), random.Random(7)
    with (
        # Gold items are drawn by the key; Redis' clock, which counts a pause, does not stand still.
        override_settings(SECRET_KEY="golden " * 8, REFRESH_SECONDS=0),
        patch.object(secrets, "choice", drawn.choice),
        patch.object(secrets, "token_hex", lambda n=16: drawn.randbytes(n).hex()),
        patch.object(timezone, "now", clock),
        # Work that ends after so many seconds ends nowhere on a slow machine.
        patch.object(time, "monotonic", lambda: clock().timestamp()),
        patch.object(world.World, "now", lambda _self: clock()),
    ):
        yield clock


def model(name: str) -> Any:
    """Return a model of the product by its name; tables keep their names."""
    for app in ("annotate", "estimation", "auth"):
        if name.lower() in apps.all_models[app]:
            return apps.get_model(app, name)
    raise LookupError(name)


def rows(name: str) -> Any:
    """Return all rows of a table, those that managers leave out too."""
    return model(name)._base_manager.order_by("pk")


def work_through(clock: Clock) -> None:
    """Run every periodic task, as workers do, until nothing young waits any more."""
    names = sorted(entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values())
    names = [*(name for name in FIRST if name in names), *(n for n in names if n not in FIRST)]
    for _round in range(ROUNDS):
        clock.pass_(seconds=10)  # marks and messages are old enough to be looked for
        for name in names:
            current_app.tasks[name].run()


def entry_address(posting: Any) -> str:
    """Return where a posting leads, without what its crowd adds."""
    return f"/work/on/{posting.batch.crowd}/{posting_token(posting.public_id)}/"


@contextmanager
def mturk(clock: Clock) -> Iterator[FarSide]:
    with ExitStack() as stack:
        far = MTurkFarSide(serve(clock=clock, seed=1), clock)  # type: ignore[arg-type]
        stack.callback(far.close)
        told = {"MTURK_ENDPOINT_URL": far.url, "MTURK_WORKER_URL": far.url}
        keys = {"AWS_ACCESS_KEY_ID": "golden", "AWS_SECRET_ACCESS_KEY": "of-nobody"}
        stack.enter_context(patch.dict(os.environ, keys))
        stack.enter_context(override_settings(**told))
        yield far


@contextmanager
def prolific(clock: Clock) -> Iterator[FarSide]:
    with ExitStack() as stack:
        far = ProlificFarSide()
        stack.callback(far.close)
        told = {"PROLIFIC_BASE_URL": far.server.url, "PROLIFIC_API_TOKEN": TOKEN}
        stack.enter_context(override_settings(**told, PROLIFIC_WEBHOOK_SECRET=SECRET))
        yield far
