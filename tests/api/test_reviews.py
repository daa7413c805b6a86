"""Reviews over the API: the queue, a case, rulings and answers to appeals."""

from decimal import Decimal

import pytest

from annotate.models import Appeal, LedgerEntry, Review, Ruling
from annotate.review import appeals
from tests import reviewed

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

QUEUE = "/api/v1/reviews/"


@pytest.fixture
def review(ada) -> Review:
    return reviewed.case(ada)


def at(review: Review, part: str = "") -> str:
    campaign, who = review.campaign.public_id, review.annotator.pseudonym
    return f"/api/v1/campaigns/{campaign}/reviews/{who}/{part}"


def rule(api, review: Review, *acts: str, reason: str = "Spam.", seen: int = 0):
    body = {"acts": acts, "reason": reason, "seen": seen}
    return api.post(at(review, "rule/"), body, format="json")


def test_the_queue_has_the_numbers(api, review):
    (row,) = api.get(QUEUE).json()["results"]
    assert (row["annotator"], row["status"], row["judgments"], row["appeal_due"]) == (
        review.annotator.pseudonym,
        "open",
        6,
        None,
    )
    (flag,) = row["flags"]
    assert (flag["screen"], flag["value"], flag["threshold"], flag["n"]) == ("too_fast", 0.4, 1, 6)
    assert flag["numbers"]["seconds"] == 3


def test_a_case_holds_the_evidence_and_no_system(api, review):
    for system in review.campaign.systems.all():
        review.campaign.systems.filter(pk=system.pk).update(name=f"SYSTEM-NAME-{system.pk}")
    answer = api.get(at(review))
    assert "SYSTEM-NAME" not in answer.content.decode()
    case = answer.json()
    assert case["effects"]["at_stake"] == "2.40"
    assert case["effects"]["counting"] == 6
    fast = next(one for one in case["screens"] if one["screen"] == "too_fast")
    assert len(fast["others"]) == 6
    assert fast["value"] < min(fast["others"])
    distances = [one["distance"] for one in case["beside"] if one["distance"] is not None]
    assert distances == sorted(distances, reverse=True)
    assert distances[0] > 0


def test_rulings_answer_with_what_the_next_must_have_seen(api, review):
    case = rule(api, review, "exclude", "refuse").json()
    assert (case["status"], case["pay_refused"]) == ("excluded", True)
    assert case["seen"] == Ruling.objects.order_by("-pk")[0].pk
    refused = LedgerEntry.objects.get(kind="refusal")
    assert refused.amount == Decimal("-2.40")
    again = rule(api, review, "restore")
    assert (again.status_code, again.json()["error"]) == (409, "conflict")
    assert rule(api, review, "restore", reason="", seen=case["seen"]).json()["status"] == "cleared"


@pytest.mark.parametrize(
    ("acts", "reason", "status"),
    [(["exclude"], " ", 422), ([], "x", 422), (["delete"], "x", 422), (["restore"], "x", 409)],
)
def test_what_cannot_be_done_is_told(api, review, acts, reason, status):
    answer = rule(api, review, *acts, reason=reason)
    assert answer.status_code == status
    assert answer.json()["message"]
    assert not Ruling.objects.exists()


def test_an_appeal_is_dismissed_once(api, review):
    assert api.post(at(review, "dismiss/"), {"answer": "x"}).status_code == 409
    appeals.make(review.campaign_id, review.annotator_id, text="Please look.")
    assert api.post(at(review, "dismiss/"), {"answer": " "}).status_code == 422
    case = api.post(at(review, "dismiss/"), {"answer": "We looked."}).json()
    assert (case["appeals"][0]["upheld"], case["appeals"][0]["answer"]) == (False, "We looked.")
    assert Appeal.objects.get().answered_at
