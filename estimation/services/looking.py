"""The data behind each estimate, and the orders of items; computed by a task after estimates.

The refresh that decides only notes that it is due. The content of a stored look is that of
`estimation.looks`.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.selectors import bulk
from annotate.selectors.campaigns import counting
from annotate.selectors.campaigns.counting import Brief, Scores, SystemOutputs
from annotate.selectors.review.items.orders import sort_keys
from annotate.services.change_marks import ORDINARY
from annotate.services.review import item_orders
from annotate.services.review.item_orders import NewOrder
from annotate.states import ItemMeasure
from estimation import data, looks
from estimation.core import Predictor, TextScores, predictor, text_scores
from estimation.models import CloserLook, CloserLookDue
from estimation.services.agreement import GROWTH
from estimation.services.deferred import DeferredWork, Store
from estimation.signals import closer_look_due

LOOKING = DeferredWork("closer_look", CloserLookDue, closer_look_due)
EDIT = "edit"  # the criterion of instruments with corrections

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def is_due(brief: Brief, scores: Scores, *, reasons: Collection[str]) -> bool:
    """Return whether it is to be made again: after 5 % more judgments, a ruling, or in the end."""
    made = CloserLook.objects.filter(campaign=brief.campaign_id).order_by("-pk")
    before = made.values_list("judgments", flat=True).first()
    if before is None or brief.is_final or not ORDINARY.issuperset(reasons):
        return True
    return scores.judgment.size >= GROWTH * before


def ask(campaign_id: int) -> None:
    """Have a separate task make it after the transaction that found it due."""
    LOOKING.ask(campaign_id)


def measure(campaign_id: int) -> bool:
    """Make the closer look that is due; False if none is, or another task is making it."""

    def make() -> Store:
        brief = counting.brief(campaign_id)
        seen = data.see(brief)
        judged = [one for criterion in looked_at(brief) for one in _judged(seen, criterion)]
        made, orders = [_look(brief, one) for one in judged], list(_orders(brief, seen, judged))

        def store() -> None:
            CloserLook.objects.filter(campaign=campaign_id).delete()
            for one in made:
                one.judgments = seen.scores.judgment.size
            CloserLook.objects.bulk_create(made)
            item_orders.store(campaign_id, orders, judgments=seen.scores.judgment.size)

        return store

    return LOOKING.carry_out(campaign_id, make)


def catch_up() -> int:
    """Make those that have been due for a while, the longest first; return for how many."""
    return LOOKING.catch_up(measure, doing="looking closer at")


def looked_at(brief: Brief) -> tuple[Criterion, ...]:
    """Return the criteria that are looked at: the primary ones, or the first one."""
    return brief.primary or brief.criteria[:1]


@dataclass(frozen=True)
class _Judged:
    """One system × criterion. metrics: (N, p) or None; residual: (N,), NaN where unknown."""

    system: SystemOutputs
    criterion: Criterion
    scores: TextScores
    metrics: Floats | None
    line: Predictor | None
    residual: Floats


def _judged(seen: data.Seen, criterion: Criterion) -> Iterator[_Judged]:
    for system in seen.systems:
        scores = _scores(seen, system, criterion.name)
        known = data.metric_of(system.output, seen.metrics)
        metrics = None if known is None else np.asarray(known).reshape(system.output.size, -1)
        line = None if metrics is None else predictor(metrics, scores.mean)
        residual = np.full(system.output.size, np.nan)
        if line is not None and metrics is not None:
            residual = scores.mean - line.of(metrics)
        yield _Judged(system, criterion, scores, metrics, line, residual)


def _scores(seen: data.Seen, system: SystemOutputs, criterion: str) -> TextScores:
    score = seen.scores.value.get(criterion, np.full(seen.scores.output.size, np.nan))
    place = bulk.places(system.output, wanted=seen.scores.output)
    mine = (place >= 0) & ~np.isnan(score)
    return text_scores(place[mine], score[mine], n_texts=system.output.size)


def _look(brief: Brief, one: _Judged) -> CloserLook:
    content = looks.content(
        one.system.position,
        one.scores,
        criterion=one.criterion,
        metrics=one.metrics,
        names=brief.metrics,
        line=one.line,
        level=brief.level,
    )
    return CloserLook(
        campaign_id=brief.campaign_id,
        system_id=one.system.system_id,
        criterion=one.criterion.name,
        content=content,
    )


def _orders(brief: Brief, seen: data.Seen, judged: Collection[_Judged]) -> Iterator[NewOrder]:
    """Yield each order of all systems together and of each one."""
    for criterion in looked_at(brief):
        mine = [one for one in judged if one.criterion is criterion]
        each = [(one.system.system_id, [one]) for one in mine]
        for system, some in [(None, mine), *each]:
            for measure, figures in _figures(criterion, seen, some).items():
                yield _order(system, criterion, measure, figures)


def _figures(
    criterion: Criterion, seen: data.Seen, some: Collection[_Judged]
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
) -> NewOrder:
    known = np.flatnonzero(~np.isnan(figures))
    # As they are stored, so that the order is the same as that of the stored figures.
    found = figures[known].astype(np.float32).astype(np.float64)
    if measure == ItemMeasure.JUDGED:  # which items are judged, and no order
        order = np.arange(known.size)
    else:
        keys = sort_keys(measure, found, higher_is_better=criterion.higher_is_better)
        order = np.argsort(keys, kind="stable")
    return NewOrder(system, criterion.name, measure, known[order], found[order])
