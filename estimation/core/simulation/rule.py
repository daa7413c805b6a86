"""A stopping rule in a simulation: how it estimates, when it stops, what it reports."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import (
    BALANCE,
    PERSON_SHARE,
    Estimand,
    Estimator,
    IntervalMethod,
    Method,
    from_sums,
)
from estimation.core.estimators.registry import checked
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.intervals.interval import check_level
from estimation.core.simulation.campaign import Campaign
from estimation.core.stopping.precision import first_anytime_stop, first_stop
from estimation.core.stopping.sequence import check_planned_items

Look = Literal["precision", "anytime"]
Report = Literal["drained", "at_once", "spill"]
Weighing = Literal["work", "equal"]
LOOKS: tuple[str, ...] = get_args(Look)
REPORTS: tuple[str, ...] = get_args(Report)
WEIGHINGS: tuple[str, ...] = get_args(Weighing)


@dataclass(frozen=True, slots=True)
class Rule:
    """A stopping rule, checked after every judgment, and the report that follows.

    target_width: full width in score units. estimator, interval, estimand, finite_population,
    pseudo_rows, balance, person_share: as in `estimate`.
    look: by which width it stops, and what it reports: "precision" the interval's, "anytime" that
    of the confidence sequence, planned for `planned_items` (see `confidence_sequence`).
    report: "drained" finishes what is leased at the stop, and goes on if the interval is then
    too wide; "at_once" takes only what is finished; "spill" adds to the drained sample all
    later judgments of shared outputs, as if another system had gone on to its last output.
    weighing: the people of the truth that a population interval must cover: by the "work" that
    they are expected to do until then, counted as the estimator counts it, or "equal". A panel's
    truth always has the panel's own weights.

    Raises InvalidOptionError.
    """

    target_width: float
    level: float = 0.95
    estimator: Estimator = "balanced"
    interval: IntervalMethod = "two_way"
    estimand: Estimand = "population"
    finite_population: bool = True
    pseudo_rows: bool = True
    report: Report = "drained"
    weighing: Weighing = "work"
    look: Look = "precision"
    planned_items: float = 200.0
    balance: float = BALANCE
    person_share: float = PERSON_SHARE

    def __post_init__(self) -> None:
        check_level(self.level)
        check_planned_items(self.planned_items)
        if not self.target_width > 0:
            raise InvalidOptionError(
                f"A target width is a positive number; got {self.target_width}."
            )
        from_sums(self.estimator)
        checked(self.method)
        for given, known in (
            (self.report, REPORTS),
            (self.weighing, WEIGHINGS),
            (self.look, LOOKS),
        ):
            if given not in known:
                raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")

    @property
    def method(self) -> Method:
        """How it estimates."""
        return Method(
            self.estimator,
            self.interval,
            self.estimand,
            self.finite_population,
            self.pseudo_rows,
            balance=self.balance,
            person_share=self.person_share,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Stop:
    """rows: the judgments of the report, in order of leasing. frontier: how many were leased."""

    rows: NDArray[np.intp]
    frontier: int


def find_stop(campaign: Campaign, rule: Rule) -> Stop | None:
    """The first moment at which the rule stops, or None.

    The rule looks at finished judgments in order of finishing. Unless it reports at once, what
    is leased by then is finished, and if the interval is then too wide the campaign goes on: it
    looks again when as many judgments have finished as were finished at the end of that drain.
    """
    order = np.argsort(campaign.finished, kind="stable")
    finished = _history(only(campaign.sample, order), rule)
    drained = finished if (np.diff(order) == 1).all() else _history(campaign.sample, rule)
    leased = np.searchsorted(campaign.leased, campaign.finished[order], side="left")
    start = 0
    while (now := _first(finished, rule, start, order.size)) is not None:
        if rule.report == "at_once":
            return Stop(np.sort(order[: now + 1]), now + 1)
        frontier = max(int(leased[now]), now + 1)
        if _first(drained, rule, frontier - 1, frontier) is not None:
            return Stop(np.arange(frontier), frontier)
        start = max(now + 1, frontier - 1)
    return None


def _first(history: Trajectory, rule: Rule, start: int, end: int) -> int | None:
    """The first stop among the moments `start` to `end`, counted from 0."""
    moment = np.arange(history.std_error.size)
    looked_at = (moment >= start) & (moment < end)
    hidden = replace(history, std_error=np.where(looked_at, history.std_error, np.nan))
    width, level = rule.target_width, rule.level
    if rule.look == "precision":
        return first_stop(hidden, target_width=width, level=level)
    return first_anytime_stop(
        hidden, target_width=width, level=level, planned_items=rule.planned_items
    )


def _history(sample: Sample, rule: Rule) -> Trajectory:
    return trajectory(
        sample,
        estimator=rule.estimator,
        interval=rule.interval,
        estimand=rule.estimand,
        finite_population=rule.finite_population,
        pseudo_rows=rule.pseudo_rows,
        balance=rule.balance,
        person_share=rule.person_share,
    )


def only(sample: Sample, rows: NDArray[np.intp]) -> Sample:
    """The sample of these judgments, in this order."""
    return replace(
        sample, score=sample.score[rows], item=sample.item[rows], annotator=sample.annotator[rows]
    )
