"""A plan as readers see it: numbers with ranges, and sentences."""

from collections.abc import Callable
from dataclasses import dataclass

from annotate.text.figures import many, money, number, percent, width
from estimation.core.planning import Range
from estimation.plans import CLAIMED, Change, Planned


@dataclass(frozen=True)
class ShownPlan:
    """query: the asked options, for the addresses of the picture and of the nearest target."""

    plan: Planned
    query: str

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
