"""A plan as readers see it: numbers with ranges, and sentences."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from annotate.services.campaigns import planner
from annotate.services.campaigns.planner import CLAIMED, Change, Planned, assumed_people
from annotate.text.figures import days_between, many, money, number, percent, short, width
from estimation import plans
from estimation.core import EstimationError
from estimation.core.planning import PairForecast, Range


def answer(
    options: Mapping[str, Any], goals: Mapping[str, float | None]
) -> tuple[Planned | None, str]:
    """Return the plan, which is kept for a day, and why there is none."""
    return planner.kept(_answer, sorted(options.items()), sorted(goals.items()))  # type: ignore[no-any-return]


def _answer(options: Any, goals: Any) -> tuple[Planned | None, str]:
    try:
        return plans.planned(dict(options), **dict(goals)), ""
    except EstimationError as error:
        return None, str(error)


def data(plan: Planned) -> dict[str, Any]:
    """Return the plan as the API and `plan --json` tell it."""
    return {
        "target": asdict(plan.goal) if plan.goal else None,
        "budget": asdict(plan.bought) if plan.bought else None,
        "ranking": asdict(plan.order) if plan.order else None,
        "pairs": [asdict(one) for one in plan.pairs],
        "people_assumed": people_assumed(plan),
        "refused": plan.refused,
        "reachable": plan.reachable,
        "changes": [
            {"change": one.name, "target": asdict(one.goal) if one.goal else None}
            for one in plan.changes
        ],
    }


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
            ("Cost", goal.cost, money),
            ("Judgments", goal.judgments, _whole),
            ("People", goal.annotators, _whole),
        ]
        if goal.hours is not None:
            found.append(("Hours of work", goal.hours, _tenths))
        told = [
            (label, write(one.expected), f"{write(one.low)} to {write(one.high)}")
            for label, one, write in found
        ]
        if goal.days is not None:
            pace = f"at {_whole(self.plan.prices.per_day or 0)} judgments a day"
            told.append(("Time", days_between(goal.days.low, goal.days.high), pace))
        return tuple(told)

    @property
    def each_person(self) -> str:
        """Return what the cost counts for each person; "" for nothing."""
        cost = self.plan.prices.person_cost
        return f"The cost includes {money(cost)} for each person." if cost else ""

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
        return bool(self.plan.goal or self.plan.refused) and not self.plan.is_reached

    @property
    def refusal(self) -> str:
        """Return why the target is not met."""
        told = self.plan.refused or (
            f"The items run out first in {percent(1 - self.plan.chance)} of simulated campaigns."
        )
        more = " More people than the plan assumes can reach it." if self.plan.lacks_people else ""
        return told + more

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
        return changes(self.plan)


def changes(plan: Planned) -> tuple[tuple[str, str], ...]:
    """Return each change of the plan with what it would do, the cheapest first.

    Nothing where neither the plan nor any change of it reaches the target.
    """
    if not plan.is_reached and not any(one.goal for one in plan.changes):
        return ()
    return tuple((one.name, _effect(one, plan)) for one in plan.changes)


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


def _effect(change: Change, plan: Planned) -> str:
    if change.goal is None:
        return f"the target would {'no longer' if plan.is_reached else 'not'} be reached"
    after, people = change.goal.judgments.expected, _whole(change.goal.annotators.expected)
    told = f"{money(change.goal.cost.expected)}: {_whole(after)} judgments by {people} people"
    if plan.goal is None or not plan.is_reached:
        return f"{told}, and the target is reached"
    share = after / plan.goal.judgments.expected - 1
    if abs(share) < 0.02:
        return f"{told}, about as many judgments as before"
    return f"{told}, {percent(abs(share))} {'more' if share > 0 else 'fewer'} judgments"
