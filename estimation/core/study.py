"""A collection to be planned, what its scores are expected to be like, and what is forecast."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from types import MappingProxyType

import numpy as np
from scipy.optimize import minimize

from estimation.core import errors
from estimation.core.campaigns import HTER_LIKE, Marginal
from estimation.core.efficiency import Crossed
from estimation.core.errors import InvalidOptionError
from estimation.core.fit import BALANCE, PERSON_SHARE, Estimand, Method
from estimation.core.intervals import check_level
from estimation.core.sample import Floats, Scale

# --- Assumptions about scores before there are any: typical components and a distribution.


_CLOSE = 1e-4  # of the range of the scale


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the scores of one criterion are expected to be like.

    components: item, person and rest, in squared score units.
    scale: the criterion's scale.
    mean: the mean of all scores, in score units.
    levels: how many evenly spaced answers a bounded scale offers (101 for a slider).

    >>> from estimation.core import Crossed, Scale
    >>> from estimation.core.planning import Expectation
    >>> Expectation(Crossed(item=0.14, person=0.06, rest=0.23), Scale(-1, 1), mean=0.3).levels
    3
    """

    components: Crossed
    scale: Scale
    mean: float
    levels: int = 3


_TERNARY = Scale(-1.0, 1.0)
_SHARE = Scale(0.0, 1.0)

# Crossed moments and means of released judgments (Chaganty, Mussmann and Liang 2018): of language
# quality, 2,598 outputs, 5,553 judgments, 60 people; of answers, those that were given for a
# sample of 156 outputs, 338 judgments by 45 people.
TYPICAL: Mapping[str, Expectation] = MappingProxyType(
    {
        "overall": Expectation(Crossed(0.139, 0.059, 0.232), _TERNARY, 0.26),
        "fluency": Expectation(Crossed(0.105, 0.056, 0.267), _TERNARY, 0.35),
        "redundancy": Expectation(Crossed(0.290, 0.035, 0.240), _TERNARY, 0.41),
        "edit": Expectation(Crossed(0.143, 0.006, 0.061), Scale(0.0, 2.0, bounded=False), 0.25),
        "any_correct": Expectation(Crossed(0.079, 0.017, 0.133), _SHARE, 0.65, levels=2),
        "avg_correct": Expectation(Crossed(0.071, 0.013, 0.123), _SHARE, 0.54, levels=11),
    }
)


def check_components(components: Crossed) -> float:
    """The sum of the components; raises InvalidOptionError unless a plan can be made of them."""
    given = np.array([components.item, components.person, components.rest])
    if not (np.isfinite(given).all() and (given >= 0).all() and components.item > 0):
        raise InvalidOptionError(
            "Variance components are not negative, and that of items is positive: without it "
            "there is nothing to sample. Truncate estimated ones first."
        )
    return float(given.sum())


def distribution(expected: Expectation) -> Marginal:
    """The scores' distribution with the expected mean and variance.

    Bounded: probabilities proportional to exp(a v + b v²) on the levels (the least informative
    ones of that mean and variance); with two levels the variance determines the mean. Unbounded:
    the shape of HTER, stretched; its mean follows from its variance.
    Raises InvalidOptionError where no scores on the scale have that mean and variance.
    """
    variance = check_components(expected.components)
    scale = expected.scale
    if not scale.bounded:
        stretch = float(np.sqrt(variance / HTER_LIKE.variance()))
        values = tuple(float(stretch * v) for v in HTER_LIKE.values)
        return Marginal(values, HTER_LIKE.probabilities, scale)
    if expected.levels < 2:
        raise InvalidOptionError(f"A scale has at least two levels; got {expected.levels}.")
    levels = np.linspace(scale.low, scale.high, expected.levels)
    mean = _possible_mean(expected, variance)
    weights = _fitted(levels, mean, variance)
    return Marginal(tuple(levels.tolist()), tuple(weights.tolist()), scale)


def _possible_mean(expected: Expectation, variance: float) -> float:
    low, high = expected.scale.low, expected.scale.high
    middle, half = (low + high) / 2, (high - low) / 2
    # At most (m - low)(high - m), where all scores lie at the two ends.
    most = half**2 - (expected.mean - middle) ** 2
    if expected.levels == 2 and variance < half**2:
        away = float(np.sqrt(half**2 - variance))
        return middle + (away if expected.mean >= middle else -away)
    if not variance < most:
        raise InvalidOptionError(
            f"Scores from {low:g} to {high:g} with mean {expected.mean:g} have a variance below "
            f"{max(most, 0):.3g}; the components add up to {variance:.3g}."
        )
    return expected.mean


def _fitted(values: Floats, mean: float, variance: float) -> Floats:
    """(K,) probabilities of maximal entropy with that mean and variance."""
    middle, half = (values[0] + values[-1]) / 2, (values[-1] - values[0]) / 2
    v = (values - middle) / half
    m = (mean - middle) / half
    powers = np.stack([v, v**2])
    wanted = np.array([m, variance / half**2 + m**2])
    weights = _maximal_entropy(powers, wanted)
    if np.abs(powers @ weights - wanted).max() > _CLOSE:
        raise InvalidOptionError(
            f"No scores on {values.size} levels have mean {mean:g} and variance {variance:.3g}."
        )
    return weights


def _maximal_entropy(powers: Floats, wanted: Floats) -> Floats:
    """(K,) probabilities with `powers` (2, K) times them near `wanted` (2,), by the dual."""

    def dual(theta: Floats) -> tuple[float, Floats]:
        exponent = theta @ powers
        top = exponent.max()
        weights = np.exp(exponent - top)
        total = weights.sum()
        return float(top + np.log(total) - theta @ wanted), powers @ (weights / total) - wanted

    # Bounded, because mean and variance at the limit of what is possible need infinite exponents.
    bounds, options = [(-1e3, 1e3)] * 2, {"gtol": 1e-10, "ftol": 1e-15}
    start = np.zeros(2)
    found = minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    exponent = found.x @ powers
    weights = np.exp(exponent - exponent.max())
    return np.asarray(weights / weights.sum())


MOST_PLACES = 130  # people at a time
FEWEST_PLACES = 3
# What one person of the released judgments of language quality gave, without a cap: 5,553 / 60.
UNCAPPED = 93


@dataclass(frozen=True, slots=True)
class Participation:
    """How people are assumed to take part.

    places: how many people work at a time. A person who reaches the cap is replaced. None for a
        number that follows from the study; see `Study.places`.
    unevenness: the sd of the log of people's activity.
    pool: how many people there are in all, without replacement. None for an endless crowd.
    """

    places: int | None = None
    unevenness: float = 1.0
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """A collection to be planned, for one criterion.

    expected: what the scores are expected to be like.
    n_items: N, the number of outputs of each system.
    rho: correlation of metric and human metric; 0 without a metric.
    systems: how many systems are judged.
    level: the confidence level.
    cap: the most judgments of one annotator over all systems; None for no cap.
    double_share: the share of items that several people judge.
    raters: how many people judge each of these; the others are judged once.
    estimand: as in `estimate`.
    balance, person_share: of the balanced estimator; as in `estimate`.
    participation: how people take part.
    planned: how many judgments it takes to judge everything, where that is known: fewer where
        systems wrote the same outputs. None for every output of every system.
    Raises InvalidOptionError: A number lies outside its range.
    """

    expected: Expectation
    n_items: int
    rho: float = 0.0
    systems: int = 1
    level: float = 0.95
    cap: int | None = 25
    double_share: float = 0.25
    raters: int = 2
    estimand: Estimand = "population"
    balance: float = BALANCE
    person_share: float = PERSON_SHARE
    participation: Participation = field(default_factory=Participation)
    planned: int | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.raters < 2:
            raise errors.InvalidOptionError(f"Several people are at least two; got {self.raters}.")
        check_components(self.expected.components)
        if self.systems < 1 or self.n_items < 2:
            raise errors.InvalidOptionError("A plan takes at least one system and two items.")
        self.method.check()
        if self.cap is not None and self.cap < 1:
            raise errors.InvalidOptionError(f"A cap allows at least one judgment; got {self.cap}.")

    @property
    def method(self) -> Method:
        """How it is estimated."""
        return Method(estimand=self.estimand, balance=self.balance, person_share=self.person_share)

    @property
    def judgments(self) -> int:
        """How many judgments it takes to judge everything."""
        return ceil(self.all_outputs) if self.planned is None else self.planned

    @property
    def all_outputs(self) -> float:
        """How many judgments every output of every system takes, if all outputs differ."""
        return self.n_items * self.systems * self.per_item

    @property
    def per_item(self) -> float:
        """How many judgments an output takes, in the mean."""
        return 1 + self.double_share * (self.raters - 1)

    @property
    def mean_part(self) -> float:
        """The mean over outputs of 1 / k, k the judgments of an output."""
        return 1 - self.double_share * (1 - 1 / self.raters)

    @property
    def each(self) -> float:
        """How many judgments one person is assumed to give if everything is judged.

        Half of the cap; at most 93, the mean of the released judgments that had no cap.
        """
        return UNCAPPED if self.cap is None else max(1.0, min(self.cap / 2, UNCAPPED))

    @property
    def places(self) -> int:
        """How many people work at a time: the pool, the number given, or what the study takes.

        The last is as many as judge everything at `each` judgments a person, from 3 to 130.
        """
        people = self.participation
        given = people.places if people.pool is None else people.pool
        if given is not None:
            return given
        return min(MOST_PLACES, max(FEWEST_PLACES, ceil(self.judgments / self.each)))

    @property
    def fewest_people(self) -> int | None:
        """How many people it takes at least to judge everything; None without a cap."""
        return self.people_for(self.judgments)

    def people_for(self, judgments: int) -> int | None:
        """How many people it takes at least to give so many judgments; None without a cap.

        A second judge is somebody else, so items with several raters take as many people.
        """
        if self.cap is None:
            return None
        return max(ceil(judgments / self.cap), self.raters if self.double_share else 1)


@dataclass(frozen=True, slots=True)
class Prices:
    """What a judgment costs, in any currency.

    reward: paid for each judgment.
    fee: what the crowd charges on top.
    minutes: of work for each judgment; None if unknown.
    person_cost: the cost of a further person, such as the bonus for a tutorial.
    per_day: how many judgments come in a day; None if unknown.
    Raises InvalidOptionError: A number is negative.

    >>> from estimation.core.planning import Prices
    >>> Prices(reward=0.30, fee=0.06).per_judgment
    0.36
    """

    reward: float
    fee: float = 0.0
    minutes: float | None = None
    person_cost: float = 0.0
    per_day: float | None = None

    def __post_init__(self) -> None:
        if min(self.reward, self.fee, self.minutes or 0.0, self.person_cost) < 0:
            raise errors.InvalidOptionError("Prices, fees and times are not negative.")
        if self.per_day is not None and not self.per_day > 0:
            raise errors.InvalidOptionError("The number of judgments a day is positive.")

    @property
    def per_judgment(self) -> float:
        """Reward plus fee."""
        return self.reward + self.fee


@dataclass(frozen=True, slots=True)
class Range:
    """The mean over the drawn campaigns, and a range that holds 80 % of them.

    expected: the mean.
    low, high: the 10 % and 90 % quantiles.
    """

    expected: float
    low: float
    high: float

    def times(self, factor: float) -> "Range":
        """Return the range in other units.

        factor: new units per old unit.
        Returns: each number multiplied by the factor.
        """
        return Range(self.expected * factor, self.low * factor, self.high * factor)

    def plus(self, other: "Range") -> "Range":
        """Return the sum with a range that moves along with this one.

        other: in the same units.
        Returns: sums of the three numbers.
        """
        return Range(self.expected + other.expected, self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What reaching a width takes.

    Judgments, annotators, cost and hours are over all systems. A system that does not stop counts
    with everything that can be judged.

    target_width: the full width asked for, in score units.
    judgments, items, annotators, cost: items are per system.
    hours, days: hours of work, and days of collecting; None without minutes per
        judgment or judgments a day.
    stop_probability, all_stop_probability: that one system, and that every system, stops within its
        items and people.
    floor: the width that the annotators alone would leave, in score units.
    parts: the shares of item, annotator and rest in the squared error at the expected stop.
    replicates, simulated_items: how many campaigns were drawn, of how many items.
    """

    target_width: float
    judgments: Range
    items: Range
    annotators: Range
    cost: Range
    hours: Range | None
    days: Range | None
    stop_probability: float
    all_stop_probability: float
    floor: float
    parts: dict[str, float]
    replicates: int
    simulated_items: int


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a budget buys.

    budget: what may be spent.
    judgments: over all systems.
    cost: what they cost.
    width: of one system's interval, in score units; None where there are too few
        judgments for one.
    complete: whether everything gets judged.
    replicates: how many campaigns were drawn.
    """

    budget: float
    judgments: int
    cost: float
    width: Range | None
    complete: bool
    replicates: int
