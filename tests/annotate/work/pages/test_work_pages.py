"""The annotator's page, as a browser meets it."""

import pytest
from django.urls import reverse

from annotate.campaigns import life
from annotate.campaigns.problems import Row
from annotate.common import tokens
from annotate.models import Assignment, Campaign, Participation
from tests.annotate.work.pages.working import invitation, work_data, work_url
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign())


def test_the_page_carries_the_work_for_its_script(client, who):
    data = work_data(client, work_url(who))
    assignment = Assignment.objects.get()
    assert set(data) == {"token", "release", "told", "assignment", "urls", "finished"}
    assert data["assignment"]["id"] == assignment.pk
    assert data["assignment"]["text"] == assignment.output.text
    assert data["assignment"]["draft"] == {"revision": 0, "data": {}}
    assert [c["name"] for c in data["assignment"]["task"]["criteria"]] == [
        "fluency",
        "redundancy",
        "overall",
    ]
    assert set(data["assignment"]["task"]["criteria"][0]["levels"][0]) == {
        "value",
        "label",
        "cue",
        "requires",
    }
    assert set(data["urls"]) == {"page", "heartbeat", "draft", "ahead", "submit", "return"}
    assert data["finished"] is None


def test_html_in_a_text_is_text(client):
    rows = [
        Row(
            item="i",
            system="s",
            output="<b>Bold</b></script><script>alert(1)</script>",
            reference="r",
            metrics={"quality": 1.0},
        )
    ]
    page = client.get(work_url(person(campaign(rows_=rows)))).content.decode()
    assert "<script>alert" not in page
    assert "<b>Bold" not in page
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page


def test_the_text_carries_its_language(client):
    page = client.get(work_url(person(campaign(language="de")))).content.decode()
    assert '<p class="read as-is" translate="no" lang="de" dir="auto">' in page


def test_todays_count_and_earnings(client, who):
    judge(who)
    page = client.get(work_url(who)).content.decode()
    assert "1 task" in page
    assert "$0.40" in page


def test_headers_of_pages(client, who):
    example = reverse("annotate:preview", args=[tokens.invitation_token(who.campaign_id)])
    own = f"{work_url(who)}me/"
    for url in (work_url(who), own, invitation(who.campaign), example, "/work/p/forged/"):
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


def test_forged_pages_are_explained(client, who):
    for path in (work_url(who)[:-4] + "xxx/", "/work/p/forged/me/"):
        assert client.get(path).status_code == 404


def finish_all(made: Campaign) -> None:
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)


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
    life.pause(paused.campaign_id)
    finished = work_data(client, work_url(paused))["finished"]
    assert (finished["reason"], finished["final"]) == ("paused", False)
    assert "15 seconds" in client.get(work_url(paused)).content.decode()
    capped = person(campaign(annotator_cap=1))
    judge(capped)
    assert work_data(client, work_url(capped))["finished"]["reason"] == "cap"


def test_what_opens_beside_the_work_is_a_page_of_its_own(client, who):
    task = client.get(work_url(who)).content.decode()
    beside = client.get(f"{work_url(who)}help/")
    assert "<dialog" not in task
    for part in ("instructions", "keys", "give-back"):
        assert f'<dialog id="{part}"' in beside.content.decode()
    assert beside["Access-Control-Allow-Origin"] == "*"
    assert client.get(work_url(who).replace(":", "x") + "help/").status_code == 404
