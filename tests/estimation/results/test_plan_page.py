"""The plan page: the command's numbers in the browser, and the nearest target that can be met."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.campaigns.planner import assumed_people
from annotate.common.numbers import money_text, percent
from estimation.core import InvalidOptionError
from estimation.core.planning import TYPICAL, Participation, Study, reachable_target
from estimation.pages.planning import initial
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def ada(client: Client) -> Client:
    cache.clear()
    client.force_login(user())
    return client


def asked(**changes: Any) -> dict[str, Any]:
    usual = {name: value for name, value in initial().items() if value is not None}
    filled = {**usual, "estimand": "population", "crowd": "link", "items": 120, **changes}
    return {name: value for name, value in filled.items() if value != ""}


def page(client: Client, **changes: Any) -> str:
    return client.get(reverse("estimation:plan"), asked(**changes)).content.decode()


def planned(*options: str) -> dict[str, Any]:
    out = StringIO()
    call_command("plan", *options, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.slow
def test_changes_are_told_against_the_numbers_above_them_and_a_low_cap_is_the_strongest(
    ada: Client,
) -> None:
    answer = ada.get(reverse("estimation:plan"), asked(items=240, target=0.3, tutorial_bonus=0))
    plan = answer.context["plan"].plan
    first, effect = answer.context["plan"].changes[0]
    assert first == "At most 1 judgment by one person"
    goal, changed = plan.goal, plan.changes[0][1]
    assert changed.cost.expected < 0.7 * goal.cost.expected
    fewer = 1 - changed.judgments.expected / goal.judgments.expected
    assert f"{percent(fewer)} fewer judgments" in effect
    assert effect.startswith(money_text(changed.cost.expected))


@pytest.mark.slow
def test_a_target_that_cannot_be_met_is_refused_with_the_nearest_that_can(ada: Client) -> None:
    shown = page(ada, items=120, target=0.2)
    assert 'id="refused"' in shown
    study = Study(TYPICAL["overall"], 120, balance=0.16, person_share=0.08)
    nearest = reachable_target(study)
    assert nearest is not None
    assert f'value="{nearest:g}"' in shown
    again = page(ada, items=120, target=0.2, nearest=f"{nearest:g}")
    assert 'id="refused"' not in again


@pytest.mark.slow
def test_the_picture_comes_as_svg_png_and_data(ada: Client) -> None:
    def got(kind: str) -> Any:
        return ada.get(reverse("estimation:plan-picture", args=[kind]), asked(target=0.4))

    assert got("svg").content.startswith(b"<svg")
    assert got("png").content.startswith(b"\x89PNG")
    rows = list(csv.reader(StringIO(got("csv").content.decode())))
    assert rows[0] == ["judgments", "width", "low", "high"]
    widths = [float(row[1]) for row in rows[1:]]
    assert widths[-1] < 0.5 * widths[0]
    assert got("exe").status_code == 404


def test_scores_that_cannot_be_are_said(ada: Client) -> None:
    assert "have a variance below" in page(ada, item_variance=50)
    assert 'class="takes"' not in page(ada, criterion="\x00")
    with pytest.raises(InvalidOptionError):
        reachable_target(Study(TYPICAL["overall"], 30), replicates=0)


def test_only_for_those_who_are_logged_in(client: Client) -> None:
    assert client.get(reverse("estimation:plan")).status_code == 302


@pytest.mark.slow
def test_the_page_the_api_and_the_command_tell_alike_how_many_people_are_assumed(
    ada: Client,
) -> None:
    options = ("--items", "60", "--target", "1.2")
    why = (
        "All 75 judgments take at least 3 people, who give at most 25 each. "
        "The plan assumes 6 people at a time, "
        "so that each gives about half of that if everything is judged."
    )
    assert planned(*options)["people_assumed"] == {"places": 6, "fewest": 3, "why": why}
    words = StringIO()
    call_command("plan", *options, stdout=words)
    assert f"\n{why}\n" in words.getvalue()
    assert why in page(ada, items=60, target=1.2)
    told = ada.get("/api/v1/plan/", {"items": 60, "target": 1.2}).json()
    assert told["people_assumed"] == {"places": 6, "fewest": 3, "why": why}
    assert told["target"]["annotators"]["high"] < 10


def test_a_ranking_by_a_formula_assumes_no_number_of_people(ada: Client) -> None:
    asked_for = {"margin": 0.3, "systems": 3}
    assert "assumed-people" not in page(ada, target="", **asked_for)
    assert ada.get("/api/v1/plan/", asked_for).json()["people_assumed"] is None


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"n_items": 1500, "systems": 3},
            "All 5,625 judgments take at least 225 people, who give at most 25 each. "
            "The plan assumes 130 people "
            "at a time, as at a crowd, and others after them.",
        ),
        (
            {"n_items": 1500, "cap": None},
            "The plan assumes 21 people at a time, who give about 93 each, as in the released "
            "judgments.",
        ),
        (
            {"participation": Participation(places=1)},
            "All 75 judgments take at least 3 people, who give at most 25 each. "
            "The plan assumes 1 person at a "
            "time, as you said.",
        ),
        (
            {"participation": Participation(pool=2)},
            "Planned for the 2 people you have. At 25 each, they can give 50 of all 75 judgments.",
        ),
    ],
)
def test_what_a_number_of_people_rests_on_is_told(changes: dict[str, Any], told: str) -> None:
    study = Study(TYPICAL["overall"], **{"n_items": 60, **changes})
    assert assumed_people(study) == told


def test_the_api_refuses_a_name_that_no_plan_knows(ada: Client) -> None:
    told = ada.get("/api/v1/plan/", {"target": 0.5, "item": 60, "budget": 30})
    assert told.status_code == 422
    assert told.json()["errors"] == {
        "item": "Unknown parameter. Did you mean “items”? A plan is for one of target, margin, "
        "money.",
        "budget": "Unknown parameter. A plan is for one of target, margin, money.",
    }
    many = ada.get("/api/v1/plan/", {f"x{n}": 1 for n in range(900)})
    assert len(many.json()["errors"]) == 20
