"""The demonstration: a sample campaign and simulated annotators, with the whole product."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Max
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.campaigns import creating, facts, life, reading
from annotate.campaigns.plans import Plan
from annotate.common.errors import Conflict
from annotate.models import Review
from annotate.models.base import CloseReason
from annotate.review import rulings
from annotate.review.rulings import Act
from estimation.read import estimate_rows
from extras.demo import corpus, environment, people
from extras.demo.crowds import ByLink

USER, PASSWORD = "demo", "plumbline"
METRICS = ("repetition",)
SEED = 8
LOOK = timedelta(seconds=20)  # a visitor's time to rule; then the demonstration rules
BACKLOG = 8  # judgments without an estimate, in addition to the texts in progress
SHOWN = (
    "criterion",
    "estimate",
    "low",
    "high",
    "width",
    "n_items",
    "n_judgments",
    "n_annotators",
)
REASONS = {
    Act.EXCLUDE: "Your answers are all the same, and took less time than reading does.",
    Act.CLEAR: "",
}
Say = Callable[[str], None]


@dataclass(frozen=True)
class Size:
    """The number of texts and people, and the target widths."""

    items: int
    annotators: int
    targets: dict[str, float]


WHOLE = Size(260, 44, {"overall": 0.30, "edit": 0.12})
SMALL = Size(120, 14, {"overall": 0.75, "edit": 0.40})  # about a minute's work


@dataclass(frozen=True)
class RunningDemo:
    """A running demonstration: its addresses, campaign and people."""

    url: str
    campaign_id: int
    dashboard: str
    coming: ByLink
    size: Size = WHOLE
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def cast(self) -> list[people.DemoPerson]:
        return people.cast(self.size.annotators, SEED)


@contextmanager
def stage(*, coming: ByLink, size: Size = WHOLE) -> Iterator[RunningDemo]:
    """Run the product in this environment (see `environment.py`), and create the campaign."""
    with coming.ready(), environment.product() as url:
        campaign_id, public_id = _campaign(coming, size)
        coming.begin(campaign_id)
        yield RunningDemo(url, campaign_id, f"{url}/campaigns/{public_id}/", coming, size)


def _campaign(coming: ByLink, size: Size) -> tuple[int, str]:
    user = User.objects.create_user(USER, password=PASSWORD)
    lines = (f"{json.dumps(row)}\n".encode() for row in corpus.rows_for_upload(items=size.items))
    plan = Plan(
        name="Town news, three summarisers",
        targets=size.targets,
        metrics=METRICS,
        reward=Decimal("0.40"),
        crowd=coming.crowd,
        budget=coming.budget,
        lease_minutes=3,  # limits how long a visitor who leaves delays the end
        seed=SEED,
    )
    campaign = creating.create(plan, reading.rows(lines), owner_id=user.pk)
    life.open_(campaign.pk, actor_id=user.pk)
    return campaign.pk, campaign.public_id


def perform(on: RunningDemo, *, pause: float, say: Say) -> None:
    """Let the simulated annotators work until the campaign is closed, or `on.stop` is set.

    `pause`: seconds that an average person spends on a text. Raises a person's exception.
    """
    failures: list[BaseException] = []
    flow = threading.Event()
    threads = [
        threading.Thread(target=_visit, args=(person, on, pause, say, flow, failures), daemon=True)
        for person in on.cast
    ]
    for thread in threads:
        thread.start()
    look = LOOK if pause else timedelta(0)
    while not facts.design(on.campaign_id).is_final and not on.stop.is_set() and not failures:
        waiting = len(facts.changes(on.campaign_id)) + on.coming.unconfirmed(on.campaign_id)
        # People wait while estimates lag: real ones do not judge hundreds of texts a minute.
        # Simulated ones do, and the campaign would collect far beyond its target.
        (flow.clear if waiting > BACKLOG else flow.set)()
        rule(on, before=timezone.now() - look)
        on.coming.supply(on.campaign_id)
        time.sleep(0.05)
    on.stop.set()
    flow.set()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def settle(on: RunningDemo, *, within: float = 300.0) -> bool:
    """Wait until nothing is in progress between us and the crowd; return whether it was reached."""
    until = time.monotonic() + within
    while not on.coming.settled(on.campaign_id):
        if time.monotonic() > until:
            return False
        rule(on, before=timezone.now())
        time.sleep(0.2)
    return True


def rule(on: RunningDemo, *, before: datetime) -> None:
    """Rule as a reviewer would who sees from the work who has not read the texts."""
    actor_id = User.objects.get(username=USER).pk
    careless = {on.coming.name(person) for person in on.cast if person.careless}
    waiting = Review.objects.filter(
        campaign=on.campaign_id, status=Review.Status.OPEN, opened_at__lte=before
    )
    last = Coalesce(Max("rulings"), 0)
    for review in waiting.select_related("annotator").annotate(seen=last).order_by("pk"):
        is_careless = review.annotator.external_id in careless
        for acts in on.coming.against if is_careless else ([Act.CLEAR],):
            with suppress(Conflict):  # a visitor was faster, or it has been paid
                reason = REASONS[acts[0]]
                rulings.rule(review.pk, acts, actor_id=actor_id, reason=reason, seen=review.seen)
                break


def _visit(
    person: people.DemoPerson,
    on: RunningDemo,
    pause: float,
    say: Say,
    flow: threading.Event,
    failures: list[BaseException],
) -> None:
    try:
        start, by = on.coming.start, on.coming.by
        people.work(person, start, on.stop, pause, say, flow.wait, by=by)
    except BaseException as failure:
        failures.append(failure)


def result(on: RunningDemo) -> dict[str, Any]:
    """Return why the campaign closed and its final estimates, as plain data.

    excluded: the judgments of careless people that a ruling excluded. Each estimate's reason says
        why the collection of its system ended.
    """
    design = facts.design(on.campaign_id)
    rows = estimate_rows(on.campaign_id)
    wide = {row.system_id for row in rows if row.criterion in design.targets and not row.at_target}
    estimates = [
        {"system": row.system.name}
        | {name: getattr(row, name) for name in SHOWN}
        | {"reason": design.close_reason if row.system_id in wide else CloseReason.TARGET.value}
        for row in rows
    ]
    excluded = facts.excluded(on.campaign_id)
    said = {"reason": design.close_reason, "excluded": excluded, "estimates": estimates}
    return said | on.coming.report(on.campaign_id)
