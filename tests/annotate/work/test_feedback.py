"""What annotators think of the work: optional, once a day, read by the researcher."""

import json
import re
from datetime import timedelta

import pytest
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.common import lists as common_lists
from annotate.common import tokens
from annotate.common.errors import Conflict
from annotate.models import Feedback, Participation
from annotate.models.base import CloseReason
from annotate.work import leasing, submitting
from annotate.work import queries as work_queries
from tests.annotate.work.pages.working import work_url
from tests.factories import campaign, judge, leased, person, user

EVERY = common_lists.asked({}, sorts={}, size=100, anchor="")

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign(owner=user()))


def send(client, who: Participation, **body: object):
    return client.post(
        reverse("annotate:feedback"),
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {tokens.participation_token(who.pk)}"},
    )


def test_it_is_stored_and_thanked_for(client, who):
    answer = send(client, who, clarity=5, pay=2, comment="  <b>Fine</b>  ")
    assert answer.status_code == 200
    assert "Thank you" in answer.json()["message"]
    stored = Feedback.objects.get()
    assert (stored.clarity, stored.enjoyment, stored.pay) == (5, None, 2)
    assert stored.comment == "<b>Fine</b>"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "comment"),
        ({"comment": "   "}, "comment"),
        ({"comment": "x" * 2001}, "comment"),
        ({"comment": ["x"]}, "comment"),
        ({"clarity": 0}, "clarity"),
        ({"enjoyment": 6}, "enjoyment"),
        ({"pay": "5"}, "pay"),
        ({"pay": True}, "pay"),
        ({"pay": 2.5}, "pay"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(client, who, body, field):
    answer = send(client, who, **body)
    assert answer.status_code == 422
    assert set(answer.json()["errors"]) == {field}
    assert not Feedback.objects.exists()


def test_once_a_day(client, who):
    send(client, who, clarity=3)
    again = send(client, who, clarity=1)
    assert again.status_code == 409
    assert again.json()["error"] == "already"
    assert Feedback.objects.get().clarity == 3
    QuerySet(Feedback).update(at=timezone.now() - timedelta(days=1))
    assert send(client, who, clarity=1).status_code == 200
    with pytest.raises(Conflict):
        submitting.give(who.pk, pay=1)


def test_it_is_offered_when_nothing_is_left_and_not_again(client, who):
    judge(who)
    assert 'id="feedback"' not in client.get(work_url(who)).content.decode()
    leasing.give_back(leased(who).pk, participation_id=who.pk)
    life.close(who.campaign_id, CloseReason.HAND)
    life.finish(who.campaign_id)
    assert 'id="feedback"' in client.get(work_url(who)).content.decode()
    send(client, who, clarity=3)
    assert 'id="feedback"' not in client.get(work_url(who)).content.decode()


def test_averages_are_over_those_who_answered(who):
    submitting.give(who.pk, clarity=2, comment="first")
    submitting.give(person(who.campaign, "p2").pk, clarity=5, pay=1, comment="second")
    submitting.give(person(campaign(), "p3").pk, clarity=1, comment="elsewhere")
    told = work_queries.feedback(who.campaign_id, EVERY)
    assert told["averages"] == [
        ("clarity", 3.5, 2),
        ("enjoyment", None, 0),
        ("pay", 1.0, 1),
    ]
    assert [one.comment for one in told["comments"]] == ["second", "first"]


def test_researchers_see_it_without_a_name_or_what_leads_to_one(client, who):
    client.force_login(who.campaign.memberships.get().user)
    url = reverse("annotate:people", args=[who.campaign.public_id])
    assert "Nothing yet. Annotators are asked" in client.get(url).content.decode()
    submitting.give(who.pk, clarity=4, comment="<script>alert(1)</script>\nsecond line")
    page = client.get(url).content.decode()
    assert "n = 1" in page
    said = page[page.index('class="comments"') : page.index('id="members-h"')]
    assert who.annotator.pseudonym in page  # among those who have worked
    assert who.annotator.pseudonym not in said
    assert who.annotator.external_id not in said
    assert not re.search(r"\d:\d\d", said)  # nor when, which the table of people tells
    assert "4.0" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>second line" in page
    assert "<script>alert" not in page
