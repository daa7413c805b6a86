"""Campaigns on their way, judged through the services by people with opinions of their own."""

import random
from typing import Any

from annotate.models import Campaign, Participation
from annotate.services import judgments, leasing
from estimation.services import estimating
from tests.factories import person

EDITS = (
    "The council met on Monday.",
    "The council of the district met on Monday, and spoke about the bridge.",
    "On Monday the council met.",
)


def people(made: Campaign, n: int) -> list[Participation]:
    return [person(made, f"person {k:02}") for k in range(n)]


def answer(chance: random.Random, leniency: float) -> dict[str, Any]:
    """Three answers that hang together, with an edit where one of them asks for it."""
    liking = chance.gauss(0.3 + leniency, 0.8)
    levels = [max(-1, min(1, round(liking + chance.gauss(0, 0.5)))) for _ in range(3)]
    given: dict[str, Any] = dict(zip(("fluency", "redundancy", "overall"), levels, strict=True))
    return given | {"edit": None if min(levels) == 1 else chance.choice(EDITS)}


def collect(
    made: Campaign, n: int, *, crowd: int = 15, every: int = 1, seed: int = 1, **same: Any
) -> int:
    """Let a crowd judge in turn until `n` judgments are given; estimate after every so many.

    same: the answers that all give alike. Returns how many were given: fewer where nothing is
    free any more.
    """
    chance = random.Random(seed)
    who = people(made, crowd)
    leniency = [chance.gauss(0, 0.3) for _ in who]
    given = idle = 0
    while given < n and idle < crowd:
        k = given % crowd if not idle else (given + idle) % crowd
        raw = answer(chance, leniency[k]) | same
        given_now = _judge(who[k], raw)
        given += given_now
        idle = 0 if given_now else idle + 1
        if given_now and (given <= 20 or given % every == 0):
            estimating.refresh(made.pk)
    estimating.refresh(made.pk)
    return given


def _judge(who: Participation, raw: dict[str, Any]) -> bool:
    got = leasing.lease(who.pk)
    if not hasattr(got, "pk"):
        return False
    judgments.submit(got.pk, participation_id=who.pk, raw=raw)
    return True
