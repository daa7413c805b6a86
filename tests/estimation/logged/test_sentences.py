"""Every act that the log of a campaign shows is told in a sentence, on the page and in the API."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotate.common import audit
from annotate.models import AuditEntry
from annotate.models.accounts import FEED
from estimation.pages import dashboard
from tests.estimation.logged import verbs
from tests.factories import campaign

pytestmark = pytest.mark.orm

DETAIL = {
    "reason": "Thanks.",
    "why": "Typing errors.",
    "amount": "2.50",
    "people": 3,
    "items": 2,
    "outputs": 8,
    "places": 4,
    "cost": "9.60",
    "gaps": 2,
    "was": 1,
    "now": 5,
    "changes": {"too_fast.seconds": [1, 2]},
}


def told(verb: str, subject: str = "", **detail: Any) -> str:
    return dashboard.sentence(AuditEntry(verb=verb, subject=subject, detail=DETAIL | detail))


@pytest.mark.parametrize("verb", sorted(verbs.in_services()))
def test_it_has_a_sentence(verb: str) -> None:
    said = told(verb, "annotator:17")
    assert said != f"{verb.replace('_', ' ')} annotator:17", verbs.in_services()[verb]
    assert "{" not in said
    assert "annotator:17" not in said, "a number says nothing to a reader"


@pytest.mark.parametrize("verb", sorted(verbs.in_services()))
def test_it_belongs_to_one_part_of_the_page(verb: str) -> None:
    parts = [one for one, verbs in dashboard.PARTS.values() if verbs and verb in verbs]
    assert len(parts) == 1, verb


@pytest.mark.slow
def test_the_verbs_are_found() -> None:
    found = verbs.in_services()
    assert len(found) > 50
    assert {"open", "flag", "exclude", "amend_screens", "leave", "stop_batch", "list"} <= set(found)


@pytest.mark.parametrize(
    ("verb", "detail", "said"),
    [
        ("flag", {"tier": "list"}, "listed an annotator as worth a look"),
        ("flag", {"tier": "pause"}, "stopped an annotator for a review"),
        ("amend_screens", {}, "changed the settings of the screens: too fast: seconds"),
        ("paid_out", {}, "marked $2.50 for 3 people as paid"),
        ("payout_undone", {"people": ["p1"]}, "took back that $2.50 was paid"),
        ("bonus", {}, "gave an annotator a bonus of $2.50"),
        ("gold_share", {}, "made 5 of 25 tasks gold items (before: 1)"),
        ("gold_removed", {"items": 1}, "removed 1 gold item"),
    ],
)
def test_what_it_says(verb: str, detail: dict[str, Any], said: str) -> None:
    assert told(verb, "annotator:17", **detail) == said


def test_a_system_is_named_whatever_its_name() -> None:
    assert told("stop_system", "system:a:{b} %s") == "ended the sample of a:{b} %s"
    assert told("resume_system", "system:alpha") == "let alpha collect again"


@pytest.mark.django_db
def test_what_is_routine_is_not_in_the_feed(ada: User) -> None:
    made = campaign(owner=ada)
    before = AuditEntry.objects.filter(FEED, campaign=made).count()
    for verb, subject in (
        ("participation_begun", "participation:1"),
        ("tutorial_passed", "tutorial_run:1"),
        ("posting_open", "posting:1"),
        ("publish", "operation:1"),
        ("submitted", "assignment:1"),
    ):
        audit.record(verb, campaign_id=made.pk, subject=subject)
    assert AuditEntry.objects.filter(FEED, campaign=made).count() == before


@pytest.mark.django_db
@pytest.mark.slow
def test_page_and_api_tell_the_same(client: Client, ada: User) -> None:
    made = campaign(owner=ada)
    found = sorted(verbs.in_services())
    for verb in found:
        audit.record(verb, campaign_id=made.pk, actor_id=ada.pk, subject="annotator:17", **DETAIL)
    client.force_login(ada)
    address = f"/api/v1/campaigns/{made.public_id}/activity/?page_size=500"
    texts = {row["verb"]: row["text"] for row in client.get(address).json()["results"]}
    assert set(found) <= set(texts)
    page = client.get(reverse("estimation:activity", args=[made.public_id])).content.decode()
    for verb in found[-20:]:  # the newest
        assert escape(texts[verb]) in page
