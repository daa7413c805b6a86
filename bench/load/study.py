"""The campaign that is judged: made by the services, or with many judgments before."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

SYSTEMS = ("one", "two", "three", "four")
PACE = 400  # tasks a second at most, for which there are slots
A_SLOT = 1.25  # judgments planned for an output, on average
# Budget, caps and limits are checked for each lease, and are never reached; nor is the target.
_PLAN: dict[str, Any] = {
    "targets": {"overall": 1e-6},
    "annotator_cap": 1_000_000,
    "budget": Decimal(90_000_000),
    "max_judgments": 20_000_000,
}
FIRST = 900  # seconds that the first estimate of a large campaign may take
QUEUES = ("celery", "background")
WORKERS = len(QUEUES)


def plan() -> dict[str, Any]:
    """Return the plan, whose screens look at everybody and send nobody away."""
    from annotate.screening.screens import SCREENS

    return _PLAN | {"screening": {"flags": {"list_only": list(SCREENS)}}}


@dataclass(frozen=True)
class Study:
    id: int
    tokens: list[str]  # of the annotators
    judged: int  # before


def make(annotators: int, *, seconds: float, stored: int, check: Callable[[], None]) -> Study:
    """Make an open campaign with annotators by link.

    It has slots for `seconds` of the quickest work, after `stored` judgments whose rows are copied
    by the database, and added up as the worker does each minute. When it is returned nothing waits
    for an estimate, and workers have nothing to do; `check` raises where that will not come.
    """
    from django.db import connection

    from annotate import tokens
    from annotate.models import Campaign
    from bench import campaigns
    from tests import factories

    slots = int(PACE * seconds) + 10 * annotators
    if stored:
        items = int(slots / len(SYSTEMS)) + 1
        made = Campaign.objects.get(pk=campaigns.judged(stored, free_items=items, **plan()))
    else:
        items = int(slots / len(SYSTEMS) / A_SLOT) + 1
        made = factories.campaign(items=items, systems=SYSTEMS, **plan())
    people = [factories.person(made, f"load-{n}") for n in range(annotators)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    if stored:
        _add_up()
    _estimate(made.pk, check)
    if stored:
        _finish(check)
    keys = [tokens.participation_token(who.pk) for who in people]
    return Study(made.pk, keys, judgments(made.pk))


def _add_up() -> None:
    """Add the copied rows to the tallies: one call notes what there is, a later one adds it."""
    from annotate import tasks
    from annotate.services.pay.tallying import SETTLED

    tasks.add_up()
    time.sleep(SETTLED.total_seconds() + 1)
    tasks.add_up()


def _estimate(campaign_id: int, check: Callable[[], None]) -> None:
    """Let the worker see the campaign once, and wait until it has."""
    from django.db import transaction

    from annotate.models import ChangeMark
    from annotate.services import change_marks

    with transaction.atomic():
        change_marks.mark(campaign_id, "bench")
    marks = ChangeMark.objects.filter(campaign=campaign_id)
    _wait(lambda: not marks.exists(), check, missing="made no estimate")


def _finish(check: Callable[[], None]) -> None:
    """Wait until the workers have done what the first estimate asked for: agreement and so on."""
    from config.celery import app

    def is_idle() -> bool:
        active = app.control.inspect(timeout=5).active() or {}
        mine = [one for tasks in active.values() for one in tasks]
        return len(active) == WORKERS and not mine and not _messages()

    _wait(is_idle, check, missing="did not finish")


def _messages() -> int:
    """Return how many messages wait for a worker."""
    import redis
    from django.conf import settings

    with redis.Redis.from_url(settings.REDIS_URL) as broker:
        return sum(int(broker.llen(queue)) for queue in QUEUES)  # type: ignore[arg-type]


def _wait(done: Callable[[], bool], check: Callable[[], None], *, missing: str) -> None:
    from bench.load.servers import ServerError

    until = time.monotonic() + FIRST
    while not done():
        check()
        if time.monotonic() > until:
            raise ServerError(f"worker {missing} in {FIRST} s")
        time.sleep(0.2)


def judgments(campaign_id: int) -> int:
    """Return how many judgments of the campaign are stored."""
    from annotate.models import Judgment

    return Judgment.objects.filter(campaign=campaign_id).count()
