"""Campaigns that compare two systems side by side."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from annotate.campaigns.problems import Row
from annotate.models import Assignment, Campaign, Judgment, Participation
from annotate.work import submitting, task
from estimation.models import Estimate
from tests.estimation.ranked import in_turn
from tests.factories import campaign, leased, person

PLAN = {"targets": {"preference": 0.2}, "tutorial": False, "metrics": ()}


def rows(items: int = 4, systems: Sequence[str] = "ABC") -> list[Row]:
    return [
        Row(f"i{n}", name, f"{name} wrote {n}.", metrics={"own": float(place + n)})
        for n in range(items)
        for place, name in enumerate(systems)
    ]


def compared(rows_: list[Row] | None = None, **changes: Any) -> Campaign:
    return campaign(rows_=rows_ or rows(), instrument="preference", **{**PLAN, **changes})


BAD = "both_bad"


def prefer(who: Participation, level: int | str = 2) -> Judgment:
    """Judge a pair; level: how much better the pair's own first text is, or `BAD`."""
    assignment = leased(who)
    turned = task.judgment_material(assignment).turned
    raw = {"preference": -level if turned and isinstance(level, int) else level}
    submitting.submit_judgment(assignment.pk, participation_id=who.pk, raw=raw)
    return Judgment.objects.get(assignment=assignment)


def judged(made: Campaign, n: int, *, people: int = 4) -> None:
    """Prefer the first of two systems more often than the second, n times."""
    crowd = [person(made, f"p{i}") for i in range(people)]
    for turn in range(n):
        prefer(crowd[turn % people], (2, 1, -1, 0, 1)[turn % 5])


LIKING = {"A": 0.8, "B": 0.0, "C": 0.0}  # of each system's texts
RANKING: dict[str, Any] = {
    "targets": {},
    "margins": {"preference": 0.5},
    "stop_mode": "ranking",
    "planned_items": 40,
    "double_share": 0.1,
}


def ranked(items: int = 120, systems: Sequence[str] = "ABC", **changes: Any) -> Campaign:
    return compared(rows(items, systems), **{**RANKING, **changes})


def prefer_in_turn(
    made: Campaign, who: list[Participation], n: int, *, seed: int = 1, every: int = 0
) -> int:
    """Let people answer in turn, each as they like the two systems; see `in_turn`."""
    chance = random.Random(seed)

    def answer(got: Assignment) -> None:
        first, second = (LIKING[text[0]] for text in task.judgment_material(got).pair)
        heard = first - second + chance.gauss(0, 0.5)
        level = round(max(-2.0, min(2.0, 2 * heard)))
        raw = {"preference": level}
        submitting.submit_judgment(got.pk, participation_id=got.participation_id, raw=raw)

    return in_turn(made, who, n, answer, every=every)


def decide(made: Campaign, outcomes: Mapping[str, str], **changes: Any) -> None:
    """Store an estimate of each pair as a ranking makes it."""
    for name, outcome in outcomes.items():
        value = {"first": 0.6, "second": -0.6}.get(outcome, 0.1)
        detail = {"outcome": outcome, "margin": 0.5, "needs": "", "items_needed": None, "pairs": 3}
        Estimate.objects.create(
            campaign=made,
            system=made.systems.get(name=name),
            criterion="preference",
            estimator="balanced",
            interval="sequence",
            estimand="population",
            level=0.95,
            estimate=value,
            low=value - 0.3,
            high=value + 0.3,
            width=0.6,
            mean_estimate=value,
            n_items=60,
            n_population=400,
            n_judgments=70,
            n_annotators=30,
            effective_annotators=22.5,
            detail={**detail, **(changes if outcome == "open" else {})},
        )
