"""From annotate's selectors to the samples of `estimation.core`: the one bridge."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.selectors import evidence
from annotate.selectors.evidence import Brief, Scores, SystemOutputs
from estimation.core import Sample, Scale
from estimation.core.errors import TooFewJudgmentsError
from estimation.models import MetricScore


@dataclass(frozen=True)
class Cell:
    """The judgments of one system on one criterion that enter its estimate."""

    system: SystemOutputs
    criterion: Criterion
    sample: Sample


def cells(brief: Brief, systems: list[SystemOutputs]) -> Iterator[Cell]:
    """Yield the sample of every system × criterion that has at least two judgments."""
    scores = evidence.scores(brief.campaign_id)
    metric = metric_values(brief)
    for system in systems:
        for criterion in brief.criteria:
            if criterion.name not in scores:
                continue
            try:
                sample = _sample(system, criterion, scores[criterion.name], metric)
            except TooFewJudgmentsError:
                continue
            yield Cell(system, criterion, sample)


def metric_values(brief: Brief) -> dict[int, float]:
    """Return {output id: g} of the campaign's metric; empty where it uses none."""
    if not brief.metric:
        return {}
    rows = MetricScore.objects.filter(campaign=brief.campaign_id, metric=brief.metric)
    return dict(rows.values_list("output_id", "value"))


def scale_of(criterion: Criterion) -> Scale:
    return Scale(criterion.low, criterion.high, criterion.bounded)


def _sample(
    system: SystemOutputs, criterion: Criterion, scores: Scores, metric: dict[int, float]
) -> Sample:
    chosen, index = _within(system, scores)
    return Sample(
        score=scores.value[chosen],
        item=index[chosen],
        annotator=scores.annotator[chosen],
        n_population=system.output.size,
        scale=scale_of(criterion),
        metric=metric_of(system, metric) if metric else None,
    )


def _within(system: SystemOutputs, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which scores belong to the system's own prefix (rule 8), and to which of its outputs."""
    index = np.searchsorted(system.output, scores.output)
    index = np.minimum(index, system.output.size - 1)
    chosen = system.output[index] == scores.output
    if system.stop_position is not None:
        chosen &= system.position[index] < system.stop_position
    return chosen, index


def metric_of(system: SystemOutputs, metric: dict[int, float]) -> NDArray[np.float64]:
    """(N,) the metric of the system's outputs; NaN where it is not known."""
    return np.array([metric.get(int(output), np.nan) for output in system.output])
