"""Stores the items of a campaign with their outputs and planned judgments."""

import hashlib
import random
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from django.db import models
from django.db.models import F

from annotate.models import Authorship, Campaign, Item, Output, Slot
from annotate.services import plain_rows
from annotate.services.campaigns.importing.problems import Row
from annotate.services.campaigns.plans import Plan
from estimation.metrics import reading_length

# Positions of items and where their groups begin (None: no group), and the rows of each.
Chunk = list[tuple[int, int | None, list[Row]]]


def every_so_many(plan: Plan, seed: int) -> Callable[[int], int]:
    """Return a function that spreads the items judged twice evenly over the random order.

    Every prefix of the sample then holds the same share of them. Which items they are is as random
    as the order, and fixed before the first judgment.
    """
    start = random.Random(seed + 1).random()
    share = plan.double_share

    def planned(position: int) -> int:
        return 1 + int((position + 1) * share + start) - int(position * share + start)

    return planned


def store(campaign: Campaign, plan: Plan, chunk: Chunk) -> None:
    """Store items with their outputs and slots. Call it in a transaction."""
    every = every_so_many(plan, campaign.seed)
    planned = plan.planned or (lambda _row, position: every(position))
    systems = dict(campaign.systems.values_list("name", "pk"))
    rows = [(campaign.pk, *_item(at, begins, group[0])) for at, begins, group in chunk]
    items = _add(Item, ITEM, rows)
    alike = [
        (item, position, same)
        for item, (position, _begins, group) in zip(items, chunk, strict=True)
        for same in _by_text(group)
    ]
    texts = [(campaign.pk, item, *_output(same)) for item, _position, same in alike]
    outputs = list(zip(_add(Output, OUTPUT, texts), alike, strict=True))
    written = [
        (systems[row.system], item, output)
        for output, (item, _position, same) in outputs
        for row in same
    ]
    _add(Authorship, ("system_id", "item_id", "output_id"), written)
    slots = [
        (campaign.pk, output, position, number)
        for output, (_item, position, same) in outputs
        for number in range(1, planned(same[0], position) + 1)
    ]
    _add(Slot, ("campaign_id", "output_id", "position", "number"), slots)
    Campaign.objects.filter(pk=campaign.pk).update(
        planned=F("planned") + len(slots),
        planned_outputs=F("planned_outputs") + len(outputs),
        planned_twice=F("planned_twice") + sum(number == 2 for *_slot, number in slots),
    )


def _add(
    model: type[models.Model], names: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[int]:
    """Store rows, and return their new ids."""
    ids = plain_rows.reserve(model, len(rows))
    numbered = ((pk, *row) for pk, row in zip(ids, rows, strict=True))
    plain_rows.insert(model, ("id", *names), numbered)
    return ids


ITEM = (
    *("campaign_id", "key", "position", "input", "paragraphs", "words", "reference"),
    *("group", "group_start"),
)
OUTPUT = ("campaign_id", "item_id", "text", "words", "digest", "given_metrics")


def _item(position: int, begins: int | None, row: Row) -> tuple[Any, ...]:
    """Return the values of an item after its campaign, as in `ITEM`."""
    words = reading_length(row.input)
    texts = row.input, list(row.paragraphs), words, row.reference
    return row.item, position, *texts, row.group, begins


def _by_text(group: list[Row]) -> list[list[Row]]:
    same: dict[str, list[Row]] = {}
    for row in group:
        same.setdefault(row.output, []).append(row)
    return list(same.values())


def _output(rows: list[Row]) -> tuple[Any, ...]:
    """Return the values, as in `OUTPUT`, of the output that systems with the same text share.

    A metric is a function of the text, so values that differ between these rows are averaged.
    """
    text = rows[0].output
    names = set.intersection(*(set(row.metrics) for row in rows))
    metrics = {name: fmean(row.metrics[name] for row in rows) for name in sorted(names)}
    return text, reading_length(text), hashlib.sha256(text.encode()).hexdigest(), metrics
