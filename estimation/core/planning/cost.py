"""What a collection will take: judgments, people and money for a width, or a width for money.

Drawn, not derived: the moment at which a rule that is checked after every judgment stops, and how
evenly people work by then, have no honest formula. Seeded campaigns with the expected components
run through the product's own interval and rule; `expected.py` has the formula for a fixed moment.
"""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data import errors
from estimation.core.data.sample import Floats, Sample
from estimation.core.estimators.trajectory import Trajectory
from estimation.core.planning.expected import expected_variance, optimal_raters, planning_gamma
from estimation.core.planning.study import Prices, Study, campaigns, plan_of, simulated_items
from estimation.core.simulate import draw_campaign
from estimation.core.stopping.precision import annotators_needed, first_stop, width_floor

_ENDS = (0.1, 0.9)
_ENDLESS = 1e9  # annotators
_ROUNDS = 4
_HALVINGS = 12
_FEW_DRAWS = 10


class TargetBelowFloorError(errors.EstimationError):
    """The annotators alone leave the interval wider than asked, with every item judged.

    floor: the width left, in score units. annotators: the people there would be for one system.
    annotators_needed: how many would do, working as evenly; None if no number would.
    """

    def __init__(self, message: str, *, floor: float, annotators: int, needed: int | None) -> None:
        super().__init__(message)
        self.floor = floor
        self.annotators = annotators
        self.annotators_needed = needed


@dataclass(frozen=True, slots=True)
class Range:
    """The mean over the drawn campaigns, and what 80 % of them lie within."""

    expected: float
    low: float
    high: float

    def times(self, factor: float) -> "Range":
        """The range in other units."""
        return Range(self.expected * factor, self.low * factor, self.high * factor)

    def plus(self, other: "Range") -> "Range":
        """The sum with a range that moves along with this one."""
        return Range(self.expected + other.expected, self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What reaching a width takes.

    judgments, annotators, cost, hours (of work; None without minutes): over all systems. A
    system that does not stop counts with everything that can be judged. items: per system.
    stop_probability: of one system within its items and people; all_stop_probability: of all.
    floor: the width that the annotators alone would leave. parts: shares of the squared error
    at the expected stop that come from item, annotator and rest. raters_per_item: m*, to be
    read as at least 1. replicates: how many campaigns were drawn, of how many items.
    """

    target_width: float
    judgments: Range
    items: Range
    annotators: Range
    cost: Range
    hours: Range | None
    stop_probability: float
    all_stop_probability: float
    floor: float
    parts: dict[str, float]
    raters_per_item: float
    replicates: int
    simulated_items: int


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a budget buys: judgments over all systems, and the width of one system's interval.

    width: None where it buys too little for an interval. complete: everything gets judged.
    """

    budget: float
    judgments: int
    cost: float
    width: Range | None
    complete: bool
    replicates: int


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """One row per drawn campaign of one system, (R,)."""

    judgments: Floats
    items: Floats
    stopped: Floats
    effective: Floats
    end_people: Floats
    end_effective: Floats


def forecast(
    study: Study, *, target_width: float, prices: Prices, replicates: int = 200, seed: int = 0
) -> Forecast:
    """Draw `replicates` campaigns and stop each by the precision rule.

    target_width: full width in score units. Fewer campaigns are drawn where items are very
    many, and more than 20,000 items count as 20,000.
    Raises TargetBelowFloorError, or InvalidOptionError for numbers that no campaign can have.
    """
    if not target_width > 0:
        raise errors.InvalidOptionError(f"A target width is positive; got {target_width}.")
    runs = _run(study, target_width, replicates, seed)
    floor = _check_floor(study, runs, target_width, seed)
    judgments = _over_systems(runs.judgments, study.systems, seed)
    people = _annotators(study, judgments, seed)
    effective = float(runs.effective.mean())
    stopped = float(runs.stopped.mean())
    return Forecast(
        target_width=target_width,
        judgments=judgments,
        items=_range(runs.items),
        annotators=people,
        cost=judgments.times(prices.per_judgment).plus(people.times(prices.person_cost)),
        hours=None if prices.minutes is None else judgments.times(prices.minutes / 60),
        stop_probability=stopped,
        all_stop_probability=stopped**study.systems,
        floor=floor,
        parts=_parts(study, float(runs.items.mean()), effective),
        raters_per_item=_raters(study, prices, float(runs.judgments.mean()), effective),
        replicates=runs.judgments.size,
        simulated_items=simulated_items(study),
    )


def affordable(
    study: Study, *, budget: float, prices: Prices, replicates: int = 200, seed: int = 0
) -> Purchase:
    """The width that a budget buys, spread evenly over the systems. Errors as `forecast`."""
    if not (budget > 0 and prices.per_judgment > 0):
        raise errors.InvalidOptionError("A budget and the price of a judgment are positive.")
    # A hair more, so that 40.00 buys 100 judgments at 0.40 whatever their binary digits.
    each = int(_judgments_for(study, budget, prices, seed) * (1 + 1e-9)) // study.systems
    widths, sizes = [], []
    for sample, history in campaigns(study, replicates, seed):
        size = min(each, sample.n_judgments)
        sizes.append(size)
        widths.append(2 * history.half_widths(study.level)[size - 1] if size else np.nan)
    known = np.array([width for width in widths if np.isfinite(width)])
    judgments = round(float(np.mean(sizes))) * study.systems
    return Purchase(
        budget=budget,
        judgments=judgments,
        cost=_cost(study, judgments, prices, seed),
        width=_range(known) if known.size > len(widths) / 2 else None,
        complete=max(sizes) < each,
        replicates=len(widths),
    )


def _judgments_for(study: Study, budget: float, prices: Prices, seed: int) -> float:
    """How many judgments a budget buys, once those who give them are paid for coming."""
    most = budget / prices.per_judgment
    if not prices.person_cost:
        return most
    least = 0.0
    for _ in range(_HALVINGS):
        middle = (least + most) / 2
        if _cost(study, middle, prices, seed) <= budget:
            least = middle
        else:
            most = middle
    return least


def _cost(study: Study, judgments: float, prices: Prices, seed: int) -> float:
    people = _people(study, judgments, seed) if prices.person_cost else 0.0
    return judgments * prices.per_judgment + people * prices.person_cost


def _people(study: Study, judgments: float, seed: int) -> float:
    return _annotators(study, Range(judgments, judgments, judgments), seed).expected


def _run(study: Study, target_width: float, replicates: int, seed: int) -> _Runs:
    rows = [
        _outcome(sample, history, target_width, study.level)
        for sample, history in campaigns(study, replicates, seed)
    ]
    return _Runs(*np.array(rows, dtype=np.float64).T)


def _outcome(
    sample: Sample, history: Trajectory, target_width: float, level: float
) -> tuple[float, ...]:
    stop = first_stop(history, target_width=target_width, level=level)
    last = sample.n_judgments - 1 if stop is None else stop
    people = np.unique(sample.annotator).size
    return (
        last + 1,
        float(history.n_items[last]),
        stop is not None,
        float(history.effective_annotators[last]),
        people,
        float(history.effective_annotators[-1]),
    )


def _check_floor(study: Study, runs: _Runs, target_width: float, seed: int) -> float:
    """The floor; raises TargetBelowFloorError if the target lies below it."""
    person = study.expected.components.person
    if study.estimand == "panel" or person == 0:
        return 0.0
    effective, people = float(runs.end_effective.mean()), float(runs.end_people.mean())
    floor = float(
        width_floor(person_variance=person, effective_annotators=effective, level=study.level)
    )
    if not (target_width < floor or effective <= 1):
        return floor
    needed = _needed(study, target_width, evenness=min(1.0, effective / people), seed=seed)
    advice = (
        "No number of people would do: more items are needed, or a wider target."
        if needed is None
        else f"It would take {needed} people per system, working as evenly."
    )
    raise TargetBelowFloorError(
        f"A width of {target_width:g} cannot be reached: with every item judged by these "
        f"{people:.0f} people, their differences alone leave {floor:.3g}. {advice}",
        floor=floor,
        annotators=round(people),
        needed=needed,
    )


def _needed(study: Study, target_width: float, *, evenness: float, seed: int) -> int | None:
    """Annotators who would meet the target with all N items judged.

    A larger pool works less evenly than a small one, so its evenness is drawn anew.
    """
    census = expected_variance(
        study.expected,
        rho=study.rho,
        n_items=study.n_items,
        n_population=study.n_items,
        effective_annotators=_ENDLESS,
        double_share=study.double_share,
    )
    for _ in range(_ROUNDS):
        needed = annotators_needed(
            target_width=target_width,
            level=study.level,
            person_variance=study.expected.components.person,
            other_variance=float(census.item + census.rest),
            evenness=evenness,
        )
        if needed is None or study.participation.pool is None:
            break
        evenness = _evenness(study, needed, seed)
    return needed


def _evenness(study: Study, pool: int, seed: int) -> float:
    """A_eff / A of one system when `pool` people have judged all they can."""
    larger = replace(study, participation=replace(study.participation, pool=pool))
    return float(
        np.mean(
            [
                history.effective_annotators[-1] / np.unique(sample.annotator).size
                for sample, history in campaigns(larger, _FEW_DRAWS, seed)
            ]
        )
    )


def _raters(study: Study, prices: Prices, judgments: float, effective: float) -> float:
    gamma = planning_gamma(study.expected, judgments=judgments, effective_annotators=effective)
    return optimal_raters(
        rho=study.rho,
        gamma=gamma,
        item_cost=prices.item_cost,
        judgment_cost=prices.per_judgment or 1.0,
    )


def _parts(study: Study, items: float, effective: float) -> dict[str, float]:
    found = expected_variance(
        study.expected,
        rho=study.rho,
        n_items=items,
        n_population=study.n_items,
        effective_annotators=effective,
        double_share=study.double_share,
    )
    annotator = 0.0 if study.estimand == "panel" else float(found.annotator)
    amounts = {"item": float(found.item), "annotator": annotator, "rest": float(found.rest)}
    total = sum(amounts.values())
    return {name: amount / total for name, amount in amounts.items()}


def _over_systems(judgments: Floats, systems: int, seed: int) -> Range:
    """The sum over systems, each drawn anew from the runs."""
    if systems == 1:
        return _range(judgments)
    rng = np.random.default_rng([seed, systems])
    return _range(rng.choice(judgments, (max(1000, judgments.size), systems)).sum(axis=1))


def _annotators(study: Study, judgments: Range, seed: int) -> Range:
    """How many different people make so many judgments of all systems together."""
    need = int(np.ceil(judgments.high / (1 + study.double_share))) + 2
    plan = replace(plan_of(study), cap=study.cap, n_population=max(2, need))
    counts = []
    for child in np.random.SeedSequence(seed).spawn(_FEW_DRAWS):
        sample, _ = draw_campaign(plan, np.random.default_rng(child))
        first = np.sort(np.unique(sample.annotator, return_index=True)[1])
        wanted = [judgments.expected, judgments.low, judgments.high]
        counts.append(np.searchsorted(first, np.round(wanted)))
    expected, low, high = np.mean(counts, axis=0)
    return Range(float(expected), float(low), float(high))


def _range(values: Floats) -> Range:
    low, high = np.quantile(values, _ENDS)
    return Range(float(values.mean()), float(low), float(high))
