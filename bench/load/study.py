"""The campaign that is judged, and how long its estimates lag behind judgments."""

import math
import threading
import time
from collections.abc import Callable, Sequence
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


@dataclass(frozen=True)
class Study:
    id: int
    tokens: list[str]  # of the annotators
    judged: int  # before


def make(annotators: int, *, seconds: float, stored: int, check: Callable[[], None]) -> Study:
    """Make an open campaign with annotators by link.

    It has slots for `seconds` of the quickest work, after `stored` judgments whose rows are copied
    by the database. When it is returned nothing waits
    for an estimate, and workers have nothing to do; `check` raises where that will not come.
    """
    from django.db import connection

    from annotate.common import tokens
    from annotate.models import Campaign
    from annotate.screening.screens import SCREENS
    from bench import campaigns
    from tests import factories

    # Screens look at everybody and send nobody away.
    plan = _PLAN | {"screening": {"flags": {"list_only": list(SCREENS)}}}
    slots = int(PACE * seconds) + 10 * annotators
    if stored:
        items = int(slots / len(SYSTEMS)) + 1
        made = Campaign.objects.get(pk=campaigns.judged(stored, free_items=items, **plan))
    else:
        items = int(slots / len(SYSTEMS) / A_SLOT) + 1
        made = factories.campaign(items=items, systems=SYSTEMS, **plan)
    people = [factories.person(made, f"load-{n}") for n in range(annotators)]
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    _estimate(made.pk, check)
    if stored:
        _finish(check)
    keys = [tokens.participation_token(who.pk) for who in people]
    return Study(made.pk, keys, judgments(made.pk))


def _estimate(campaign_id: int, check: Callable[[], None]) -> None:
    """Let the worker see the campaign once, and wait until it has."""
    from django.db import transaction

    from annotate.common import marks as change_marks
    from annotate.models import ChangeMark

    with transaction.atomic():
        change_marks.mark(campaign_id, "bench")
    marks = ChangeMark.objects.filter(campaign=campaign_id)
    _wait(lambda: not marks.exists(), check, missing="made no estimate")


def _finish(check: Callable[[], None]) -> None:
    """Wait until the workers have done what the first estimate asked for: agreement and so on."""
    import redis
    from django.conf import settings

    from config.celery import app

    def is_idle() -> bool:
        active = app.control.inspect(timeout=5).active() or {}
        mine = [one for tasks in active.values() for one in tasks]
        with redis.Redis.from_url(settings.REDIS_URL) as broker:
            waiting = sum(int(broker.llen(queue)) for queue in QUEUES)  # type: ignore[arg-type]
        return bool(active) and not mine and not waiting

    _wait(is_idle, check, missing="did not finish")


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


EVERY = 0.1  # seconds between two looks
OLDEST = "SELECT extract(epoch FROM min(at)) FROM annotate_changemark WHERE campaign_id = %s"


@dataclass(frozen=True)
class Look:
    at: float
    oldest: float | None  # when the oldest waiting mark was made; None: no mark waits


def lags(judged: Sequence[float], looks: Sequence[Look]) -> list[float]:
    """Return for each judgment the seconds until the first look that saw no mark as old as it.

    judged: times of the acknowledgements, ascending; looks: in their order. So each lag is too
    large by up to one interval between looks. Infinity for what no look saw estimated.
    """
    found: list[float] = []
    for look in looks:
        seen = look.at if look.oldest is None else min(look.oldest, look.at)
        while len(found) < len(judged) and judged[len(found)] < seen:
            found.append(look.at - judged[len(found)])
    return found + [math.inf] * (len(judged) - len(found))


class Watch(threading.Thread):
    """Looks at the marks of a campaign through a connection of its own."""

    def __init__(self, campaign_id: int) -> None:
        super().__init__(daemon=True)
        self.campaign_id = campaign_id
        self.looks: list[Look] = []
        self.over = threading.Event()
        self.error: Exception | None = None

    def run(self) -> None:
        from django.db import Error, connection

        try:
            while not self.over.wait(EVERY):
                with connection.cursor() as cursor:
                    cursor.execute(OLDEST, [self.campaign_id])
                    oldest = cursor.fetchone()[0]
                self.looks.append(Look(time.time(), None if oldest is None else float(oldest)))
        except Error as error:
            self.error = error
        finally:
            connection.close()

    def end(self, *, patience: float) -> None:
        """Stop looking when no mark waits any more, or when patience is over."""
        now = time.time()
        while time.time() < now + patience and self.is_alive():
            if self.looks and self.looks[-1].at > now and self.looks[-1].oldest is None:
                break
            time.sleep(EVERY)
        self.over.set()
        self.join()
        if self.error is not None:
            raise self.error
