"""A campaign published on MTurk, and people who accept its HITs there."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.crowds.contract import Claim, Terms, to_json
from annotate.crowds.mturk.marketplace import NOT_ACCEPTED
from annotate.models import Batch, Campaign, Participation, Posting
from annotate.work import participations
from tests.factories import campaign

SITE = "https://workersandbox.mturk.com"


def study(**changes: Any) -> Campaign:
    return campaign(**{"crowd": "mturk", "fee_rate": 0, "double_share": 0} | changes)


def posting(
    made: Campaign | None = None,
    *,
    tasks: int = 2,
    places: int = 3,
    listing: str = "HIT1",
    environment: str = "sandbox",
    status: str = "open",
    **terms: Any,
) -> Posting:
    made = made or study()
    offered = Terms("Rate news", "Read a text.", tasks=tasks, **terms)
    batch = Batch.objects.create(
        campaign=made,
        crowd=made.crowd,
        environment=environment,
        terms=to_json(offered),
        reward=made.reward * tasks,
        tasks=tasks,
        places=places,
        key=f"{made.pk}:{listing}:{environment}",
        created_at=timezone.now(),
    )
    return Posting.objects.create(
        batch=batch,
        places=places,
        environment=environment,
        external_id=listing,
        status=status,
        code="C0DE",
    )


def claim(to: Posting, person: str = "AW1", unit: str = "U1", **changes: str) -> Claim:
    fields = {"listing": to.external_id or "HIT1", "submit_to": SITE} | changes
    return Claim(posting=to.public_id, person=person, unit=unit, **fields)


def arrive(
    to: Posting, person: str = "AW1", unit: str = "U1", *, verified: bool = False, **changes: str
) -> Participation:
    return participations.arrive(
        to.public_id, claim(to, person, unit, **changes), verified=verified
    )


def entry(to: Posting, unit: str = "", person: str = "AW1", site: str = SITE) -> str:
    """The address that MTurk puts into its frame: without a unit, a preview."""
    path = reverse("annotate:entry", args=["mturk", tokens.posting_token(to.public_id)])
    accepted = {"workerId": person, "turkSubmitTo": site} if unit else {}
    given = {"assignmentId": unit or NOT_ACCEPTED, "hitId": to.external_id or "HIT1"}
    return f"{path}?{urlencode(given | accepted)}"


def overdue(who: Participation) -> None:
    """Let its time run out."""
    past = timezone.now() - timedelta(seconds=1)
    Participation.objects.filter(pk=who.pk).update(deadline_at=past)
