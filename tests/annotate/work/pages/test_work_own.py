"""An annotator's own page, and the example that is shown before the work."""

from decimal import Decimal

import pytest
from django.urls import reverse

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Assignment, Draft, LedgerEntry, Participation
from annotate.models.base import CloseReason
from tests.annotate.passing import answer_all
from tests.annotate.work.pages.working import later, work_data, work_url
from tests.browser.answers import participant
from tests.factories import campaign, change, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def own_url(who: Participation) -> str:
    return reverse("annotate:me", args=[tokens.participation_token(who.pk)])


def example_url(made, who: str = "") -> str:
    return reverse("annotate:preview", args=[tokens.invitation_token(made.pk, who)])


def test_it_says_what_was_done_earned_and_how_it_is_paid(client):
    who = person(campaign(contact="ada@example.org"))
    judge(who)
    judge(who)
    for kind, amount in (("tutorial", "0.75"), ("compensation", "0.40")):
        LedgerEntry.objects.create(
            campaign=who.campaign,
            participation=who,
            kind=kind,
            amount=Decimal(amount),
            fee=Decimal(0),
            key=kind,
        )
    page = client.get(own_url(who)).content.decode()
    for expected in (
        "2 tasks",
        "$0.80",
        "$0.75",
        "$0.40",
        "$1.95",
        "Tutorial",
        "too late",
        who.annotator.pseudonym,
        "ada@example.org",
        work_url(who)[:10],
    ):
        assert expected in page
    assert not Assignment.objects.filter(status="leased").exists()


def test_after_the_end_there_is_no_work_to_go_back_to(client):
    who = person(campaign())
    assert "Back to work" in client.get(own_url(who)).content.decode()
    life.close(who.campaign_id, CloseReason.HAND)
    life.finish(who.campaign_id)
    page = client.get(own_url(who))
    assert page.status_code == 200
    assert "Back to work" not in page.content.decode()


@pytest.mark.parametrize("instrument", ["language_quality", "answer_correctness"])
def test_an_example_shows_the_instruments_own_and_leases_nothing(client, instrument):
    made = participant().campaign if instrument == "answer_correctness" else campaign()
    answer = client.get(example_url(made))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "This is an example." in page
    data = work_data(client, example_url(made))
    assert data["assignment"]["text"] not in {o.text for o in made.outputs.all()}
    assert data["token"] == ""
    assert data["urls"] == {}
    assert data["example"]["link"]["href"].startswith("/work/join/")
    assert "give-back" not in page
    assert not Assignment.objects.exists()
    assert not Draft.objects.exists()


def test_an_example_is_there_before_the_study_opens_and_after_it_ended(client):
    assert client.get(example_url(campaign(is_open=False))).status_code == 200
    made = campaign()
    life.close(made.pk, CloseReason.HAND)
    life.finish(made.pk)
    assert client.get(example_url(made)).status_code == 200


def test_an_example_needs_an_invitation(client):
    assert client.get("/work/preview/forged/").status_code == 404
    with later(400):
        url = example_url(campaign())
    with later(900):
        assert client.get(url).status_code == 410


def test_the_landing_page_leads_to_the_example(client):
    token = tokens.invitation_token(campaign().pk)
    page = client.get(reverse("annotate:join", args=[token])).content.decode()
    assert reverse("annotate:preview", args=[token]) in page


def test_who_failed_the_tutorial_is_not_sent_back_to_work(client):
    who = person(campaign(tutorial=True))
    assert "Back to work" in client.get(own_url(who)).content.decode()
    for _round in range(2):
        answer_all(who, wrongly=3)
    page = client.get(own_url(who)).content.decode()
    assert "Back to work" not in page
    assert ">Back<" in page


@pytest.mark.parametrize("limit", [{"annotator_cap": 1}, {"status": "paused"}])
def test_who_can_get_no_task_is_not_sent_back_to_work(client, limit):
    who = person(campaign())
    judge(who)
    assert "Back to work" in client.get(own_url(who)).content.decode()
    change(who.campaign, **limit)
    assert "Back to work" not in client.get(own_url(who)).content.decode()
