"""Pages and answers where no view could answer: in words, framed, in the reader's language."""

from typing import Any

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from annotate.campaigns import api as campaigns_api
from annotate.campaigns import lists as campaigns_lists
from annotate.common import tokens
from annotate.common.api import CONTENT_TYPE
from annotate.work import leasing, submitting, task
from tests.addresses import DOORS
from tests.annotate.work.pages.working import invitation, work_url
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

GERMAN = {"Accept-Language": "de-CH,de;q=0.9,en;q=0.5"}
SAID = "The server has a problem. You did nothing wrong"
GESAGT = "Der Server hat ein Problem."


@pytest.fixture
def visitor() -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture(params=[OperationalError, InterfaceError, ZeroDivisionError])
def fault(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Exception]:
    """Whatever asks the database for somebody's work breaks."""

    def broken(*_args: Any) -> None:
        raise request.param("connection refused")

    monkeypatch.setattr(task, "visit", broken)
    monkeypatch.setattr(task, "study", broken)
    return request.param


def status(fault: type[Exception]) -> int:
    return 500 if fault is ZeroDivisionError else 503


def framable(answer: Any) -> bool:
    return (
        "X-Frame-Options" not in answer
        and "frame-ancestors *" in answer["Content-Security-Policy"]
        and answer["Access-Control-Allow-Origin"] == "*"
    )


def test_a_page_of_work_says_so_in_its_frame_and_tries_again(visitor, fault) -> None:
    path = f"/work/p/{tokens.participation_token(1)}/"
    for headers, said, lang in (({}, SAID, "en"), (GERMAN, GESAGT, "de")):
        answer = visitor.get(path, headers=headers)
        page = answer.content.decode()
        assert answer.status_code == status(fault)
        assert framable(answer)
        assert said in page
        assert f'<html lang="{lang}">' in page
        assert answer["Refresh"] == answer["Retry-After"] == "15"
        assert f'href="{path}"' in page
        assert answer["Cache-Control"] == "no-store"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "campaigns" not in page, "a button of researchers"


def test_once_the_study_is_known_its_language_is_spoken(visitor, monkeypatch) -> None:
    def broken(*_args: Any) -> None:
        raise OperationalError("gone meanwhile")

    who = person(campaign(language="de"))
    monkeypatch.setattr(leasing, "lease", broken)
    answer = visitor.get(work_url(who), headers={"Accept-Language": "en"})
    assert answer.status_code == 503
    assert GESAGT in answer.content.decode()


def test_a_form_that_fails_leads_back_to_its_page(visitor, fault) -> None:
    page = invitation(campaign())  # signed with the time: another one differs a second later
    answer = visitor.post(page, {"name": "Grace"})
    assert answer.status_code == status(fault)
    assert f'href="{page}"' in answer.content.decode()
    assert answer["Refresh"] == "15"


@pytest.mark.parametrize("verb", ["heartbeat", "draft", "submit", "return"])
def test_the_pages_script_is_told_as_it_reads(visitor, verb, monkeypatch) -> None:
    def broken(*_args: Any, **_given: Any) -> None:
        raise OperationalError("connection refused")

    for module, name in (
        (leasing, "heartbeat"),
        (leasing, "give_back"),
        (submitting, "save_draft"),
        (submitting, "submit"),
    ):
        monkeypatch.setattr(module, name, broken)
    body = '{"revision": 0, "data": {}, "response": {}, "version": "1"}'
    answer = visitor.generic(
        "PUT" if verb == "draft" else "POST",
        f"/work/a/1/{verb}",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.participation_token(1)}", "Origin": "null"},
    )
    assert answer.status_code == 503
    assert answer.json()["error"] == "unavailable"
    assert answer.json()["message"].startswith("The server does not answer. Your work is kept")
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_the_api_answers_with_json_and_a_researchers_page_in_words(visitor, monkeypatch) -> None:
    def broken(*_args: Any) -> None:
        raise OperationalError("connection refused")

    visitor.force_login(user())
    monkeypatch.setattr(campaigns_api.CampaignViewSet, "get_queryset", broken)
    monkeypatch.setattr(campaigns_lists, "listed", broken)
    api = visitor.get("/api/v1/campaigns/")
    assert (api.status_code, api.json()["error"], api["Retry-After"]) == (503, "unavailable", "15")
    page = visitor.get("/")
    assert (page.status_code, page["Retry-After"]) == (503, "15")
    assert "Something broke on our side" in page.content.decode()
    assert page["X-Frame-Options"] == "DENY"


def test_what_is_not_there_is_told_where_it_was_asked(visitor) -> None:
    work_page = visitor.get("/work/nothing/here/", headers=GERMAN)
    assert work_page.status_code == 404
    assert framable(work_page)
    assert "Dieser Link ist nicht vollständig" in work_page.content.decode()
    api = visitor.get("/api/v1/nothing/")
    assert (api.status_code, api.json()["error"]) == (404, "not_found")
    page = visitor.get("/nothing/")
    assert page.status_code == 404
    assert page["X-Frame-Options"] == "DENY"


def test_what_makes_no_sense_is_told_where_it_was_asked(visitor) -> None:
    asked = {"/work/p/a%00b/": "text/html", "/api/v1/campaigns/?x=%00": CONTENT_TYPE}
    for path, kind in asked.items():
        answer = visitor.get(path)
        assert answer.status_code in (400, 404)
        assert answer["Content-Type"].startswith(kind)
    host = visitor.get("/work/p/x/", headers={"Host": "evil.example"})
    assert (host.status_code, framable(host)) == (400, True)


def test_no_page_of_work_can_be_shut_out_of_its_frame(visitor) -> None:
    """Whatever is answered there, framed or not by its own view."""
    shut = []
    for door in DOORS:
        if door.route.startswith("/work/") and {"token"} <= set(door.arguments):
            path = door.path({"token": "forged", "crowd": "mturk"})
            for method in ("get", "post"):
                answer = getattr(visitor, method)(path)
                if "X-Frame-Options" in answer and answer.status_code != 405:
                    shut.append(f"{method} {path}: {answer.status_code}")
    assert shut == []
