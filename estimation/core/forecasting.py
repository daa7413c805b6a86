"""What a collection takes while it goes on: from the judgments so far to the end."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from estimation.core.errors import InvalidOptionError
from estimation.core.estimators import balanced_weights
from estimation.core.fit import pulled_up
from estimation.core.intervals import check_target, half_width
from estimation.core.results import Estimate
from estimation.core.sample import Floats, Sample
from estimation.core.sequences import sequence_half_widths
from estimation.core.stopping import items_needed, people_needed
from estimation.core.study import Range

# --- The parts of a squared error, drawn forward from what the judgments so far have shown.
#
# Squared residuals of items arrive as a gamma process whose rate is drawn from its posterior. The
# mean square between people follows its sampling distribution, whose error shrinks as more is known
# about each person and as more people come. Every drawn path starts at the present value.


_PSEUDO_ROWS = 4
_GROWTH_SD = 0.1
_UNSURE = 0.07  # of the number of people, when the judgments grow e times
_SETTLED = 2.0  # prior weight against a rate drawn from one large square
_HEAVY = 25.0  # squares of unbounded scores vary more than a few of them show
_TYPICAL = 1.0  # prior mean of the person variance, over its typical share
_GRID = np.linspace(0.0, 0.7, 281)  # person variance over all variance


def _shares(sample: Sample, estimate: Estimate) -> Floats:
    """(A,) each person's share of the weight."""
    share = np.bincount(sample.incidence.person, _weights(sample, estimate))
    return np.asarray(share / share.sum())


def _evenness(who: NDArray[np.int64]) -> float:
    """A_eff of these judgments, each weighed alike."""
    counts = np.bincount(who).astype(np.float64)
    return float(counts.sum() ** 2 / (counts**2).sum())


def _weights(sample: Sample, estimate: Estimate) -> Floats:
    who = sample.incidence
    if estimate.method.estimator != "balanced":
        return who.weight
    return balanced_weights(who, balance=estimate.method.balance)


def effective_ahead(
    sample: Sample,
    estimate: Estimate,
    judgments: Floats,
    cap: int | None,
    replicates: int,
    rng: Generator,
) -> Floats:
    """(R, L) A_eff: between a crowd that is all here and one that grows as it has grown.

    Judgments of a crowd that is all here overlap in people as they do now. Each draw lies somewhere
    between the two, and no one goes beyond the cap.
    """
    who = sample.incidence.person
    before, now = _evenness(who[: who.size // 2]), _evenness(who)
    # How A_eff has grown since half of the judgments, as a power of their number; and the chance
    # that two judgments come from one person.
    power = np.log(now / before) / np.log(who.size / max(1, who.size // 2))
    overlap = (1 / now - 1 / who.size) / (1 - 1 / who.size)
    here = 1 / (1 / judgments + overlap * (1 - 1 / judgments))
    growth = np.clip(
        np.clip(power, 0.0, 1.0) + _GROWTH_SD * rng.standard_normal((replicates, 1)), 0.0, 1.0
    )
    mixed = rng.random((replicates, 1))
    grown = growth * np.log(judgments / judgments[0])
    people = here[0] * np.exp(mixed * grown + (1 - mixed) * np.log(here / here[0]))
    if cap is not None:
        people = np.maximum(people, judgments / cap)
    walk = np.sqrt(np.log(judgments / judgments[0])) * rng.standard_normal((replicates, 1))
    people = people * np.exp(_UNSURE * walk)
    squares = (_shares(sample, estimate) ** 2).sum()
    return np.asarray(1 / squares * people / people[:, :1])


def item_part(
    sample: Sample, estimate: Estimate, n: Floats, replicates: int, rng: Generator
) -> Floats:
    """(R, L) the item part of the squared error: squares of `rows` rows and four pseudo-rows."""
    credited = estimate.variance.rest > 0
    seen = 1 - (n / estimate.n_population if credited else 0 * n)
    rows = n * _even_items(sample, estimate) / n[0]
    behind = _PSEUDO_ROWS if estimate.method.estimator == "balanced" else _PSEUDO_ROWS - 1
    squares = (estimate.variance.item or 0.0) / max(seen[0], 1e-9) * (rows[0] + behind) ** 2
    scale = estimate.scale
    pseudo = 2 * (scale.low - estimate.centre) ** 2 + 2 * (scale.high - estimate.centre) ** 2
    own = max(squares - pseudo, 0.2 * squares) * rows[0] / max(rows[0] - 2, 1.0)
    kurtosis = max(_kurtosis(sample), 0.0 if scale.bounded else _HEAVY)
    known = rows[0] / kurtosis + (0.0 if scale.bounded else _SETTLED)
    rate = own / np.maximum(kurtosis * rng.gamma(known, size=(replicates, 1)), 1e-3 * rows[0])
    steps = np.maximum(np.diff(rows), 0.0) / kurtosis
    more = rng.gamma(np.broadcast_to(steps, (replicates, steps.size))) * kurtosis * rate
    total = squares + np.pad(np.cumsum(more, axis=1), ((0, 0), (1, 0)))
    return np.asarray(seen * total / (rows + behind) ** 2)


def _even_items(sample: Sample, estimate: Estimate) -> float:
    """How many items of equal weight would leave as much error."""
    by_item = np.bincount(sample.incidence.item, _weights(sample, estimate))
    return float(by_item.sum() ** 2 / (by_item**2).sum())


def _kurtosis(sample: Sample) -> float:
    """Var(r²) / E(r²)² of item means: 2 for normal ones, less for few answers."""
    who = sample.incidence
    judged = who.count > 0
    means = np.bincount(who.item, sample.score, who.n_population)[judged] / who.count[judged]
    squares = (means - means.mean()) ** 2
    typical = squares.mean()
    return float(max(0.3, squares.var() / typical**2)) if typical > 0 else 2.0


def person_part(
    sample: Sample,
    estimate: Estimate,
    effective: Floats,
    judgments: Floats,
    rng: Generator,
) -> Floats:
    """(R, L) the part of the squared error from having asked these people."""
    method, part = estimate.method, estimate.variance
    if method.estimand != "population" or method.interval != "two_way":
        return np.zeros_like(effective)
    weights = _weights(sample, estimate)
    cells = float((weights**2).sum() / weights.sum() ** 2) * judgments[0] / judgments
    noise = part.cell_sum / cells[0]
    # What the mean square between people owes to single judgments.
    owed = np.minimum(cells * effective, 1.0)
    typical = float(np.var(sample.score))
    if noise <= 0 or owed[0, 0] >= 1 - 1e-9 or part.annotator_raw is None:
        variance = typical * method.person_share * np.ones_like(effective)
        return np.asarray(variance * np.maximum(1 / effective - cells, 0.0))
    share = _shares(sample, estimate)
    squares, fourths = (share**2).sum(), (share**4).sum()
    found = part.annotator_raw * (1 / squares) / noise + owed[0, 0]
    # S2² / S4, the people that a mean square rests on.
    people = squares**2 / fourths * effective / effective[:, :1]
    mean_square = _mean_square(found, owed, people, method.person_share, rng)
    estimated = np.maximum(0.0, (mean_square - owed) / np.maximum(1 - owed, 1e-9)) * noise
    pulled = pulled_up(estimated, people, share=method.person_share, variance=typical)
    return np.asarray(pulled * np.maximum(1 / effective - cells, 0.0))


def _mean_square(
    found: float, owed: Floats, people: Floats, share: float, rng: Generator
) -> Floats:
    """(R, L) mean squares between people over the variance of a judgment; `found` at first.

    With v the person variance over all variance, a mean square of A people is (owed + v (1 - owed))
    χ²_A / A. Later ones average the same people's noise further, so that successive errors, by the
    cube root as normal ones, are a Brownian motion in their precision.
    """
    replicates, looks = people.shape
    now = _posterior(found, owed[0, 0], people[0, 0], share, rng, replicates)[:, None]
    expected = owed + now * (1 - owed)
    precision = np.maximum.accumulate(people / (2 * expected**2), axis=1)
    sd = np.sqrt(2 / (9 * people))
    start = (np.cbrt(found / expected[:, :1]) - 1 + sd[:, :1] ** 2) / sd[:, :1]
    steps = np.sqrt(np.diff(precision, axis=1)) * rng.standard_normal((replicates, looks - 1))
    path = start * np.sqrt(precision[:, :1]) + np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
    error = path / np.sqrt(precision)
    return np.asarray(expected * np.maximum(0.0, 1 - sd**2 + error * sd) ** 3)


def _posterior(
    found: float, owed: float, people: float, share: float, rng: Generator, size: int
) -> Floats:
    """(R,) person variance over all variance: an exponential prior about the typical share."""
    expected = owed + _GRID * (1 - owed)
    logs = -people / 2 * (np.log(expected) + found / expected)
    logs -= _GRID / max(_TYPICAL * share, 1e-3)
    weight = np.cumsum(np.exp(logs - logs.max()))
    return np.asarray(_GRID[np.searchsorted(weight / weight[-1], rng.random(size))])


# --- From the judgments so far: at which judgment a system's interval reaches its target.
#
# The parts of the squared error that are not known exactly are drawn forward (`paths.py`). Every
# drawn path starts at the present value, so the forecast narrows as the campaign goes on.


REPLICATES = 400
ENDS = (0.05, 0.95)  # of the ranges: 9 of 10 campaigns
_LOOKS = 200
_WIDER = 1.35  # spread of the ends over that of the drawn paths: see docs/statistics.md


@dataclass(frozen=True, slots=True)
class Continuation:
    """How a system's collection goes on.

    planned: all judgments planned for the system, those made included.
    cap: the most judgments of this system by one annotator; None for no cap.
    planned_items: for campaigns that stop by a confidence sequence, as in `anytime`.
    """

    planned: int
    cap: int | None = None
    planned_items: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StopDraws:
    """Drawn ends of one system's collection.

    judgments: (R,) floats; its judgments at the stop; all that are planned where it does not stop.
    reached: (R,) bools; whether the interval reaches its target before the items run out.
    width_at_end: the width with everything judged, in score units; its range holds 90 % of the
        draws.
    """

    judgments: Floats
    reached: NDArray[np.bool_]
    width_at_end: Range

    @property
    def chance(self) -> float:
        """The share of draws that reach the target."""
        return float(self.reached.mean())


def stops_ahead(
    sample: Sample,
    estimate: Estimate,
    ahead: Continuation,
    *,
    target_width: float,
    level: float,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> StopDraws:
    """Draw after how many judgments a system's interval reaches its target.

    sample: the judgments so far.
    estimate: made from this sample.
    ahead: how collection goes on.
    target_width: the full width asked for, in score units; positive.
    level: the confidence level.
    replicates: how many ends are drawn.
    seed: the seed of the draws.
    Returns: the ends, and the width that would be left with every item judged.
    Raises InvalidOptionError: the target is not positive, the level not between 0 and 1, or a
        number of draws below 1.
    """
    check_target(target_width)
    if replicates < 1:
        raise InvalidOptionError("A forecast draws at least one end.")
    rng = np.random.default_rng(seed)
    n, judgments = _looks(sample, estimate, ahead)
    effective = effective_ahead(sample, estimate, judgments, ahead.cap, replicates, rng)
    of_items = item_part(sample, estimate, n, replicates, rng)
    of_people = person_part(sample, estimate, effective, judgments, rng)
    error = np.sqrt(of_items + of_people + estimate.variance.rest)
    width = _widths(error, n, effective, ahead, level=level, estimate=estimate)
    enough = (n >= items_needed(estimate.scale)) & (effective >= people_needed(estimate.method))
    meets = enough & (width <= target_width)
    reached = np.asarray(meets.any(axis=1))
    at = np.where(reached, meets.argmax(axis=1), n.size - 1)
    last = np.where(np.isnan(width[:, -1]), np.inf, width[:, -1])
    return StopDraws(_spread_out(judgments[at], judgments), reached, ranged(last))


def _spread_out(ends: Floats, judgments: Floats) -> Floats:
    """Ends further from their median, in the logarithm of what is left.

    The paths take the spread of squares and the growth of the crowd as they look so far, which
    leaves out part of what is not known.
    """
    left = np.maximum(ends - judgments[0], 1.0)
    middle = np.median(left)
    wider = judgments[0] + middle * (left / middle) ** _WIDER
    return np.asarray(np.where(ends > judgments[0], np.minimum(wider, judgments[-1]), ends))


def ranged(values: Floats) -> Range:
    """Return the median with the 5 % and 95 % quantiles; the ends of 9 of 10 campaigns."""
    low, middle, high = np.quantile(values, (ENDS[0], 0.5, ENDS[1]), method="nearest")
    return Range(float(middle), float(low), float(high))


def _looks(sample: Sample, estimate: Estimate, ahead: Continuation) -> tuple[Floats, Floats]:
    """(L,) items and (L,) judgments from now to the last planned one."""
    n, most = estimate.n_items, estimate.n_population
    left = max(0, ahead.planned - sample.n_judgments)
    share = np.unique(np.r_[0.0, np.geomspace(1e-3, 1.0, _LOOKS)])
    return n + share * (most - n), sample.n_judgments + share * left


def _widths(
    error: Floats,
    n: Floats,
    effective: Floats,
    ahead: Continuation,
    *,
    level: float,
    estimate: Estimate,
) -> Floats:
    if ahead.planned_items is not None:
        half = sequence_half_widths(error, n, alpha=1 - level, planned_items=ahead.planned_items)
        return np.asarray(2 * half)
    df = n - 2 + 0 * effective
    if estimate.method.estimand == "population" and estimate.method.interval == "two_way":
        df = np.minimum(df, effective - 1)
    return 2 * half_width(error, df, level=level)


# --- From drawn ends of each system to judgments, cost and closing time of a whole campaign.


DAY = 86_400.0
MOST_DAYS = 3  # that the pace is learnt from
_LEAST_JUDGMENTS = 10
_BINS = 8
_MOST_RUNNING = 1000


@dataclass(frozen=True, slots=True)
class Arrivals:
    """How fast judgments come.

    per_second: the mean rate.
    spread: the variance of the rate in one bin, over its squared mean.
    bin_seconds: the length of a bin.
    bins: how many bins the rate was learnt from.
    """

    per_second: float
    spread: float
    bin_seconds: float
    bins: int


@dataclass(frozen=True, slots=True)
class ClosingForecast:
    """What a campaign takes until all of its intervals are at their targets.

    Each range holds 90 % of the drawn ends, and its `expected` is their median.

    judgments: in all, those made included.
    seconds: from now; None while the pace is unknown.
    chance: the probability that every interval reaches its target before the items run out.
    """

    judgments: Range
    seconds: Range | None
    chance: float


def pace(times: Floats, *, now: float) -> Arrivals | None:
    """Learn the rate of judgments from their times.

    Over whole days where there are any, at most three, so that nights count; otherwise since the
    first judgment.

    times: (T,) floats; when judgments were submitted, in seconds.
    now: the present, in the same seconds.
    Returns: None where fewer than 10 judgments came in that time.
    """
    times = np.sort(np.asarray(times, dtype=np.float64))
    if times.size < _LEAST_JUDGMENTS or not now > times[0]:
        return None
    days = min(MOST_DAYS, int((now - times[0]) // DAY))
    length = days * DAY if days else now - times[0]
    bins = _BINS if days < 2 else days
    edges = now - length + np.linspace(0.0, length, bins + 1)
    counts = np.histogram(times, edges)[0].astype(np.float64)
    mean = counts.mean()
    if counts.sum() < _LEAST_JUDGMENTS:
        return None
    spread = max(float(counts.var(ddof=1)) / mean**2, 1 / mean)
    return Arrivals(float(counts.sum() / length), spread, length / bins, bins)


def closing(
    systems: Sequence[Sequence[StopDraws]],
    *,
    judged: int,
    running: int = 0,
    durations: Floats | None = None,
    shared: float = 1.0,
    pace: Arrivals | None = None,
    seed: int = 0,
) -> ClosingForecast:
    """Combine drawn ends into a forecast of the campaign.

    A system goes on until its last criterion is at its target.

    systems: for each system one per criterion with a target; not empty, all with R draws.
    judged: the campaign's judgments so far.
    running: judgments in progress: they are finished after the stop.
    durations: (M,) floats; how long judgments took, in seconds. After the stop, the campaign waits
        for the slowest of those in progress.
    shared: the campaign's judgments so far over the sum of those of its systems: below 1 where
        systems wrote the same outputs, whose judgments count once.
    pace: how fast judgments come; None if unknown.
    seed: the seed of the draws of the pace.
    Returns: judgments, time and the chance to reach every target.
    Raises InvalidOptionError: there is no system, or one without draws.
    """
    if not systems or not all(systems):
        raise InvalidOptionError("A forecast takes the drawn ends of at least one system.")
    rng = np.random.default_rng(seed)
    ends = [np.max([one.judgments for one in each], axis=0) for each in systems]
    # Systems are drawn apart, so their draws are shuffled before they are added up.
    total = shared * np.sum([rng.permutation(end) for end in ends], axis=0)
    total = np.maximum(total + running, judged + running)
    reached = [np.all([one.reached for one in each], axis=0) for each in systems]
    chance = float(np.prod([one.mean() for one in reached]))
    if pace is None:
        return ClosingForecast(ranged(total), None, chance)
    seconds = _seconds(total - judged, pace, rng)
    if durations is not None and running:
        seconds = np.maximum(seconds, _slowest(durations, running, seconds.size, rng))
    return ClosingForecast(ranged(total), ranged(seconds), chance)


def _seconds(left: Floats, pace: Arrivals, rng: np.random.Generator) -> Floats:
    """Times for that many judgments: the mean rate is uncertain, and so is each later bin's."""
    bins = np.maximum(1.0, left / pace.per_second / pace.bin_seconds)
    sd = np.sqrt(pace.spread * (1 / pace.bins + 1 / bins))
    return np.asarray(left / pace.per_second * np.exp(sd * rng.standard_normal(left.size)))


def _slowest(durations: Floats, running: int, draws: int, rng: np.random.Generator) -> Floats:
    """(R,) how long the slowest of those in progress takes; long ones are met more often."""
    known = np.asarray(durations, dtype=np.float64)
    total = known.sum()
    if not total > 0:
        return np.zeros(draws)
    met = rng.choice(known, (draws, min(running, _MOST_RUNNING)), p=known / total)
    return np.asarray((met * rng.random(met.shape)).max(axis=1))


# --- What narrows an interval most cheaply: more judgments by the same people, or by new ones.


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Widths that are expected after some more judgments, in score units.

    now: the width now.
    same_people, new_people: after the further judgments, given by those who have judged, or by
        others.
    """

    now: float
    same_people: float
    new_people: float


def narrowing(
    sample: Sample, estimate: Estimate, *, more: int, level: float, cap: int | None = None
) -> Narrowing | None:
    """Return the widths that further judgments are expected to leave.

    Each new person gives as many judgments as people have given on average, at most the cap.
    Further judgments are of items as different as those so far.

    sample: the judgments so far.
    estimate: made from this sample.
    more: how many further judgments; not negative.
    level: the confidence level.
    cap: the most judgments by one annotator.
    Returns: None where there is no interval yet.
    Raises InvalidOptionError: the level is not between 0 and 1.
    """
    if estimate.std_error is None or estimate.df is None:
        return None
    part, total = estimate.variance, estimate.n_judgments
    shrunk = ((part.item or 0.0) + part.rest) * total / (total + more)
    people = part.annotator or 0.0
    now = float(2 * half_width(np.array(estimate.std_error), np.array(estimate.df), level=level))
    same = _width(shrunk + people, estimate, 1.0, more, level)
    growth = _growth(sample, more, cap)
    new = _width(shrunk + people / growth, estimate, growth, more, level)
    return Narrowing(now, min(now, same), min(now, same, new))


def people_to_reach(
    sample: Sample,
    estimate: Estimate,
    *,
    target_width: float,
    planned: int,
    level: float,
    cap: int | None = None,
) -> int | None:
    """Return how many new people it takes to reach a width by the last planned judgment.

    They share the judgments that are left, each at most the cap. Further judgments are of items as
    different as those so far.

    sample: the judgments so far.
    estimate: made from this sample.
    target_width: the full width asked for, in score units.
    planned: all judgments, those made included.
    level: the confidence level.
    cap: the most judgments by one annotator.
    Returns: at least 1; None where not even a new person for each judgment that is
        left would do, and where there is no interval yet.
    """
    more = planned - estimate.n_judgments
    if estimate.std_error is None or estimate.df is None or more < 1:
        return None
    part = estimate.variance
    # Where the finite population is credited, nothing is left of the item part at the end.
    item = 0.0 if part.rest > 0 else (part.item or 0.0) * estimate.n_items / estimate.n_population
    people = part.annotator or 0.0

    def width(n: int) -> float:
        growth = _growth(sample, more, cap, each=more / n)
        return _width(item + part.rest + people / growth, estimate, growth, more, level)

    least = 1 if cap is None else max(1, ceil(more / cap))
    if width(more) > target_width:
        return None
    enough = range(min(least, more), more + 1)
    return enough[bisect_left(enough, True, key=lambda n: width(n) <= target_width)]


def _growth(sample: Sample, more: int, cap: int | None, each: float | None = None) -> float:
    """A_eff with the new people over A_eff now, at least 1; judgments weigh alike.

    each: how many judgments a new person gives; None for as many as people have given.
    """
    counts = sample.incidence.activity.astype(np.float64)
    each = min(each or counts.mean(), cap or np.inf)
    squares, total = (counts**2).sum(), counts.sum()
    return float(max(1.0, (total + more) ** 2 / (squares + more * each) * squares / total**2))


def _width(variance: float, estimate: Estimate, growth: float, more: int, level: float) -> float:
    df = estimate.n_items - 2.0 + more
    if estimate.method.estimand == "population":
        df = min(df, estimate.effective_annotators * growth - 1)
    df = max(df, estimate.df or df)
    return float(2 * half_width(np.sqrt(np.array(variance)), np.array(df), level=level))
