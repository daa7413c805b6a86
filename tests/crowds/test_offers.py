"""What is shown before anything is spent, and what stands against it."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate import adapters
from annotate.crowds.base import Configuration, Problem, Throttled
from annotate.crowds.terms import Terms
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.services import batches, offers
from tests.crowds.launching import TERMS, came, launched, problems
from tests.crowds.scripted import Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind, OpStatus, Stage = Operation.Kind, Operation.Status, Posting.Status


def test_an_offer_says_what_it_costs_and_writes_nothing(made: Campaign):
    found = batches.offer(made.pk, TERMS, places=20)
    assert not found.problems
    assert (found.environment, found.reward, found.judgments) == ("sandbox", Decimal("1.00"), 40)
    assert (found.cost.rewards, found.cost.fees, found.total) == (20, 4, 24)
    assert (found.sizes, found.postings) == ((7, 7, 6), 3)
    assert (found.balance, found.fits_budget) == (Decimal("1000.00"), True)
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("places", "most", "expected"),
    [(1, 9, (1,)), (9, 9, (9,)), (10, 9, (5, 5)), (100, 9, (9, 9, 9, 9) + (8,) * 8),
     (100, None, (100,)), (0, 9, ())],
)  # fmt: skip
def test_places_are_divided_evenly(places: int, most: int | None, expected: tuple[int, ...]):
    assert offers.sizes(places, most) == expected


@pytest.mark.parametrize(
    ("terms", "places", "field"),
    [
        (TERMS, 0, "places"),
        (TERMS, -1, "places"),
        (TERMS, 10_001, "places"),
        (replace(TERMS, tasks=0), 5, "tasks"),
        (replace(TERMS, tasks=26), 5, "tasks"),
        (replace(TERMS, approve_after=timedelta(days=9)), 5, "approve_after"),
    ],
)
def test_terms_that_cannot_be_are_told(
    made: Campaign, scripted: Scripted, terms: Terms, places: int, field: str
):
    scripted.can = Scripted(auto_approval=True).can
    assert list(problems(made, terms, places)) == [field]


def test_what_the_crowd_would_refuse_is_told(made: Campaign, scripted: Scripted):
    scripted.problems = [Problem("title", "Shorten it."), Problem("url", "Use https.")]
    assert problems(made) == {"title": "Shorten it.", "url": "Use https."}


def test_too_little_money_is_told(made: Campaign, scripted: Scripted):
    scripted.funds = Decimal("23.99")
    assert "holds $23.99" in problems(made)["balance"]
    scripted.funds = Decimal("24.00")
    assert not problems(made)
    scripted.funds = None  # it does not tell
    assert not problems(made)


def test_missing_credentials_are_told(made: Campaign, monkeypatch):
    def missing(_crowd: str) -> None:
        raise Configuration("Set AWS_ACCESS_KEY_ID.")

    monkeypatch.setattr(adapters, "marketplace", missing)
    assert problems(made)["credentials"] == "Set AWS_ACCESS_KEY_ID."


def test_wrong_credentials_are_told_when_it_is_asked(made: Campaign, scripted: Scripted):
    def wrong() -> None:
        raise Configuration("The key is not valid.")

    scripted.balance = wrong  # type: ignore[assignment]
    assert problems(made)["credentials"] == "The key is not valid."


def test_a_crowd_that_does_not_answer_is_told(made: Campaign, scripted: Scripted):
    def busy() -> None:
        raise Throttled("Too many calls; try again in a minute.")

    scripted.balance = busy  # type: ignore[assignment]
    assert "try again" in problems(made)["launch"]


def test_a_reward_of_nothing_is_told(scripted: Scripted):
    assert "reward" in problems(campaign(crowd="mturk", reward=Decimal(0)))


def test_a_reward_with_three_decimals_is_told(made: Campaign):
    made.reward = Decimal("0.405")
    found = offers.make(made, replace(TERMS, tasks=1), places=5, reward=made.reward)
    assert "whole cents" in offers.by_field(found.problems)["reward"]


def test_a_link_campaign_publishes_nothing(scripted: Scripted):
    assert list(problems(campaign())) == ["crowd"]


def test_a_campaign_that_is_not_open_is_told(scripted: Scripted):
    assert "draft" in problems(campaign(crowd="mturk", is_open=False))["campaign"]


def test_batches_of_one_campaign_keep_to_one_environment(made: Campaign, scripted: Scripted):
    launched(made)
    scripted.environment = "production"
    message = problems(made)["environment"]
    assert "sandbox" in message
    assert "production" in message


def test_a_budget_that_does_not_pay_is_told(scripted: Scripted):
    made = campaign(
        crowd="mturk", reward=Decimal("0.50"), fee_rate=Decimal("0.2"), budget=Decimal("30.00")
    )
    assert not problems(made)
    launched(made)  # $24 may become due
    found = batches.offer(made.pk, TERMS, places=6)  # 7.20
    assert not found.fits_budget
    assert "only $6.00" in offers.by_field(found.problems)["budget"]
    assert not problems(made, places=5)


def test_batches_are_sized_from_the_plan(scripted: Scripted):
    made = campaign(crowd="mturk", items=20, double_share=0.0)  # 40 places
    assert batches.suggested_places(made.pk, 3) == 14
    launched(made, places=10)
    assert batches.suggested_places(made.pk, 3) == 7  # 20 tasks are to come
    came(Posting.objects.all()[0], "a")
    assert batches.suggested_places(made.pk, 3) == 7  # taken, but still to come
    assert batches.suggested_places(made.pk, 0) == 0


def test_the_budget_limits_the_size(scripted: Scripted):
    made = campaign(
        crowd="mturk", items=20, reward=Decimal("0.50"), fee_rate=Decimal("0.2"),
        budget=Decimal("13.00"),
    )  # fmt: skip
    assert batches.suggested_places(made.pk, 2) == 10  # 1.20 each
    launched(made, places=10)
    assert batches.suggested_places(made.pk, 2) == 0
