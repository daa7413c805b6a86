"""What the annotator's page asks of the server, and what it is told."""

import json
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.models import Assignment, Draft, Judgment, Participation
from tests.annotate.work.pages.working import (
    BEST,
    JUDGED,
    call,
    expire,
    invitation,
    submit,
    work_data,
    work_url,
)
from tests.factories import campaign, leased, person, rows

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign())


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
    [
        (3, 3.0),
        (2.5, 2.5),
        (-1, None),
        ("7", None),
        (True, None),
        (None, None),
        (10**300, None),
        ([], None),
    ],
)
def test_the_pages_clock_is_sanitised(client, who, given, stored):
    answer = call(client, who, "submit", JUDGED | {"active_seconds": given})
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


@pytest.mark.parametrize("revision", [0, 1, 7, 2**31 - 2])
def test_a_draft_is_stored_whatever_the_page_had_where_none_is_newer(client, who, revision):
    first = {"revision": revision, "data": {"fluency": 1}}
    assert call(client, who, "draft", first).json() == {"revision": revision + 1}
    answer = call(client, who, "draft", first | {"data": {"fluency": 0}})
    assert (answer.status_code, answer.json()["error"]) == (409, "stale")
    assert answer.json()["draft"] == {"revision": revision + 1, "data": {"fluency": 1}}


def test_the_longest_honest_response_is_taken(client):
    paragraphs = tuple(chr(0x20000 + n) * 20_000 for n in range(10))  # four bytes a character
    row = replace(rows(1)[0], input="what now", paragraphs=paragraphs)
    who = person(
        campaign(
            rows_=[row],
            instrument="answer_correctness",
            targets={"any_correct": 0.2},
            metrics=(),
        )
    )
    spans = [[{"start": 0, "end": len(text), "text": text}] for text in paragraphs]
    verdicts = [{"value": 1, "spans": one, "confirmed": True} for one in spans]
    body = {"response": {"plausible": True, "verdicts": verdicts}, "version": "1"}
    raw = json.dumps(body, ensure_ascii=False)  # as a browser writes it
    assert call(client, who, "submit", raw=raw).status_code == 200
    stored = Judgment.objects.get().response["verdicts"]
    assert [one["spans"] for one in stored] == [[[0, 20_000]]] * 10


@pytest.mark.parametrize("header", [None, "", "Token x", "Bearer", "Bearer forged"])
def test_without_a_valid_token_nobody_gets_in(client, who, header):
    url = reverse("annotate:work-submit", args=[leased(who).pk])
    headers = {} if header is None else {"Authorization": header}
    answer = client.post(url, "{}", content_type="application/json", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["error"] == "token"


def test_an_invitation_is_no_participation_token(client, who):
    token = tokens.invitation_token(who.campaign_id)
    assert call(client, who, "submit", JUDGED, token=token).status_code == 401


@pytest.mark.parametrize("verb", ["heartbeat", "draft", "submit", "return"])
def test_foreign_tokens(client, who, verb):
    assignment = leased(who).pk
    body = JUDGED | {"revision": 0, "data": {}}
    other = tokens.participation_token(person(who.campaign, "p2").pk)
    foreign = call(client, who, verb, body, assignment=assignment, token=other)
    assert foreign.status_code == 404
    assert foreign.json()["error"] == "not_found"
    assert call(client, who, verb, body, assignment=10**30).status_code == 404
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
    "body",
    [
        {},
        {"revision": -1, "data": {}},
        {"revision": True, "data": {}},
        {"revision": "0", "data": {}},
        {"revision": 10**30, "data": {}},
        {"revision": 0, "data": []},
    ],
)
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


def test_heartbeat_extends_and_says_when_it_is_too_late(client, who):
    assignment = leased(who)
    answer = call(client, who, "heartbeat", assignment=assignment.pk)
    assert answer.json()["expires_at"] > assignment.expires_at.isoformat()
    expire(assignment)
    gone = call(client, who, "heartbeat", assignment=assignment.pk)
    assert gone.status_code == 410
    assert "Your draft is kept" in gone.json()["message"]


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
    preflight = client.options(
        url,
        headers={
            "Origin": "null",
            "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "authorization,content-type",
        },
    )
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
