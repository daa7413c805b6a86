"""A collection to be planned, and what is forecast for it."""

from dataclasses import dataclass, field
from math import ceil

from estimation.core.data import errors
from estimation.core.estimators.fit import BALANCE, PERSON_SHARE, Estimand, Method
from estimation.core.intervals.interval import check_level
from estimation.core.planning.typical import Expectation, check_components

MOST_PLACES = 130  # people at a time
FEWEST_PLACES = 3
# What one person of the released judgments of language quality gave, without a cap: 5,553 / 60.
UNCAPPED = 93


@dataclass(frozen=True, slots=True)
class Participation:
    """How people are assumed to take part.

    Parameters
    ----------
    places : int, optional
        How many people work at a time. A person who reaches the cap is replaced. None for a number
        that follows from the study; see `Study.places`.
    unevenness : float, default 1
        The sd of the log of people's activity.
    pool : int, optional
        How many people there are in all, without replacement. None for an endless crowd.
    """

    places: int | None = None
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
    planned : int, optional
        How many judgments it takes to judge everything, where that is known: fewer where systems
        wrote the same outputs. None for every output of every system.

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
    planned: int | None = None

    def __post_init__(self) -> None:
        check_level(self.level)
        check_components(self.expected.components)
        if self.systems < 1 or self.n_items < 2:
            raise errors.InvalidOptionError("A plan takes at least one system and two items.")
        Method(estimand=self.estimand, balance=self.balance, person_share=self.person_share).check()
        if self.cap is not None and self.cap < 1:
            raise errors.InvalidOptionError(f"A cap allows at least one judgment; got {self.cap}.")

    @property
    def judgments(self) -> int:
        """How many judgments it takes to judge everything."""
        return ceil(self.all_outputs) if self.planned is None else self.planned

    @property
    def all_outputs(self) -> float:
        """How many judgments every output of every system takes, if all outputs differ."""
        return self.n_items * self.systems * (1 + self.double_share)

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

        A second judge is somebody else, so items that are judged twice take two people.
        """
        if self.cap is None:
            return None
        return max(ceil(judgments / self.cap), 2 if self.double_share else 1)


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
    person_cost : float, default 0
        The cost of a further person, such as the bonus for a tutorial.
    per_day : float, optional
        How many judgments come in a day; None if unknown.

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
    hours, days : Range or None
        Hours of work, and days of collecting; None without minutes per judgment or judgments a
        day.
    stop_probability, all_stop_probability : float
        That one system, and that every system, stops within its items and people.
    floor : float
        The width that the annotators alone would leave, in score units.
    parts : dict of str to float
        The shares of item, annotator and rest in the squared error at the expected stop.
    replicates, simulated_items : int
        How many campaigns were drawn, of how many items.
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
