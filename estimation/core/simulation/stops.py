"""When a simulated campaign stops, and which judgments its report may use."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.sample import Sample
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.simulation.campaign import Campaign
from estimation.core.simulation.rule import Rule
from estimation.core.stopping.precision import first_anytime_stop, first_stop


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
    )


def only(sample: Sample, rows: NDArray[np.intp]) -> Sample:
    """The sample of these judgments, in this order."""
    return replace(
        sample, score=sample.score[rows], item=sample.item[rows], annotator=sample.annotator[rows]
    )
