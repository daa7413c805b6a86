"""Whether a file's items suffice for the target widths, what these take, and by how many people.

It rests on usual scores, without metrics, as the page Plan does.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from annotate.instruments.base import Criterion
from annotate.selectors.pay.budget import AtMost
from annotate.services.campaigns import creating, enough
from annotate.services.campaigns.creating import Checked
from annotate.states import StopMode
from annotate.text.figures import count, many
from estimation.core import EstimationError
from estimation.core.planning import (
    FEWEST_PLACES,
    MOST_PLACES,
    TYPICAL,
    Participation,
    Prices,
    Range,
    Study,
    forecast,
    reachable_target,
)
from estimation.metrics import find

CLAIMED = 0.9  # a target counts as reachable if so many simulated campaigns reach it
DRAWN = 60  # campaigns for each criterion: half a second


@dataclass(frozen=True)
class Takes:
    """What a target takes. chance: that all systems reach it before the items run out.

    nearest: the narrowest width that 9 of 10 campaigns reach; None if there is none.
    """

    chance: float
    nearest: float | None
    judgments: Range | None
    people: Range | None
    cost: Range | None


@dataclass(frozen=True)
class Reach:
    """A primary criterion, its target, and what it takes.

    is_known: whether scores on this criterion are known from other studies; otherwise their spread
    is assumed, and nothing is refused for it. saved: the share of judgments that the plan's metric
    saved in such a study; None where that was not measured. assumed: how many people, and why.
    lacks_people: whether more people than are assumed would reach it; nobody said how many there
    are, so it is not refused.
    """

    criterion: Criterion
    width: float
    takes: Takes
    is_known: bool
    saved: float | None = None
    assumed: str = ""
    lacks_people: bool = False

    @property
    def is_reachable(self) -> bool:
        return self.takes.chance >= CLAIMED

    @property
    def is_refused(self) -> bool:
        return self.is_known and not (self.is_reachable or self.lacks_people)


def of(checked: Checked, most: AtMost) -> list[Reach]:
    """Return what each target width takes; nothing for a ranking or anytime intervals.

    most: of the plan; it knows what a judgment and a new person cost.
    """
    plan, facts = checked.plan, checked.facts
    if plan.stop_mode != StopMode.PRECISION:
        return []
    if facts.n_items < 2:
        return []
    asked = [one for one in checked.instrument.criteria if one.name in plan.targets]
    planned = creating.count_planned(plan, facts)
    return [_of(checked, one, _prices(most), planned) for one in asked]


def _prices(most: AtMost) -> Prices:
    bill = most.bill
    bonus = bill.bonuses.total / bill.units if bill.units else 0
    return Prices(float(most.of_judgment), person_cost=float(bonus))


def refused(found: Iterable[Reach]) -> bool:
    """Return whether some target is out of reach by what is known of such scores."""
    return any(one.is_refused for one in found)


def _of(checked: Checked, criterion: Criterion, prices: Prices, planned: int) -> Reach:
    plan, width = checked.plan, checked.plan.targets[criterion.name]
    usual = enough.typical(criterion)
    study = Study(
        usual,
        checked.facts.n_items,
        systems=checked.facts.n_systems,
        level=plan.level,
        cap=plan.annotator_cap,
        double_share=plan.double_share,
        estimand=plan.estimand,  # type: ignore[arg-type]  # `plans.check` knows it
        balance=criterion.balance,
        person_share=criterion.person_share,
        participation=Participation(pool=plan.people),
    )
    is_known = usual is TYPICAL.get(criterion.name)
    saved = _saved(criterion.name, checked.metrics) if is_known else None
    takes = _takes(study, width, prices)
    if takes.judgments:
        takes = replace(takes, judgments=_at_most(takes.judgments, planned))
    lacks = takes.chance < CLAIMED and plan.people is None and _would_do(study, width, prices)
    return Reach(criterion, width, takes, is_known, saved, assumed_people(study, planned), lacks)


@lru_cache(maxsize=256)
def _would_do(study: Study, width: float, prices: Prices) -> bool:
    """Return whether as many people as at a crowd would reach the width."""
    crowd = replace(study, participation=Participation(places=MOST_PLACES))
    try:
        found = forecast(crowd, target_width=width, prices=prices, replicates=DRAWN)
    except EstimationError:  # as in `_takes`
        return False
    return found.all_stop_probability >= CLAIMED


def _at_most(found: Range, planned: int) -> Range:
    """Return a range within this plan: a drawn campaign has other items judged twice."""
    return Range(min(found.expected, planned), min(found.low, planned), min(found.high, planned))


def _saved(criterion: str, metrics: tuple[str, ...]) -> float | None:
    measured = [one.efficiency.get(criterion, 1.0) for one in map(find, metrics) if one]
    return 1 - 1 / max(measured) if max(measured, default=1.0) > 1 else None


@lru_cache(maxsize=256)
def _takes(study: Study, width: float, prices: Prices) -> Takes:
    nearest = None
    try:
        nearest = reachable_target(study, replicates=DRAWN)
        found = forecast(study, target_width=width, prices=prices, replicates=DRAWN)
    except EstimationError:  # below what people leave open, or too few items for any interval
        return Takes(0.0, nearest, None, None, None)
    chance = found.all_stop_probability
    return Takes(chance, nearest, found.judgments, found.annotators, found.cost)


def assumed_people(study: Study, planned: int | None = None) -> str:
    """Return one or two sentences: who is assumed to judge, and what that rests on.

    planned: the judgments of everything, where that is known exactly.
    """
    people, everything = study.participation, planned or study.judgments
    if people.pool is not None:
        have = f"Planned for the {_people(people.pool)} you have."
        return have + _too_few(people.pool, study.cap, everything)
    assumes = f"{_least(study, everything)}The plan assumes {_people(study.places)} at a time"
    return f"{assumes}{', as you said' if people.places else _why(study)}."


def _people(n: int) -> str:
    return many(n, "person", "people")


def _least(study: Study, everything: int) -> str:
    least = study.people_for(everything)
    if study.cap is None or least is None:
        return ""
    who = f"{_people(least)}, who {'gives' if least == 1 else 'give'} at most {count(study.cap)}"
    return f"All {many(everything, 'judgment')} take at least {who}{' each' * (least > 1)}. "


def _why(study: Study) -> str:
    """Return what the number rests on where nobody gave one."""
    if study.places == MOST_PLACES:
        return ", as at a crowd" if study.cap is None else ", as at a crowd, and others after them"
    if study.places == FEWEST_PLACES:
        return ", the fewest that a plan is made for"
    if study.cap == 1:
        return ", who give one judgment each"
    if study.cap is None or study.each < study.cap / 2:
        return f", who give about {count(round(study.each))} each, as in the released judgments"
    return ", so that each gives about half of that if everything is judged"


def _too_few(pool: int, cap: int | None, everything: int) -> str:
    """Return what they cannot do, if they are too few for everything."""
    if cap is None or pool * cap >= everything:
        return ""
    most = count(pool * cap)
    return f" At {count(cap)} each, they can give {most} of all {many(everything, 'judgment')}."
