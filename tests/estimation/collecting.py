"""Campaigns on their way, judged through the services by people with opinions of their own."""

import random
from typing import Any

from annotate.models import Assignment, Campaign, Participation
from annotate.work import leasing, submitting
from estimation import deferred, refresh
from tests.factories import person

EDITS = (
    "On Monday the district’s council met, and it spoke about the bridge.",
    "The council met on Monday.",
    "The district’s council had a meeting at the start of the week, as one hears.",
    "A meeting of the council took place.",
)


def people(made: Campaign, n: int) -> list[Participation]:
    return [person(made, f"person {k:02}") for k in range(n)]


def answer(output: int, who: int, chance: random.Random) -> dict[str, Any]:
    """Answers that people agree on, more or less; with an edit where one of them asks for it."""
    quality = (output * 7919 % 100) / 40 - 1.0
    leniency = (who * 31 % 7) / 10 - 0.3
    names = ("fluency", "redundancy", "overall")
    levels = [max(-1, min(1, round(quality + leniency + chance.gauss(0, 0.4)))) for _ in names]
    edit = f"{chance.choice(EDITS)} It was the meeting number {output}."
    return {**dict(zip(names, levels, strict=True)), "edit": None if min(levels) == 1 else edit}


def collect(
    made: Campaign, n: int, *, crowd: int = 15, every: int = 1, seed: int = 1, **same: Any
) -> int:
    """Let a crowd judge in turn until `n` judgments are given; estimate after every so many.

    same: the answers that all give alike. Returns how many were given: fewer where nothing is
    free any more.
    """
    chance, who = random.Random(seed), people(made, crowd)
    given = turn = idle = 0
    while given < n and idle < crowd:
        k, turn = turn % crowd, turn + 1
        got = leasing.lease(who[k].pk)
        if not isinstance(got, Assignment):
            idle += 1
            continue
        idle = 0
        raw = answer(got.output_id, k, chance) | same
        submitting.submit_judgment(
            got.pk, participation_id=who[k].pk, raw=raw, active_seconds=70.0 + k
        )
        given += 1
        if given % every == 0:
            refresh.refresh(made.pk)
    refresh.refresh(made.pk)
    deferred.MEASURING.carry_out(made.pk)
    return given
