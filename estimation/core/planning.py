"""What a collection takes before it begins, for a width or for a ranking, by drawing campaigns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, comb, floor, log10

import numpy as np
from scipy.special import ndtr, ndtri

from estimation.core import errors
from estimation.core.campaigns import Plan, draw
from estimation.core.errors import InvalidOptionError
from estimation.core.estimators import balanced_weights
from estimation.core.fit import pulled_up
from estimation.core.forecasting import (
    Arrivals,
    ClosingForecast,
    Continuation,
    Narrowing,
    StopDraws,
    closing,
    narrowing,
    pace,
    people_to_reach,
    stops_ahead,
)
from estimation.core.intervals import annotators_needed, width_floor
from estimation.core.rankings import pair_outcomes
from estimation.core.sample import Floats, Sample
from estimation.core.sequences import ITEMS_FACTOR, MIN_SEQUENCE_ITEMS, sequence_half_widths
from estimation.core.stopping import first_stop, items_needed, people_needed
from estimation.core.study import (
    FEWEST_PLACES,
    MOST_PLACES,
    TYPICAL,
    Expectation,
    Forecast,
    Participation,
    Prices,
    Purchase,
    Range,
    Study,
    check_components,
    distribution,
)
from estimation.core.trajectories import Trajectory, trajectory

__all__ = [
    "FEWEST_PLACES",
    "MOST_PLACES",
    "TYPICAL",
    "Arrivals",
    "ClosingForecast",
    "Continuation",
    "Expectation",
    "Forecast",
    "Narrowing",
    "PairForecast",
    "Participation",
    "Prices",
    "Purchase",
    "Range",
    "RankingForecast",
    "StopDraws",
    "Study",
    "TargetBelowFloorError",
    "WidthCurve",
    "affordable",
    "closing",
    "forecast",
    "forecast_pairs",
    "forecast_ranking",
    "narrowing",
    "pace",
    "people_to_reach",
    "reachable_target",
    "stops_ahead",
    "width_curve",
]

# --- Campaigns drawn like a planned collection, with their histories.


MOST_SIMULATED_ITEMS = 20_000
DRAWN = 100  # campaigns for a plan
MOST_DRAWN = 500_000  # items over all replicates: seconds
_FEWEST = 20
_STEP = 1.02  # of one look over the one before


@lru_cache(maxsize=32)
def histories(study: Study, replicates: int, seed: int) -> tuple[tuple[Trajectory, int], ...]:
    """The histories of complete campaigns of one system, each with how many people judged.

    They are kept, because a plan asks several questions of the same campaigns.
    """
    return tuple(
        (history_of(study, sample), sample.incidence.activity.size)
        for sample, _truth in samples(study, replicates, seed)
    )


def history_of(study: Study, sample: Sample) -> Trajectory:
    """The history of a campaign's judgments, estimated as the study is."""
    return trajectory(sample, study.method, looks=looks_of(sample.n_judgments))


def samples(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, float]]:
    """Complete campaigns of one system, each with its true mean; fewer where items are many."""
    if replicates < 1:
        raise errors.InvalidOptionError("A plan draws at least one campaign.")
    plan = plan_of(study)
    most = max(_FEWEST, MOST_DRAWN // plan.n_population)
    for child in np.random.SeedSequence(seed).spawn(min(replicates, most)):
        campaign = draw(plan, np.random.default_rng(child))
        yield campaign.sample, campaign.truth


@lru_cache(maxsize=64)
def looks_of(n_judgments: int) -> tuple[int, ...]:
    """After how many judgments a drawn campaign is looked at: at least each further 2 percent.

    Each judgment changes the weights of all that its annotator judged. Where looks grow apart, the
    work is proportional to the judgments, however many one person gives.
    """
    looks, now = [], 1
    while now < n_judgments:
        looks.append(now)
        now = max(now + 1, int(now * _STEP))
    return tuple(looks)


def plan_of(study: Study) -> Plan:
    """What one system's judgments look like."""
    part, people = study.expected.components, study.participation
    total = check_components(part)
    return Plan(
        distribution(study.expected),
        item=part.item / total,
        person=part.person / total,
        rho=study.rho,
        n_population=simulated_items(study),
        cap=_cap_of_one_system(study),
        double_share=study.double_share,
        raters=study.raters,
        places=study.places,
        unevenness=people.unevenness,
        replaced=people.pool is None,
    )


def _cap_of_one_system(study: Study) -> int | None:
    """A fixed number with the same A_eff as the binomial number that falls to one system.

    E[c²] / E[c] of a binomial count with mean cap / K is cap / K + 1 - 1 / K.
    """
    if study.cap is None:
        return None
    return max(1, round((study.cap - 1) / study.systems + 1))


def simulated_items(study: Study) -> int:
    """N, at most 20,000: no collection judges more."""
    return min(study.n_items, MOST_SIMULATED_ITEMS)


# --- Before there are judgments: the interval's expected variance, and the floor of its width.


_PSEUDO_ROWS = 4
_ENDLESS = 1e9  # annotators
_ROUNDS = 4  # of drawing the evenness of a larger pool
FEW_DRAWS = 10  # campaigns for a number that needs only a few


def expected_variance(
    expected: Expectation,
    *,
    rho: float,
    n_items: Floats | float,
    n_population: int,
    effective_annotators: Floats | float,
    double_share: float = 0.25,
    raters: int = 2,
) -> tuple[Floats, Floats, Floats]:
    """(item, rest, annotator) of the default interval, about; statistics.md, "The interval".

    n_items: n, judged items. effective_annotators: A_eff then. With
    h = 1 - double_share (1 - 1 / raters) = mean(1 / k_i) and
    v = item (1 - rho²) + (person + rest) h:
    item: (1 - n / N) (v (n - 2) + squares of the pseudo-rows) / (n + 2) / (n + 4).
    rest: (person + rest) h / N. annotator: E max(0, Z), Z normal about person (1 / A_eff - h / n)
    with the sampling error that V_annot has from A_eff people, V_annot sqrt(2 / A_eff).
    Without double judgments no credit is taken for n / N, as in the interval.
    """
    check_components(expected.components)
    if not (-1 <= rho <= 1 and 0 <= double_share <= 1):
        raise InvalidOptionError("rho lies between -1 and 1, the share judged twice from 0 to 1.")
    part = expected.components
    n = np.asarray(n_items, dtype=np.float64)
    a = np.asarray(effective_annotators, dtype=np.float64)
    noise, h = part.person + part.rest, 1 - double_share * (1 - 1 / raters)
    spread = part.item * (1 - rho**2) + noise * h
    ends = np.array([expected.scale.low, expected.scale.high])
    squares = spread * np.maximum(n - 2, 0) + (2 * (ends - expected.mean) ** 2).sum()
    item = squares / (n + _PSEUDO_ROWS - 2) / (n + _PSEUDO_ROWS)
    credit = 1.0 if double_share > 0 else 0.0
    between = part.person * (1 / a - h / n)
    error = (spread / n + between) * np.sqrt(2 / a)
    density = np.exp(-((between / error) ** 2) / 2) / np.sqrt(2 * np.pi)
    return (
        np.asarray((1 - credit * n / n_population) * item),
        np.full_like(n, credit * noise * h / n_population),
        np.asarray(between * ndtr(between / error) + error * density),
    )


class TargetBelowFloorError(errors.EstimationError):
    """The annotators alone leave the interval wider than the target, with every item judged.

    floor: the width that remains, in score units.
    annotators: the people expected for one system.
    annotators_needed: how many people would reach the target, working as evenly; None
        if no number would.
    """

    def __init__(self, message: str, *, floor: float, annotators: int, needed: int | None) -> None:
        super().__init__(message)
        self.floor = floor
        self.annotators = annotators
        self.annotators_needed = needed


def check_floor(
    study: Study, *, target_width: float, people: float, effective: float, seed: int
) -> float:
    """The floor; raises TargetBelowFloorError if the target lies below it."""
    if study.estimand == "panel":
        return 0.0
    part = study.expected.components
    total = check_components(part)
    pulled = pulled_up(part.person, effective, share=study.person_share, variance=total)
    person = float(pulled)
    floor = float(
        width_floor(person_variance=person, effective_annotators=effective, level=study.level)
    )
    if not (target_width < floor or effective <= 1):
        return floor
    evenness = min(1.0, effective / people)
    needed = _needed(study, target_width, person, evenness=evenness, seed=seed)
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


def _needed(
    study: Study, target_width: float, person: float, *, evenness: float, seed: int
) -> int | None:
    """Annotators who would meet the target with all N items judged.

    A larger pool works less evenly than a small one, so its evenness is drawn again.
    """
    item, rest, _annotator = expected_variance(
        study.expected,
        rho=study.rho,
        n_items=study.n_items,
        n_population=study.n_items,
        effective_annotators=_ENDLESS,
        double_share=study.double_share,
        raters=study.raters,
    )
    for _ in range(_ROUNDS):
        needed = annotators_needed(
            target_width=target_width,
            level=study.level,
            person_variance=person,
            other_variance=float(item + rest),
            evenness=evenness,
        )
        if needed is None or study.participation.pool is None:
            break
        evenness = _evenness(study, needed, seed)
    # Nobody judges less than one output, so there are no more people than judgments.
    most = study.n_items * study.per_item
    return None if needed is None or needed > most else needed


def _evenness(study: Study, pool: int, seed: int) -> float:
    """A_eff / A of one system when `pool` people have judged all they can."""
    larger = replace(study, participation=replace(study.participation, pool=pool))
    return float(
        np.mean(
            [
                _effective(sample, study.balance) / sample.incidence.activity.size
                for sample, _truth in samples(larger, FEW_DRAWS, seed)
            ]
        )
    )


def _effective(sample: Sample, balance: float) -> float:
    """A_eff of all judgments of a sample, with balanced weights."""
    who = sample.incidence
    share = np.bincount(who.person, balanced_weights(who, balance=balance))
    return float(share.sum() ** 2 / (share**2).sum())


# --- What a collection will take: judgments, people and money for a width, or a width for money.
#
# The numbers are drawn. No formula gives the moment at which a rule that is checked after every
# judgment stops, or how evenly people have worked by then. Seeded campaigns with the expected
# components run through the product's own interval and rule; `expected.py` has the formula for a
# fixed moment.


_ENDS = (0.1, 0.9)
_HALVINGS = 12


def forecast(
    study: Study, *, target_width: float, prices: Prices, replicates: int = DRAWN, seed: int = 0
) -> Forecast:
    """Forecast what reaching a width takes, by drawing campaigns.

    Each campaign is stopped by the precision rule. Fewer campaigns are drawn where there are very
    many items, and more than 20,000 items count as 20,000.

    study: the collection.
    target_width: the full width asked for, in score units; positive.
    prices: what judgments cost.
    replicates: how many campaigns are drawn.
    seed: the seed of the draws.
    Returns: judgments, people, cost and time, each with a range.
    Raises TargetBelowFloorError: the annotators alone leave the interval wider than the target.
    Raises InvalidOptionError: A number lies outside its range.
    """
    if not target_width > 0:
        raise errors.InvalidOptionError(f"A target width is positive; got {target_width}.")
    drawn = histories(study, replicates, seed)
    stops = [first_stop(one, target_width=target_width, level=study.level) for one, _ in drawn]
    # A campaign that does not stop ends with its last judgment.
    last = [
        (one.n_judgments[at], one.n_items[at], one.effective_annotators[at])
        for (one, _people), stop in zip(drawn, stops, strict=True)
        for at in (-1 if stop is None else stop,)
    ]
    made, items, effective_then = np.array(last, dtype=np.float64).T
    floor = check_floor(
        study,
        target_width=target_width,
        people=float(np.mean([float(people) for _history, people in drawn])),
        effective=float(np.mean([one.effective_annotators[-1] for one, _people in drawn])),
        seed=seed,
    )
    judgments = _possible(_over_systems(made, study.systems, seed), study)
    people = _annotators(study, judgments, seed)
    stopped = float(np.mean([stop is not None for stop in stops]))
    return Forecast(
        target_width=target_width,
        judgments=judgments,
        items=_range(items),
        annotators=people,
        cost=judgments.times(prices.per_judgment).plus(people.times(prices.person_cost)),
        hours=None if prices.minutes is None else judgments.times(prices.minutes / 60),
        days=None if prices.per_day is None else judgments.times(1 / prices.per_day),
        stop_probability=stopped,
        all_stop_probability=stopped**study.systems,
        floor=floor,
        parts=_parts(study, float(items.mean()), float(effective_then.mean())),
        replicates=len(drawn),
        simulated_items=simulated_items(study),
    )


def affordable(
    study: Study, *, budget: float, prices: Prices, replicates: int = DRAWN, seed: int = 0
) -> Purchase:
    """Forecast the width that a budget buys, spread evenly over the systems.

    study: the collection.
    budget: what may be spent, in the currency of the prices; positive.
    prices: what judgments cost; the price of a judgment is positive.
    replicates, seed: as in `forecast`.
    Returns: judgments, cost and width.
    Raises InvalidOptionError: A number lies outside its range.
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


def _parts(study: Study, items: float, effective: float) -> dict[str, float]:
    item, rest, annotator = expected_variance(
        study.expected,
        rho=study.rho,
        n_items=items,
        n_population=study.n_items,
        effective_annotators=effective,
        double_share=study.double_share,
        raters=study.raters,
    )
    people = 0.0 if study.estimand == "panel" else float(annotator)
    amounts = {"item": float(item), "annotator": people, "rest": float(rest)}
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
    need = int(np.ceil(judgments.high / study.per_item)) + 2
    plan = replace(plan_of(study), cap=study.cap, n_population=max(2, need))
    counts = []
    for child in np.random.SeedSequence(seed).spawn(FEW_DRAWS):
        sample = draw(plan, np.random.default_rng(child)).sample
        first = np.sort(np.unique(sample.annotator, return_index=True)[1])
        wanted = [judgments.expected, judgments.low, judgments.high]
        counts.append(np.searchsorted(first, np.round(wanted)))
    expected, low, high = np.mean(counts, axis=0)
    return Range(float(expected), float(low), float(high))


def _range(values: Floats) -> Range:
    low, high = np.quantile(values, _ENDS)
    return Range(float(values.mean()), float(low), float(high))


# --- Which widths a collection can reach at all, and how the width falls with the judgments.


CLAIMED = 0.9  # coverage is claimed for at least this probability of stopping
_ROOM = 1.02  # over the width that exactly so many campaigns reach
_POINTS = 40


@dataclass(frozen=True, slots=True, eq=False)
class WidthCurve:
    """The width of one system's interval while judgments come.

    judgments: (K,) floats; of all systems together.
    middle, low, high: (K,) floats; median, and 10 % and 90 % quantiles over the drawn campaigns, in
        score units.
    """

    judgments: Floats
    middle: Floats
    low: Floats
    high: Floats


def reachable_target(study: Study, *, replicates: int = DRAWN, seed: int = 0) -> float | None:
    """Return the narrowest target that 9 of 10 campaigns reach before the items run out.

    study: the collection.
    replicates: how many campaigns are drawn.
    seed: the seed of the draws.
    Returns: A full width in score units, rounded up to two digits. None where no
        width is reached.
    Raises InvalidOptionError: A number lies outside its range.
    """
    narrowest = []
    for history, _people in histories(study, replicates, seed):
        enough = (history.n_items >= items_needed(history.scale)) & (
            history.effective_annotators >= people_needed(history.method)
        )
        widths = np.where(enough, history.widths(study.level), np.inf)
        narrowest.append(float(np.where(np.isnan(widths), np.inf, widths).min()))
    # Each of several systems must stop.
    each = CLAIMED ** (1 / study.systems)
    found = float(np.quantile(narrowest, each, method="higher"))
    return _rounded_up(found * _ROOM) if np.isfinite(found) else None


def width_curve(study: Study, *, replicates: int = DRAWN, seed: int = 0) -> WidthCurve:
    """Return how the width falls with the judgments, up to the last that can be made.

    study: the collection.
    replicates: how many campaigns are drawn.
    seed: the seed of the draws.
    Returns: from the judgments at which most campaigns have an interval.
    Raises InvalidOptionError: A number lies outside its range.

    >>> from estimation.core.planning import TYPICAL, Study, width_curve
    >>> curve = width_curve(Study(TYPICAL["overall"], n_items=300), replicates=5)
    >>> bool(curve.middle[-1] < curve.middle[0])
    True
    """
    known = []
    for history, _people in histories(study, replicates, seed):
        known.append((history.n_judgments.astype(np.float64), history.widths(study.level)))
    last = float(np.median([at[-1] for at, _widths in known]))
    grid = np.unique(np.round(np.geomspace(min(20.0, last), last, _POINTS)))
    widths = np.array([_at(grid, at, values) for at, values in known])
    enough = np.isfinite(widths).mean(axis=0) > 0.5
    low, middle, high = np.nanquantile(widths[:, enough], (0.1, 0.5, 0.9), axis=0)
    return WidthCurve(grid[enough] * study.systems, middle, low, high)


def _at(grid: Floats, at: Floats, widths: Floats) -> Floats:
    """The width at the last look with at most so many judgments."""
    place = np.searchsorted(at, grid, side="right") - 1
    return np.asarray(np.where(place >= 0, widths[np.maximum(place, 0)], np.nan))


def _rounded_up(width: float) -> float:
    """Two significant digits."""
    step = 10.0 ** (floor(log10(width)) - 1)
    return round(ceil(width / step - 1e-9) * step, 10)


# --- How many items a ranking takes: by a formula, because its rule may be checked at any moment.


# Fewer would make the sequence narrowest before it starts.
LEAST_PLANNED = ceil(MIN_SEQUENCE_ITEMS / ITEMS_FACTOR)
MOST_ITEMS = 100_000  # of each system: more are "more than that"


@dataclass(frozen=True, slots=True)
class RankingForecast:
    """How many items a ranking takes.

    margin: the largest difference that does not matter, in score units.
    pairs: how many pairs of systems there are.
    planned_items: what to give `ranking` as `planned_items`: the items of each system at which a
        fixed-n interval of one difference reaches from -margin to +margin.
    settled_items: about how many items of each system settle pairs that are equal, or
        further apart than the margin; None where the items do not suffice.
    slowest_items: the same for pairs that differ by half the margin, which take
        longest.
    """

    margin: float
    pairs: int
    planned_items: int
    settled_items: int | None
    slowest_items: int | None


def forecast_ranking(study: Study, *, margin: float, side_by_side: bool = False) -> RankingForecast:
    """Forecast how many items decide every pair of systems.

    People are assumed to be many, and to think alike of each system: with few people, or with
    favourites, it takes more. Metrics count by their correlation.

    study: the collection, of at least two systems; of at least one pair where texts are judged side
        by side.
    margin: the largest difference that does not matter, in score units; positive.
    side_by_side: whether the texts of a pair are judged together. A system of the study is then a
        pair, and a score says by how much its first text is better.
    Returns: items of each system, or of each pair.
    Raises InvalidOptionError: there is one system, the margin is not positive, or a number is out
        of range.
    """
    if study.systems < 2 and not side_by_side:
        raise errors.InvalidOptionError("A ranking takes at least two systems.")
    if not 0 < margin < np.inf:
        raise errors.InvalidOptionError(f"A margin is a positive number; got {margin}.")
    if not (-1 <= study.rho <= 1 and 0 <= study.double_share <= 1):
        raise errors.InvalidOptionError(
            "A correlation lies between -1 and 1, a share of items judged twice between 0 and 1."
        )
    variance = _variance(study, texts=1 if side_by_side else 2)
    z = float(ndtri(0.5 + study.level / 2))
    planned = min(max(LEAST_PLANNED, ceil(variance * (z / margin) ** 2)), study.n_items)
    pairs = study.systems if side_by_side else comb(study.systems, 2)
    alpha = (1 - study.level) / pairs
    n = np.arange(1, min(study.n_items, MOST_ITEMS) + 1, dtype=np.float64)
    half = sequence_half_widths(np.sqrt(variance / n), n, alpha=alpha, planned_items=planned)

    def reached(reach: float) -> int | None:
        enough = np.flatnonzero(half <= reach)
        return int(n[enough[0]]) if enough.size else None

    return RankingForecast(margin, pairs, planned, reached(margin), reached(margin / 2))


def _variance(study: Study, *, texts: int) -> float:
    """Of one item's difference, its two outputs judged by different people; or of its one score.

    A person judges outputs of all systems, so mildness towards all of them tells them apart no
    worse than noise does.
    """
    part = study.expected.components
    noise = (part.person + part.rest) * study.mean_part
    return texts * (part.item * (1 - study.rho**2) + noise)


# --- How many items decide a pair judged side by side, and with which probability: by simulation.


@dataclass(frozen=True, slots=True)
class PairForecast:
    """What it takes to decide a pair whose true preference is known.

    preference: the true preference, counted from a tie, in score units.
    decided: the probability that the pair is decided before the items run out.
    usual_items: the items that decide it with a probability of one half; None where
        there are not as many.
    enough_items: the items that decide it with the asked probability; None where there
        are not as many.
    judgments: of all pairs of the study, if all have this preference; a decided pair takes no more.
    """

    preference: float
    decided: float
    usual_items: int | None
    enough_items: int | None
    judgments: Range


def forecast_pairs(
    study: Study,
    *,
    margin: float,
    preferences: Sequence[float],
    probability: float = 0.9,
    replicates: int = 200,
    seed: int = 0,
) -> tuple[PairForecast, ...]:
    """Forecast when pairs of texts judged side by side are decided, by their true preference.

    Campaigns of one pair are drawn with the expected variances and people, estimated as a campaign
    is, and decided by the rule of `ranking`, with the planned items of `forecast_ranking`. The same
    campaigns serve for each preference: their estimates are moved by it.

    study: the collection; each of its systems is a pair.
    margin: the largest preference that does not matter, in score units; positive.
    preferences: the true preferences, counted from a tie, for each of which a forecast is made.
    probability: for `enough_items`; between 0 and 1.
    replicates: how many pairs are drawn; fewer where items are many.
    seed: of the draws.
    Returns: one for each preference.
    Raises InvalidOptionError: as `forecast_ranking`; or the probability is not between 0 and 1, or
        nothing is drawn.
    """
    if not 0 < probability < 1:
        raise errors.InvalidOptionError(f"A probability lies between 0 and 1; got {probability}.")
    planned = forecast_ranking(study, margin=margin, side_by_side=True).planned_items
    drawn = [
        (history_of(study, sample), truth) for sample, truth in samples(study, replicates, seed)
    ]
    rng = np.random.default_rng(seed)
    return tuple(
        _forecast(
            study,
            one,
            [_end(*pair, one, study, margin=margin, planned=planned) for pair in drawn],
            probability,
            rng,
        )
        for one in preferences
    )


def _end(
    history: Trajectory,
    truth: float,
    preference: float,
    study: Study,
    *,
    margin: float,
    planned: int,
) -> tuple[float, int]:
    """The items that decide a pair, infinite where all do not, and the judgments until then."""
    said = pair_outcomes(
        (history.centre - truth + preference)[None],
        np.where(np.isfinite(history.std_error), history.std_error, np.nan)[None],
        history.n_items,
        margin=margin,
        level=1 - (1 - study.level) / study.systems,
        planned_items=planned,
        effective_annotators=history.effective_annotators,
    )[0]
    decided = np.flatnonzero(said > 0)
    if not decided.size:
        return np.inf, int(history.n_judgments[-1])
    look = int(decided[0])
    return float(history.n_items[look]), int(history.n_judgments[look])


def _forecast(
    study: Study,
    preference: float,
    ends: Sequence[tuple[float, int]],
    probability: float,
    rng: np.random.Generator,
) -> PairForecast:
    items = np.array([one for one, _judgments in ends])
    judgments = np.array([one for _items, one in ends])
    together = rng.choice(judgments, size=(2000, study.systems)).sum(axis=1)
    low, high = np.quantile(together, (0.1, 0.9))
    return PairForecast(
        preference,
        float(np.mean(np.isfinite(items))),
        _by(items, 0.5),
        _by(items, probability),
        Range(float(study.systems * judgments.mean()), float(low), float(high)),
    )


def _by(items: Floats, probability: float) -> int | None:
    found = float(np.sort(items)[ceil(probability * items.size) - 1])
    return int(found) if np.isfinite(found) else None
