"""What a crowd says that it charges, beside what the campaign calculates with."""

from decimal import Decimal
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import amendments
from annotate.common.errors import Conflict, Invalid
from annotate.crowds import adapters, batches, prices
from annotate.crowds.prices import Price
from annotate.models import AuditEntry, Campaign
from annotate.pay import budget
from tests.crowds.batches.launching import TERMS, launched, problems
from tests.crowds.researcher import at, fields
from tests.crowds.scripted import Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def charging(scripted: Scripted, share: str) -> None:
    """Let the crowd charge this share of all there is, as Prolific's calculator says it."""

    def cost(reward: Decimal, places: int) -> Price:
        rewards = reward * places
        return Price(rewards, (rewards * Decimal(share)).quantize(Decimal("0.01")))

    scripted.key = "prolific"
    scripted.estimate_cost = cost  # type: ignore[method-assign]
    scripted.bonus_cost = lambda amount: cost(amount, 1)  # type: ignore[method-assign]


@pytest.fixture
def study(ada: Client, scripted: Scripted) -> Campaign:
    return campaign(
        owner=User.objects.get(),
        crowd="prolific",
        reward=Decimal("0.45"),
        items=32,
        budget=Decimal(200),
    )


def test_a_crowd_that_charges_more_is_not_launched_on(study: Campaign, scripted: Scripted):
    charging(scripted, "0.4286")
    said = problems(study, places=4)["fee"]
    assert "Scripted" not in said
    assert said == (
        "Prolific says that this costs $5.14. With this campaign’s fee of 40 % it would be $5.04: "
        "the budget would not hold. Let the campaign calculate with 42.86 %."
    )
    with pytest.raises(Invalid, match="the budget would not hold"):
        launched(study, places=4)


def test_a_crowd_that_charges_less_is_said(study: Campaign, scripted: Scripted):
    charging(scripted, "0.3333333333")
    found = batches.offer(study.pk, TERMS, places=4)
    assert (found.problems, found.total) == ([], Decimal("5.04"))
    assert "Prolific says that it charges $4.80 in all." in found.note
    assert found.fee_told == Decimal("0.3333")
    amendments.change_fee(study.pk, found.fee_told, actor_id=None)
    again = batches.offer(study.pk, TERMS, places=4)
    assert (again.total, again.note, again.fee_told) == (Decimal("4.80"), "", None)


def test_a_crowd_that_does_not_say_is_said(study: Campaign, scripted: Scripted):
    scripted.estimate_cost = lambda reward, places: None  # type: ignore[method-assign]
    found = batches.offer(study.pk, TERMS, places=4)
    assert (found.problems, found.fee_told) == ([], None)
    assert "Prolific did not say what it charges" in found.note


@given(
    reward=st.integers(1, 2000),
    places=st.integers(1, 500),
    bonus=st.integers(0, 200),
    share=st.sampled_from(["0.3333333333", "0.4", "0.4286", "0.5136", "0.25", "0"]),
    used=st.sampled_from(["0.2", "0.4", "0.6"]),
)
def test_the_fee_that_is_told_covers_what_is_charged(
    reward: int, places: int, bonus: int, share: str, used: str
) -> None:
    each, extra = Decimal(reward) / 100, Decimal(bonus) / 100

    def bill(of: Decimal) -> prices.Bill:
        return prices.of_units(
            adapters.tariffs_of("prolific", of), reward=each, units=places, tasks=1, bonus=extra
        )

    paid = (each + extra) * places
    said = Price(paid, (paid * Decimal(share)).quantize(Decimal("0.01")))
    sample = Price(Decimal(1000), (1000 * Decimal(share)).quantize(Decimal("0.01")))
    told = batches.share_told(said.total, sample, bill(Decimal(used)), crowd="prolific")
    assert told is not None
    assert bill(told).total >= said.total
    assert bill(told).total - said.total <= 2 * places * Decimal("0.02")
    assert abs(told - Decimal(share)) <= Decimal("0.0001")


# ---------------------------------------------------------------- another fee from now on


@pytest.mark.slow
def test_the_page_offers_to_reckon_with_what_is_charged(
    ada: Client, study: Campaign, scripted: Scripted
) -> None:
    charging(scripted, "0.4286")
    answer = ada.post(at(study, "batch-new"), fields(ada, study, act="offer", places=4))
    assert answer.status_code == 422
    assert "Calculate with 42.86 % from now on" in answer.content.decode()
    answer = ada.post(at(study, "batch-new"), fields(ada, study, act="fee", places=4))
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "The campaign calculates with a fee of 42.86 % from now on." in text
    assert "Launch" in text
    assert "Calculate with" not in text
    study.refresh_from_db()
    assert study.fee_rate == Decimal("0.4286")
    log = AuditEntry.objects.get(verb="fee")
    assert (log.detail["was"], log.detail["now"]) == ("40 %", "42.86 %")
    board = ada.get(f"/campaigns/{study.public_id}/").content.decode()
    assert "changed its fee from 40 % to 42.86 %" in board


@pytest.mark.slow
def test_the_api_and_the_command_change_it_too(study: Campaign, scripted: Scripted) -> None:
    charging(scripted, "0.5")
    api = APIClient()
    api.force_authenticate(User.objects.get())
    terms = {"title": "Rate", "description": "Read.", "tasks": 2, "minutes": "5", "places": 4}
    base = f"/api/v1/campaigns/{study.public_id}/"
    offer = api.post(f"{base}batches/offer/", terms, format="json").json()
    assert (offer["fee_rate"], offer["fee_told"]) == ("0.4000", "0.5000")
    assert [one["field"] for one in offer["problems"]] == ["fee"]
    answer = api.post(f"{base}fee/", {"fee_rate": offer["fee_told"]}, format="json")
    assert answer.status_code == 200, answer.json()
    offer = api.post(f"{base}batches/offer/", terms, format="json").json()
    assert (offer["problems"], offer["fee_told"]) == ([], None)
    assert api.post(f"{base}fee/", {"fee_rate": "10"}, format="json").status_code == 422
    launch = ("launch", study.public_id, "--title", "T", "--description", "D", "--places", "4")
    out = StringIO()
    call_command(*launch, "--fee-rate", "0.6", stdout=out)
    study.refresh_from_db()
    assert study.fee_rate == Decimal("0.6")
    with pytest.raises(CommandError, match="four decimals"):
        call_command(*launch, "--fee-rate", "0.12345", stdout=out)


@pytest.mark.slow
def test_a_higher_fee_asks_before_what_is_promised_exceeds_the_budget(
    study: Campaign, scripted: Scripted
) -> None:
    Campaign.objects.update(budget=Decimal("5.04"))
    scripted.key = "prolific"
    charging(scripted, "0.4")
    launched(study, places=4)
    study.refresh_from_db()
    assert budget.left(study) == 0
    with pytest.raises(Conflict, match=r"exceed its budget of \$5.04 by \$0.36"):
        amendments.change_fee(study.pk, Decimal("0.5"), actor_id=None)
    study.refresh_from_db()
    assert study.fee_rate == Decimal("0.4")
    assert amendments.change_fee(study.pk, Decimal("0.5"), actor_id=None, beyond_budget=True)
    assert not amendments.change_fee(study.pk, Decimal("0.5"), actor_id=None)
    assert AuditEntry.objects.get(verb="fee").detail["beyond_budget"] == "0.36"
