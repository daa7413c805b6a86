"""Simulated campaigns with a known truth: their scores, their people, and their course.

The scores are a normal copula: a latent item effect, person effect and rest, cut at the
quantiles of a discrete marginal. The latent shares are solved so that the *scores* have the
asked-for variance components; what the cut turns into interaction counts as rest.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from estimation.core.errors import InvalidOptionError
from estimation.core.sample import Floats, Ints, Sample, Scale

# --- What kind of campaign is drawn, and the distributions of its scores.


# Standard normal quadrature for the variance of a conditional mean.
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Marginal:
    """A discrete distribution of scores.

    values: the possible scores, in ascending order.
    probabilities: their probabilities.
    scale: the criterion's scale.
    """

    values: tuple[float, ...]
    probabilities: tuple[float, ...]
    scale: Scale

    def cuts(self) -> Floats:
        """(K - 1,) the latent normal quantiles at which the score steps up."""
        return np.asarray(ndtri(np.cumsum(self.probabilities)[:-1]))

    def expected(self, effect: Floats, *, noise: float) -> Floats:
        """(M,) the mean score given the latent less its noise, whose sd is `noise`."""
        above = ndtr((effect[:, None] - self.cuts()) / noise)
        return np.asarray(self.values[0] + above @ np.diff(self.values))

    def conditional_mean(self, latent: Floats, share: float) -> Floats:
        """(M,) the mean score given a standard normal effect that is `share` of the latent."""
        return self.expected(np.sqrt(share) * latent, noise=float(np.sqrt(1 - share)))

    def scores(self, latent: Floats) -> Floats:
        """(M,) the scores of standard normal latents."""
        return np.asarray(np.array(self.values)[np.searchsorted(self.cuts(), latent)])

    def mean(self) -> float:
        """The mean of a single score."""
        return float(np.array(self.probabilities) @ np.array(self.values))

    def variance(self) -> float:
        """The variance of a single score."""
        values, weights = np.array(self.values), np.array(self.probabilities)
        return float(weights @ values**2 - (weights @ values) ** 2)


def latent_share(marginal: Marginal, share: float) -> float:
    """Return the share of the latent that gives a share of the scores' variance.

    marginal: the distribution of scores.
    share: the share of the scores' variance that one effect accounts for.
    Returns: the effect's share of the latent's variance.
    Raises InvalidOptionError: one effect cannot account for that much of these scores' variance.

    >>> from estimation.core.simulation import BINARY, latent_share
    >>> round(latent_share(BINARY, 0.3), 2)
    0.57
    """
    wanted = share * marginal.variance()

    def excess(latent: float) -> float:
        mean = marginal.conditional_mean(NODES, latent)
        return float(WEIGHTS @ mean**2 - (WEIGHTS @ mean) ** 2) - wanted

    if excess(0.98) < 0:
        raise InvalidOptionError(
            f"Scores like these cannot owe {share:.0%} of their variance to one thing."
        )
    return float(brentq(excess, 0.0, 0.98)) if share > 0 else 0.0


def binary(mean: float) -> Marginal:
    """Yes or no, yes with probability `mean`, strictly between 0 and 1."""
    if not 0 < mean < 1:
        raise InvalidOptionError(f"The mean of yes and no lies between 0 and 1; got {mean}.")
    return Marginal((0.0, 1.0), (1 - mean, mean), Scale(0.0, 1.0))


def marginal(name: str, *, mean: float = 0.9) -> Marginal:
    """Return one of the distributions of scores by its name.

    name: three answers; yes or no; like the released edits; a slider from 0 to 100.
    mean: the probability of yes, for "binary" only.
    Returns: the distribution.
    Raises InvalidOptionError: there is no such name, or the mean is not between 0 and 1.

    >>> from estimation.core.simulation import marginal
    >>> marginal("binary", mean=0.5).probabilities
    (0.5, 0.5)
    """
    if name == "binary":
        return binary(mean)
    known = {"ternary": TERNARY, "hter": HTER_LIKE, "continuous": CONTINUOUS}
    if name not in known:
        raise InvalidOptionError(f"{name!r} is not one of binary, {', '.join(known)}.")
    return known[name]


def lognormal_edits(cv: float) -> Marginal:
    """No edit in 31 % of cases, else lognormal with mean .37 and this cv, in steps of .05 to 6."""
    values = np.r_[0.0, np.arange(0.025, 6.0, 0.05)]
    spread = np.sqrt(np.log(1 + cv**2))
    edges = (np.log(np.arange(0.05, 6.0, 0.05)) - np.log(0.37)) / spread + spread / 2
    body = np.diff(np.r_[0.0, ndtr(edges), 1.0])
    return Marginal(tuple(values), (0.31, *(0.69 * body)), Scale(0.0, 2.0, bounded=False))


def _continuous() -> Marginal:
    """A slider from 0 to 100, bell-shaped about the middle."""
    values = np.arange(0.0, 101.0)
    weights = np.exp(-(((values - 50.0) / 20.0) ** 2) / 2)
    return Marginal(tuple(values), tuple(weights / weights.sum()), Scale(0.0, 100.0))


TERNARY = Marginal((-1.0, 0.0, 1.0), (0.12, 0.50, 0.38), Scale(-1.0, 1.0))
BINARY = binary(0.9)
HTER_LIKE = lognormal_edits(1.4)
CONTINUOUS = _continuous()


@dataclass(frozen=True, slots=True)
class Plan:
    """How simulated campaigns are drawn.

    marginal: the distribution of scores.
    item, person: the shares of item and person in the scores' variance; the rest is noise.
    rho: correlation of metric and human metric.
    n_population: N, the number of outputs.
    cap: the most judgments of one annotator; None for no cap.
    double_share: the share of items that several people judge.
    raters: how many people judge each of these; the others are judged once.
    places: how many people work at a time.
    unevenness: the sd of the log activity, which is normally distributed.
    replaced: whether a new person takes the place of one who leaves; otherwise there are only
        `places` people.
    stay: the median number of judgments after which people lose interest (lognormal, sd of the log
        1); None if they do not.
    leniency: correlation of log activity with the person effect.
    time_correlation: correlation of score and log time per judgment within a person; None where
        judgments take no time. Where they do, a person's speed is the activity.
    time_spread: the sd of the log time within a person.
    shared: the share of outputs that another system has too.
    shared_quality: correlation (of the latents) of being shared with quality.
    Raises InvalidOptionError: no campaign can have these numbers.
    """

    marginal: Marginal
    item: float
    person: float
    rho: float = 0.5
    n_population: int = 1500
    cap: int | None = 25
    double_share: float = 0.25
    raters: int = 2
    places: int = 130
    unevenness: float = 1.0
    replaced: bool = True
    stay: float | None = None
    leniency: float = 0.0
    time_correlation: float | None = None
    time_spread: float = 1.0
    shared: float = 0.0
    shared_quality: float = 0.0

    def __post_init__(self) -> None:
        _check_scores(self)
        _check_people(self)
        latent_shares(self)
        metric_loading(self)


def _check_scores(plan: Plan) -> None:
    if not (plan.item > 0 and plan.person >= 0 and plan.item + plan.person < 1):
        raise InvalidOptionError("The shares of item and person lie between 0 and 1, so their sum.")
    if not (0 <= plan.double_share <= 1 and 0 <= plan.shared <= 1):
        raise InvalidOptionError(
            "The shares of outputs judged twice and of shared outputs lie between 0 and 1."
        )
    if plan.raters < 2:
        raise InvalidOptionError(f"Several people are at least two, not {plan.raters}.")
    if plan.n_population < 2:
        raise InvalidOptionError(f"A campaign has at least two outputs, not {plan.n_population}.")
    for name in ("rho", "leniency", "shared_quality", "time_correlation"):
        value = getattr(plan, name)
        if value is not None and not -1 <= value <= 1:
            raise InvalidOptionError(f"{name} is a correlation, from -1 to 1; got {value}.")


def _check_people(plan: Plan) -> None:
    if plan.places < 3:
        raise InvalidOptionError(f"At least three people work at a time, not {plan.places}.")
    if plan.cap is not None and plan.cap < 1:
        raise InvalidOptionError(f"A cap allows at least one judgment; got {plan.cap}.")
    if plan.stay is not None and not plan.stay > 0:
        raise InvalidOptionError(f"People stay for some judgments; got {plan.stay}.")
    for name in ("unevenness", "time_spread"):
        value = getattr(plan, name)
        if not (np.isfinite(value) and value >= 0):
            raise InvalidOptionError(f"{name} is not negative; got {value}.")


@lru_cache(maxsize=64)
def latent_shares(plan: Plan) -> tuple[float, float]:
    """(item, person) shares of the latent that give the scores the asked-for components.

    What the cut turns into interaction counts as rest. Raises InvalidOptionError if the two
    leave nothing for noise.
    """
    item, person = (latent_share(plan.marginal, share) for share in (plan.item, plan.person))
    if item + person >= 1:
        raise InvalidOptionError("These scores cannot have so little variance left for noise.")
    return item, person


@lru_cache(maxsize=64)
def metric_loading(plan: Plan) -> float:
    """The correlation of metric and latent quality that makes `rho` with the human metric.

    The human metric is not linear in quality, so the metric must follow quality more closely.
    Raises InvalidOptionError if that would take more than 1.
    """
    mean = plan.marginal.conditional_mean(NODES, latent_shares(plan)[0])
    sd = np.sqrt(WEIGHTS @ mean**2 - (WEIGHTS @ mean) ** 2)
    loading = float(plan.rho * sd / (WEIGHTS @ (mean * NODES)))
    if abs(loading) > 1:
        raise InvalidOptionError(f"No metric of this kind has a correlation of {plan.rho}.")
    return loading


# --- Who judges next, and how long it takes: people come, work unevenly, and leave.


_MOST_ROUNDS = 200  # of swapping places


def stream(plan: Plan, size: int, rng: Generator) -> tuple[Ints, Floats]:
    """The annotators of up to `size` judgments, (T,) from 0, and (A,) their normal effects.

    A merged stream of Poisson arrivals: each place is held by one person after another.
    People differ in activity and leave at the cap or when they lose interest. Without
    replacement, the stream ends when all people have left.
    """
    if plan.cap is None and plan.stay is None:
        return _endless(plan, size, rng)
    cap = size if plan.cap is None else min(plan.cap, size)
    holders = _first_guess(plan, size, cap)
    while True:
        vigour = rng.standard_normal((plan.places, holders))
        wait = rng.exponential(size=(plan.places, holders, cap))
        wait /= np.exp(plan.unevenness * vigour)[:, :, None]
        there = np.arange(cap) < quotas(plan, vigour.shape, cap, rng)[:, :, None]
        time = np.cumsum((wait * there).reshape(plan.places, -1), axis=1)
        happens = np.flatnonzero(there)
        order = happens[np.argsort(time.flat[happens])][:size]
        # Valid only while every place still has people.
        if not plan.replaced or (order.size == size and time.flat[order[-1]] <= time[:, -1].min()):
            return order // cap, person_effects(plan, vigour.ravel(), rng)
        holders *= 2


def _endless(plan: Plan, size: int, rng: Generator) -> tuple[Ints, Floats]:
    """The merged stream of people who never leave: each judgment is a draw by activity."""
    vigour = rng.standard_normal(plan.places)
    activity = np.exp(plan.unevenness * vigour)
    who = rng.choice(plan.places, size, p=activity / activity.sum())
    return who.astype(np.int64), person_effects(plan, vigour, rng)


def quotas(plan: Plan, shape: tuple[int, ...], cap: int, rng: Generator) -> Ints:
    """How many judgments each person makes if the campaign lasts: the cap, or fewer."""
    if plan.stay is None:
        return np.full(shape, cap)
    interest = plan.stay * np.exp(rng.standard_normal(shape))
    return np.minimum(cap, np.ceil(interest)).astype(np.int64)


def person_effects(plan: Plan, vigour: Floats, rng: Generator) -> Floats:
    """(A,) standard normal leniency, correlated with the log activity as the plan says."""
    own = np.sqrt(1 - plan.leniency**2) * rng.standard_normal(vigour.size)
    return np.asarray(plan.leniency * vigour + own)


def part_repeats(item: Ints, who: Ints, rng: Generator) -> Ints:
    """`who` with places swapped until no one judges the same item twice.

    Where few people are there, it may be impossible: then some repeats are left after many rounds.
    """
    who = who.copy()
    for _ in range(_MOST_ROUNDS):
        again = _repeats(item, who)
        if not again.size:
            break
        other = rng.integers(0, item.size, again.size)
        for here, there in zip(again, other, strict=True):
            who[[here, there]] = who[[there, here]]
    return who


def once_each(item: Ints, who: Ints) -> NDArray[np.bool_]:
    """(T,) whether a judgment is not the second one of its item by the same person."""
    keep = np.ones(item.size, dtype=bool)
    keep[_repeats(item, who)] = False
    return keep


def _repeats(item: Ints, who: Ints) -> NDArray[np.intp]:
    """(R,) the judgments of an item by somebody who has judged it; its judgments stand together."""
    deepest = int(np.bincount(item).max(initial=1))
    found = [
        np.flatnonzero((item[n:] == item[:-n]) & (who[n:] == who[:-n])) + n
        for n in range(1, deepest)
    ]
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.intp)


def _first_guess(plan: Plan, size: int, cap: int) -> int:
    if not plan.replaced:
        return 1
    typical = cap if plan.stay is None else min(cap, int(np.ceil(plan.stay)))
    return 1 + 4 * size // (plan.places * typical)


def work_through(
    plan: Plan, quality: Floats, item: Ints, rng: Generator
) -> tuple[Ints, Ints, Floats, Floats, Floats, Floats]:
    """Lease `item` (T,) in order to the plan's people, each busy with one judgment at a time.

    (item, who, leased, score, finished), (T,) in order of leasing, and (A,) the people's effects;
    times in medians per judgment.

    log time = -log activity + spread * (correlation * score less what this person says on
    average, standardised, + independent normal). So `time_correlation` and `time_spread` hold
    within a person, and mild people are no faster. The judges of an item are different people.
    """
    cap = item.size if plan.cap is None else min(plan.cap, item.size)
    most = plan.places + item.size if plan.replaced else plan.places
    vigour = rng.standard_normal(most)
    quota = quotas(plan, (most,), cap, rng)
    effect = person_effects(plan, vigour, rng)
    judge = _judge(plan, quality, vigour, effect, item.size, rng)
    waiting, free = deque(item.tolist()), [(0.0, person) for person in range(plan.places)]
    heapify(free)
    left, newcomer = quota.tolist(), plan.places
    rows: list[tuple[int, int, float, float, float]] = []
    judged: set[tuple[int, int]] = set()
    while waiting and free:
        now, person = heappop(free)
        place = next((k for k, row in enumerate(waiting) if (row, person) not in judged), None)
        if place is None:
            continue  # the remaining items need another person
        row = waiting[place]
        del waiting[place]
        judged.add((row, person))
        score, time = judge(len(rows), row, person)
        rows.append((row, person, now, score, now + time))
        left[person] -= 1
        if not left[person] and plan.replaced:
            person, newcomer = newcomer, newcomer + 1
        if left[person]:
            heappush(free, (now + time, person))
    item, who, *columns = (np.array(column) for column in zip(*rows, strict=True))
    return item, who, columns[0], columns[1], columns[2], effect


def _judge(
    plan: Plan, quality: Floats, vigour: Floats, effect: Floats, size: int, rng: Generator
) -> Callable[[int, int, int], tuple[float, float]]:
    """What draws (score, time) of judgment `number` by item and person.

    Plain floats, because it is called often.
    """
    item, person = latent_shares(plan)
    of_item = (np.sqrt(item) * quality).tolist()
    leniency = (np.sqrt(person) * effect).tolist()
    noise = (np.sqrt(1 - item - person) * rng.standard_normal(size)).tolist()
    link = plan.time_correlation or 0.0
    own = plan.time_spread * np.sqrt(1 - link**2) * rng.standard_normal(size)
    pull = plan.time_spread * link / np.sqrt(plan.marginal.variance() * (1 - plan.person))
    usual = plan.marginal.conditional_mean(effect, person)
    cuts, values = plan.marginal.cuts().tolist(), plan.marginal.values
    own_time = np.exp(own).tolist()
    of_score = np.exp(pull * np.array(plan.marginal.values)).tolist()
    of_person = np.exp(-plan.unevenness * vigour - pull * usual).tolist()

    def drawn(number: int, row: int, who: int) -> tuple[float, float]:
        step = bisect_left(cuts, of_item[row] + leniency[who] + noise[number])
        return values[step], own_time[number] * of_score[step] * of_person[who]

    return drawn


# --- One campaign with a known truth.


@dataclass(frozen=True, slots=True, eq=False)
class Campaign:
    """A complete campaign in order of leasing: T judgments of N items by A annotators.

    sample: the judgments and the metric.
    quality: (N,) floats; the standard normal item effects.
    effect: (A,) floats; the standard normal person effects.
    truth: the mean over the N outputs of the expected score over people counted equally, exact.
    leased, finished: (T,) floats; times in medians of the time per judgment; both are the number of
        the judgment where judgments take no time.
    shared: (N,) bools; whether another system has the same output.
    """

    sample: Sample
    quality: Floats
    effect: Floats
    truth: float
    leased: Floats
    finished: Floats
    shared: NDArray[np.bool_]


def draw(plan: Plan, rng: Generator) -> Campaign:
    """Draw one complete campaign.

    Every output is judged, or as many as the people who exist can judge.

    plan: how campaigns are drawn.
    rng: the source of randomness.
    Returns: with its truth.
    """
    quality = rng.standard_normal(plan.n_population)
    loading = metric_loading(plan)
    metric = loading * quality + np.sqrt(1 - loading**2) * rng.standard_normal(quality.size)
    shared = _shared(plan, quality, rng)
    item = _rows(plan, rng)
    if plan.time_correlation is None:
        who, effect = stream(plan, item.size, rng)
        item = item[: who.size]
        who = part_repeats(item, who, rng)
        # A second judge is somebody else: where nobody is there, the second judgment is left out.
        there = once_each(item, who)
        item, who = item[there], who[there]
        score = plan.marginal.scores(_latent(plan, quality[item], effect[who], rng))
        leased = finished = np.arange(item.size, dtype=np.float64)
    else:
        item, who, leased, score, finished, effect = work_through(plan, quality, item, rng)
    sample = Sample(score, item, who, plan.n_population, plan.marginal.scale, metric)
    truth = float(plan.marginal.conditional_mean(quality, latent_shares(plan)[0]).mean())
    return Campaign(sample, quality, effect, truth, leased, finished, shared)


def panel_truth(plan: Plan, campaign: Campaign, sample: Sample, weight: Floats) -> float:
    """The mean over all N outputs of what `sample`'s annotators would say, by their shares.

    weight: (T,) that of each judgment in the estimate.
    """
    weight = np.asarray(np.bincount(sample.annotator, weight), dtype=np.float64)
    people = np.flatnonzero(weight)
    item, person = np.sqrt(latent_shares(plan))
    effect = item * campaign.quality[:, None] + person * campaign.effect[people]
    # The expected score is a smooth function of one number: tabulated, then interpolated.
    grid = np.linspace(effect.min(), effect.max(), 1001)
    noise = float(np.sqrt(1 - item**2 - person**2))
    expected = np.interp(effect, grid, plan.marginal.expected(grid, noise=noise))
    return float(expected.mean(axis=0) @ weight[people] / weight.sum())


def _latent(plan: Plan, quality: Floats, effect: Floats, rng: Generator) -> Floats:
    item, person = latent_shares(plan)
    noise = np.sqrt(1 - item - person) * rng.standard_normal(quality.size)
    return np.asarray(np.sqrt(item) * quality + np.sqrt(person) * effect + noise)


def _rows(plan: Plan, rng: Generator) -> Ints:
    """(T,) the items in order of leasing: an item's other judgments follow its first."""
    twice = rng.random(plan.n_population) < plan.double_share
    return np.repeat(np.arange(plan.n_population), np.where(twice, plan.raters, 1))


def _shared(plan: Plan, quality: Floats, rng: Generator) -> NDArray[np.bool_]:
    """(N,) whether an output is shared: the highest ones by a number correlated with quality."""
    own = np.sqrt(1 - plan.shared_quality**2) * rng.standard_normal(quality.size)
    return np.asarray(
        np.argsort(np.argsort(-(plan.shared_quality * quality + own)))
        < plan.shared * plan.n_population
    )
