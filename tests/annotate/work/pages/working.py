"""The annotator's addresses and requests, as a browser makes them."""

import json
import time
from datetime import timedelta
from typing import Any
from unittest.mock import patch

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.instruments import registry
from annotate.models import Assignment, Campaign, Participation
from annotate.work import leasing
from tests.factories import leased

BEST = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}
JUDGED = {"response": BEST, "version": registry.get("language_quality").version}


def invitation(made: Campaign, who: str = "") -> str:
    return reverse("annotate:join", args=[tokens.invitation_token(made.pk, who)])


def work_url(who: Participation) -> str:
    return reverse("annotate:work", args=[tokens.participation_token(who.pk)])


def work_data(client: Client, url: str) -> dict[str, Any]:
    page = client.get(url).content.decode()
    start = page.index(">", page.index('id="work-data"')) + 1
    return json.loads(page[start : page.index("</script>", start)])


def call(
    client: Client,
    who: Participation,
    verb: str,
    body: Any = None,
    *,
    assignment: int | None = None,
    token: str | None = None,
    raw: str | None = None,
):
    pk = leased(who).pk if assignment is None else assignment
    token = tokens.participation_token(who.pk) if token is None else token
    return client.generic(
        "PUT" if verb == "draft" else "POST",
        reverse(f"annotate:work-{verb}", args=[pk]),
        json.dumps({} if body is None else body) if raw is None else raw,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def submit(client: Client, who: Participation, **changes: Any):
    return call(
        client, who, "submit", JUDGED | {"response": BEST | changes, "active_seconds": 12.5}
    )


def later(days: int):
    """The clock of signed tokens, so many days on."""
    return patch("django.core.signing.time.time", return_value=time.time() + days * 86400)


def expire(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    leasing.expire_due(assignment.campaign_id, now=timezone.now())
