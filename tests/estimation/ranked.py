"""Ranking campaigns judged through the services by people who mostly agree."""

import random
from collections.abc import Callable
from typing import Any

from annotate.campaigns.problems import Row
from annotate.models import Assignment, Authorship, Campaign, Participation
from annotate.work import leasing, submitting
from estimation import refresh
from estimation.models import Comparison
from tests.factories import campaign, person

QUALITY = {"good": 0.9, "fair": 0.0, "alike": 0.0, "poor": -0.9}  # of each system's outputs
RANKING: dict[str, Any] = {
    "targets": {},
    "margins": {"overall": 0.5},
    "stop_mode": "ranking",
    "planned_items": 40,
    "metrics": (),
    "double_share": 0.1,
}


def texts(items: int, systems: tuple[str, ...]) -> list[Row]:
    return [Row(f"i{i:03}", s, f"{s} on district {i}.") for i in range(items) for s in systems]


def ranked(items: int = 120, systems: tuple[str, ...] = tuple(QUALITY), **changes: Any) -> Campaign:
    return campaign(**({"rows_": texts(items, systems)} | RANKING | changes))


def crowd(made: Campaign, n: int = 24) -> list[Participation]:
    return [person(made, f"person {k:02}") for k in range(n)]


def judge(
    made: Campaign, who: list[Participation], n: int, *, seed: int = 1, every: int = 0
) -> int:
    """Let people judge in turn, each as they find the system; see `in_turn`."""
    chance = random.Random(seed)
    system = dict(
        Authorship.objects.filter(system__campaign=made).values_list("output", "system__name")
    )

    def answer(got: Assignment) -> None:
        heard = QUALITY[system[got.output_id]] + chance.gauss(0, 0.6)
        level = (heard > 0.5) - (heard < -0.5)
        raw = {"fluency": level, "redundancy": level, "overall": level, "edit": None}
        if level < 1:
            raw["edit"] = f"A better text, number {got.output_id}."
        submitting.submit_judgment(
            got.pk, participation_id=got.participation_id, raw=raw, active_seconds=60
        )

    return in_turn(made, who, n, answer, every=every)


def in_turn(
    made: Campaign,
    who: list[Participation],
    n: int,
    answer: Callable[[Assignment], None],
    *,
    every: int = 0,
) -> int:
    """Let people lease and answer in turn; estimate after `every` answers, and at the end.

    Returns how many were given: fewer where nothing more is leased.
    """
    given = empty = 0
    while given < n and empty < len(who):
        participant = who[(given + empty) % len(who)]
        got = leasing.lease(participant.pk)
        if not isinstance(got, Assignment):
            empty += 1
            continue
        empty, given = 0, given + 1
        answer(got)
        if every and given % every == 0:
            refresh.refresh(made.pk)
    refresh.refresh(made.pk)
    return given


def pair(made: Campaign, first: str, second: str, difference: float, **changes: object) -> None:
    """Store a comparison as a ranking makes it: decided for the first, unless said otherwise."""
    system = {one.name: one for one in made.systems.all()}
    detail = {"outcome": "first", "margin": 0.3, "needs": "", "items_needed": None, "pairs": 3}
    Comparison.objects.create(
        campaign=made,
        criterion="overall",
        first=system[first],
        second=system[second],
        estimator="mean",
        interval="sequence",
        estimand="population",
        level=0.95,
        difference=difference,
        low=difference - 0.25,
        high=difference + 0.25,
        width=0.5,
        n_items=60,
        n_population=400,
        n_judgments=120,
        n_annotators=30,
        effective_annotators=22.5,
        detail=detail | changes,
    )
