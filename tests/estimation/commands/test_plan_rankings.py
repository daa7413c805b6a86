"""The plan of a ranking: the command, the page and the API tell the same numbers."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotate.common.numbers import many, number
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

PAIRS = {"margin": 0.2, "systems": 4, "items": 300, "ranked_by": "pairs"}
OPTIONS = ("--margin", "0.2", "--systems", "4", "--items", "300")


@pytest.fixture
def ada(client: Client) -> Client:
    cache.clear()
    client.force_login(user())
    return client


def told(*options: str) -> str:
    out = StringIO()
    call_command("plan", *options, stdout=out)
    return out.getvalue()


def data(*options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(*options, "--json"))
    return found


def page(client: Client, **asked: Any) -> str:
    usual = {"criterion": "overall", "level": 0.95, "rho": 0, "cap": 25, "double_share": 0.25}
    usual |= {"estimand": "population", "crowd": "link", "reward": 0.4}
    return client.get(reverse("estimation:plan"), usual | asked).content.decode()


def api(client: Client, **asked: Any) -> Any:
    return client.get("/api/v1/plan/", asked)


@pytest.mark.slow
def test_pairs_side_by_side_have_the_same_numbers_everywhere(ada: Client) -> None:
    found = data(*OPTIONS, "--side-by-side")
    answer = api(ada, **PAIRS).json()
    assert answer["ranking"] == found["ranking"]
    assert answer["pairs"] == found["pairs"]
    assert [one["preference"] for one in found["pairs"]] == [0.0, 0.1, 0.2]
    assert found["ranking"]["pairs"] == 6
    shown, words = page(ada, **PAIRS), told(*OPTIONS, "--side-by-side")
    assert "4 systems, 6 pairs, margin 0.2, whose texts are judged side by side" in shown
    assert "4 systems, 6 pairs, margin 0.2, whose texts are judged side by side" in words
    for one in found["pairs"]:
        for said in (
            f"half of them by {many(one['usual_items'], 'item')}",
            f"{number(one['judgments']['expected'], 0)} (",
        ):
            assert said in shown
            assert said in words


def test_so_has_a_ranking_of_scores(ada: Client) -> None:
    found = data(*OPTIONS)
    answer = api(ada, margin=0.2, systems=4, items=300).json()
    assert answer["ranking"] == found["ranking"]
    assert (answer["pairs"], answer["target"]) == ([], None)
    settled = found["ranking"]["settled_items"]
    assert f"about {settled} items of each system" in page(ada, margin=0.2, systems=4, items=300)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({}, "target"),
        ({"margin": 0.2, "target": 0.2}, "target"),
        ({"target": 0.2, "ranked_by": "pairs"}, "margin"),
        ({"margin": 0.2, "systems": 1}, "margin"),
        ({"margin": -1}, "margin"),
        ({"target": 0.2, "money": 5}, "target"),
        ({"target": 0.2, "pool": 1}, "pool"),
        ({"target": "nan"}, "target"),
        ({"target": 0.2, "rho": 2}, "rho"),
        ({"margin": "nan", "systems": 3}, "margin"),
        ({"margin": 0.2, "items": 10**9}, "items"),
        ({"margin": 0.2, "criterion": "taste"}, "criterion"),
        ({"margin": 0.2, "systems": 3, "probability": 2}, "probability"),
    ],
)
def test_what_cannot_be_planned_is_told_at_its_field(
    ada: Client, asked: dict[str, Any], field: str
) -> None:
    answer = api(ada, **asked)
    assert answer.status_code == 422
    assert field in answer.json()["errors"]
    assert 'class="takes"' not in page(ada, **asked)


def test_side_by_side_is_for_rankings() -> None:
    with pytest.raises(CommandError, match="say --margin"):
        told("--target", "0.2", "--side-by-side")
    with pytest.raises(CommandError, match="at least two systems"):
        told("--margin", "0.2", "--side-by-side")
