"""Plans of a collection from options: for `manage.py plan` and the page, so that both say the same.

Options have the names of the command: items, systems, level, estimand, criterion, item_variance,
person_variance, rest_variance, balance, person_share, mean, scale, levels, rho; cap (0 for none),
double_share, pool, places, reward, crowd, fee_rate, tasks, tutorial_bonus, minutes, gold_share,
item_cost; side_by_side (systems are ranked by texts that are judged in pairs), probability.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from math import comb
from typing import Any

from annotate.selectors.pay import budget
from annotate.selectors.work.gold import BLOCK, MOST
from annotate.services.campaigns import enough
from estimation.core import Crossed, EstimationError, InvalidOptionError, Scale
from estimation.core.planning import (
    Expectation,
    Forecast,
    PairForecast,
    Participation,
    Prices,
    Purchase,
    RankingForecast,
    Study,
    TargetBelowFloorError,
    WidthCurve,
    affordable,
    forecast,
    forecast_pairs,
    forecast_ranking,
    reachable_target,
    width_curve,
)
from estimation.known_criteria import KNOWN_CRITERIA

_NO_CAP = 0
# What people say of two texts side by side.
PREFERENCE = next(n for n, one in KNOWN_CRITERIA.items() if one.compares and not one.wins_of)
CLAIMED = 0.9  # coverage is claimed for at least this probability of stopping
_COMPARED = 40  # campaigns drawn where only a comparison is wanted

# What a plan takes that is not asked.
USUAL: Mapping[str, Any] = {
    "item_variance": None,
    "person_variance": None,
    "rest_variance": None,
    "balance": None,
    "person_share": None,
    "mean": None,
    "scale": None,
    "levels": None,
    "pool": None,
    "places": None,
    "fee_rate": None,
    "tasks": None,
    "item_cost": 0.0,
    "tutorial_bonus": 0.0,
    "minutes": None,
    "gold_share": 0,
    "seed": 0,
    "side_by_side": False,
    "probability": CLAIMED,
}


@dataclass(frozen=True)
class Change:
    """What one change of the plan would do: judgments of both, by as many drawn campaigns."""

    name: str
    before: float
    after: float | None

    @property
    def share(self) -> float | None:
        """Return the change as a share of the judgments."""
        return None if self.after is None else self.after / self.before - 1


@dataclass(frozen=True)
class Planned:
    """A plan's answer. refused: why the target cannot be met; reachable: the nearest that can.

    order: of a ranking. pairs: of a ranking of texts judged side by side, pairs that are alike,
    those that differ by half the margin, and by the margin.
    """

    study: Study
    prices: Prices
    goal: Forecast | None = None
    bought: Purchase | None = None
    refused: str = ""
    reachable: float | None = None
    curve: WidthCurve | None = None
    changes: tuple[Change, ...] = ()
    order: RankingForecast | None = None
    pairs: tuple[PairForecast, ...] = ()


def planned(
    options: Mapping[str, Any],
    *,
    target: float | None = None,
    money: float | None = None,
    margin: float | None = None,
) -> Planned:
    """Return what a target or a ranking takes, or what a budget buys. Raises EstimationError."""
    if margin is not None:
        return ranked(options, margin)
    study, prices, seed = study_of(options), prices_of(options), options["seed"]
    curve = width_curve(study, seed=seed)
    if target is None:
        assert money is not None
        bought = affordable(study, budget=money, prices=prices, seed=seed)
        return Planned(study, prices, bought=bought, curve=curve)
    try:
        goal = forecast(study, target_width=target, prices=prices, seed=seed)
    except TargetBelowFloorError as error:
        reachable = reachable_target(study, seed=seed)
        return Planned(study, prices, refused=str(error), reachable=reachable, curve=curve)
    if goal.all_stop_probability < CLAIMED:
        reachable = reachable_target(study, seed=seed)
        return Planned(study, prices, goal, reachable=reachable, curve=curve)
    changes = _changes(study, target, prices, seed)
    return Planned(study, prices, goal, curve=curve, changes=changes)


def ranked(options: Mapping[str, Any], margin: float) -> Planned:
    """Return what it takes to decide every pair of systems. Raises EstimationError."""
    study, prices, together = study_of(options), prices_of(options), options["side_by_side"]
    order = forecast_ranking(study, margin=margin, side_by_side=together)
    if not together:
        return Planned(study, prices, order=order)
    pairs = forecast_pairs(
        study,
        margin=margin,
        preferences=(0.0, margin / 2, margin),
        probability=options["probability"],
        seed=options["seed"],
    )
    return Planned(study, prices, order=order, pairs=pairs)


def _changes(study: Study, target: float, prices: Prices, seed: int) -> tuple[Change, ...]:
    better = min(0.9, study.rho + 0.2)
    variants = {
        "Every item judged twice": replace(study, double_share=1.0),
        f"A metric with a correlation of {better:.2g}": replace(study, rho=better),
        "Without a metric": replace(study, rho=0.0),
    }
    before = _judgments(study, target, prices, seed)
    if before is None:
        return ()
    return tuple(
        Change(name, before, _judgments(changed, target, prices, seed))
        for name, changed in variants.items()
        if changed != study
    )


def _judgments(study: Study, target: float, prices: Prices, seed: int) -> float | None:
    """Return the expected judgments; None where the target is not reached."""
    try:
        found = forecast(study, target_width=target, prices=prices, replicates=_COMPARED, seed=seed)
    except EstimationError:
        return None
    return found.judgments.expected if found.stop_probability >= CLAIMED else None


def study_of(options: Mapping[str, Any]) -> Study:
    """Return the collection that these options describe: of pairs, if they are side by side."""
    systems = options["systems"]
    if options["side_by_side"] and systems < 2:
        raise InvalidOptionError("A ranking takes at least two systems.")
    return Study(
        _expectation(options),
        options["items"],
        rho=options["rho"],
        systems=comb(systems, 2) if options["side_by_side"] else systems,
        level=options["level"],
        cap=None if options["cap"] == _NO_CAP else options["cap"],
        double_share=options["double_share"],
        estimand=options["estimand"],
        balance=_constant(options, "balance"),
        person_share=_constant(options, "person_share"),
        participation=Participation(places=options["places"], pool=options["pool"]),
    )


def _constant(options: Mapping[str, Any], name: str) -> float:
    """A constant of the estimate, as given or as the criterion has it."""
    given: float | None = options[name]
    usual: float = getattr(KNOWN_CRITERIA[_criterion(options)], name)
    return usual if given is None else given


def _criterion(options: Mapping[str, Any]) -> str:
    return PREFERENCE if options["side_by_side"] else str(options["criterion"])


def _expectation(options: Mapping[str, Any]) -> Expectation:
    usual = enough.typical(KNOWN_CRITERIA[_criterion(options)])
    part = usual.components
    given = (options["item_variance"], options["person_variance"], options["rest_variance"])
    components = Crossed(
        *(
            typical if value is None else value
            for value, typical in zip(given, (part.item, part.person, part.rest), strict=True)
        )
    )
    expected = replace(usual, components=components)
    if options["scale"] is not None:
        low, high = options["scale"]
        expected = replace(expected, scale=Scale(low, high), mean=(low + high) / 2)
    if options["mean"] is not None:
        expected = replace(expected, mean=options["mean"])
    if options["levels"] is not None:
        expected = replace(expected, levels=options["levels"])
    return expected


def prices_of(options: Mapping[str, Any]) -> Prices:
    """Return the prices. For small amounts, the crowd's tariff may exceed its share."""
    if not (options["tasks"] is None or options["tasks"] > 0):
        raise InvalidOptionError("A submission has at least one task.")
    rate = options["fee_rate"]
    fee, person_cost = budget.prices(
        options["crowd"],
        reward=_money(options["reward"]),
        share=None if rate is None else _money(rate),
        tasks=options["tasks"],
        bonus=_money(options["tutorial_bonus"]),
    )
    share, minutes = options["gold_share"], options["minutes"]
    if not 0 <= share <= MOST:
        raise InvalidOptionError(f"Of {BLOCK} tasks, 0 to {MOST} can be gold items.")
    tasks = float(budget.gold_factor(share))  # of one judgment, with its part of the gold
    return Prices(
        options["reward"] * tasks,
        float(fee) * tasks,
        None if minutes is None else minutes * tasks,
        options["item_cost"],
        float(person_cost),
    )


def _money(number: float) -> Decimal:
    return Decimal(str(number))
