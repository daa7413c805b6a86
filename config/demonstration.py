"""The demonstration: a sample campaign, simulated annotators, and the whole product around them."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from annotate.demo import people, texts
from annotate.errors import Conflict
from annotate.selectors import evidence, standing
from annotate.services import campaigns, ingest, rulings, upload
from annotate.services.rulings import Act
from annotate.states import CloseReason
from annotate.tokens import invitation_token
from config import embedded, scratch
from estimation.selectors.latest import latest

USER, PASSWORD = "demo", "plumbline"
ITEMS = 260
ANNOTATORS = 44
TARGETS = {"overall": 0.30, "edit": 0.12}
METRICS = ("repetition",)
SEED = 8
LOOK = timedelta(seconds=20)  # for a visitor to rule; then the demonstration does
BACKLOG = 8  # judgments without an estimate, beside the texts that people have at hand
SHOWN = (
    "system",
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
class Stage:
    """A running demonstration: where to look, and what it is about."""

    url: str
    campaign_id: int
    dashboard: str
    invitation: str


@contextmanager
def stage(port: int) -> Iterator[Stage]:
    """Set up database, campaign, worker, ticker and web server; another port if it is taken."""
    with scratch.scratch_database():
        server = embedded.make_server(port, exact=False)
        url = f"http://localhost:{embedded.port_of(server)}"
        settings.PUBLIC_URL = url
        campaign_id, public_id = _campaign()
        embedded.start_worker()
        embedded.start_ticker()
        threading.Thread(target=server.run, name="web", daemon=True).start()
        invitation = f"{url}/work/join/{invitation_token(campaign_id)}/"
        yield Stage(url, campaign_id, f"{url}/campaigns/{public_id}/", invitation)
        server.close()


def _campaign() -> tuple[int, str]:
    user = User.objects.create_user(USER, password=PASSWORD)
    lines = (json.dumps(row).encode() for row in texts.rows_for_upload(items=ITEMS))
    plan = ingest.Plan(
        name="Town news, three summarisers",
        targets=TARGETS,
        metrics=METRICS,
        reward=Decimal("0.40"),
        budget=Decimal(450),
        lease_minutes=3,  # a visitor who walks away delays the end no longer
        seed=SEED,
    )
    campaign = ingest.create(plan, upload.read(lines), owner_id=user.pk)
    campaigns.open_(campaign.pk, actor_id=user.pk)
    return campaign.pk, campaign.public_id


def perform(on: Stage, *, pause: float, stop: threading.Event, say: Say) -> None:
    """Let the simulated annotators work until the campaign is closed, or `stop` is set.

    `pause`: seconds that an average person spends on a text. Raises what a person raised.
    """
    failures: list[BaseException] = []
    flow = threading.Event()
    threads = [
        threading.Thread(
            target=_visit, args=(person, on, stop, pause, say, flow, failures), daemon=True
        )
        for person in people.cast(ANNOTATORS, SEED)
    ]
    for thread in threads:
        thread.start()
    while not evidence.brief(on.campaign_id).is_final and not stop.is_set() and not failures:
        _regulate(flow, waiting=len(evidence.marks(on.campaign_id)))
        rule(on.campaign_id, before=timezone.now() - (LOOK if pause else timedelta(0)))
        time.sleep(0.05)
    stop.set()
    flow.set()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def rule(campaign_id: int, *, before: datetime) -> None:
    """Stand in for a reviewer who sees from the work who has read the texts and who has not."""
    actor_id = User.objects.get(username=USER).pk
    careless = {
        person.name.casefold() for person in people.cast(ANNOTATORS, SEED) if person.careless
    }
    for review_id, name in standing.open_reviews(campaign_id, before=before):
        act = Act.EXCLUDE if name in careless else Act.CLEAR
        with suppress(Conflict):  # a visitor was quicker
            rulings.rule(
                review_id, [act], actor_id=actor_id, reason=REASONS[act],
                seen=standing.last_ruling(review_id),
            )  # fmt: skip


def _regulate(flow: threading.Event, *, waiting: int) -> None:
    """Let people go on only while the estimates keep up with them.

    People do not judge hundreds of texts a minute; simulated ones would, on one machine whose
    web threads and worker share a core, and the campaign would collect long past its target.
    """
    if waiting > BACKLOG:
        flow.clear()
    else:
        flow.set()


def _visit(
    person: people.Person,
    on: Stage,
    stop: threading.Event,
    pause: float,
    say: Say,
    flow: threading.Event,
    failures: list[BaseException],
) -> None:
    try:
        people.work(person, on.invitation, stop, pause, say, turn=flow.wait)
    except BaseException as failure:
        failures.append(failure)


def result(campaign_id: int) -> dict[str, Any]:
    """Return why the campaign closed and its final estimates, as plain data.

    excluded: the judgments of careless people that a ruling has left out.
    Each estimate's reason says why the collection of its system ended.
    """
    brief = evidence.brief(campaign_id)
    rows = latest(campaign_id)
    wide = {row.system for row in rows if row.criterion in brief.targets and not row.at_target}
    estimates = [
        {name: getattr(row, name) for name in SHOWN}
        | {"reason": brief.close_reason if row.system in wide else CloseReason.TARGET.value}
        for row in rows
    ]
    excluded = evidence.excluded(campaign_id)
    return {"reason": brief.close_reason, "excluded": excluded, "estimates": estimates}
