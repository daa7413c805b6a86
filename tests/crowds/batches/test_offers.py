"""What is shown before anything is spent, and what stands against it."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds import batches
from annotate.crowds.contract import Terms, Throttled
from annotate.crowds.postings import by_field
from annotate.crowds.prices import Price
from annotate.models import Batch, Campaign, Operation, Posting
from annotate.pay import budget
from tests.crowds.batches.launching import TERMS, came, launched, problems
from tests.crowds.scripted import Scripted
from tests.factories import campaign

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
Kind, OpStatus, Stage = Operation.Kind, Operation.Status, Posting.Status


def test_an_offer_says_what_it_costs_and_writes_nothing(made: Campaign):
    found = batches.offer(made.pk, TERMS, places=20)
    assert not found.problems
    assert (found.environment, found.reward, found.judgments) == ("sandbox", Decimal("1.00"), 40)
    assert (found.bill.rewards, found.bill.fees, found.total) == (20, 4, 24)
    assert (found.sizes, found.postings) == ((7, 7, 6), 3)
    assert (found.balance, found.fits_budget) == (Decimal("1000.00"), True)
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("places", "most", "expected"),
    [
        (1, 9, (1,)),
        (9, 9, (9,)),
        (10, 9, (5, 5)),
        (100, 9, (9, 9, 9, 9) + (8,) * 8),
        (100, None, (100,)),
        (0, 9, ()),
    ],
)
def test_places_are_divided_evenly(places: int, most: int | None, expected: tuple[int, ...]):
    assert batches.sizes(places, most) == expected


@pytest.mark.parametrize(
    ("terms", "places", "field"),
    [
        (TERMS, 0, "places"),
        (TERMS, -1, "places"),
        (TERMS, 10_001, "places"),
        (replace(TERMS, tasks=0), 5, "tasks"),
        (replace(TERMS, tasks=26), 3, "tasks"),
        (replace(TERMS, approve_after=timedelta(days=9)), 5, "approve_after"),
    ],
)
def test_terms_that_cannot_be_are_told(
    made: Campaign, scripted: Scripted, terms: Terms, places: int, field: str
):
    scripted.can = Scripted(auto_approval=True).can
    assert list(problems(made, terms, places)) == [field]


def test_what_would_change_nothing_is_neither_taken_nor_stored(made: Campaign, scripted: Scripted):
    scripted.can = Scripted(auto_approval=True, no_effect=("keywords", "auto_approval")).can
    scripted.refusal_limit = timedelta(days=21)
    vain = replace(TERMS, keywords=("news",), auto_approval=timedelta(days=3))
    found = problems(made, vain)
    assert "no keywords" in found["keywords"]
    assert "after 21 days" in found["auto_approval"]
    batch = launched(made, terms=replace(TERMS, approve_after=timedelta(days=20)))
    assert batch.terms["auto_approval"] is None
    late = problems(made, replace(TERMS, approve_after=timedelta(days=21)), places=1)
    assert late == {"approve_after": late["approve_after"]}
    assert "let it approve later" not in late["approve_after"]


def test_where_it_is_ours_to_say_a_usual_time_is_stored(made: Campaign):
    assert launched(made).terms["auto_approval"] == 7 * 86_400


def test_a_crowd_that_does_not_answer_is_told(made: Campaign, scripted: Scripted):
    def busy() -> None:
        raise Throttled("Too many calls; try again in a minute.")

    scripted.balance = busy  # type: ignore[assignment]
    assert "try again" in problems(made)["launch"]


def test_a_reward_of_nothing_is_told(scripted: Scripted):
    assert "reward" in problems(campaign(crowd="mturk", reward=Decimal(0)))


def test_a_reward_with_three_decimals_is_told(made: Campaign):
    made.reward = Decimal("0.405")
    found = batches.make_offer(made, replace(TERMS, tasks=1), places=5, reward=made.reward)
    assert "whole cents" in by_field(found.problems)["reward"]


def test_a_link_campaign_publishes_nothing(scripted: Scripted):
    assert list(problems(campaign())) == ["crowd"]


def test_batches_of_one_campaign_keep_to_one_environment(made: Campaign, scripted: Scripted):
    launched(made)
    scripted.environment = "production"
    message = problems(made)["environment"]
    assert "sandbox" in message
    assert "production" in message


def test_a_budget_that_does_not_pay_is_told(scripted: Scripted):
    made = campaign(
        crowd="mturk",
        reward=Decimal("0.50"),
        fee_rate=Decimal("0.2"),
        budget=Decimal("30.00"),
        items=20,
    )
    assert not problems(made)
    launched(made)  # $24 may become due
    found = batches.offer(made.pk, TERMS, places=6)  # 7.20
    assert not found.fits_budget
    assert "only $6.00" in by_field(found.problems)["budget"]
    assert not problems(made, places=5)


def test_no_more_is_offered_than_is_missing(made: Campaign):
    missing = made.slots.count() // 2
    assert not problems(made, places=missing)
    assert f"Only {missing} submissions" in problems(made, places=missing + 1)["places"]
    launched(made, places=missing)
    assert "Nothing is missing" in problems(made, places=1)["places"]


@pytest.mark.slow
def test_the_bonuses_of_new_people_belong_to_the_cost(scripted: Scripted):
    made = campaign(
        crowd="mturk",
        reward=Decimal("0.50"),
        fee_rate=Decimal("0.2"),
        items=20,
        tutorial=True,
        tutorial_bonus=Decimal("0.75"),
        budget=Decimal("21.00"),
    )
    found = batches.offer(made.pk, TERMS, places=10)  # 12.00 for the units, 9.00 for tutorials
    assert found.bill.bonuses == Price(Decimal("7.50"), Decimal("1.50"))
    assert (found.bill.work.total, found.total, found.fits_budget) == (12, 21, True)
    scripted.funds = Decimal("20.99")
    assert "may cost $21.00" in problems(made, places=10)["balance"]
    assert batches.suggested_places(made.pk, 2) == 10
    scripted.funds = None
    launched(made, places=10)
    assert budget.left(made) == 0
    assert batches.suggested_places(made.pk, 2) == 0


def test_batches_are_sized_from_the_plan(scripted: Scripted):
    made = campaign(crowd="mturk", items=20, double_share=0.0)  # 40 places
    assert batches.suggested_places(made.pk, 3) == 14
    launched(made, places=10)
    assert batches.suggested_places(made.pk, 3) == 7  # 20 tasks are to come
    came(Posting.objects.all()[0], "a")
    assert batches.suggested_places(made.pk, 3) == 7  # taken, but still to come
    assert batches.suggested_places(made.pk, 0) == 0
