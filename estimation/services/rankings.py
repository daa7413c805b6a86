"""The ranking rule's decisions about pairs of systems, and what open pairs need.

All pairs on all primary criteria are decided together, with or without an interval: alpha is
divided by their number.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import Brief, SystemStanding
from estimation.core import Interval, Pair, PairState, PairVerdict, ranking
from estimation.services.findings import Contrast
from estimation.services.rule import Ranked, least_items, needed

NOTHING = PairState(0.0, None, 0)


def judged(
    brief: Brief, systems: Iterable[SystemStanding], found: list[Contrast]
) -> list[Contrast]:
    """Return the contrasts of a ranking with the decision about each; others unchanged.

    Where texts are compared there are none: the estimate of a pair decides it (`rule.PairRule`).
    """
    if not brief.is_ranking or brief.compares:
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
        min_items=least_items(criterion),
    )
    n = len(pairs) * len(brief.primary)
    return [
        replace(one, ranked=_ranked(brief, one, states[_pair(one)], verdict.pairs[_pair(one)], n))
        for one in found
    ]


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
    margin = brief.margins[one.criterion.name]
    found = Ranked(said.outcome, _interval(brief, one, said), margin, n)
    if found.is_decided:
        return found
    needs, items = needed(
        one.difference,
        state,
        margin=margin,
        alpha=(1 - brief.level) / n,
        planned_items=brief.planned_items or 1,
        least=least_items(one.criterion),
    )
    return replace(found, needs=needs, items=items)


def _interval(brief: Brief, one: Contrast, said: PairVerdict) -> Interval | None:
    if said.low is None or said.high is None:
        return None
    return Interval(said.low, said.high, brief.level, float("inf"), one.difference.centre)
