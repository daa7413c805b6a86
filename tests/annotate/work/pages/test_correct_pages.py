"""Correcting the text submitted last, at the annotator's addresses."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, Judgment, Participation
from annotate.work import leasing
from tests.annotate.work.pages.working import BEST, JUDGED, call, submit, work_data, work_url
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LINK = re.compile(r'<a[^>]* id="correct" href="correct/"[^>]*>([^<]*)</a>')
SLIP = {**BEST, "fluency": 0, "edit": "The council met."}


@pytest.fixture
def who() -> Participation:
    return person(campaign())


def page_of(who: Participation) -> str:
    return reverse("annotate:correct", args=[tokens.participation_token(who.pk)])


def linked(client: Client, who: Participation) -> str:
    found = LINK.search(client.get(work_url(who)).content.decode())
    assert found is not None
    return found[1]


def test_the_way_there_is_a_link_as_soon_as_a_text_is_submitted(client, who):
    assert linked(client, who) == ""
    receipt = submit(client, who).json()
    assert receipt["words"]["texts"]["correct"] == "Correct the last text"
    assert linked(client, who) == "Correct the last text"


def test_after_the_last_task_there_is_a_link_too(client):
    who = person(campaign(items=1, systems=("alpha",), double_share=0))
    submit(client, who)
    assert 'id="finished-message"' in client.get(work_url(who)).content.decode()
    assert linked(client, who) == "Correct the last text"


def test_none_where_corrections_are_off(client, who, settings):
    settings.CORRECTION = timedelta(0)
    receipt = submit(client, who).json()
    assert receipt["words"]["texts"]["correct"] == ""
    assert linked(client, who) == ""
    answer = client.get(page_of(who))
    assert answer.status_code == 410
    assert b"cannot be corrected here" in answer.content


def test_the_page_holds_the_text_and_the_answers(client, who):
    task = submit(client, who, **SLIP) and Judgment.objects.get().assignment
    waiting = leasing.lease(who.pk)
    data = work_data(client, page_of(who))
    assert data["assignment"]["id"] == task.pk
    assert data["assignment"]["draft"]["data"]["edit"] == SLIP["edit"]
    assert data["correcting"] == {"after": 1}
    assert set(data["urls"]) == {"page", "submit"}
    assert leasing.lease(who.pk) == waiting
    shown = client.get(page_of(who)).content.decode()
    assert "You are correcting the last text." in shown
    assert 'data-opens="give-back"' not in shown


def test_a_correction_is_sent_once_and_leads_back_to_the_open_task(client, who):
    submit(client, who)
    task, waiting = Judgment.objects.get().assignment_id, leasing.lease(who.pk)
    body = JUDGED | {"response": SLIP, "after": 1, "active_seconds": 2.0}
    for _ in range(2):
        answer = call(client, who, "correct", body, assignment=task)
        assert answer.status_code == 200, answer.content
        assert work_data(client, answer.json()["next"])["assignment"]["id"] == waiting.pk
    assert Judgment.objects.get().response["fluency"] == 0
    assert Judgment.every.count() == 2


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"after": None}, 400),
        ({"after": True}, 400),
        ({"after": -1}, 400),
        ({"after": 2**40}, 400),
        ({"after": 3}, 409),
        ({"response": None}, 422),
        ({"response": {"fluency": 9}}, 422),
        ({"version": "0"}, 409),
        ({"version": None}, 422),
    ],
)
def test_what_is_wrong_is_said(client, who, change, status):
    submit(client, who)
    body = JUDGED | {"response": SLIP, "after": 1} | change
    answer = call(client, who, "correct", body, assignment=Judgment.objects.get().assignment_id)
    assert (answer.status_code, bool(answer.json()["message"])) == (status, True)
    assert Judgment.every.count() == 1


def test_when_it_is_over_the_page_says_why_and_leads_back(client, who):
    judge(who)
    life.pause(who.campaign_id)
    answer = client.get(page_of(who))
    assert answer.status_code == 410
    said = answer.content.decode()
    assert "does not collect answers now" in said
    assert re.search(r'href="/work/p/[^/"]+/">Go on<', said)
    task = Assignment.objects.filter(status="verified").get()
    body = JUDGED | {"response": SLIP, "after": 1}
    assert call(client, who, "correct", body, assignment=task.pk).status_code == 410
