"""A new batch: shown before it is launched, launched once, and never under other terms."""

from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotate.crowds.contract import ListingProblem, from_json
from annotate.models import Batch, Campaign, Operation
from tests.crowds.researcher import at, fields, hidden, offered, said
from tests.crowds.scripted import Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


# ---------------------------------------------------------------- a new batch


def test_the_first_press_shows_and_publishes_nothing(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    _sent, answer = offered(ada, mine)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Launch in the sandbox for $12.00" in page  # 4 × 5 × 0.50, and a fifth
    assert "$1,000.00" in page  # on the account
    assert not Batch.objects.exists()
    assert not scripted.calls


def test_the_second_press_launches_once(ada: Client, mine: Campaign) -> None:
    sent, _answer = offered(ada, mine, countries="us, GB", keywords="a, b", lifetime="1.5")
    for _ in range(2):
        answer = ada.post(at(mine, "batch-new"), sent, follow=True)
    batch = Batch.objects.get()
    assert "Nothing was launched twice" in said(answer)[0]
    terms = from_json(batch.terms)
    assert (batch.places, batch.tasks, batch.reward) == (4, 5, Decimal("2.50"))
    assert terms.audience.countries == ("US", "GB")
    assert (terms.keywords, terms.lifetime.total_seconds()) == (("a", "b"), 1.5 * 86_400)
    assert batch.created_by == User.objects.get()


def test_other_terms_are_shown_before_they_are_launched(ada: Client, mine: Campaign) -> None:
    sent, _answer = offered(ada, mine)
    answer = ada.post(at(mine, "batch-new"), {**sent, "places": 5})
    assert "changed since the offer" in answer.context["changed"]
    assert "for $15.00" in answer.content.decode()
    assert not Batch.objects.exists()
    again = {**sent, "places": 5, "shown": hidden(answer, "shown")}
    ada.post(at(mine, "batch-new"), again)
    ada.post(at(mine, "batch-new"), sent)  # back to the first: another batch, as was asked
    assert sorted(Batch.objects.values_list("places", flat=True)) == [4, 5]


def test_a_price_that_changed_is_shown_anew(
    ada: Client, mine: Campaign, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, _answer = offered(ada, mine)
    Campaign.objects.update(fee_rate=Decimal("0.4"))
    answer = ada.post(at(mine, "batch-new"), sent)
    assert answer.status_code == 409
    assert "$14.00 now, not $12.00" in answer.content.decode()
    assert "Launch in the sandbox for $14.00" in answer.content.decode()
    assert not Batch.objects.exists()


@pytest.mark.parametrize("forged", ["", "abc", "abc:def:ghi"])
def test_what_was_not_shown_is_not_launched(ada: Client, mine: Campaign, forged: str) -> None:
    answer = ada.post(at(mine, "batch-new"), fields(ada, mine, act="launch", shown=forged))
    assert "Launch in the sandbox" in answer.content.decode()
    assert not Batch.objects.exists()


def test_real_money_takes_a_tick_more(ada: Client, mine: Campaign, scripted: Scripted) -> None:
    scripted.environment = "production"
    sent, answer = offered(ada, mine)
    assert "Launch on production for $12.00" in answer.content.decode()
    refused = ada.post(at(mine, "batch-new"), sent)
    assert refused.status_code == 422
    assert "Tick this" in refused.content.decode()
    assert not Batch.objects.exists()
    ada.post(at(mine, "batch-new"), {**sent, "sure": "on"})
    assert Batch.objects.get().environment == "production"


def test_a_world_that_changed_meanwhile_is_shown_first(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    sent, _answer = offered(ada, mine)
    scripted.environment = "production"
    answer = ada.post(at(mine, "batch-new"), {**sent, "sure": "on"})
    assert "Launch on production" in answer.content.decode()
    assert not Batch.objects.exists()


def test_problems_stand_beside_their_fields_and_above(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.problems = [
        ListingProblem("description", "Too plain."),
        ListingProblem("audience", "Nobody lives there."),
        ListingProblem("url", "Pages need https://."),
    ]
    scripted.funds = Decimal(1)
    _sent, answer = offered(ada, mine)
    form = answer.context["form"]
    assert answer.status_code == 422
    assert form.errors["description"] == ["Too plain."]
    assert form.errors["countries"] == ["Nobody lives there."]
    above = " ".join(form.non_field_errors())
    assert "https://" in above
    assert "Top it up" in above
    assert 'name="act" value="launch"' not in answer.content.decode()


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("title", " "),
        ("title", "x" * 129),
        ("places", "0"),
        ("tasks", "x"),
        ("countries", "Germany"),
        ("approval_rate", "101"),
        ("auto_approval", "31"),
        ("minutes", ""),
    ],
)
def test_what_cannot_be_is_told_before_the_crowd_is_asked(
    ada: Client, mine: Campaign, field: str, wrong: str
) -> None:
    _sent, answer = offered(ada, mine, **{field: wrong})
    assert answer.status_code == 422
    assert set(answer.context["form"].errors) == {field}


# ---------------------------------------------------------------- the preview


def test_only_our_own_page_frames_the_preview(ada: Client, mine: Campaign) -> None:
    _sent, answer = offered(ada, mine)
    assert "frame-src 'self'" in answer["Content-Security-Policy"]
    assert "frame-src" not in ada.get(at(mine))["Content-Security-Policy"]
    shown = Client().get(answer.context["preview"])
    assert shown.status_code == 200
    assert "frame-ancestors 'self'" in shown["Content-Security-Policy"]
    assert "X-Frame-Options" not in shown
    assert b"This is an example" in shown.content
    assert b"This work holds 5 tasks and pays $2.50." in shown.content
    assert not Operation.objects.exists()


def test_prolific_is_asked_in_its_own_words(ada: Client, scripted: Scripted) -> None:
    scripted.key, scripted.environment = "prolific", "live"
    made = campaign(owner=User.objects.get(), crowd="prolific", reward=Decimal("0.50"))
    form = ada.get(at(made, "batch-new")).context["form"]
    assert {"languages", "lifetime"} <= set(form.fields)
    assert not {"keywords", "auto_approval"} & set(form.fields)
    sent, answer = offered(ada, made, languages="EN, de")
    assert "Launch on Prolific for $14.00" in answer.content.decode()
    assert "Prolific, live: real people, real money" in answer.content.decode()
    ada.post(at(made, "batch-new"), {**sent, "sure": "on"})
    assert from_json(Batch.objects.get().terms).audience.languages == ("en", "de")
