"""The annotator's pages and endpoints, as a browser meets them."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate import tokens
from annotate.models import Assignment, Campaign, Draft, Judgment, LedgerEntry, Participation
from annotate.services import campaigns, leasing
from annotate.services.upload import Row
from tests.factories import campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

BEST = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None}


def invitation(made: Campaign, who: str = "") -> str:
    return reverse("annotate:join", args=[tokens.invitation_token(made.pk, who)])


def work_url(who: Participation) -> str:
    return reverse("annotate:work", args=[tokens.participation_token(who.pk)])


def work_data(client: Client, url: str) -> dict[str, Any]:
    page = client.get(url).content.decode()
    start = page.index(">", page.index('id="work-data"')) + 1
    return json.loads(page[start : page.index("</script>", start)])


def call(
    client: Client, who: Participation, verb: str, body: Any = None, *,
    assignment: int | None = None, token: str | None = None, raw: str | None = None,
):  # fmt: skip
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
    return call(client, who, "submit", {"response": BEST | changes, "active_seconds": 12.5})


def later(days: int):
    """The clock of signed tokens, so many days on."""
    import time

    return patch("django.core.signing.time.time", return_value=time.time() + days * 86400)


@pytest.fixture
def who() -> Participation:
    return person(campaign())


# ---- coming in -------------------------------------------------------------------------------


def test_landing_page_says_what_it_is_pays_and_stores(client):
    page = client.get(invitation(campaign(reward=Decimal("0.35"), contact="ada@example.org")))
    text = page.content.decode()
    assert page.status_code == 200
    assert "$0.35" in text
    assert "minutes" in text
    assert "What is stored" in text
    assert "ada@example.org" in text
    assert 'name="name"' in text


def test_a_name_leads_to_a_page_of_ones_own(client):
    made = campaign()
    answer = client.post(invitation(made), {"name": "  Grace  H "})
    assert answer.status_code == 303
    assert answer["Location"].startswith("/work/p/")
    assert Participation.objects.get().annotator.external_id == "grace h"
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("name", "status"), [("", 422), ("   ", 422), ("\0", 422), ("x" * 81, 422), ("Taken", 409)]
)
def test_a_name_that_cannot_be_is_explained_at_the_field(client, name, status):
    made = campaign()
    client.post(invitation(made), {"name": "taken"})
    answer = client.post(invitation(made), {"name": name})
    assert answer.status_code == status
    assert 'aria-invalid="true"' in answer.content.decode()
    assert "name-problem" in answer.content.decode()


def test_an_invitation_that_names_somebody_asks_for_no_name_and_may_be_used_again(client):
    url = invitation(campaign(), "grace")
    assert 'name="name"' not in client.get(url).content.decode()
    first, second = client.post(url), client.post(url)
    assert first.status_code == second.status_code == 303
    assert Participation.objects.get().annotator.external_id == "grace"


def test_forged_and_expired_invitations_are_explained(client):
    url = invitation(campaign())
    forged = client.get(url[:-3] + "xx/")
    assert forged.status_code == 404
    assert "not complete" in forged.content.decode()
    with later(400):
        expired = client.get(url)
    assert expired.status_code == 410
    assert "expired" in expired.content.decode()


def test_an_invitation_to_a_campaign_that_is_over_says_so(client):
    made = campaign()
    campaigns.close(made.pk, Campaign.Reason.HAND)
    campaigns.finish(made.pk)
    for answer in (client.get(invitation(made)), client.post(invitation(made), {"name": "late"})):
        assert answer.status_code == 410
        assert "complete" in answer.content.decode()
    assert not Participation.objects.exists()


# ---- the page --------------------------------------------------------------------------------


def test_the_page_carries_the_work_for_its_script(client, who):
    data = work_data(client, work_url(who))
    assignment = Assignment.objects.get()
    assert set(data) == {"token", "assignment", "urls", "finished"}
    assert data["assignment"]["id"] == assignment.pk
    assert data["assignment"]["text"] == assignment.output.text
    assert data["assignment"]["draft"] == {"revision": 0, "data": {}}
    assert data["assignment"]["expires_at"] == assignment.expires_at.isoformat()
    assert [c["name"] for c in data["assignment"]["task"]["criteria"]] == [
        "fluency", "redundancy", "overall",
    ]  # fmt: skip
    assert set(data["assignment"]["task"]["criteria"][0]["levels"][0]) == {
        "value", "label", "cue", "requires",
    }  # fmt: skip
    assert set(data["urls"]) == {"page", "heartbeat", "draft", "submit", "return"}
    assert data["finished"] is None


def test_html_in_a_text_is_text(client):
    rows = [Row(item="i", system="s", output="<b>Bold</b></script><script>alert(1)</script>",
                reference="r", metrics={"quality": 1.0})]  # fmt: skip
    page = client.get(work_url(person(campaign(rows_=rows)))).content.decode()
    assert "<script>alert" not in page
    assert "<b>Bold" not in page
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page


def test_the_text_carries_its_language(client):
    page = client.get(work_url(person(campaign(language="de")))).content.decode()
    assert '<p class="read" lang="de" dir="auto">' in page


def test_todays_count_and_earnings(client, who):
    judge(who)
    page = client.get(work_url(who)).content.decode()
    assert "1 task" in page
    assert "$0.40" in page


def test_headers_of_pages(client, who):
    for url in (work_url(who), invitation(who.campaign), "/work/p/forged/"):
        headers = client.get(url).headers
        policy = headers["Content-Security-Policy"]
        assert "frame-ancestors *" in policy
        assert "script-src 'self'" in policy
        assert "style-src 'self'" in policy
        assert "unsafe" not in policy
        assert "X-Frame-Options" not in headers
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in headers


def test_pages_hold_no_inline_script_or_style(client, who):
    for url in (work_url(who), invitation(who.campaign)):
        page = client.get(url).content.decode()
        assert " style=" not in page
        assert "<style" not in page
        assert " onclick=" not in page
        assert "<script>" not in page


def test_forged_and_expired_pages_are_explained(client, who):
    forged = client.get(work_url(who)[:-4] + "xxx/")
    assert forged.status_code == 404
    url = work_url(who)
    with later(31):
        assert client.get(url).status_code == 410


def finish_all(made: Campaign) -> None:
    campaigns.close(made.pk, Campaign.Reason.HAND)
    campaigns.finish(made.pk)


def test_without_work_the_page_says_why_and_what_was_earned(client, who):
    judge(who)
    finish_all(who.campaign)
    data = work_data(client, work_url(who))
    assert data["assignment"] is None
    assert data["finished"]["reason"] == "closed"
    assert data["finished"]["final"] is True
    page = client.get(work_url(who)).content.decode()
    assert data["finished"]["message"] in page
    assert "$0.40" in page
    assert who.annotator.pseudonym in page
    assert "15 seconds" not in page


def test_paused_and_capped_pages(client):
    paused = person(campaign())
    campaigns.pause(paused.campaign_id)
    finished = work_data(client, work_url(paused))["finished"]
    assert (finished["reason"], finished["final"]) == ("paused", False)
    assert "15 seconds" in client.get(work_url(paused)).content.decode()
    capped = person(campaign(annotator_cap=1))
    judge(capped)
    assert work_data(client, work_url(capped))["finished"]["reason"] == "cap"


# ---- endpoints -------------------------------------------------------------------------------


def test_submit_stores_pays_and_leads_on(client, who):
    answer = submit(client, who)
    assert answer.status_code == 200
    body = answer.json()
    assert body["counts"] is True
    assert body["earned"] == "0.40"
    assert (
        work_data(client, body["next"])["assignment"]["id"] != Judgment.objects.get().assignment_id
    )
    assert Judgment.objects.get().active_seconds == 12.5


def test_submitting_twice_stores_one_judgment(client, who):
    assignment = leased(who).pk
    body = {"response": BEST}
    answers = [call(client, who, "submit", body, assignment=assignment) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json()["earned"] == answers[1].json()["earned"]
    assert Judgment.objects.count() == LedgerEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("response", "field"),
    [
        ({"fluency": None}, "fluency"),
        ({"fluency": 7}, "fluency"),
        ({"fluency": True}, "fluency"),
        ({"fluency": "1"}, "fluency"),
        ({"overall": 0}, "edit"),
        ({"overall": 0, "edit": ["a"]}, "edit"),
        ({"overall": 0, "edit": "  "}, "edit"),
    ],
)
def test_what_is_missing_is_said_at_its_field(client, who, response, field):
    answer = submit(client, who, **response)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {field}
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    ("given", "stored"),
    [(3, 3.0), (2.5, 2.5), (-1, None), ("7", None), (True, None), (None, None), (10**400, None),
     ([], None)],
)  # fmt: skip
def test_the_pages_clock_is_sanitised(client, who, given, stored):
    answer = call(client, who, "submit", {"response": BEST, "active_seconds": given})
    assert answer.status_code == 200
    assert Judgment.objects.get().active_seconds == stored


@pytest.mark.parametrize(
    "raw", ["", "[1]", "nonsense", '{"response": NaN}', '{"a": 1e999}', "[" * 100_000, "\ufffd"]
)
def test_what_is_not_a_json_object_is_refused(client, who, raw):
    answer = call(client, who, "submit", raw=raw)
    assert answer.status_code == (400 if raw else 422)
    assert answer.json()["message"]


def test_a_megabyte_is_refused_and_a_long_edit_explained(client, who):
    huge = {"response": BEST | {"overall": 0, "edit": "x" * 1_000_000}}
    answer = call(client, who, "submit", huge)
    assert answer.status_code == 413
    assert answer.json()["error"] == "too_large"
    assert call(client, who, "draft", {"revision": 0, "data": huge}).status_code == 413
    answer = submit(client, who, overall=0, edit="word " * 20_000)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {"edit"}


@pytest.mark.parametrize("header", [None, "", "Token x", "Bearer", "Bearer forged"])
def test_without_a_valid_token_nobody_gets_in(client, who, header):
    url = reverse("annotate:work-submit", args=[leased(who).pk])
    headers = {} if header is None else {"Authorization": header}
    answer = client.post(url, "{}", content_type="application/json", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"] == "token"


def test_an_invitation_is_no_participation_token(client, who):
    token = tokens.invitation_token(who.campaign_id)
    assert call(client, who, "submit", {"response": BEST}, token=token).status_code == 401


@pytest.mark.parametrize("verb", ["heartbeat", "draft", "submit", "return"])
def test_expired_and_foreign_tokens(client, who, verb):
    assignment = leased(who).pk
    body = {"response": BEST, "revision": 0, "data": {}}
    other = tokens.participation_token(person(who.campaign, "p2").pk)
    foreign = call(client, who, verb, body, assignment=assignment, token=other)
    assert foreign.status_code == 404
    assert foreign.json()["error"] == "not_found"
    assert call(client, who, verb, body, assignment=10**30).status_code == 404
    token = tokens.participation_token(who.pk)
    with later(31):
        expired = call(client, who, verb, body, assignment=assignment, token=token)
    assert expired.status_code == 410
    assert Assignment.objects.get().status == "leased"
    assert not Judgment.objects.exists()


def test_draft_is_kept_and_a_stale_tab_is_told(client, who):
    first = call(client, who, "draft", {"revision": 0, "data": {"fluency": 0}})
    assert first.json() == {"revision": 1}
    stale = call(client, who, "draft", {"revision": 0, "data": {"fluency": -1}})
    assert stale.status_code == 409
    assert stale.json()["error"] == "stale"
    assert stale.json()["draft"] == {"revision": 1, "data": {"fluency": 0}}
    draft = work_data(client, work_url(who))["assignment"]["draft"]
    assert draft == {"revision": 1, "data": {"fluency": 0}}


@pytest.mark.parametrize(
    "body", [{}, {"revision": -1, "data": {}}, {"revision": True, "data": {}},
             {"revision": "0", "data": {}}, {"revision": 10**30, "data": {}},
             {"revision": 0, "data": []}],
)  # fmt: skip
def test_what_is_no_draft_is_refused(client, who, body):
    assert call(client, who, "draft", body).status_code == 400
    assert not Draft.objects.exists()


def test_characters_that_no_database_keeps_are_replaced(client, who):
    raw = '{"revision": 0, "data": {"edit": "a\\u0000b\\ud800c 👍 \\ud83d\\udc4d"}}'
    assert call(client, who, "draft", raw=raw).status_code == 200
    assert Draft.objects.get().data == {"edit": "ab\ufffdc 👍 👍"}


def test_no_draft_after_the_submit(client, who):
    assignment = leased(who).pk
    submit(client, who)
    answer = call(client, who, "draft", {"revision": 0, "data": {}}, assignment=assignment)
    assert answer.status_code == 410
    assert not Draft.objects.exists()


def expire(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        expires_at=timezone.now() - timedelta(seconds=1)
    )
    leasing.expire_due(assignment.campaign_id, now=timezone.now())


def test_heartbeat_extends_and_says_when_it_is_too_late(client, who):
    assignment = leased(who)
    answer = call(client, who, "heartbeat", assignment=assignment.pk)
    assert answer.json()["expires_at"] > assignment.expires_at.isoformat()
    expire(assignment)
    gone = call(client, who, "heartbeat", assignment=assignment.pk)
    assert gone.status_code == 410
    assert "Your draft is kept" in gone.json()["message"]


def test_submit_after_expiry_counts_while_the_place_is_free(client, who):
    assignment = leased(who)
    expire(assignment)
    answer = call(client, who, "submit", {"response": BEST}, assignment=assignment.pk)
    assert answer.status_code == 200
    assert answer.json()["counts"] is True


def test_a_draft_outlives_its_lease(client, who):
    assignment = leased(who)
    call(client, who, "draft", {"revision": 0, "data": {"edit": "so far"}})
    expire(assignment)
    again = work_data(client, work_url(who))["assignment"]
    assert again["id"] != assignment.pk
    assert again["text"] == assignment.output.text
    assert again["draft"] == {"revision": 0, "data": {"edit": "so far"}}


def test_return_gives_another_text(client, who):
    text = work_data(client, work_url(who))["assignment"]["text"]
    answer = call(client, who, "return")
    assert answer.status_code == 200
    assert work_data(client, answer.json()["next"])["assignment"]["text"] != text


@pytest.mark.parametrize(
    ("verb", "method"),
    [("heartbeat", "POST"), ("draft", "PUT"), ("submit", "POST"), ("return", "POST")],
)
def test_any_origin_may_ask_without_credentials(client, who, verb, method):
    url = reverse(f"annotate:work-{verb}", args=[leased(who).pk])
    preflight = client.options(url, headers={
        "Origin": "null", "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type",
    })  # fmt: skip
    assert preflight.status_code == 204
    assert method in preflight["Access-Control-Allow-Methods"]
    assert "authorization" in preflight["Access-Control-Allow-Headers"].lower()
    assert "content-type" in preflight["Access-Control-Allow-Headers"].lower()
    for answer in (preflight, client.generic(method, url), client.get(url)):
        assert answer["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer
        assert answer["Cache-Control"] == "no-store"
    assert client.get(url).status_code == 405


def test_no_csrf_token_and_no_session_needed(who):
    strict = Client(enforce_csrf_checks=True)
    assert submit(strict, who).status_code == 200
    assert strict.post(invitation(who.campaign), {"name": "somebody"}).status_code == 303
    assert not strict.cookies
