"""Campaigns whose metric has an outlier, judged by what their items are worth."""

import random
from typing import Any

from django.contrib.auth.models import User

from annotate.campaigns.problems import Row
from annotate.models import Assignment, Campaign, Output
from annotate.work import leasing, submitting
from estimation import refresh
from tests.factories import campaign, person

ITEMS, OUTLIER = 120, 1200.0


def quality(item: int) -> float:
    return random.Random(item).gauss(0, 1)


def perplexity(item: int, system: int) -> float:
    return 20 + 2 * random.Random(f"{item} {system}").gauss(0, 1) - quality(item)


def rows(systems: tuple[str, ...], outlier: float) -> list[Row]:
    """Perplexities of about 20, and one that is not."""
    return [
        Row(
            item=f"item-{i}",
            system=system,
            output=f"The council of district {i} met on Monday, as {system} tells it.",
            metrics={"perplexity": outlier if (i, s) == (7, 0) else perplexity(i, s)},
        )
        for i in range(ITEMS)
        for s, system in enumerate(systems)
    ]


def heavy(
    owner: User | None = None,
    *,
    transform: str = "",
    outlier: float = OUTLIER,
    systems: tuple[str, ...] = ("lm",),
    **plan: Any,
) -> Campaign:
    """A campaign with an outlier; `transform` as if it had opened with that."""
    settings = {"targets": {"overall": 1.2}, "double_share": 0, "annotator_cap": None} | plan
    made = campaign(owner=owner, rows_=rows(systems, outlier), metrics=("perplexity",), **settings)
    if transform:
        before = made.protocol | {"metric_transform": transform}
        if transform == "raw":  # as 0.1.0 wrote it
            del before["metric_transform"]
        Campaign.objects.filter(pk=made.pk).update(protocol=before)
        made.refresh_from_db()
    return made


def wrong(owner: User) -> Campaign:
    """A campaign of before, whose estimate lies off the scale."""
    return judge(heavy(owner, transform="raw"), 60)


def judge(made: Campaign, n: int) -> Campaign:
    """Let 15 people judge in turn by what the items are worth, and estimate every ten judgments."""
    crowd = [person(made, f"p{k}") for k in range(15)]
    for turn in range(n):
        got = leasing.lease(crowd[turn % 15].pk)
        if not isinstance(got, Assignment):
            break
        item = int(Output.objects.get(pk=got.output_id).item.key.removeprefix("item-"))
        level = max(-1, min(1, round(quality(item) + random.Random(turn).gauss(0, 0.3))))
        edit = None if level == 1 else f"A better text about the council of district {item}."
        raw = {"fluency": level, "redundancy": level, "overall": level, "edit": edit}
        submitting.submit_judgment(got.pk, participation_id=crowd[turn % 15].pk, raw=raw)
        if turn % 10 == 9:
            refresh.refresh(made.pk)
    for _round in range(4):
        refresh.refresh(made.pk)
    made.refresh_from_db()
    return made
