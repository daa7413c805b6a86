"""What follows a refresh in tasks of its own: agreement, closer looks, forecasts, advice."""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Min
from django.utils import timezone
from numpy.typing import NDArray

from annotate.campaigns import facts, progress
from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.facts import CampaignDesign, Scores, SystemOutputs
from annotate.common import locks
from annotate.common import rows as common_rows
from annotate.common.marks import ORDINARY
from annotate.instruments.base import Criterion
from annotate.models import ItemOrder
from annotate.models.base import CampaignStatus, ItemMeasure
from annotate.review import items
from annotate.review.items import sort_keys
from annotate.work import queries as work_queries
from estimation import core, read
from estimation import facts as facts_module
from estimation.core import planning
from estimation.models import (
    Agreement,
    AgreementDue,
    CloserLook,
    CloserLookDue,
    EndForecast,
    EndForecastDue,
)
from estimation.pages import dashboard, looks
from estimation.rule import rule_for

AT_MOST = 20.0  # seconds of one run

logger = logging.getLogger(__name__)


def each(campaigns: Iterable[int], act: Callable[[int], object], *, doing: str) -> int:
    """Call `act` for each campaign, for about `AT_MOST` seconds; return for how many.

    The rest is left to the next run. One campaign's failure is logged and does not delay the
    others. All failures are raised at the end, so that the task fails visibly.
    """
    until, failures, n = time.monotonic() + AT_MOST, [], 0
    for campaign_id in campaigns:
        if time.monotonic() >= until:
            break
        n += 1
        try:
            act(campaign_id)
        except Exception as failure:
            logger.exception("%s campaign %s failed", doing, campaign_id)
            failures.append(failure)
    if failures:
        raise ExceptionGroup(f"{doing} some campaigns failed", failures)
    return n


# What a refresh only notes, because it takes longer: a task of its own does it afterwards.
#
# The note is a committed row, so a lost message only delays the task by seconds.


LEASE = timedelta(minutes=5)  # the longest duration of a task
GRACE = timedelta(seconds=5)  # younger marks still have a message on its way

Store = Callable[[], Any]


@dataclass(frozen=True)
class DeferredWork:
    """One kind of such work. name: of its lease. marks: its notes. task: its name in `tasks`.

    is_due: by what a refresh has read, and the reasons of the changes. make: does the work for a
        campaign, and returns what stores the result, in the transaction that removes the marks.
    doing: in words.
    """

    name: str
    marks: type[AgreementDue] | type[EndForecastDue] | type[CloserLookDue]
    task: str
    is_due: Callable[[CampaignDesign, Scores, Collection[str]], bool]
    make: Callable[[int], Store]
    doing: str

    def ask(self, campaign_id: int) -> None:
        """Have a task do it after the transaction that found it due."""
        from config.celery import enqueue
        from estimation import tasks

        self.marks.objects.create(campaign_id=campaign_id)
        task = getattr(tasks, self.task)
        transaction.on_commit(lambda: enqueue(task, campaign_id), robust=True)

    def carry_out(self, campaign_id: int) -> bool:
        """Do it if it is due; False if it is not, or if another task is doing it."""
        mine = self.marks.objects.filter(campaign=campaign_id)
        if not mine.exists():
            return False
        with locks.hold(f"{self.name}:{campaign_id}", LEASE) as lease:
            if lease is None:
                return False
            marks = list(mine.values_list("pk", flat=True))
            store = self.make(campaign_id)
            with transaction.atomic():
                removed, _ = self.marks.objects.filter(pk__in=marks).delete()
                if not removed:
                    return False  # this outlasted the lease, and another task has stored it
                store()
        return True

    def catch_up(self) -> int:
        """Do what has been due for a while, the longest first; return in how many campaigns."""
        old = self.marks.objects.filter(at__lt=timezone.now() - GRACE).order_by()
        waiting = old.values("campaign").annotate(first=Min("at")).order_by("first", "campaign")
        campaigns = list(waiting.values_list("campaign", flat=True))
        return each(campaigns, self.carry_out, doing=self.doing)


def _has_grown(
    made: type[CloserLook] | type[EndForecast],
    design: CampaignDesign,
    scores: Scores,
    reasons: Collection[str],
) -> bool:
    """Return whether what was made is to be made again: after 5 % more judgments, or a ruling."""
    newest = made.objects.filter(campaign=design.campaign_id).order_by("-pk")
    before = newest.values_list("judgments", flat=True).first()
    if before is None or not ORDINARY.issuperset(reasons):
        return True
    return scores.judgment.size >= GROWTH * before


# Agreement between people: measured after the estimates, where its judgments changed.
#
# The refresh that decides only notes that it is due, because resampling and leaving out take
# longer.


LEAST_OUTPUTS = 2  # one output judged twice says nothing about people
GROWTH = 1.05  # during collection, the growth of the judgments after which it is measured again
REPLICATES = 1000
TOLD = 100  # people without whom alpha is told: with 40,000 a row would take 3 MB
COLLECTING = (CampaignStatus.OPEN, CampaignStatus.PAUSED)

Column = NDArray[np.generic]


@dataclass(frozen=True)
class _Shared:
    """The judgments (T,) of outputs that several people judged, on one criterion."""

    criterion: Criterion
    output: Column
    annotator: Column
    value: Column

    @property
    def n_outputs(self) -> int:
        return int(core.distinct(self.output).size)

    @property
    def digest(self) -> str:
        order = np.lexsort((self.annotator, self.output))
        columns = (self.output, self.annotator, self.value)
        return sha256(b"".join(one[order].tobytes() for one in columns)).hexdigest()[:32]


def _agreement_is_due(design: CampaignDesign, scores: Scores, _reasons: Collection[str]) -> bool:
    """Return whether the agreement on some criterion is due.

    While judgments come in, alpha is measured again after 5 % more of them; at once when rulings
    change what counts, and from closing on.
    """
    return bool(_columns_due(design, scores))


def _measure(campaign_id: int) -> Store:
    design = facts.design(campaign_id)
    due = _columns_due(design, facts.scores(campaign_id))
    excluded = facts.excluded(campaign_id)
    rows = [_row(design, shared, excluded=excluded) for shared in due]
    return lambda: Agreement.objects.bulk_create(rows)


MEASURING = DeferredWork(
    "agreement",
    AgreementDue,
    "measure_agreement",
    _agreement_is_due,
    _measure,
    doing="measuring agreement in",
)


def _columns_due(design: CampaignDesign, scores: Scores) -> list[_Shared]:
    before = {row.criterion: row for row in read.newest_agreement(design.campaign_id)}
    excluded = facts.excluded(design.campaign_id)
    return [
        shared
        for criterion in design.criteria
        for shared in [_shared(criterion, scores)]
        if _due(before.get(criterion.name), shared, excluded=excluded, status=design.status)
    ]


def _shared(criterion: Criterion, scores: Scores) -> _Shared:
    value = scores.value.get(criterion.name)
    known = np.zeros(scores.output.size, bool) if value is None else ~np.isnan(value)
    _, which, times = np.unique(scores.output[known], return_inverse=True, return_counts=True)
    kept = np.flatnonzero(known)[times[which] > 1]
    score = np.empty(0) if value is None else value[kept]
    return _Shared(criterion, scores.output[kept], scores.annotator[kept], score)


def _due(before: Agreement | None, now: _Shared, *, excluded: int, status: str) -> bool:
    if before is None:
        return now.n_outputs >= LEAST_OUTPUTS
    collects = status in COLLECTING and before.excluded == excluded
    if collects and before.n_judgments <= now.value.size < GROWTH * before.n_judgments:
        return False
    return before.digest != now.digest


def _row(design: CampaignDesign, shared: _Shared, *, excluded: int) -> Agreement:
    row = Agreement(
        campaign_id=design.campaign_id,
        criterion=shared.criterion.name,
        distance=shared.criterion.distance,
        level=design.level,
        n_outputs=shared.n_outputs,
        n_judgments=shared.value.size,
        n_annotators=core.distinct(shared.annotator).size,
        excluded=excluded,
        digest=shared.digest,
    )
    if row.n_outputs < LEAST_OUTPUTS:
        row.detail = {"why": "Fewer than two outputs have two judgments that count."}
        return row
    _measured(row, shared, ranks=design.ranks)
    return row


def _measured(row: Agreement, shared: _Shared, *, ranks: bool) -> None:
    """Measure alpha, how often people agreed exactly, and what other studies report.

    ranks: an item's outputs were judged together, so they are no sample of outputs to draw from.
    """
    columns, distance = (shared.output, shared.annotator, shared.value), shared.criterion.distance
    observed, by_chance = core.observed_agreement(*columns)
    row.detail = {"observed": observed, "by_chance": by_chance}
    try:
        found = core.krippendorff_alpha(
            *columns, distance=distance, level=row.level, replicates=0 if ranks else REPLICATES
        )
    except core.NoVariationError:
        row.detail["why"] = "All judgments gave the same score, so alpha is not defined."
        return
    row.alpha, row.low, row.high = found.alpha, found.low, found.high
    if ranks:
        row.detail["why"] = "The scores of one ranking depend on each other: there is no interval."
    row.detail["without"] = _without(shared, found.alpha)
    row.detail["icc"] = core.intraclass_correlation(*columns)
    if distance != "interval":
        row.detail["fleiss_kappa"] = core.fleiss_kappa(*columns)


def _without(shared: _Shared, alpha: float) -> list[dict[str, Any]]:
    """Return alpha without each of those who change it most, the largest change first.

    By pseudonym; alpha is None where the others have none, and these come last.
    """
    found = core.alpha_without_each(
        shared.output, shared.annotator, shared.value, distance=shared.criterion.distance
    )
    most = np.argsort(-np.abs(found.alpha - alpha), kind="stable")[:TOLD]
    names = facts.pseudonyms(found.annotator[most].tolist())
    columns = (found.annotator, found.alpha, found.shared)
    rows = zip(*(column[most].tolist() for column in columns), strict=True)
    return [
        {"annotator": names[who], "alpha": None if np.isnan(alpha) else alpha, "shared": n}
        for who, alpha, n in rows
    ]


# The data behind each estimate, and the orders of items; computed by a task after estimates.
#
# The refresh that decides only notes that it is due. The content of a stored look is that of
# `estimation.pages.looks`.


EDIT = "edit"  # the criterion of instruments with corrections

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _look_is_due(design: CampaignDesign, scores: Scores, reasons: Collection[str]) -> bool:
    """Return whether it is to be made again: after 5 % more judgments, a ruling, or in the end."""
    return design.is_final or _has_grown(CloserLook, design, scores, reasons)


def _look_closer(campaign_id: int) -> Store:
    design = facts.design(campaign_id)
    seen = facts_module.evidence(design)
    judged = [one for criterion in looked_at(design) for one in _judged(seen, criterion)]
    made, orders = [_look(design, one) for one in judged], list(_orders(design, seen, judged))

    def store() -> None:
        CloserLook.objects.filter(campaign=campaign_id).delete()
        for one in made:
            one.judgments = seen.scores.judgment.size
        CloserLook.objects.bulk_create(made)
        items.store(campaign_id, orders, judgments=seen.scores.judgment.size)

    return store


LOOKING = DeferredWork(
    "closer_look", CloserLookDue, "look_closer", _look_is_due, _look_closer, "looking closer at"
)


def looked_at(design: CampaignDesign) -> tuple[Criterion, ...]:
    """Return the criteria that are looked at: the primary ones, or the first one."""
    return design.primary or design.criteria[:1]


@dataclass(frozen=True)
class _Judged:
    """One system × criterion. metrics: (N, p) or None; residual: (N,), NaN where unknown."""

    system: SystemOutputs
    criterion: Criterion
    scores: core.TextScores
    metrics: Floats | None
    line: core.Predictor | None
    residual: Floats


def _judged(seen: facts_module.Evidence, criterion: Criterion) -> Iterator[_Judged]:
    for system in seen.systems:
        scores = _scores(seen, system, criterion.name)
        known = facts_module.metric_of(system.output, seen.metrics)
        metrics = None if known is None else np.asarray(known).reshape(system.output.size, -1)
        line = None if metrics is None else core.predictor(metrics, scores.mean)
        residual = np.full(system.output.size, np.nan)
        if line is not None and metrics is not None:
            residual = scores.mean - line.of(metrics)
        yield _Judged(system, criterion, scores, metrics, line, residual)


def _scores(seen: facts_module.Evidence, system: SystemOutputs, criterion: str) -> core.TextScores:
    score = seen.scores.value.get(criterion, np.full(seen.scores.output.size, np.nan))
    place = common_rows.places(system.output, wanted=seen.scores.output)
    mine = (place >= 0) & ~np.isnan(score)
    return core.text_scores(place[mine], score[mine], n_texts=system.output.size)


def _look(design: CampaignDesign, one: _Judged) -> CloserLook:
    content = looks.content(
        one.system.position,
        one.scores,
        criterion=one.criterion,
        metrics=one.metrics,
        names=design.metrics,
        line=one.line,
        level=design.level,
    )
    return CloserLook(
        campaign_id=design.campaign_id,
        system_id=one.system.system_id,
        criterion=one.criterion.name,
        content=content,
    )


def _orders(
    design: CampaignDesign, seen: facts_module.Evidence, judged: Collection[_Judged]
) -> Iterator[ItemOrder]:
    for criterion in looked_at(design):
        mine = [one for one in judged if one.criterion is criterion]
        each = [(one.system.system_id, [one]) for one in mine]
        for system, some in [(None, mine), *each]:
            for measure, figures in _figures(criterion, seen, some).items():
                yield _order(system, criterion, measure, figures)


def _figures(
    criterion: Criterion, seen: facts_module.Evidence, some: Collection[_Judged]
) -> dict[ItemMeasure, Floats]:
    """Return the figures of each position over these systems, NaN where there is none."""
    places = [one.system.position for one in some]
    size = max((int(place.max(initial=-1)) for place in places), default=-1) + 1
    best = 1.0 if criterion.higher_is_better else -1.0
    edits = [_scores(seen, one.system, EDIT).mean for one in some]

    def most(values: Collection[Floats]) -> Floats:
        return _extreme(places, values, size)

    return {
        ItemMeasure.JUDGED: most([np.where(one.scores.n, one.scores.n, np.nan) for one in some]),
        ItemMeasure.DISAGREEMENT: most([one.scores.spread for one in some]),
        ItemMeasure.WORST: -best * most([-best * one.scores.mean for one in some]),
        ItemMeasure.EDITED: most(edits),
        ItemMeasure.RESIDUAL: _furthest(places, [one.residual for one in some], size),
    }


def _extreme(places: Collection[Ints], values: Collection[Floats], size: int) -> Floats:
    """Return the largest value at each of `size` positions; NaN where there is none."""
    found = np.full(size, np.nan)
    for place, value in zip(places, values, strict=True):
        found[place] = np.fmax(found[place], value)
    return found


def _furthest(places: Collection[Ints], values: Collection[Floats], size: int) -> Floats:
    """Return the value furthest from 0 at each position, with its sign."""
    high = _extreme(places, values, size)
    low = -_extreme(places, [-value for value in values], size)
    return np.where(np.abs(high) >= np.abs(low), high, low)


def _order(
    system: int | None, criterion: Criterion, measure: ItemMeasure, figures: Floats
) -> ItemOrder:
    known = np.flatnonzero(~np.isnan(figures))
    # As they are stored, so that the order is the same as that of the stored figures.
    found = figures[known].astype(np.float32).astype(np.float64)
    if measure == ItemMeasure.JUDGED:  # which items are judged, and no order
        order = np.arange(known.size)
    else:
        keys = sort_keys(measure, found, higher_is_better=criterion.higher_is_better)
        order = np.argsort(keys, kind="stable")
    return items.new_order(system, criterion.name, measure, known[order], found[order])


# Notes what the dashboards of collecting campaigns advise, for the list and the API.
#
# A note follows each forecast, and is renewed by time, because silence is advice too.


def renew() -> int:
    """Note it for the campaigns whose note is older than a minute; return for how many."""
    until, n = time.monotonic() + AT_MOST, 0
    for campaign in campaigns_lists.due():
        if time.monotonic() > until:
            break
        note(campaign)
        n += 1
    return n


def note(campaign: Any) -> None:
    found = dashboard.of_campaign(campaign).advice
    campaigns_lists.note(campaign.pk, key=found.key, title=found.title, waits=found.waits)


# When a campaign reaches its targets, and for how many judgments: made after the estimates.
#
# The refresh that decides only notes that it is due. The content of a stored forecast:
#
# - judgments: [expected, low, high] at the end, in all; seconds: the same from `at` on, None while
# the pace is unknown; chance: that every interval reaches its target before the items run out.
# - per_hour: judgments; minutes: [median, lower, upper quartile] for one; None while unknown.
# - cells: one for each system × criterion with a target: system, criterion, chance, at_end (the
# width with everything judged, [expected, low, high]), people (new ones who would reach the target
# before that; None where none would), and the widths by `narrowing` after MORE further judgments:
# now, same_people, new_people.


LEAST = 30  # judged items: the rule stops no earlier
MORE = 100  # judgments, for what would narrow an interval
RENEWED = timedelta(hours=1)  # the pace changes even if nothing comes

Row = dict[str, Any]


def _forecast_is_due(design: CampaignDesign, scores: Scores, reasons: Collection[str]) -> bool:
    """Return whether the forecast is to be made again: after 5 % more judgments, or a ruling."""
    if design.status != CampaignStatus.OPEN or not design.targets:
        return False
    return _has_grown(EndForecast, design, scores, reasons)


def _forecast(campaign_id: int) -> Store:
    made = _made(facts.design(campaign_id))

    def store() -> None:
        EndForecast.objects.filter(campaign=campaign_id).delete()
        made.save(force_insert=True)
        note(campaigns_lists.campaign(campaign_id))

    return store


FORECASTING = DeferredWork(
    "forecast",
    EndForecastDue,
    "forecast_end",
    _forecast_is_due,
    _forecast,
    doing="forecasting the end of",
)
DEFERRED = (MEASURING, FORECASTING, LOOKING)


def catch_up_forecasts() -> int:
    """Make those that have been due for a while, and renew old ones; return for how many."""
    old = EndForecast.objects.filter(
        at__lt=timezone.now() - RENEWED, campaign__status=CampaignStatus.OPEN
    )
    waiting = set(EndForecastDue.objects.values_list("campaign", flat=True))
    for campaign_id in sorted(set(old.values_list("campaign", flat=True)) - waiting):
        FORECASTING.ask(campaign_id)
    return FORECASTING.catch_up()


def _made(design: CampaignDesign) -> EndForecast:
    seen, counts = facts_module.evidence(design), progress.count_slots(design.campaign_id)
    times, took, active = work_queries.recent_work(design.campaign_id)
    rate = planning.pace(times, now=timezone.now().timestamp())
    each = counts.planned / max(1, counts.outputs)
    cells = [c for c in facts_module.cells(design, seen) if c.criterion.name in design.targets]
    n_systems = 1 if design.ranks else len(seen.systems)  # among which a person's tasks are shared
    found = [_cell(design, cell, each, n_systems=n_systems) for cell in cells]
    content: Row = {
        "per_hour": None if rate is None else rate.per_second * 3600,
        "minutes": _quartiles(active if active.size else took),
        "cells": [row for row, _draws in found],
        **_end(design, seen, cells, [draws for _row, draws in found], rate, took, counts),
    }
    return EndForecast(
        campaign_id=design.campaign_id, judgments=seen.scores.judgment.size, content=content
    )


def _cell(
    design: CampaignDesign, cell: facts_module.Cell, each: float, *, n_systems: int
) -> tuple[Row, planning.StopDraws | None]:
    """Return the row of one interval and its drawn ends; None where it is too early."""
    sample, made = cell.sample, facts_module.estimated(design, cell.criterion, cell.sample)
    rule = rule_for(design, cell.criterion, n_units=sample.incidence.n_units)
    row: Row = {"system": cell.system.system_id, "criterion": cell.criterion.name}
    # What is to come is drawn item by item; that would promise too much where items come in groups.
    if sample.group is not None:
        return row, None
    if made.n_items < LEAST or not made.has_interval or rule.target is None:
        return row, None
    cap = None if design.cap is None else max(1, round((design.cap - 1) / n_systems + 1))
    planned = max(sample.n_judgments, round(sample.n_population * each))
    ahead = planning.Continuation(planned, cap, rule.planned_items)
    draws = planning.stops_ahead(sample, made, ahead, target_width=rule.target, level=design.level)
    if cell.system.stop_position is not None:
        # It takes no more judgments.
        judged = np.full(draws.judgments.size, float(sample.n_judgments))
        draws = planning.StopDraws(judged, np.full(judged.size, True), draws.width_at_end)
    narrow = planning.narrowing(sample, made, more=MORE, level=design.level, cap=cap)
    people = planning.people_to_reach(
        sample, made, target_width=rule.target, planned=planned, level=design.level, cap=cap
    )
    row |= {"chance": draws.chance, "at_end": _listed(draws.width_at_end), "people": people}
    if narrow is not None:
        row |= {name: getattr(narrow, name) for name in ("now", "same_people", "new_people")}
    return row, draws


def _end(
    design: CampaignDesign,
    seen: facts_module.Evidence,
    cells: Sequence[facts_module.Cell],
    draws: Sequence[planning.StopDraws | None],
    rate: planning.Arrivals | None,
    took: Any,
    counts: progress.Progress,
) -> Row:
    """Return the forecast of the whole campaign; nothing until each interval has one."""
    # What has judgments of its own and ends by itself: a system or, where texts are ranked, all.
    apart = [0 if design.ranks else cell.system.system_id for cell in cells]
    of_system: dict[int, list[planning.StopDraws]] = {}
    for one_of, one in zip(apart, draws, strict=True):
        if one is not None:
            of_system.setdefault(one_of, []).append(one)
    whole = len(seen.systems) * len(design.targets)
    if not whole or sum(map(len, of_system.values())) < whole:
        return {"judgments": None, "seconds": None, "chance": None}
    each = {one: cell.sample.n_judgments for one, cell in zip(apart, cells, strict=True)}
    found = planning.closing(
        list(of_system.values()),
        judged=counts.judged,
        running=counts.running,
        durations=took,
        shared=min(1.0, counts.judged / max(1, sum(each.values()))),
        pace=rate,
    )
    return {
        # Systems are forecast apart, and each is rounded: no more than can be judged.
        "judgments": _listed(found.judgments, float(counts.planned)),
        "seconds": None if found.seconds is None else _listed(found.seconds),
        "chance": found.chance,
    }


def _listed(found: planning.Range, most: float = np.inf) -> list[float] | None:
    """Return plain numbers, at most this large; None where a width has no bound."""
    numbers = [min(one, most) for one in (found.expected, found.low, found.high)]
    return numbers if np.isfinite(numbers).all() else None


def _quartiles(seconds: Any) -> list[float] | None:
    if not seconds.size:
        return None
    low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75)) / 60
    return [float(middle), float(low), float(high)]
