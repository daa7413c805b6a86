"""Own texts of a study: who does not accept its consent text gets no task."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import resolve, reverse

from annotate.campaigns import exports, plans
from annotate.common import tokens
from annotate.common.errors import Invalid
from annotate.models import Assignment, Campaign, CampaignTexts, Participation
from annotate.studies.queries import StudyTexts
from tests.factories import campaign, change, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

TEXTS = StudyTexts(
    "You may stop at any time.\n\nWe keep <b>no</b> names.", "ERB 2026/17", "Judge as an editor."
)


def asked(**changes):
    return campaign(texts=TEXTS, tutorial=False, **changes)


def at(who: Participation, name: str = "work") -> str:
    return reverse(f"annotate:{name}", args=[tokens.participation_token(who.pk)])


def test_the_text_comes_before_the_first_task(client):
    who = person(asked())
    page = client.get(at(who)).content.decode()
    assert "You may stop at any time." in page
    assert "&lt;b&gt;no&lt;/b&gt;" in page
    assert "ERB 2026/17" in page
    assert not Assignment.objects.exists()


def test_who_accepts_gets_a_task_and_is_not_asked_again(client):
    who = person(asked())
    response = client.post(at(who, "consent"), {"accept": "yes"})
    assert response.status_code == 303
    found = resolve(response["Location"])  # a token carries the second in which it was made
    assert found.view_name == "annotate:work"
    assert tokens.read_participation(found.kwargs["token"])[0] == who.pk
    first = Participation.objects.get(pk=who.pk).consented_at
    assert first is not None
    assert "data-part" in client.get(at(who)).content.decode()
    assert Assignment.objects.count() == 1
    client.post(at(who, "consent"), {"accept": "yes"})
    assert Participation.objects.get(pk=who.pk).consented_at == first


@pytest.mark.parametrize("sent", [{}, {"accept": "no"}, {"accept": ""}, {"accept": "YES"}])
def test_nothing_else_is_consent(client, sent):
    who = person(asked())
    response = client.post(at(who, "consent"), sent)
    assert response.status_code == 400
    assert "Tick the box" in response.content.decode()
    assert Participation.objects.get(pk=who.pk).consented_at is None


def test_a_study_without_consent_asks_nothing(client):
    who = person(campaign(tutorial=False))
    assert "data-part" in client.get(at(who)).content.decode()
    client.post(at(who, "consent"), {"accept": "yes"})
    assert Participation.objects.get(pk=who.pk).consented_at is None
    assert not CampaignTexts.objects.exists()


def test_no_other_address_gives_a_task_without_it(client):
    """Who knows the addresses of the page's script gets no further than the page does."""
    who = person(asked())
    bearer = {"Authorization": f"Bearer {tokens.participation_token(who.pk)}"}
    asking = reverse("annotate:work-ahead", args=[1])
    answer = client.post(asking, {}, content_type="application/json", headers=bearer)
    assert answer.status_code == 200
    assert answer.json()["coming"] is None
    assert not Assignment.objects.exists()


def test_the_tutorial_comes_after_it(client):
    who = person(campaign(texts=TEXTS, tutorial=True))
    assert "You may stop" in client.get(at(who)).content.decode()
    client.post(at(who, "consent"), {"accept": "yes"})
    assert "Worked example" in client.get(at(who)).content.decode()


def test_instructions_are_read_before_joining_and_beside_the_work(client):
    study = asked()
    link = reverse("annotate:join", args=[tokens.invitation_token(study.pk)])
    assert "Judge as an editor." in client.get(link).content.decode()
    who = person(study)
    assert "Judge as an editor." in client.get(at(who, "beside")).content.decode()


def test_the_report_and_the_export_tell_them(client):
    owner = user()
    study = asked(owner=owner)
    client.force_login(owner)
    page = client.get(reverse("estimation:report", args=[study.public_id])).content.decode()
    assert "ERB 2026/17." in page
    assert "You may stop at any time." in page
    assert "Judge as an editor." in page
    assert "everybody accepted a consent text" in page
    assert exports.protocol(study)["texts"] == {
        "consent": TEXTS.consent,
        "ethics": TEXTS.ethics,
        "instructions": TEXTS.instructions,
        "background": "",
    }


def test_a_copied_plan_has_them():
    assert plans.plan_of(asked()).texts == TEXTS


@pytest.mark.parametrize(
    ("texts", "field"),
    [
        (StudyTexts(consent="x" * 10_001), "texts.consent"),
        (StudyTexts(ethics="x" * 301), "texts.ethics"),
        (StudyTexts(instructions="a\0b"), "texts.instructions"),
    ],
)
def test_other_texts_are_refused(texts, field):
    with pytest.raises(Invalid) as refused:
        campaign(texts=texts)
    assert list(refused.value.errors) == [field]


def test_texts_of_spaces_are_none():
    campaign(texts=StudyTexts(consent=" \n\u200b"))
    assert not CampaignTexts.objects.exists()


def test_by_command_from_a_file(tmp_path: Path):
    owner = user()
    consent, outputs = tmp_path / "consent.txt", tmp_path / "outputs.jsonl"
    consent.write_text("You may stop.", encoding="utf-8")
    outputs.write_text(json.dumps({"item": "a", "system": "s", "output": "x"}), encoding="utf-8")
    call_command(
        "create_campaign",
        str(outputs),
        "--name=News",
        "--target=overall=0.2",
        f"--owner={owner.username}",
        f"--consent=@{consent}",
        "--ethics=None needed: no personal data.",
        stdout=io.StringIO(),
    )
    found = CampaignTexts.objects.get()
    assert (found.consent, found.ethics) == ("You may stop.", "None needed: no personal data.")


def test_a_closed_study_has_nothing_to_consent_to(client):
    study = asked()
    who = person(study)
    change(study, status=Campaign.Status.CLOSED)
    page = client.get(at(who)).content.decode()
    assert "You may stop" not in page


@pytest.mark.parametrize("sent", [{}, {"texts": {}}, {"texts": {"ethics": "ERB 2026/17"}}])
def test_by_the_api(client, sent):
    client.force_login(user())
    row = {"item": "a", "system": "s", "output": "x"}
    given = {"name": "News", "targets": {"overall": 0.2}, "outputs": [row], **sent}
    response = client.post("/api/v1/campaigns/", given, content_type="application/json")
    assert response.status_code < 300, response.content
    assert [one.ethics for one in CampaignTexts.objects.all()] == (
        ["ERB 2026/17"] if sent.get("texts") else []
    )


@pytest.mark.parametrize(
    "texts",
    [{"agreement": "x"}, {"consent": []}, {"consent": "a\0b"}, {"consent": "\ud800"}, "x", 3],
)
def test_other_texts_are_refused_by_the_api(client, texts):
    client.force_login(user())
    row = {"item": "a", "system": "s", "output": "x"}
    given = {"name": "News", "targets": {"overall": 0.2}, "outputs": [row], "texts": texts}
    response = client.post("/api/v1/campaigns/", given, content_type="application/json")
    assert response.status_code in (400, 422), response.content
