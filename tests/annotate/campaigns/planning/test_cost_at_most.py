"""What a campaign costs at most: in its parts, and the same number wherever it is told."""

import json
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from annotate.campaigns import imports, life
from annotate.crowds import adapters, batches, outbox, prices
from annotate.crowds.contract import Terms
from annotate.crowds.prices import Bill
from annotate.models import Campaign
from annotate.pay import budget
from tests.annotate.researcher import lines, looked_at, press
from tests.crowds.scripted import Scripted

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
LINES = lines(12)


def parts(bill: Bill) -> tuple[Decimal, Decimal, Decimal]:
    return bill.rewards, bill.bonuses.reward, bill.fees


# ---------------------------------------------------------------- tariffs


@pytest.mark.parametrize(
    ("crowd", "amount", "fee"),
    [
        ("mturk", "0.01", "0.01"),
        ("mturk", "0.08", "0.02"),
        ("mturk", "1.00", "0.20"),
        ("prolific", "1.01", "0.41"),
        ("link", "1.00", "0.00"),
    ],
)
def test_what_a_crowd_usually_charges(crowd: str, amount: str, fee: str):
    charges = adapters.tariffs_of(crowd)
    assert charges.unit(Decimal(amount)).fee == charges.bonus(Decimal(amount)).fee == Decimal(fee)


def test_by_link_each_task_is_a_payment_and_no_share_is_no_fee():
    by_link = adapters.tariffs_of("link", Decimal("0.2"))
    assert by_link.part(Decimal("0.37"), after=Decimal("0.37")).fee == Decimal("0.07")
    assert adapters.tariffs_of("mturk", Decimal(0)).unit(Decimal("0.02")).fee == 0


@settings(max_examples=200)
@given(
    reward=st.integers(1, 30),
    judgments=st.integers(0, 300),
    tasks=st.integers(1, 9),
    bonus=st.integers(0, 100),
)
def test_a_bill_is_what_its_units_are_charged(
    reward: int, judgments: int, tasks: int, bonus: int
) -> None:
    charges = adapters.tariffs_of("mturk")
    each, extra = Decimal(reward) / 100, Decimal(bonus) / 100
    bill = prices.of_judgments(charges, reward=each, judgments=judgments, tasks=tasks, bonus=extra)
    assert bill.units == -(-judgments // tasks)
    unit = charges.unit(each * tasks).total + charges.bonus(extra).total
    assert bill.total == sum(parts(bill)) == bill.units * unit


# ---------------------------------------------------------------- the same number everywhere


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    crowd = Scripted()
    monkeypatch.setattr(adapters, "marketplace", lambda _crowd: crowd)
    monkeypatch.setattr(outbox, "permit", lambda *_crowd, wait=0.0: True)
    return crowd


@pytest.mark.slow
@pytest.mark.parametrize(
    "terms",
    [
        {"crowd": "link", "reward": "0.40"},
        {"crowd": "mturk", "reward": "0.02"},
        {"crowd": "mturk", "reward": "0.37", "tutorial_bonus": "0"},
        {"crowd": "mturk", "reward": "0.40", "max_judgments": "7"},
        {"crowd": "mturk", "reward": "0.40", "tutorial": "none"},
        {"crowd": "prolific", "reward": "0.55", "fee": "43.34"},
        {"crowd": "mturk", "reward": "0.40", "budget": "3"},
    ],
    ids=str,
)
def test_preview_draft_dashboard_api_and_offer_say_the_same(
    ada: Client, there: Scripted, terms: dict[str, str]
) -> None:
    there.key = terms["crowd"]
    first = looked_at(ada, LINES, **terms)
    most = first.context["preview"].most
    told = f"${most.amount:,.2f}"
    assert told in first.content.decode()
    assert ("tutorial bonuses" in first.content.decode()) == bool(most.bill.bonuses.reward)

    press(ada, first)
    imports.run_due()
    made = Campaign.objects.get()
    assert made.slots.count() == first.context["preview"].planned
    page = ada.get(reverse("estimation:dashboard", args=[made.public_id]))
    text = " ".join(page.content.decode().split())
    assert f"collected for at most {told}" in text
    assert f"at most {told}. " in text
    assert page.context["board"].most == most == budget.highest_cost(made)
    api = APIClient()
    api.force_authenticate(User.objects.get())
    data = api.get(f"/api/v1/campaigns/{made.public_id}/").json()["cost_at_most"]
    assert data == {
        "amount": f"{most.amount:.2f}",
        "rewards": f"{most.bill.rewards:.2f}",
        "bonuses": f"{most.bill.bonuses.reward:.2f}",
        "fees": f"{most.bill.fees:.2f}",
    }
    assert api.get("/api/v1/campaigns/").json()["results"][0]["cost_at_most"] == data
    if adapters.publishes(made.crowd) and "budget" not in terms:
        the_offer_says_the_same(made, most.bill, limit=terms.get("max_judgments"))


def the_offer_says_the_same(made: Campaign, bill: Bill, *, limit: str | None) -> None:
    life.open_(made.pk)
    tasks = batches.usual_tasks(made.pk)
    places = batches.suggested_places(made.pk, tasks)
    if limit:  # units are whole: two of five hold seven judgments
        places = min(places, -(-int(limit) // tasks))
    offer = batches.offer(made.pk, Terms("Rate news", "Read.", tasks=tasks), places=places)
    assert (parts(offer.bill), offer.total) == (parts(bill), bill.total)
    out = StringIO()
    asked = ("--title", "T", "--description", "D", "--places", str(places))
    call_command("launch", made.public_id, *asked, stdout=out)
    assert f"at most        ${bill.total}" in out.getvalue()
    assert f"rewards        ${bill.rewards}" in out.getvalue()


def test_the_command_line_says_it_too(tmp_path: Path) -> None:
    file, out = tmp_path / "o.jsonl", StringIO()
    file.write_bytes(LINES)
    args: list[Any] = [file, "--name", "News", "--target", "overall=0.2", "--crowd", "mturk"]
    call_command("create_campaign", *args, "--json", stdout=out)
    told = json.loads(out.getvalue())["cost_at_most"]
    most = budget.highest_cost(Campaign.objects.get())
    assert Decimal(told["amount"]) == most.amount > most.bill.rewards
    out = StringIO()
    call_command("create_campaign", *args, stdout=out)
    assert "at most $" in out.getvalue()
    assert "tutorial bonuses $" in out.getvalue()
