"""A target that a file's items cannot reach is refused, with the nearest that can."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from annotate.campaigns import imports, planner
from annotate.campaigns.planner import TargetForecast
from annotate.models import Campaign, CampaignImport
from annotate.studies import definitions
from estimation.core.planning import TYPICAL, Study
from tests.annotate.own import helpful
from tests.annotate.researcher import (
    PLAN,
    at,
    begun,
    lines,
    looked_at,
    owner_of,
    press,
)

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

MANY = "100"  # people: more than a study of 30 items has work for


def found(page: Any) -> dict[str, TargetForecast]:
    return {one.criterion.name: one for one in page.context["preview"].reach}


def again(client: Client, page: Any) -> Any:
    return client.get(page.request["PATH_INFO"])


def test_thirty_items_do_not_reach_a_narrow_width(ada: Client) -> None:
    page = looked_at(ada, lines(30), people=MANY)
    told = found(page)["overall"]
    assert told.is_refused
    assert told.found.chance == 0
    assert told.found.reachable is not None
    assert 0.4 < told.found.reachable < 0.8
    said = page.content.decode()
    assert "a width of 0.200 cannot be reached with these items and people" in said
    assert f"Use {told.found.reachable:.3f}" in said
    assert "Create the campaign all the same" in said


def plan_step(client: Client, items: int, systems: int, **answers: str) -> Any:
    """Show the plan step of a file, or send it with these answers."""
    file = [
        json.dumps({"item": f"i{i}", "system": f"s{s}", "output": f"s{s} says {i}"})
        for i in range(items)
        for s in range(systems)
    ]
    of = begun(client, "\n".join(file).encode())
    client.post(at(of, "questions"), PLAN | {"revision": of.revision})
    of.refresh_from_db()
    if answers:
        return client.post(at(of, "plan"), PLAN | {"revision": of.revision} | answers)
    return client.get(at(of, "plan"))


@pytest.mark.slow
def test_the_first_target_is_a_round_one_that_the_items_reach(ada: Client) -> None:
    few, many = (plan_step(ada, items, 3).context["form"] for items in (120, 600))
    assert few["width_overall"].value() == 0.35, "0.2 is out of reach"
    assert many["width_overall"].value() == 0.2


@pytest.mark.slow
def test_next_asks_about_a_target_that_is_out_of_reach(ada: Client) -> None:
    asked = plan_step(ada, 60, 2, go="next")
    assert asked.status_code == 422
    said = asked.content.decode()
    assert "a width of 0.200 is out of reach with these items and people" in said
    assert "Go on without changing it" in said
    assert CampaignImport.objects.get().steps_done == 2, "nothing is kept before the answer"
    address = asked.request["PATH_INFO"]
    typed = PLAN | {"revision": asked.context["of"].revision}
    on = ada.post(address, typed | {"beyond": "1"})
    assert (on.status_code, on["Location"]) == (302, address.replace("plan", "people"))


def test_an_assumed_number_of_people_refuses_nothing(ada: Client) -> None:
    """Sixty items are work for a dozen people; with as many as at a crowd they would do."""
    page = looked_at(ada, lines(60), width_overall="0.55")
    told = found(page)["overall"]
    assert not told.is_reached
    assert told.found.lacks_people
    assert not told.is_refused
    said = page.content.decode()
    assert "a width of 0.550 may be out of reach with these items and people" in said
    assert "With more people than the plan assumes, the width" in said
    assert "Create the campaign all the same" not in said


def test_people_who_are_too_few_are_a_reason_to_refuse(ada: Client) -> None:
    told = found(looked_at(ada, lines(60), width_overall="0.55", people="12"))["overall"]
    assert told.is_refused
    assert not told.found.lacks_people


def test_it_is_not_created_by_the_way_but_all_the_same_if_asked(ada: Client) -> None:
    page = looked_at(ada, lines(30), people=MANY)
    address = page.request["PATH_INFO"]
    body = {"act": "create", "revision": page.context["of"].revision}
    refused = ada.post(address, body, follow=True)
    assert (
        "cannot be reached with these items and people. Change it first."
        in refused.content.decode()
    )
    assert CampaignImport.objects.get().status == "ready"
    press(ada, page)
    assert CampaignImport.objects.get().status == "creating"


@pytest.mark.slow
def test_the_nearest_width_is_taken_with_a_press(ada: Client) -> None:
    page = looked_at(ada, lines(30), people=MANY)
    nearest = found(page)["overall"].found.reachable
    press(ada, page, "width", criterion="overall", to="nearest")
    after = again(ada, page)
    assert imports.plan_of(CampaignImport.objects.get()).targets == {"overall": nearest}
    assert found(after)["overall"].found.chance >= 0.8
    assert found(after)["overall"].is_reached
    assert "all the same" not in after.content.decode()
    press(ada, after)
    imports.run_due()
    assert Campaign.objects.get().targets.get().width == nearest


def test_one_of_several_targets_is_left_out_with_a_press(ada: Client) -> None:
    page = looked_at(ada, lines(30), people=MANY, width_edit="0.9")
    press(ada, page, "width", criterion="overall", to="none")
    assert imports.plan_of(CampaignImport.objects.get()).targets == {"edit": 0.9}
    assert "No target for" not in again(ada, page).content.decode()


def test_scores_that_nobody_knows_are_a_guess_and_refuse_nothing(ada: Client) -> None:
    definitions.define(helpful(), owner_id=owner_of(ada).pk)
    asked = [json.loads(line) | {"input": "What happened?"} for line in lines(30).splitlines()]
    page = looked_at(
        ada,
        "\n".join(map(json.dumps, asked)).encode(),
        instrument="helpfulness@1",
        tutorial="built-in",
        width_overall="",
        width_helpful="0.2",
    )
    (told,) = found(page).values()
    assert not told.is_known
    assert not told.is_reached
    assert not told.is_refused
    assert "may be out of reach" in page.content.decode()
    assert "all the same" not in page.content.decode()


def test_a_small_study_is_told_how_many_people_it_is_planned_for_and_why(ada: Client) -> None:
    page = looked_at(ada, lines(30))
    told = found(page)["overall"]
    planned = page.context["preview"].planned
    assert told.found.reachable is None
    least = -(-planned // 25)
    assert told.assumed == (
        f"All {planned} judgments take at least {least} people, who give at most 25 each. "
        "The plan assumes 6 "
        "people at a time, so that each gives about half of that if everything is judged."
    )
    said = page.content.decode()
    assert told.assumed in said
    assert "With these items and people no width can be reached" in said
    assert "more people and a lower “Most judgments by one person” help" in said


def test_the_people_that_the_researcher_has_are_planned_with(ada: Client) -> None:
    few, many = (
        found(looked_at(ada, lines(30), people=people))["overall"] for people in ("3", "60")
    )
    assert few.assumed.startswith("Planned for the 3 people you have.")
    assert few.found.reachable is None
    assert many.assumed == "Planned for the 60 people you have."
    assert many.found.reachable is not None


def test_a_budget_below_what_the_targets_cost_is_told(ada: Client) -> None:
    def notices(**fields: str) -> list[str]:
        page = looked_at(ada, lines(60), people=MANY, width_overall="0.6", **fields)
        assert found(page)["overall"].is_reached
        return [one for one in page.context["preview"].notices if "expected to cost" in one]

    (told,) = notices(budget="5")
    assert "collection will probably end before they are reached" in told
    assert notices(budget="500") == notices() == []


@given(
    cap=st.none() | st.integers(1, 2000),
    items=st.integers(2, 5000),
    systems=st.integers(1, 12),
    double_share=st.floats(0, 1),
)
def test_why_so_many_people_are_assumed_is_true_of_every_study(
    cap: int | None, items: int, systems: int, double_share: float
) -> None:
    study = Study(TYPICAL["overall"], items, systems=systems, cap=cap, double_share=double_share)
    told, each = planner.assumed_people(study), study.judgments / study.places
    if "half of that" in told:
        assert cap is not None
        assert 0.7 * cap / 2 <= each <= cap / 2
    elif "one judgment each" in told:
        assert each == cap == 1
    elif "released" in told:
        assert 0.7 * 93 <= each <= 93
    elif "the fewest" in told:
        assert study.places == 3
    else:
        assert "as at a crowd" in told
        assert study.places == 130
