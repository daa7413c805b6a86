"""Plans of a collection from options, for `manage.py plan`, the page and the API.

Options have the names of the command: items, systems, level, estimand, criterion, item_variance,
person_variance, rest_variance, balance, person_share, mean, scale, levels, rho; cap (0 for none),
double_share, raters, pool, places, reward, crowd, fee_rate, tasks, tutorial_bonus, failed_try_pay,
minutes, per_day, gold_share; side_by_side (systems are ranked by texts that are judged in pairs),
probability.
"""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from math import comb
from typing import Any

from annotate.campaigns import planner, plans
from annotate.campaigns.planner import CLAIMED, PlannedStudy
from annotate.work.picking import BLOCK, MOST
from estimation.core import Crossed, InvalidOptionError, Scale, planning
from estimation.from_files import KNOWN_CRITERIA

_NO_CAP = 0
# What people say of two texts side by side.
PREFERENCE = next(n for n, one in KNOWN_CRITERIA.items() if one.compares and not one.wins_of)

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
    "raters": 2,
    "tasks": None,
    "seed": 0,
    "side_by_side": False,
    "probability": CLAIMED,
}


def planned(
    options: Mapping[str, Any],
    target: float | None = None,
    money: float | None = None,
    margin: float | None = None,
) -> PlannedStudy:
    """Return what a target or a ranking takes, and what a budget buys. Raises EstimationError."""
    study, prices, seed = study_of(options), prices_of(options), options["seed"]
    found = PlannedStudy(study, prices)
    if target is not None:
        found = planner.planned(study, prices, target, seed=seed)
        found = replace(found, changes=planner.changes(found, target, seed=seed))
    if money is not None:
        found = replace(
            found, bought=planning.affordable(study, budget=money, prices=prices, seed=seed)
        )
    if margin is None:
        return replace(found, curve=planning.width_curve(study, seed=seed))
    together = options["side_by_side"]
    found = replace(
        found, order=planning.forecast_ranking(study, margin=margin, side_by_side=together)
    )
    if not together:
        return found
    pairs = planning.forecast_pairs(
        study,
        margin=margin,
        preferences=(0.0, margin / 2, margin),
        probability=options["probability"],
        seed=seed,
    )
    return replace(found, pairs=pairs)


def study_of(options: Mapping[str, Any]) -> planning.Study:
    """Return the collection that these options describe: of pairs, if they are side by side."""
    systems = options["systems"]
    if options["side_by_side"] and systems < 2:
        raise InvalidOptionError("A ranking takes at least two systems.")
    return planning.Study(
        _expectation(options),
        options["items"],
        rho=options["rho"],
        systems=comb(systems, 2) if options["side_by_side"] else systems,
        level=options["level"],
        cap=None if options["cap"] == _NO_CAP else options["cap"],
        double_share=options["double_share"],
        raters=options["raters"],
        estimand=options["estimand"],
        balance=_constant(options, "balance"),
        person_share=_constant(options, "person_share"),
        participation=planning.Participation(places=options["places"], pool=options["pool"]),
    )


def _constant(options: Mapping[str, Any], name: str) -> float:
    given: float | None = options[name]
    usual: float = getattr(KNOWN_CRITERIA[_criterion(options)], name)
    return usual if given is None else given


def _criterion(options: Mapping[str, Any]) -> str:
    return PREFERENCE if options["side_by_side"] else str(options["criterion"])


def _expectation(options: Mapping[str, Any]) -> planning.Expectation:
    usual = plans.typical(KNOWN_CRITERIA[_criterion(options)])
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


def prices_of(options: Mapping[str, Any]) -> planning.Prices:
    if not (options["tasks"] is None or options["tasks"] > 0):
        raise InvalidOptionError("A submission has at least one task.")
    if not 0 <= options["gold_share"] <= MOST:
        raise InvalidOptionError(f"Of {BLOCK} tasks, 0 to {MOST} can be gold items.")
    rate = options["fee_rate"]
    return planner.prices(
        options["crowd"],
        reward=_money(options["reward"]),
        fee_rate=None if rate is None else _money(rate),
        cap=options["cap"] or None,
        bonus=_money(options["tutorial_bonus"]),
        failed=_money(options["failed_try_pay"]),
        tasks=options["tasks"],
        gold_share=options["gold_share"],
        minutes=options["minutes"],
        per_day=options["per_day"],
    )


def _money(number: float | Decimal) -> Decimal:
    return Decimal(str(number))
