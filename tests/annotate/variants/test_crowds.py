"""A crowd that is registered with one line can be chosen, launched on, entered and paid."""

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.management import load_command_class
from django.test import Client
from django.urls import reverse

from annotate.common import tokens
from annotate.crowds import outbox
from annotate.crowds.adapters import CROWDS
from annotate.models import Campaign, Participation, Posting
from tests.annotate.researcher import created, owner_of, step_page
from tests.annotate.variants.bazaar import BAZAAR
from tests.crowds.researcher import at, offered
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAGES = ("annotate:people", "annotate:batches", "annotate:batches-now", "annotate:batch-new")


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setitem(CROWDS, BAZAAR.key, BAZAAR)
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    settings.BAZAAR_PASSWORD = "sesame"


@pytest.fixture
def mine(ada: Client) -> Campaign:
    return campaign(owner=owner_of(ada), crowd="bazaar", reward=Decimal("0.50"), items=32)


def launched(ada: Client, mine: Campaign) -> Posting:
    sent, _answer = offered(ada, mine)
    answer = ada.post(at(mine, "batch-new"), {**sent, "sure": "on"}, follow=True)
    assert answer.status_code == 200
    outbox.carry_out_due()
    return Posting.objects.exclude(external_id="").get()


def come(client: Client, posting: Posting) -> Client:
    path = reverse("annotate:entry", args=["bazaar", tokens.posting_token(posting.public_id)])
    said = {"stall": "S1", "buyer": "Ali", "lane": posting.external_id}
    preview = client.get(path)
    assert preview.status_code == 200
    assert "The Bazaar" in preview.content.decode()
    entered = client.get(f"{path}?{urlencode(said)}", follow=True)
    assert entered.status_code == 200
    return client


@pytest.mark.slow
def test_it_is_offered_in_the_form_and_a_campaign_can_have_it(ada: Client) -> None:
    form = step_page(ada, "people")
    assert "The Bazaar: people who haggle; published and paid there" in form
    assert "The Bazaar 7\u00a0%" in form  # its usual fee
    made = created(ada, crowd="bazaar")
    assert (made.crowd, made.fee_rate) == ("bazaar", Decimal("0.07"))


def test_the_api_and_the_commands_take_it(ada: Client, mine: Campaign) -> None:
    plan = {"name": "News", "crowd": "bazaar", "targets": {"overall": 0.2}}
    row = {"item": "a", "system": "s", "output": "A text."}
    sent = ada.post(
        "/api/v1/campaigns/", plan | {"outputs": [row]}, content_type="application/json"
    )
    assert sent.status_code == 201, sent.content
    for name in ("create_campaign", "plan"):
        app = "estimation" if name == "plan" else "annotate"
        assert "bazaar" in load_command_class(app, name).create_parser("", name).format_help()
    shown = ada.get(f"/api/v1/campaigns/{mine.public_id}/")
    assert (shown.status_code, shown.json()["crowd"]) == (200, "bazaar")


@pytest.mark.slow
def test_every_page_about_batches_shows_it(ada: Client, mine: Campaign) -> None:
    form = ada.get(at(mine, "batch-new")).content.decode()
    assert "Keywords" not in form  # it has no word for them
    assert "Countries" in form
    _sent, answer = offered(ada, mine)
    assert "Launch on The Bazaar" in answer.content.decode()
    assert "$10.72" in answer.content.decode()  # 4 × 5 × 0.50, and 7 %
    launched(ada, mine)
    for name in PAGES:
        page = ada.get(reverse(name, args=[mine.public_id]))
        assert page.status_code in (200, 286), name
        assert "The Bazaar" in page.content.decode() or name.endswith("now"), name
    assert ada.get(reverse("annotate:campaigns")).status_code == 200
    for name in ("estimation:dashboard", "estimation:numbers"):
        assert ada.get(reverse(name, args=[mine.public_id])).status_code == 200


@pytest.mark.slow
def test_people_preview_and_enter_from_it(ada: Client, client: Client, mine: Campaign) -> None:
    come(Client(), launched(ada, mine))
    came = Participation.objects.get()
    assert (came.annotator.crowd, came.annotator.external_id) == ("bazaar", "Ali")
    assert ada.get(reverse("annotate:pay", args=[mine.public_id])).status_code == 200
