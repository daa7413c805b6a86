"""The way in: landing pages, names, invitations, and the tokens that they lead to."""

from decimal import Decimal

import pytest

from annotate.campaigns import life
from annotate.models import Campaign, Participation
from tests.annotate.work.pages.working import invitation, later
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


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
    assert Participation.objects.get().annotator.external_id == "Grace H"
    assert client.get(answer["Location"]).status_code == 200


@pytest.mark.parametrize(
    ("name", "status"), [("", 422), ("   ", 422), ("x" * 81, 422), ("Taken", 409)]
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
    life.close(made.pk, Campaign.Reason.HAND)
    life.finish(made.pk)
    for answer in (client.get(invitation(made)), client.post(invitation(made), {"name": "late"})):
        assert answer.status_code == 410
        assert "complete" in answer.content.decode()
    assert not Participation.objects.exists()
