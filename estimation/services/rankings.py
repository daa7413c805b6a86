"""The ranking rule's decisions about pairs of systems, and what open pairs need.

All pairs on all primary criteria are decided together, with or without an interval: alpha is
divided by their number.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import Brief, SystemStanding
from estimation.core import (
    MIN_EFFECTIVE_ANNOTATORS,
    MIN_ITEMS,
    MIN_ITEMS_UNBOUNDED,
    Interval,
    Pair,
    PairState,
    PairVerdict,
    items_to_decide,
    ranking,
)
from estimation.selectors.rankings import ITEMS, NEITHER, PEOPLE
from estimation.services.findings import Contrast, Ranked

NOTHING = PairState(0.0, None, 0)


def judged(
    brief: Brief, systems: Iterable[SystemStanding], found: list[Contrast]
) -> list[Contrast]:
    """Return the contrasts of a ranking with the decision about each; others unchanged."""
    if not brief.is_ranking:
        return found
    pairs = list(combinations([system.name for system in systems], 2))
    return [
        contrast
        for criterion in brief.primary
        for contrast in _on(
            brief, criterion, pairs, [one for one in found if one.criterion == criterion]
        )
    ]


def _on(
    brief: Brief, criterion: Criterion, pairs: list[Pair], found: list[Contrast]
) -> list[Contrast]:
    states = dict.fromkeys(pairs, NOTHING) | {_pair(one): _state(one) for one in found}
    alpha = (1 - brief.level) / len(brief.primary)
    verdict = ranking(
        states,
        margin=brief.margins[criterion.name],
        level=1 - alpha,
        planned_items=brief.planned_items or 1,
        min_items=_least(criterion),
    )
    n = len(pairs) * len(brief.primary)
    return [
        replace(one, ranked=_ranked(brief, one, states[_pair(one)], verdict.pairs[_pair(one)], n))
        for one in found
    ]


def _least(criterion: Criterion) -> int:
    return MIN_ITEMS if criterion.bounded else MIN_ITEMS_UNBOUNDED


def _pair(one: Contrast) -> Pair:
    return one.first.name, one.second.name


def _state(one: Contrast) -> PairState:
    """Return what is known of the pair.

    A standard error of 0 means that only shared outputs were judged. It is used only if all outputs
    of the two systems are the same.
    """
    state = PairState.of(one.difference)
    return replace(state, std_error=None) if state.std_error == 0 and not one.same else state


def _ranked(brief: Brief, one: Contrast, state: PairState, said: PairVerdict, n: int) -> Ranked:
    needs, items = ("", None) if said.outcome != "open" else _needs(brief, one, state, n)
    return Ranked(
        outcome=said.outcome,
        interval=_interval(brief, one, said),
        margin=brief.margins[one.criterion.name],
        pairs=n,
        needs=needs,
        items=items,
    )


def _interval(brief: Brief, one: Contrast, said: PairVerdict) -> Interval | None:
    if said.low is None or said.high is None:
        return None
    return Interval(said.low, said.high, brief.level, float("inf"), one.difference.centre)


def _needs(brief: Brief, one: Contrast, state: PairState, n: int) -> tuple[str, int | None]:
    """Return what would settle an open pair, and with how many items.

    The answer is people if there are too few, or if they differ too much for any number of items.
    """
    if state.std_error is None or state.n_items < _least(one.criterion):
        return ITEMS, None  # too little is known of people to say that they are what is missing
    if state.effective_annotators < MIN_EFFECTIVE_ANNOTATORS:
        return PEOPLE, None
    by_people = 0.0
    if one.difference.method.estimand == "population":
        by_people = max(0.0, one.difference.variance.annotator or 0.0)
    same, more = (
        items_to_decide(
            state,
            margin=brief.margins[one.criterion.name],
            alpha=(1 - brief.level) / n,
            planned_items=brief.planned_items or 1,
            most=one.difference.n_population,
            person_variance=variance,
        )
        for variance in (by_people, 0.0)
    )
    if same is not None:
        return ITEMS, same
    return (PEOPLE if more is not None else NEITHER), None
