"""What a collection will take: judgments, people and money for a width, or a width for money.

The numbers are drawn. No formula gives the moment at which a rule that is checked after every
judgment stops, or how evenly people have worked by then. Seeded campaigns with the expected
components run through the product's own interval and rule; `expected.py` has the formula for a
fixed moment.
"""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats
from estimation.core.estimators.trajectory import Trajectory
from estimation.core.planning.drawing import DRAWN, histories, plan_of, simulated_items
from estimation.core.planning.expected import (
    FEW_DRAWS,
    check_floor,
    expected_variance,
)
from estimation.core.planning.study import Forecast, Prices, Purchase, Range, Study
from estimation.core.simulation.campaign import draw_campaign
from estimation.core.stopping.precision import first_stop

_ENDS = (0.1, 0.9)
_HALVINGS = 12


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
    study: Study, *, target_width: float, prices: Prices, replicates: int = DRAWN, seed: int = 0
) -> Forecast:
    """Forecast what reaching a width takes, by drawing campaigns.

    Each campaign is stopped by the precision rule. Fewer campaigns are drawn where there are very
    many items, and more than 20,000 items count as 20,000.

    Parameters
    ----------
    study : Study
        The collection.
    target_width : float
        The full width asked for, in score units; positive.
    prices : Prices
        What judgments cost.
    replicates : int, default 100
        How many campaigns are drawn.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    Forecast
        Judgments, people, cost and time, each with a range.

    Raises
    ------
    TargetBelowFloorError
        The annotators alone leave the interval wider than the target.
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Prices, Study, forecast
    >>> study = Study(TYPICAL["overall"], n_items=600, rho=0.5)
    >>> found = forecast(study, target_width=0.3, prices=Prices(reward=0.30), replicates=20)
    >>> found.judgments.low < found.judgments.expected < found.judgments.high
    True
    >>> bool(abs(found.cost.expected - 0.30 * found.judgments.expected) < 1e-6)
    True
    """
    if not target_width > 0:
        raise errors.InvalidOptionError(f"A target width is positive; got {target_width}.")
    runs = _run(study, target_width, replicates, seed)
    floor = check_floor(
        study,
        target_width=target_width,
        people=float(runs.end_people.mean()),
        effective=float(runs.end_effective.mean()),
        seed=seed,
    )
    judgments = _possible(_over_systems(runs.judgments, study.systems, seed), study)
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
        days=None if prices.per_day is None else judgments.times(1 / prices.per_day),
        stop_probability=stopped,
        all_stop_probability=stopped**study.systems,
        floor=floor,
        parts=_parts(study, float(runs.items.mean()), effective),
        replicates=runs.judgments.size,
        simulated_items=simulated_items(study),
    )


def affordable(
    study: Study, *, budget: float, prices: Prices, replicates: int = DRAWN, seed: int = 0
) -> Purchase:
    """Forecast the width that a budget buys, spread evenly over the systems.

    Parameters
    ----------
    study : Study
        The collection.
    budget : float
        What may be spent, in the currency of the prices; positive.
    prices : Prices
        What judgments cost; the price of a judgment is positive.
    replicates, seed
        As in `forecast`.

    Returns
    -------
    Purchase
        Judgments, cost and width.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core.planning import TYPICAL, Prices, Study, affordable
    >>> study = Study(TYPICAL["overall"], n_items=600, rho=0.5)
    >>> prices = Prices(reward=0.30)
    >>> found = affordable(study, budget=60, prices=prices, replicates=20)
    >>> found.judgments, found.complete
    (200, False)
    >>> half = affordable(study, budget=30, prices=prices, replicates=20)
    >>> half.width.expected > found.width.expected
    True
    """
    if not (budget > 0 and prices.per_judgment > 0):
        raise errors.InvalidOptionError("A budget and the price of a judgment are positive.")
    # Slightly more, so that 40.00 buys 100 judgments at 0.40 in spite of binary rounding.
    each = int(_judgments_for(study, budget, prices, seed) * (1 + 1e-9)) // study.systems
    widths, sizes = [], []
    for history, _people in histories(study, replicates, seed):
        size = min(each, int(history.n_judgments[-1]))
        sizes.append(size)
        widths.append(_width_after(history, size, study.level))
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


def _width_after(history: Trajectory, judgments: int, level: float) -> float:
    """The width at the last look with at most so many judgments; NaN before the first."""
    look = int(np.searchsorted(history.n_judgments, judgments, side="right")) - 1
    return float(history.widths(level)[look]) if look >= 0 else float("nan")


def _judgments_for(study: Study, budget: float, prices: Prices, seed: int) -> float:
    """How many judgments a budget buys after the cost of each new person."""
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
        _outcome(history, people, target_width, study.level)
        for history, people in histories(study, replicates, seed)
    ]
    return _Runs(*np.array(rows, dtype=np.float64).T)


def _outcome(
    history: Trajectory, people: int, target_width: float, level: float
) -> tuple[float, ...]:
    stop = first_stop(history, target_width=target_width, level=level)
    last = -1 if stop is None else stop
    return (
        float(history.n_judgments[last]),
        float(history.n_items[last]),
        stop is not None,
        float(history.effective_annotators[last]),
        people,
        float(history.effective_annotators[-1]),
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
    """The sum over systems, each drawn again from the runs."""
    if systems == 1:
        return _range(judgments)
    rng = np.random.default_rng([seed, systems])
    return _range(rng.choice(judgments, (max(1000, judgments.size), systems)).sum(axis=1))


def _possible(found: Range, study: Study) -> Range:
    """What is judged of this study: outputs that systems share count once."""
    share, most = min(1.0, study.judgments / study.all_outputs), float(study.judgments)
    return Range(*(min(n * share, most) for n in (found.expected, found.low, found.high)))


def _annotators(study: Study, judgments: Range, seed: int) -> Range:
    """How many different people make these judgments of all systems together."""
    need = int(np.ceil(judgments.high / (1 + study.double_share))) + 2
    plan = replace(plan_of(study), cap=study.cap, n_population=max(2, need))
    counts = []
    for child in np.random.SeedSequence(seed).spawn(FEW_DRAWS):
        sample, _ = draw_campaign(plan, np.random.default_rng(child))
        first = np.sort(np.unique(sample.annotator, return_index=True)[1])
        wanted = [judgments.expected, judgments.low, judgments.high]
        counts.append(np.searchsorted(first, np.round(wanted)))
    expected, low, high = np.mean(counts, axis=0)
    return Range(float(expected), float(low), float(high))


def _range(values: Floats) -> Range:
    low, high = np.quantile(values, _ENDS)
    return Range(float(values.mean()), float(low), float(high))
