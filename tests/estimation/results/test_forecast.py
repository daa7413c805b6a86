"""The forecast of a campaign's end: made by a task, stored, thrown away, and told plainly."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.models import Campaign, NextStep
from annotate.models.base import CloseReason
from estimation import deferred, refresh
from estimation.models import EndForecast, EndForecastDue
from tests import remembered
from tests.estimation.reviewed import settle, take_turns
from tests.factories import campaign, judge, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def begun(ada: User) -> Campaign:
    """Eleven people, 84 judgments, one system of 400 items, target 0.35."""
    return remembered.again(_begun, ada)


def _begun(ada: User) -> Campaign:
    made = campaign(
        owner=ada, items=400, systems=("alpha",), targets={"overall": 0.35}, metrics=(), budget=900
    )
    take_turns([person(made, f"p{i}") for i in range(11)], 84)
    return settle(made)


def page(client: Client, made: Campaign) -> str:
    return client.get(reverse("estimation:dashboard", args=[made.public_id])).content.decode()


def stored(made: Campaign) -> dict[str, Any]:
    content: dict[str, Any] = EndForecast.objects.get(campaign=made).content
    return content


@pytest.mark.slow
def test_the_page_tells_judgments_cost_and_the_day_with_ranges(client: Client, ada: User) -> None:
    made = begun(ada)
    found = stored(made)
    middle, low, high = found["judgments"]
    assert 84 < low < middle < high <= made.planned
    assert found["chance"] > 0.9
    shown = page(client, made)
    assert f"{low:,.0f} to {high:,.0f}" in shown
    assert "judgments an hour" in shown
    assert "minutes a judgment" in shown
    assert "if new people give them" in shown
    assert NextStep.objects.get(campaign=made).waits
    assert 'id="forecast-warning"' not in shown


@pytest.mark.slow
def test_what_cannot_be_met_is_said(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=40, systems=("alpha",), targets={"overall": 0.1}, metrics=())
    take_turns([person(made, f"p{i}") for i in range(6)], 42)
    settle(made)
    assert stored(made)["chance"] == 0
    assert NextStep.objects.get(campaign=made).key == "out_of_reach", "the list says so"
    shown = page(client, made)
    assert shown.count("The targets cannot be met before the items run out.") == 2
    assert 'data-advice="out_of_reach"' in shown
    assert "more people" not in shown


@pytest.mark.slow
def test_no_more_people_are_asked_for_than_would_do_and_than_there_are(
    client: Client, ada: User
) -> None:
    made = begun(ada)
    row = EndForecast.objects.get(campaign=made)
    row.content |= {"chance": 0.03}
    row.content["cells"][0] |= {"chance": 0.03, "people": 7}
    row.save()
    shown = page(client, made)
    assert "Ask 7 more people" in shown
    assert "7 new people would do" in shown
    assert "cannot be met" not in shown
    Campaign.objects.filter(pk=made.pk).update(people=15)  # 11 have come
    shown = page(client, made)
    assert "Ask 7 more people" not in shown
    assert "The targets cannot be met before the items run out." in shown


@pytest.mark.slow
def test_no_more_is_forecast_than_can_be_judged(client: Client, ada: User) -> None:
    made = begun(ada)
    row = EndForecast.objects.get(campaign=made)
    row.content["judgments"] = [made.planned + 2, made.planned, made.planned + 9]
    row.save()
    amounts = client.get(reverse("estimation:dashboard", args=[made.public_id]))
    judgments = amounts.context["board"].outlook.amounts[0]
    assert judgments.about == f"{made.planned:,}"
    assert judgments.between == f"{made.planned:,} to {made.planned:,}"


@pytest.mark.slow
def test_it_is_made_by_a_task_after_the_estimates_and_not_for_every_judgment(ada: User) -> None:
    made = begun(ada)
    before = EndForecast.objects.get(campaign=made)
    judge(person(made, "p0"))
    assert refresh.refresh(made.pk)
    assert not EndForecastDue.objects.exists(), "one judgment is not 5 % more"
    take_turns([person(made, f"p{i}") for i in range(11)], 6)
    assert refresh.refresh(made.pk)
    assert EndForecastDue.objects.filter(campaign=made).exists()
    assert EndForecast.objects.get(campaign=made) == before, "only noted until its task runs"
    assert deferred.FORECASTING.carry_out(made.pk)
    assert EndForecast.objects.get(campaign=made).judgments == 91
    assert not deferred.FORECASTING.carry_out(made.pk), "nothing is due"


@pytest.mark.slow
def test_an_old_one_is_renewed_because_the_pace_changes(ada: User) -> None:
    made = begun(ada)
    assert deferred.catch_up_forecasts() == 0
    EndForecast.objects.update(at=timezone.now() - timedelta(hours=2))
    deferred.catch_up_forecasts()
    assert EndForecastDue.objects.filter(campaign=made).count() == 1
    deferred.catch_up_forecasts()
    assert EndForecastDue.objects.filter(campaign=made).count() == 1, "asked for once"
    EndForecastDue.objects.update(at=timezone.now() - timedelta(minutes=1))
    assert deferred.catch_up_forecasts() == 1
    assert EndForecast.objects.get(campaign=made).at > timezone.now() - timedelta(minutes=1)


@pytest.mark.slow
def test_before_thirty_items_and_after_the_end_there_is_none(client: Client, ada: User) -> None:
    made = campaign(owner=ada, items=60, systems=("alpha",), targets={"overall": 0.3}, metrics=())
    take_turns([person(made, f"p{i}") for i in range(3)], 12)
    settle(made)
    assert stored(made)["judgments"] is None
    assert "A forecast appears after 30 judged items" in page(client, made)
    life.close(made.pk, CloseReason.HAND, actor_id=ada.pk)
    assert 'id="forecast-h"' not in page(client, made)
