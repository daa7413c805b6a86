"""Campaigns that compare two systems side by side."""

from collections.abc import Sequence
from typing import Any

from annotate.models import Campaign, Judgment, Participation
from annotate.selectors.work import in_hand
from annotate.services.campaigns.importing.problems import Row
from annotate.services.work import judgments
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


def prefer(who: Participation, level: int = 2) -> Judgment:
    """Judge a pair; level: how much better the pair's own first text is."""
    assignment = leased(who)
    turned = in_hand.material(assignment).turned
    raw = {"preference": -level if turned else level}
    judgments.submit(assignment.pk, participation_id=who.pk, raw=raw)
    return Judgment.objects.get(assignment=assignment)


def judged(made: Campaign, n: int, *, people: int = 4) -> None:
    """Prefer the first of two systems more often than the second, n times."""
    crowd = [person(made, f"p{i}") for i in range(people)]
    for turn in range(n):
        prefer(crowd[turn % people], (2, 1, -1, 0, 1)[turn % 5])
