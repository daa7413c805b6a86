"""Replays in many random orders: the stops of the real services, by the library alone.

`replaying.replay` leases, submits and estimates as a campaign does, which takes seconds; here the
interval after every judgment is computed at once. The tests compare the two.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from estimation.core import Floats, Ints, Sample, Trajectory, first_stop, trajectory
from estimation.known_criteria import KNOWN_CRITERIA, KNOWN_SCALES
from extras.replication.released import Recorded, Release, ReleasedOutput
from extras.replication.replaying import Estimator, ReplayQuestion


@dataclass(frozen=True)
class Stopped:
    """When an order stopped: judgments with the drain done, and whether the target was reached."""

    n_judgments: int
    reached: bool


def stopped(release: Release, question: ReplayQuestion, metric: Floats | None) -> Stopped:
    """Return when the order of the question's seed stops.

    metric: (N,) one value for each output of the system, in the order of the file; None for the
    plain mean.
    """
    has_metric = metric is not None
    sample = in_order(release, question, metric)
    balance, person_share = constants(question.estimator, question.criterion)
    history = trajectory(
        sample,
        estimator=question.estimator if question.estimator == "balanced" or has_metric else "mean",
        estimand=question.estimand,
        balance=balance,
        person_share=person_share,
    )
    end = _end(history, sample.item, width=question.width, level=question.level)
    return Stopped(sample.n_judgments if end is None else end + 1, end is not None)


def constants(estimator: Estimator, criterion: str) -> tuple[float, float]:
    """Return a criterion's balance and person share; regression has neither weights nor a pull."""
    if estimator != "balanced":
        return 0.0, 0.0
    return KNOWN_CRITERIA[criterion].balance, KNOWN_CRITERIA[criterion].person_share


def in_order(release: Release, question: ReplayQuestion, metric: Floats | None) -> Sample:
    """Return the recorded judgments of a system in the order of a campaign with this seed."""
    outputs = [one for one in release.outputs if question.system in one.systems]
    order = sorted(range(len(outputs)), key=lambda place: outputs[place].item)
    random.Random(question.seed).shuffle(order)  # as a campaign shuffles its items
    rows = list(_rows(outputs, order))
    people = {judgment.annotator: 0 for _, judgment in rows}
    number = {name: index for index, name in enumerate(people)}
    return Sample(
        score=np.array([judgment.scores[question.criterion] for _, judgment in rows]),
        item=np.array([place for place, _ in rows]),
        annotator=np.array([number[judgment.annotator] for _, judgment in rows]),
        n_population=len(outputs),
        scale=KNOWN_SCALES[question.criterion],
        metric=metric,
    )


def _rows(outputs: list[ReleasedOutput], order: list[int]) -> Iterator[tuple[int, Recorded]]:
    for place in order:
        for judgment in outputs[place].judgments:
            yield place, judgment


def _end(history: Trajectory, item: Ints, *, width: float, level: float) -> int | None:
    """Return the place of the last judgment: the item that was begun is finished.

    Where finishing it makes the interval too wide again, the collection goes on.
    """
    start = 0
    while (look := _next(history, start, width, level)) is not None:
        end = int(np.flatnonzero(item == item[look])[-1])
        if _next(history, end, width, level) == end:
            return end
        start = end + 1
    return None


def _next(history: Trajectory, start: int, width: float, level: float) -> int | None:
    """Return the first look from `start` on at which the rule stops."""
    arrays: dict[str, Any] = {
        one.name: value[start:]
        for one in fields(history)
        if isinstance(value := getattr(history, one.name), np.ndarray)
    }
    look = first_stop(replace(history, **arrays), target_width=width, level=level)
    return None if look is None else start + look
