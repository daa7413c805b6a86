"""Seeded campaigns with a known truth, and how the precision rule fares on them.

The scores are a normal copula: a latent item effect, person effect and rest, cut at the
quantiles of a discrete marginal. The latent shares are solved so that the *scores* have the
asked-for variance components; what the cut turns into interaction counts as rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from estimation.core.errors import InvalidOptionError
from estimation.core.fit import Estimator
from estimation.core.parts import Estimand, IntervalMethod
from estimation.core.sample import Floats, Ints, Sample, Scale
from estimation.core.stopping import first_stop
from estimation.core.trajectory import trajectory

# Standard normal quadrature for the variance of a conditional mean.
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Marginal:
    """A discrete distribution of scores: `values` ascending, their `probabilities`, the scale."""

    values: tuple[float, ...]
    probabilities: tuple[float, ...]
    scale: Scale

    def cuts(self) -> Floats:
        """(K-1,) the latent normal quantiles at which the score steps up."""
        return np.asarray(ndtri(np.cumsum(self.probabilities)[:-1]))

    def conditional_mean(self, latent: Floats, share: float) -> Floats:
        """The mean score given a standard normal effect that makes up `share` of the latent."""
        effect, cuts = np.sqrt(share) * latent, self.cuts()
        above = ndtr((effect[:, None] - cuts) / np.sqrt(1 - share))
        return np.asarray(self.values[0] + above @ np.diff(self.values))

    def variance(self) -> float:
        """The variance of a single score."""
        values, weights = np.array(self.values), np.array(self.probabilities)
        return float(weights @ values**2 - (weights @ values) ** 2)


def _hter_like() -> Marginal:
    """No edit in 31 % of cases, else lognormal with mean .37 and cv 1.4, in steps of .05 to 6."""
    values = np.r_[0.0, np.arange(0.025, 6.0, 0.05)]
    spread = np.sqrt(np.log(1 + 1.4**2))
    edges = (np.log(np.arange(0.05, 6.0, 0.05)) - np.log(0.37)) / spread + spread / 2
    body = np.diff(np.r_[0.0, ndtr(edges), 1.0])
    return Marginal(tuple(values), (0.31, *(0.69 * body)), Scale(0.0, 2.0, bounded=False))


def _continuous() -> Marginal:
    """A slider from 0 to 100, bell-shaped about the middle."""
    values = np.arange(0.0, 101.0)
    weights = np.exp(-(((values - 50.0) / 20.0) ** 2) / 2)
    return Marginal(tuple(values), tuple(weights / weights.sum()), Scale(0.0, 100.0))


TERNARY = Marginal((-1.0, 0.0, 1.0), (0.12, 0.50, 0.38), Scale(-1.0, 1.0))
BINARY = Marginal((0.0, 1.0), (0.1, 0.9), Scale(0.0, 1.0))
HTER_LIKE = _hter_like()
CONTINUOUS = _continuous()


@dataclass(frozen=True, slots=True)
class Plan:
    """How campaigns are drawn.

    marginal: the distribution of scores. item, person: shares of their variance, the rest is
    noise. rho: correlation of metric and human metric. n_population: N. cap: judgments per
    annotator, None for no cap. double_share: share of items judged twice. places: how many
    people work at a time; who reaches the cap is replaced by a new person. unevenness: sd of
    the log activity.

    Raises InvalidOptionError for shares or rho that no campaign can have.
    """

    marginal: Marginal
    item: float
    person: float
    rho: float = 0.5
    n_population: int = 1500
    cap: int | None = 25
    double_share: float = 0.25
    places: int = 130
    unevenness: float = 1.0

    def __post_init__(self) -> None:
        if not (self.item > 0 and self.person >= 0 and self.item + self.person < 1):
            raise InvalidOptionError(
                "The shares of item and person lie between 0 and 1, so their sum."
            )
        if not (-1 <= self.rho <= 1 and 0 <= self.double_share <= 1):
            raise InvalidOptionError("rho lies between -1 and 1, double_share between 0 and 1.")
        if self.n_population < 2 or self.places < 3 or (self.cap is not None and self.cap < 1):
            raise InvalidOptionError("A campaign takes two outputs, three places and a cap of one.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of `replicates` campaigns under the precision rule.

    stopped of them stopped; of those, covered had the truth inside the interval at that moment.
    mean_judgments: over the stopped ones, NaN if none.
    """

    replicates: int
    stopped: int
    covered: int
    mean_judgments: float

    @property
    def coverage(self) -> float:
        """The share of stopped campaigns whose interval held the truth; NaN if none stopped."""
        return self.covered / self.stopped if self.stopped else float("nan")

    @property
    def stop_share(self) -> float:
        """The share of campaigns that stopped before running out of outputs."""
        return self.stopped / self.replicates


def draw_campaign(plan: Plan, rng: Generator) -> tuple[Sample, float]:
    """One complete campaign in order of arrival, and the true mean over all N outputs.

    The truth is the mean over outputs of the expected score over people, computed exactly.
    """
    item_share, person_share = _latent_shares(plan)
    n = plan.n_population
    quality = rng.standard_normal(n)
    human = plan.marginal.conditional_mean(quality, item_share)
    metric = _metric(plan, quality, item_share, rng)
    item = _arrivals(plan, rng)
    annotator = _annotators(plan, item, rng)
    person = rng.standard_normal(int(annotator.max()) + 1)
    noise = np.sqrt(1 - item_share - person_share) * rng.standard_normal(item.size)
    latent = np.sqrt(item_share) * quality[item] + np.sqrt(person_share) * person[annotator]
    step = np.searchsorted(plan.marginal.cuts(), latent + noise)
    score = np.array(plan.marginal.values)[step]
    sample = Sample(score, item, annotator, n, plan.marginal.scale, metric)
    return sample, float(human.mean())


def simulate(
    plan: Plan,
    *,
    target_width: float,
    level: float,
    replicates: int,
    seed: int,
    estimator: Estimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
) -> Outcome:
    """Run the precision rule, checked after every judgment, on campaigns drawn from `plan`.

    target_width: full width in score units. The other options are those of `estimate`. The
    same seed and plan draw the same campaigns, so intervals can be compared on equal data.
    """
    used, covered = [], 0
    for sample, truth in _campaigns(plan, replicates, seed):
        history = trajectory(
            sample,
            estimator=estimator,
            interval=interval,
            estimand=estimand,
            finite_population=finite_population,
            pseudo_rows=pseudo_rows,
        )
        stop = first_stop(history, target_width=target_width, level=level)
        if stop is not None:
            used.append(stop + 1)
            half = history.half_widths(level)[stop]
            covered += bool(abs(history.centre[stop] - truth) <= half)
    mean = float(np.mean(used)) if used else float("nan")
    return Outcome(replicates, len(used), covered, mean)


def _campaigns(plan: Plan, replicates: int, seed: int) -> Iterator[tuple[Sample, float]]:
    for child in np.random.SeedSequence(seed).spawn(replicates):
        yield draw_campaign(plan, np.random.default_rng(child))


@lru_cache(maxsize=64)
def _latent_shares(plan: Plan) -> tuple[float, float]:
    """The shares of the latent that give the scores the asked-for components."""
    item, person = (_latent_share(plan.marginal, share) for share in (plan.item, plan.person))
    if item + person >= 1:
        raise InvalidOptionError("These scores cannot have so little variance left for noise.")
    return item, person


def _latent_share(marginal: Marginal, share: float) -> float:
    wanted = share * marginal.variance()

    def excess(latent_share: float) -> float:
        mean = marginal.conditional_mean(_NODES, latent_share)
        return float(_WEIGHTS @ mean**2 - (_WEIGHTS @ mean) ** 2) - wanted

    return float(brentq(excess, 0.0, 0.98)) if share > 0 else 0.0


def _metric(plan: Plan, quality: Floats, item_share: float, rng: Generator) -> Floats:
    """A metric whose correlation with the human metric is rho."""
    mean = plan.marginal.conditional_mean(_NODES, item_share)
    sd = np.sqrt(_WEIGHTS @ mean**2 - (_WEIGHTS @ mean) ** 2)
    # The human metric bends with quality, so the metric must follow quality a bit closer.
    follow = plan.rho * sd / float(_WEIGHTS @ (mean * _NODES))
    if abs(follow) > 1:
        raise InvalidOptionError(f"No metric of this kind has a correlation of {plan.rho}.")
    noise = rng.standard_normal(quality.size)
    return np.asarray(follow * quality + np.sqrt(1 - follow**2) * noise)


def _arrivals(plan: Plan, rng: Generator) -> Ints:
    """(T,) the items in order of judging: the second judgment follows the first."""
    twice = rng.random(plan.n_population) < plan.double_share
    return np.repeat(np.arange(plan.n_population), np.where(twice, 2, 1))


def _annotators(plan: Plan, item: Ints, rng: Generator) -> Ints:
    """(T,) who judges, in order of arrival; never the same item twice, never over the cap."""
    who = _visits(plan, item.size, rng)
    # The second judge of an item must be another person: swap places with some other arrival.
    while (again := np.flatnonzero((np.diff(item) == 0) & (np.diff(who) == 0)) + 1).size:
        other = rng.integers(0, item.size, again.size)
        for here, there in zip(again, other, strict=True):
            who[[here, there]] = who[[there, here]]
    return who


def _visits(plan: Plan, size: int, rng: Generator) -> Ints:
    """(size,) a merged stream of Poisson arrivals: each place is held by one person after
    another, each with an activity of their own, who leave on reaching the cap.
    """
    cap = size if plan.cap is None else plan.cap
    holders = 1 if plan.cap is None else 1 + 4 * size // (plan.places * cap)
    while True:
        activity = np.exp(plan.unevenness * rng.standard_normal((plan.places, holders, 1)))
        wait = rng.exponential(size=(plan.places, holders, cap)) / activity
        time = np.cumsum(wait.reshape(plan.places, -1), axis=1)
        order = np.argsort(time, axis=None)[:size]
        # The stream is right only as long as no place has run out of people.
        if plan.cap is None or time.flat[order[-1]] <= time[:, -1].min():
            return np.asarray(order // cap)
        holders *= 2
