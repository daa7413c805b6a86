"""The cost of a collection: one calculation for new campaigns, the page Plan, the API and `plan`.

A design is a `Study` of one criterion, a target width and the `Prices`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import sha256
from math import ceil, floor, log10
from typing import Any

from django.core.cache import cache

from annotate.campaigns import creating, plans
from annotate.campaigns.creating import CheckedPlan
from annotate.campaigns.facts import asked
from annotate.campaigns.plans import Plan
from annotate.common.numbers import count, many
from annotate.crowds import adapters
from annotate.crowds import prices as crowds_prices
from annotate.crowds.contract import usual_tasks
from annotate.crowds.prices import ZERO
from annotate.instruments.base import Criterion
from annotate.models import Campaign
from annotate.models.base import StopMode
from annotate.pay.budget import gold_factor
from annotate.studies import queries as studies_queries
from estimation.core.planning import (
    FEWEST_PLACES,
    MOST_PLACES,
    TYPICAL,
    Forecast,
    PairForecast,
    Participation,
    Prices,
    Purchase,
    RankingForecast,
    Study,
    TargetBelowFloorError,
    WidthCurve,
    forecast,
    reachable_target,
)
from estimation.metrics import find

CLAIMED = 0.9  # a target counts as reachable if so many simulated campaigns reach it
FAILED = 0.25  # people who fail the tutorial, for each one who passes: an assumption
LOWER_CAPS = (1, 5)  # that are tried as changes of a design
KEEP_SECONDS = 86_400


Changes = tuple[tuple[str, Forecast | None], ...]


@dataclass(frozen=True)
class PlannedStudy:
    """A design and what is forecast for it; what was not asked for is empty.

    refused: why the target cannot be met. reachable: the narrowest that can, if it is not met.
    lacks_people: whether it could be met by more people than are assumed; nobody said how many
    there are. bought: by a budget. order, pairs: of a ranking.
    """

    study: Study
    prices: Prices
    goal: Forecast | None = None
    refused: str = ""
    reachable: float | None = None
    lacks_people: bool = False
    curve: WidthCurve | None = None
    changes: Changes = ()
    bought: Purchase | None = None
    order: RankingForecast | None = None
    pairs: tuple[PairForecast, ...] = ()

    @property
    def chance(self) -> float:
        """Return the share of campaigns in which every system reaches the target."""
        return 0.0 if self.goal is None else self.goal.all_stop_probability

    @property
    def is_reached(self) -> bool:
        return self.chance >= CLAIMED


def planned(study: Study, prices: Prices, target: float, *, seed: int = 0) -> PlannedStudy:
    """Return what a target width takes; raises EstimationError for impossible numbers."""
    try:
        goal = forecast(study, target_width=target, prices=prices, seed=seed)
    except TargetBelowFloorError as error:
        found = PlannedStudy(study, prices, refused=str(error))
    else:
        found = PlannedStudy(study, prices, goal)
    if found.is_reached:
        return found
    crowd = replace(study, participation=Participation(places=MOST_PLACES))
    return replace(
        found,
        reachable=reachable_target(study, seed=seed),
        lacks_people=study.participation.pool is None
        and _reaching(crowd, prices, target, seed) is not None,
    )


def changes(found: PlannedStudy, target: float, *, seed: int = 0) -> Changes:
    """Return single changes of a design and what they take, the cheapest first.

    None where the target is not reached then.
    """
    study = found.study
    better = 0.5 if not study.rho else round(min(0.9, abs(study.rho) + 0.2), 2)
    variants = {
        f"At most {many(cap, 'judgment')} by one person": replace(study, cap=cap)
        for cap in LOWER_CAPS
        if study.cap is None or cap < study.cap
    } | {
        "Every item judged twice": replace(study, double_share=1.0, raters=2, planned=None),
        f"A metric with a correlation of {better:g}": replace(study, rho=better),
        "Without a metric": replace(study, rho=0.0),
    }
    tried = [
        (name, _reaching(changed, found.prices, target, seed))
        for name, changed in variants.items()
        if changed != study
    ]
    return tuple(sorted(tried, key=lambda one: one[1].cost.expected if one[1] else float("inf")))


def _reaching(study: Study, prices: Prices, target: float, seed: int) -> Forecast | None:
    """Return the forecast of a design that reaches the target; None for another one."""
    try:
        found = forecast(study, target_width=target, prices=prices, seed=seed)
    except TargetBelowFloorError:
        return None
    return found if found.all_stop_probability >= CLAIMED else None


def prices(
    crowd: str,
    *,
    reward: Decimal,
    fee_rate: Decimal | None,
    cap: int | None,
    bonus: Decimal,
    failed: Decimal = ZERO,
    tasks: int | None = None,
    gold_share: int = 0,
    minutes: float | None = None,
    per_day: float | None = None,
) -> Prices:
    """Return what judgments and people cost, with fees, gold items and failed tutorials.

    fee_rate, tasks: None for the crowd's usual ones. For small amounts a tariff may exceed its
    share. failed: what is paid for a failed tutorial.
    """
    charges, n = adapters.tariffs_of(crowd, fee_rate), tasks or usual_tasks(cap)
    each = crowds_prices.of_judgments(charges, reward=reward, judgments=n, tasks=n, bonus=ZERO).each
    person = float(charges.bonus(bonus).total) + FAILED * float(charges.bonus(failed).total)
    factor = gold_factor(gold_share)  # of one judgment, with its part of the gold
    return Prices(
        float(reward * factor),
        float((each - reward) * factor),
        None if minutes is None else minutes * float(factor),
        person,
        per_day,
    )


def kept(calculate: Callable[..., Any], *asked: Any) -> Any:
    """Return what a calculation gives, kept for a day: it takes seconds."""
    key = f"planned:{sha256(repr((calculate.__qualname__, asked)).encode()).hexdigest()}"
    found = cache.get(key)
    if found is None:
        found = calculate(*asked)
        cache.set(key, found, KEEP_SECONDS)
    return found


# ---- a new campaign ------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetForecast:
    """A primary criterion of a new campaign, its target, and what this takes.

    is_known: whether scores on this criterion are known from other studies; otherwise their spread
    is assumed, and nothing is refused for it. saved: the share of judgments that the plan's metric
    saved in such a study; None where that was not measured.
    """

    criterion: Criterion
    width: float
    found: PlannedStudy
    is_known: bool
    saved: float | None = None

    @property
    def is_reached(self) -> bool:
        return self.found.is_reached

    @property
    def is_refused(self) -> bool:
        return self.is_known and not (self.is_reached or self.found.lacks_people)

    @property
    def assumed(self) -> str:
        return assumed_people(self.found.study)


def target_forecasts(checked: CheckedPlan, per_day: float | None = None) -> list[TargetForecast]:
    """Return what each target width takes; nothing for a ranking or anytime intervals.

    It rests on usual scores, without metrics. per_day: judgments; None if unknown.
    """
    plan, facts = checked.plan, checked.facts
    if plan.stop_mode != StopMode.PRECISION or facts.n_items < 2 or _has_two_experts(plan):
        return []
    found = prices_of(plan, tutorial=plans.has_tutorial(plan), per_day=per_day)
    criteria = checked.instrument.criteria
    return [_target_forecast(checked, one, found) for one in criteria if one.name in plan.targets]


def prices_of(plan: Plan | Campaign, *, tutorial: bool, per_day: float | None = None) -> Prices:
    """Return what judgments and people cost. tutorial: whether there is one."""
    return prices(
        plan.crowd,
        reward=plan.reward,
        fee_rate=plan.fee_rate,
        cap=plan.annotator_cap,
        bonus=plan.tutorial_bonus if tutorial else ZERO,
        failed=plan.failed_try_pay if tutorial else ZERO,
        gold_share=plan.gold_share,
        per_day=per_day,
    )


def study_of(
    plan: Plan | Campaign, criterion: Criterion, *, items: int, systems: int, planned: int
) -> Study:
    """Return the collection of a plan on one criterion, without metrics."""
    return Study(
        plans.typical(criterion),
        items,
        systems=systems,
        level=plan.level,
        cap=plan.annotator_cap,
        double_share=plan.double_share,
        raters=plan.raters,
        estimand=plan.estimand,  # type: ignore[arg-type]  # `plans.check` knows it
        balance=criterion.balance,
        person_share=criterion.person_share,
        participation=Participation(pool=plan.raters if plan.named_experts else plan.people),
        planned=planned,
    )


def _has_two_experts(plan: Plan | Campaign) -> bool:
    """Return whether two named experts are all who judge: no forecast is made for so few."""
    return plan.named_experts and plan.raters < FEWEST_PLACES


def of_campaign(campaign: Campaign) -> Forecast | None:
    """Return what a campaign is expected to take by its plan alone; None where none is made."""
    widths = asked(campaign)[0]
    instrument = studies_queries.instrument_of(campaign)
    size = {
        "items": campaign.items.count(),
        "systems": 1 if instrument.ranks else campaign.systems.count(),
        "planned": campaign.planned,
    }
    if campaign.stop_mode != StopMode.PRECISION or size["items"] < 2 or _has_two_experts(campaign):
        return None
    found = prices_of(campaign, tutorial=campaign.tutorial_required)
    return _last(
        [
            kept(planned, study_of(campaign, one, **size), found, widths[one.name])
            for one in instrument.criteria
            if one.name in widths
        ]
    )


def _target_forecast(checked: CheckedPlan, criterion: Criterion, prices: Prices) -> TargetForecast:
    plan, facts = checked.plan, checked.facts
    study = study_of(
        plan,
        criterion,
        items=facts.n_items,
        systems=1 if checked.instrument.ranks else facts.n_systems,
        planned=creating.count_planned(plan, facts),
    )
    width = plan.targets[criterion.name]
    found: PlannedStudy = kept(planned, study, prices, width)
    is_known = study.expected is TYPICAL.get(criterion.name)
    saved = _saved(criterion.name, checked.metrics) if is_known else None
    return TargetForecast(criterion, width, found, is_known, saved)


def reachable_targets(checked: CheckedPlan) -> dict[str, float]:
    """Return the targets of a plan, each widened to a round width that its items reach.

    A target that no campaign of these items reaches stays as it is.
    """
    found = {one.criterion.name: one.found for one in target_forecasts(checked)}
    targets = dict(checked.plan.targets)
    for name, one in found.items():
        if one.reachable:
            # The next half of a power of ten: 0.35 for 0.34, 0.2 for 0.17, 40 for 36.
            step = 10.0 ** floor(log10(one.reachable)) / 2
            targets[name] = round(ceil(one.reachable / step - 1e-9) * step, 10)
    return targets


def last(found: Iterable[TargetForecast]) -> Forecast | None:
    """Return the forecast of the criterion that takes longest: a campaign collects until then.

    None without targets, and where one of them has no forecast.
    """
    return _last([one.found for one in found])


def _last(found: Sequence[PlannedStudy]) -> Forecast | None:
    goals = [one.goal for one in found]
    known = [one for one in goals if one is not None]
    return max(known, key=lambda one: one.judgments.expected) if known == goals and goals else None


def _saved(criterion: str, metrics: tuple[str, ...]) -> float | None:
    measured = [one.efficiency.get(criterion, 1.0) for one in map(find, metrics) if one]
    return 1 - 1 / max(measured) if max(measured, default=1.0) > 1 else None


# ---- people --------------------------------------------------------------------------------------


def assumed_people(study: Study) -> str:
    """Return one or two sentences: who is assumed to judge, and what that rests on."""
    people = study.participation
    if people.pool is not None:
        return f"Planned for the {_people(people.pool)} you have.{_too_few(study, people.pool)}"
    assumes = f"{_least(study)}The plan assumes {_people(study.places)} at a time"
    return f"{assumes}{', as you said' if people.places else _why(study)}."


def _people(n: int) -> str:
    return many(n, "person", "people")


def _least(study: Study) -> str:
    least = study.fewest_people
    if study.cap is None or least is None:
        return ""
    who = f"{_people(least)}, who {'gives' if least == 1 else 'give'} at most {count(study.cap)}"
    each = " each" * (least > 1)
    return f"All {many(study.judgments, 'judgment')} take at least {who}{each}. "


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


def _too_few(study: Study, pool: int) -> str:
    """Return what they cannot do, if they are too few for everything."""
    if study.cap is None or pool * study.cap >= study.judgments:
        return ""
    most, everything = count(pool * study.cap), many(study.judgments, "judgment")
    return f" At {count(study.cap)} each, they can give {most} of all {everything}."
