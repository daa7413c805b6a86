"""The page, the API, the command and the steps of a new campaign plan the same design alike."""

import json
from dataclasses import asdict
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotate.campaigns.sheet import Facts, Sheet
from annotate.common.numbers import money_text
from annotate.models import CampaignImport
from estimation.core import planning
from estimation.pages.planning import initial
from tests.annotate.researcher import lines, looked_at
from tests.factories import rows, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

DESIGNS = 40
CRITERIA = ("overall", "fluency", "redundancy", "edit")


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    """A small design in the words of the page."""
    crowd = str(rng.choice(["link", "mturk", "prolific"]))
    pool = int(rng.integers(5, 80))
    bonus, failed = ((0, 0), (0.75, 0.25), (0.75, 0), (0.5, 0.6))[rng.integers(4)]
    return {
        "criterion": str(rng.choice(CRITERIA)),
        "items": 4 * int(rng.integers(8, 21)),  # so that a quarter of them is a whole number
        "systems": int(rng.integers(1, 4)),
        "target": round(float(rng.uniform(0.3, 0.8)), 2),
        "level": float(rng.choice([0.9, 0.95])),
        "cap": int(rng.choice([1, 5, 10, 25])),
        "double_share": float(rng.choice([0, 0.25, 0.5, 1])),
        "raters": int(rng.choice([2, 3, 5])),
        "estimand": str(rng.choice(["population", "panel"])),
        "reward": round(float(rng.uniform(0.02, 0.9)), 2),
        "crowd": crowd,
        "tutorial_bonus": float(bonus),
        "failed_try_pay": float(failed),
        "gold_share": int(rng.choice([0, 2])),
        **({"pool": pool} if rng.random() < 0.5 else {}),
        **({"fee_rate": 0.25} if crowd != "link" and rng.random() < 0.5 else {}),
    }


def facts_of(items: int, systems: int) -> Facts:
    with Sheet() as sheet:
        for row in rows(items, tuple(f"system {n}" for n in range(systems))):
            sheet.add(row)
        return sheet.facts()


def in_the_steps(client: Client, of: CampaignImport, design: dict[str, Any]) -> Any:
    """What the plan step says beside the form."""
    facts = facts_of(design["items"], design["systems"])
    rate = design.get("fee_rate")
    of.facts = facts.model_dump(mode="json")
    of.plan |= {
        "crowd": design["crowd"],
        "reward": str(design["reward"]),
        "fee_rate": None if rate is None else str(rate),
        "tutorial": bool(design["tutorial_bonus"]),
        "tutorial_bonus": str(design["tutorial_bonus"]),
        "failed_try_pay": str(design["failed_try_pay"]),
        "gold_share": design["gold_share"],
    }
    of.save()
    typed = {
        "stop_mode": "precision",
        "estimand": design["estimand"],
        "level": design["level"] * 100,
        "annotator_cap": design["cap"],
        "people": design.get("pool", ""),
        "double_share": design["double_share"] * 100,
        "raters": design["raters"],
        f"width_{design['criterion']}": design["target"],
    }
    answer = client.post(reverse("annotate:import-takes", args=[of.public_id]), typed)
    return answer.context["preview"]


def by_command(design: dict[str, Any]) -> dict[str, Any]:
    out = StringIO()
    options = [f"--{name.replace('_', '-')}={value}" for name, value in design.items()]
    call_command("plan", *options, "--json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.slow
def test_designs_have_the_same_numbers_at_every_entrance(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        planning, "MOST_DRAWN", 1
    )  # 20 campaigns for each number: they suffice here
    planning.histories.cache_clear()
    cache.clear()
    client.force_login(user())
    looked_at(client, lines(4))
    of, reached = CampaignImport.objects.get(), 0
    for design in map(drawn, np.random.default_rng(41).spawn(DESIGNS)):
        told = client.get("/api/v1/plan/", design).json()
        shown = client.get(reverse("estimation:plan"), {**asked(), **design})
        plan = shown.context["plan"].plan
        (aim,) = in_the_steps(client, of, design).reach
        assert aim.found.refused == plan.refused == told["refused"], design
        assert aim.found.reachable == plan.reachable == told["reachable"], design
        assert aim.found.goal == plan.goal, design
        assert aim.assumed == told["people_assumed"]["why"], design
        if plan.goal is None:
            assert told["target"] is None
            continue
        reached += plan.is_reached
        assert money_text(plan.goal.cost.expected) in shown.content.decode()
        found = by_command(design)
        numbers = json.loads(json.dumps(asdict(plan.goal)))
        assert found["target"] == numbers, design
        assert {name: told["target"][name] for name in told["target"]} == {
            name: numbers[name] for name in told["target"]
        }, design
        assert found["changes"] == [
            {"change": name, "target": asdict(goal) if goal else None}
            for name, goal in plan.changes
        ]
    assert 10 < reached < 38, "both kinds of designs are compared"
    planning.histories.cache_clear()
    cache.clear()


def asked() -> dict[str, Any]:
    usual = {name: value for name, value in initial().items() if value is not None}
    return {**usual, "target": ""}
