"""A collection that is to be planned, and campaigns drawn like it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from estimation.core.data import errors
from estimation.core.data.sample import Sample
from estimation.core.estimators.parts import ESTIMANDS, Estimand
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.intervals.interval import check_level
from estimation.core.planning.typical import Expectation, check_components, distribution
from estimation.core.simulate import Plan, draw_campaign

MOST_SIMULATED_ITEMS = 20_000
_MOST_DRAWN = 500_000  # items over all replicates: seconds
_FEWEST = 20


@dataclass(frozen=True, slots=True)
class Participation:
    """How people are assumed to take part.

    places: how many work at a time; who reaches the cap is replaced. unevenness: sd of the log
    of their activity. pool: how many people there are in all, nobody is replaced then; None for
    a crowd without end.
    """

    places: int = 130
    unevenness: float = 1.0
    pool: int | None = None


@dataclass(frozen=True, slots=True)
class Study:
    """A collection to be planned, for one criterion.

    expected: the scores. rho: correlation of metric and human metric, 0 without a metric.
    n_items: N outputs of each of `systems` systems. cap: judgments per annotator over all
    systems, None for no cap. double_share: share of items judged twice.
    """

    expected: Expectation
    n_items: int
    rho: float = 0.0
    systems: int = 1
    level: float = 0.95
    cap: int | None = 25
    double_share: float = 0.25
    estimand: Estimand = "population"
    participation: Participation = field(default_factory=Participation)

    def __post_init__(self) -> None:
        check_level(self.level)
        check_components(self.expected.components)
        if self.systems < 1 or self.n_items < 2:
            raise errors.InvalidOptionError("A plan takes at least one system and two items.")
        if self.estimand not in ESTIMANDS:
            raise errors.InvalidOptionError(
                f"{self.estimand!r} is not one of {', '.join(ESTIMANDS)}."
            )
        if self.cap is not None and self.cap < 1:
            raise errors.InvalidOptionError(f"A cap allows at least one judgment; got {self.cap}.")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a judgment costs, in any currency.

    reward: paid per judgment. fee: the crowd's on that. minutes: of work per judgment, None if
    unknown. item_cost: of a further item before anybody judges it. person_cost: of a further
    person, such as the bonus for a tutorial.
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
        """Reward and fee."""
        return self.reward + self.fee


def campaigns(study: Study, replicates: int, seed: int) -> Iterator[tuple[Sample, Trajectory]]:
    """Complete campaigns of one system with their histories; fewer where items are many."""
    if replicates < 1:
        raise errors.InvalidOptionError("A plan draws at least one campaign.")
    plan = plan_of(study)
    most = max(_FEWEST, _MOST_DRAWN // plan.n_population)
    for child in np.random.SeedSequence(seed).spawn(min(replicates, most)):
        sample, _ = draw_campaign(plan, np.random.default_rng(child))
        yield sample, trajectory(sample, estimand=study.estimand)


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
    """N, or 20,000 where there are more: nobody judges so many."""
    return min(study.n_items, MOST_SIMULATED_ITEMS)
