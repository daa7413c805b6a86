"""A collection to be planned, what is forecast for it, and campaigns drawn like it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from estimation.core.data import errors
from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import BALANCE, PERSON_SHARE, Estimand, Method
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.intervals.interval import check_level
from estimation.core.planning.typical import Expectation, check_components, distribution
from estimation.core.simulation.campaign import draw_campaign
from estimation.core.simulation.plan import Plan

MOST_SIMULATED_ITEMS = 20_000
_MOST_DRAWN = 500_000  # items over all replicates: seconds
_FEWEST = 20
_FEW_BY_ONE = 50  # judgments of one person, all of which change with each further one
_LOOKS = 400


@dataclass(frozen=True, slots=True)
class Participation:
    """How people are assumed to take part.

    Parameters
    ----------
    places : int, default 130
        How many people work at a time. A person who reaches the cap is replaced.
    unevenness : float, default 1
        The sd of the log of people's activity.
    pool : int, optional
        How many people there are in all, without replacement. None for an endless crowd.
    """

    places: int = 130
    unevenness: float = 1.0
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """A collection to be planned, for one criterion.

    Parameters
    ----------
    expected : Expectation
        What the scores are expected to be like.
    n_items : int
        N, the number of outputs of each system.
    rho : float, default 0
        Correlation of metric and human metric; 0 without a metric.
    systems : int, default 1
        How many systems are judged.
    level : float, default 0.95
        The confidence level.
    cap : int or None, default 25
        The most judgments of one annotator over all systems; None for no cap.
    double_share : float, default 0.25
        The share of items that are judged twice.
    estimand : {"population", "panel"}, default "population"
        As in `estimate`.
    balance, person_share : float
        Of the balanced estimator; as in `estimate`.
    participation : Participation
        How people take part.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.
    """

    expected: Expectation
    n_items: int
    rho: float = 0.0
    systems: int = 1
    level: float = 0.95
    cap: int | None = 25
    double_share: float = 0.25
    estimand: Estimand = "population"
    balance: float = BALANCE
    person_share: float = PERSON_SHARE
    participation: Participation = field(default_factory=Participation)

    def __post_init__(self) -> None:
        check_level(self.level)
        check_components(self.expected.components)
        if self.systems < 1 or self.n_items < 2:
            raise errors.InvalidOptionError("A plan takes at least one system and two items.")
        Method(estimand=self.estimand, balance=self.balance, person_share=self.person_share).check()
        if self.cap is not None and self.cap < 1:
            raise errors.InvalidOptionError(f"A cap allows at least one judgment; got {self.cap}.")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a judgment costs, in any currency.

    Parameters
    ----------
    reward : float
        Paid for each judgment.
    fee : float, default 0
        What the crowd charges on top.
    minutes : float, optional
        Of work for each judgment; None if unknown.
    item_cost : float, default 0
        The cost of a further item before it is judged.
    person_cost : float, default 0
        The cost of a further person, such as the bonus for a tutorial.

    Raises
    ------
    InvalidOptionError
        A number is negative.

    Examples
    --------
    >>> from estimation.core.planning import Prices
    >>> Prices(reward=0.30, fee=0.06).per_judgment
    0.36
    """

    reward: float
    fee: float = 0.0
    minutes: float | None = None
    item_cost: float = 0.0
    person_cost: float = 0.0

    def __post_init__(self) -> None:
        if min(self.reward, self.fee, self.minutes or 0.0, self.item_cost, self.person_cost) < 0:
            raise errors.InvalidOptionError("Prices, fees and times are not negative.")

    @property
    def per_judgment(self) -> float:
        """Reward plus fee."""
        return self.reward + self.fee


def campaigns(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, Trajectory]]:
    """Complete campaigns of one system with their histories; fewer where items are many."""
    if replicates < 1:
        raise errors.InvalidOptionError("A plan draws at least one campaign.")
    plan = plan_of(study)
    most = max(_FEWEST, _MOST_DRAWN // plan.n_population)
    for child in np.random.SeedSequence(seed).spawn(min(replicates, most)):
        sample, _ = draw_campaign(plan, np.random.default_rng(child))
        yield (
            sample,
            trajectory(
                sample,
                estimand=study.estimand,
                balance=study.balance,
                person_share=study.person_share,
                every=_looks_every(study, sample),
            ),
        )


def _looks_every(study: Study, sample: Sample) -> int:
    """After how many judgments a drawn campaign is looked at.

    Each judgment changes the weights of all that its annotator judged, so where people may judge
    hundreds of items a look after each would take minutes.
    """
    if study.cap is not None and study.cap <= _FEW_BY_ONE:
        return 1
    return max(1, sample.n_judgments // _LOOKS)


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
        places=people.places if people.pool is None else people.pool,
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


@dataclass(frozen=True, slots=True)
class Range:
    """The mean over the drawn campaigns, and a range that holds 80 % of them.

    Attributes
    ----------
    expected : float
        The mean.
    low, high : float
        The 10 % and 90 % quantiles.
    """

    expected: float
    low: float
    high: float

    def times(self, factor: float) -> "Range":
        """Return the range in other units.

        Parameters
        ----------
        factor : float
            New units per old unit.

        Returns
        -------
        Range
            Each number multiplied by the factor.
        """
        return Range(self.expected * factor, self.low * factor, self.high * factor)

    def plus(self, other: "Range") -> "Range":
        """Return the sum with a range that moves along with this one.

        Parameters
        ----------
        other : Range
            In the same units.

        Returns
        -------
        Range
            Sums of the three numbers.
        """
        return Range(self.expected + other.expected, self.low + other.low, self.high + other.high)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What reaching a width takes.

    Judgments, annotators, cost and hours are over all systems. A system that does not stop counts
    with everything that can be judged.

    Attributes
    ----------
    target_width : float
        The full width asked for, in score units.
    judgments, items, annotators, cost : Range
        Items are per system.
    hours : Range or None
        Hours of work; None without minutes per judgment.
    stop_probability, all_stop_probability : float
        That one system, and that every system, stops within its items and people.
    floor : float
        The width that the annotators alone would leave, in score units.
    parts : dict of str to float
        The shares of item, annotator and rest in the squared error at the expected stop.
    raters_per_item : float
        m*, the best number of judgments of each item; read it as at least 1.
    replicates, simulated_items : int
        How many campaigns were drawn, of how many items.
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
    """What a budget buys.

    Attributes
    ----------
    budget : float
        What may be spent.
    judgments : int
        Over all systems.
    cost : float
        What they cost.
    width : Range or None
        Of one system's interval, in score units; None where there are too few judgments for one.
    complete : bool
        Whether everything gets judged.
    replicates : int
        How many campaigns were drawn.
    """

    budget: float
    judgments: int
    cost: float
    width: Range | None
    complete: bool
    replicates: int
