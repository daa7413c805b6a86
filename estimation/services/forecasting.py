"""When a campaign reaches its targets, and for how many judgments: made after the estimates.

The refresh that decides only notes that it is due. The content of a stored forecast:

- judgments: [expected, low, high] at the end, in all; seconds: the same from `at` on, None while
  the pace is unknown; chance: that every interval reaches its target before the items run out.
- per_hour: judgments; minutes: [median, lower, upper quartile] for one; None while unknown.
- cells: one for each system × criterion with a target: system, criterion, chance, at_end (the width
  with everything judged, [expected, low, high]), people (new ones who would reach the target before
  that; None where none would), and the widths by `narrowing` after MORE further judgments: now,
  same_people, new_people.
"""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
from django.utils import timezone

from annotate.selectors.campaigns import counting, slot_counts
from annotate.selectors.campaigns.counting import Brief, Scores
from annotate.selectors.work import pace
from annotate.services.change_marks import ORDINARY
from annotate.states import CampaignStatus
from estimation import data, protocols
from estimation.core import Estimate
from estimation.core.planning import (
    Ahead,
    Arrivals,
    Range,
    StopDraws,
    closing,
    narrowing,
    people_to_reach,
    stops_ahead,
)
from estimation.core.planning import pace as pace_of
from estimation.models import EndForecast, EndForecastDue
from estimation.services import advising
from estimation.services.agreement import GROWTH
from estimation.services.deferred import DeferredWork, Store
from estimation.services.rule import rule_for
from estimation.signals import forecast_due

FORECASTING = DeferredWork("forecast", EndForecastDue, forecast_due)
LEAST = 30  # judged items: the rule stops no earlier
MORE = 100  # judgments, for what would narrow an interval
RENEWED = timedelta(hours=1)  # the pace changes even if nothing comes

Row = dict[str, Any]


def is_due(brief: Brief, scores: Scores, *, reasons: Collection[str]) -> bool:
    """Return whether the forecast is to be made again: after 5 % more judgments, or a ruling."""
    if brief.status != CampaignStatus.OPEN or not brief.targets:
        return False
    made = EndForecast.objects.filter(campaign=brief.campaign_id).order_by("-pk")
    before = made.values_list("judgments", flat=True).first()
    if before is None or not ORDINARY.issuperset(reasons):
        return True
    return scores.judgment.size >= GROWTH * before


def ask(campaign_id: int) -> None:
    """Have a separate task make it after the transaction that found it due."""
    FORECASTING.ask(campaign_id)


def measure(campaign_id: int) -> bool:
    """Make the forecast that is due; False if none is, or another task is making it."""

    def make() -> Store:
        made = _made(counting.brief(campaign_id))

        def store() -> None:
            EndForecast.objects.filter(campaign=campaign_id).delete()
            made.save(force_insert=True)
            advising.note(campaign_id)

        return store

    return FORECASTING.carry_out(campaign_id, make)


def catch_up() -> int:
    """Make those that have been due for a while, and renew old ones; return for how many."""
    old = EndForecast.objects.filter(
        at__lt=timezone.now() - RENEWED, campaign__status=CampaignStatus.OPEN
    )
    waiting = set(EndForecastDue.objects.values_list("campaign", flat=True))
    for campaign_id in sorted(set(old.values_list("campaign", flat=True)) - waiting):
        ask(campaign_id)
    return FORECASTING.catch_up(measure, doing="forecasting the end of")


def _made(brief: Brief) -> EndForecast:
    seen, counts = data.see(brief), slot_counts.counts(brief.campaign_id)
    came = pace.came(brief.campaign_id)
    rate = pace_of(came.times, now=timezone.now().timestamp())
    each = counts.planned / max(1, counts.outputs)
    cells = [c for c in data.cells(brief, seen.systems, seen) if c.criterion.name in brief.targets]
    found = [_cell(brief, cell, each, n_systems=len(seen.systems)) for cell in cells]
    content: Row = {
        "per_hour": None if rate is None else rate.per_second * 3600,
        "minutes": _quartiles(came.active if came.active.size else came.took),
        "cells": [row for row, _draws in found],
        **_end(brief, seen, cells, [draws for _row, draws in found], rate, came.took, counts),
    }
    return EndForecast(
        campaign_id=brief.campaign_id, judgments=seen.scores.judgment.size, content=content
    )


def _cell(
    brief: Brief, cell: data.Cell, each: float, *, n_systems: int
) -> tuple[Row, StopDraws | None]:
    """Return the row of one interval and its drawn ends; None where it is too early."""
    sample, made = cell.sample, protocols.estimated(brief, cell.criterion, cell.sample)
    rule = rule_for(brief, cell.criterion, n_units=sample.incidence.n_units)
    row: Row = {"system": cell.system.system_id, "criterion": cell.criterion.name}
    # What is to come is drawn item by item; that would promise too much where items come in groups.
    if sample.group is not None:
        return row, None
    if made.n_items < LEAST or not made.has_interval or rule.target is None:
        return row, None
    cap = None if brief.cap is None else max(1, round((brief.cap - 1) / n_systems + 1))
    planned = max(sample.n_judgments, round(sample.n_population * each))
    draws = _draws(sample, made, Ahead(planned, cap, rule.planned_items), rule.target, brief.level)
    if cell.system.stop_position is not None:
        draws = _ended(sample.n_judgments, draws)
    narrow = narrowing(sample, made, more=MORE, level=brief.level, cap=cap)
    people = people_to_reach(
        sample, made, target_width=rule.target, planned=planned, level=brief.level, cap=cap
    )
    row |= {"chance": draws.chance, "at_end": _listed(draws.width_at_end), "people": people}
    if narrow is not None:
        row |= {name: getattr(narrow, name) for name in ("now", "same_people", "new_people")}
    return row, draws


def _draws(sample: Any, made: Estimate, ahead: Ahead, target: float, level: float) -> StopDraws:
    return stops_ahead(sample, made, ahead, target_width=target, level=level)


def _ended(judgments: int, draws: StopDraws) -> StopDraws:
    """Return the draws of a system that has stopped: it takes no more judgments."""
    size = draws.judgments.size
    return StopDraws(np.full(size, float(judgments)), np.full(size, True), draws.width_at_end)


def _end(
    brief: Brief,
    seen: data.Seen,
    cells: Sequence[data.Cell],
    draws: Sequence[StopDraws | None],
    rate: Arrivals | None,
    took: Any,
    counts: slot_counts.CampaignCounts,
) -> Row:
    """Return the forecast of the whole campaign; nothing until each interval has one."""
    of_system: dict[int, list[StopDraws]] = {}
    for cell, one in zip(cells, draws, strict=True):
        if one is not None:
            of_system.setdefault(cell.system.system_id, []).append(one)
    whole = len(seen.systems) * len(brief.targets)
    if not whole or sum(map(len, of_system.values())) < whole:
        return {"judgments": None, "seconds": None, "chance": None}
    each = {cell.system.system_id: cell.sample.n_judgments for cell in cells}
    found = closing(
        list(of_system.values()),
        judged=counts.judged,
        running=counts.running,
        durations=took,
        shared=min(1.0, counts.judged / max(1, sum(each.values()))),
        pace=rate,
    )
    return {
        "judgments": _listed(_at_most(found.judgments, counts.planned)),
        "seconds": None if found.seconds is None else _listed(found.seconds),
        "chance": found.chance,
    }


def _at_most(found: Range, planned: int) -> Range:
    """Return a range within what can be judged; systems are forecast apart, and each is rounded."""
    return Range(*(min(n, float(planned)) for n in (found.expected, found.low, found.high)))


def _listed(found: Range) -> list[float] | None:
    """Return plain numbers; None where a width has no bound."""
    numbers = [found.expected, found.low, found.high]
    return numbers if np.isfinite(numbers).all() else None


def _quartiles(seconds: Any) -> list[float] | None:
    if not seconds.size:
        return None
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75)) / 60
    return [float(middle), float(low), float(high)]
