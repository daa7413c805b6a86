"""A plan as readers see it: numbers with ranges, and sentences."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from django.core.cache import cache

from annotate.services.campaigns.reach import assumed_people
from annotate.text.figures import many, money, number, percent, short, width
from estimation import plans
from estimation.core import EstimationError
from estimation.core.planning import PairForecast, Range
from estimation.plans import CLAIMED, Change, Planned

KEEP_SECONDS = 86_400


def answer(
    options: Mapping[str, Any], goals: Mapping[str, float | None]
) -> tuple[Planned | None, str]:
    """Return the plan, which is kept for a day, and why there is none."""
    asked = repr((sorted(options.items()), sorted(goals.items())))
    key = f"plan:{sha256(asked.encode()).hexdigest()}"
    kept: tuple[Planned | None, str] | None = cache.get(key)
    if kept is None:
        try:
            kept = plans.planned(options, **goals), ""
        except EstimationError as error:
            kept = None, str(error)
        cache.set(key, kept, KEEP_SECONDS)
    return kept


@dataclass(frozen=True)
class ShownPlan:
    """query: the asked options, for the addresses of the picture and of the nearest target.

    systems, probability: as they were asked.
    """

    plan: Planned
    query: str
    systems: int = 1
    probability: float = CLAIMED

    @property
    def ranking(self) -> str:
        """Return what is ranked; "" where nothing is."""
        return ranked(self.plan, systems=self.systems) if self.plan.order else ""

    @property
    def order(self) -> tuple[tuple[str, str], ...]:
        return order(self.plan, probability=self.probability) if self.plan.order else ()

    @property
    def figures(self) -> tuple[tuple[str, str, str], ...]:
        """Return (label, expected, range) of what the target takes."""
        goal = self.plan.goal
        if goal is None:
            return ()
        found: list[tuple[str, Range, Callable[[float], str]]] = [
            ("Judgments", goal.judgments, _whole),
            ("People", goal.annotators, _whole),
            ("Cost", goal.cost, money),
        ]
        if goal.hours is not None:
            found.append(("Hours of work", goal.hours, _tenths))
        return tuple(
            (label, write(one.expected), f"{write(one.low)} to {write(one.high)}")
            for label, one, write in found
        )

    @property
    def assumed(self) -> str:
        """Return how many people are assumed to judge, and why; "" for a ranking by a formula."""
        found = people_assumed(self.plan)
        return found["why"] if found else ""

    @property
    def chance(self) -> str:
        goal = self.plan.goal
        return "" if goal is None else percent(goal.all_stop_probability)

    @property
    def is_refused(self) -> bool:
        """Return whether the items may run out before the target."""
        goal = self.plan.goal
        return bool(self.plan.refused) or (goal is not None and goal.all_stop_probability < CLAIMED)

    @property
    def refusal(self) -> str:
        if self.plan.refused:
            return self.plan.refused
        return f"The items run out first in {percent(1 - float(self._stops))} of campaigns."

    @property
    def _stops(self) -> float:
        return 0.0 if self.plan.goal is None else self.plan.goal.all_stop_probability

    @property
    def reachable(self) -> str:
        """Return the nearest target that 9 of 10 campaigns reach, as it is typed."""
        return "" if self.plan.reachable is None else f"{self.plan.reachable:g}"

    @property
    def reachable_shown(self) -> str:
        return "" if self.plan.reachable is None else width(self.plan.reachable)

    @property
    def parts(self) -> str:
        goal = self.plan.goal
        names = {"item": "items", "annotator": "people", "rest": "rest"}
        if goal is None:
            return ""
        return ", ".join(f"{names[name]} {percent(share)}" for name, share in goal.parts.items())

    @property
    def floor(self) -> str:
        return "" if self.plan.goal is None else width(self.plan.goal.floor)

    @property
    def bought(self) -> str:
        """Return what the budget buys, in a sentence."""
        found = self.plan.bought
        if found is None:
            return ""
        got = f"{many(found.judgments, 'judgment')} for {money(found.cost)}"
        if found.width is None:
            return f"{got}: too few for an interval."
        rest = " Everything is judged; the rest stays unspent." if found.complete else ""
        return f"{got}: an interval {_between(found.width)} wide for each system.{rest}"

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """Return what each change of the plan would do."""
        return tuple((one.name, _effect(one)) for one in self.plan.changes)


def people_assumed(plan: Planned) -> dict[str, Any] | None:
    """Return who is assumed to judge: people at a time, the fewest for everything, and why.

    None for a ranking of scores: its formula has no number of people in it.
    """
    if plan.order and not (plan.pairs or plan.goal or plan.bought):
        return None
    study = plan.study
    return {
        "places": study.places,
        "fewest": study.fewest_people,
        "why": assumed_people(study),
    }


def ranked(plan: Planned, *, systems: int) -> str:
    """Return what is ranked, in a line."""
    assert plan.order is not None
    how = ", whose texts are judged side by side," if plan.pairs else ","
    return (
        f"A ranking of {many(systems, 'system')}, {many(plan.order.pairs, 'pair')}, margin "
        f"{short(plan.order.margin)}{how} with typical scores and many people"
    )


def order(plan: Planned, *, probability: float) -> tuple[tuple[str, str], ...]:
    """Return what deciding every pair takes: each case with what is forecast of it."""
    assert plan.order is not None
    planned = ("Planned items", number(plan.order.planned_items, 0))
    if plan.pairs:
        return (
            planned,
            *((_kind(one, plan), _taken(one, plan, probability)) for one in plan.pairs),
        )
    return (
        planned,
        (
            "Pairs that are alike, or further apart than the margin",
            _settled(plan.order.settled_items, plan),
        ),
        (
            "Pairs that differ by half the margin, the slowest",
            _settled(plan.order.slowest_items, plan),
        ),
    )


def _kind(one: PairForecast, plan: Planned) -> str:
    assert plan.order is not None
    if not one.preference:
        return "Pairs that are alike"
    if one.preference < plan.order.margin:
        return "Pairs that differ by half the margin, the slowest"
    return "Pairs that differ by the margin"


def _taken(one: PairForecast, plan: Planned, probability: float) -> str:
    """Return what it takes to decide all pairs, if they are of this kind."""
    found = [f"{percent(one.decided)} are decided before the items run out"]
    if one.usual_items is not None:
        found.append(f"half of them by {many(one.usual_items, 'item')}")
    if one.enough_items is not None:
        found.append(f"{percent(probability)} by {many(one.enough_items, 'item')}")
    taken = one.judgments
    cost = money(taken.expected * plan.prices.per_judgment)
    each = f"{_whole(taken.expected)} ({_whole(taken.low)} to {_whole(taken.high)})"
    return f"{', '.join(found)}; {each} judgments of all pairs ({cost})"


def _settled(items: int | None, plan: Planned) -> str:
    study = plan.study
    if items is None:
        return f"more than all {many(study.n_items, 'item')}"
    judgments = round(items * study.systems * (1 + study.double_share))
    cost = money(judgments * plan.prices.per_judgment)
    each = many(items, "item")
    return f"about {each} of each system, at most {many(judgments, 'judgment')} ({cost})"


def _whole(value: float) -> str:
    return number(value, 0)


def _tenths(value: float) -> str:
    return number(value, 1)


def _between(found: Range) -> str:
    return f"{width(found.expected)} ({width(found.low)} to {width(found.high)})"


def _effect(change: Change) -> str:
    if change.after is None or change.share is None:
        return "the target would no longer be reached"
    if abs(change.share) < 0.02:
        return "about as many judgments"
    more = "more" if change.share > 0 else "fewer"
    return f"{percent(abs(change.share))} {more} judgments, about {number(change.after, 0)} in all"
