"""From annotate's selectors to the samples of `estimation.core`: the one bridge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.selectors import evidence
from annotate.selectors.evidence import Brief, Scores, SystemOutputs
from estimation.core import Sample, Scale
from estimation.core.errors import TooFewJudgmentsError
from estimation.core.fit import Estimator
from estimation.models import MetricScore

Metrics = list[dict[int, float]]  # {output id: g} for each metric
ESTIMATORS = cast(tuple[Estimator, ...], ("mean", "regression", "multi"))


@dataclass(frozen=True)
class Cell:
    """The judgments of one system on one criterion that enter its estimate."""

    system: SystemOutputs
    criterion: Criterion
    sample: Sample


def cells(brief: Brief, systems: list[SystemOutputs]) -> Iterator[Cell]:
    """Yield the sample of every system × criterion that has at least two judgments."""
    scores = evidence.scores(brief.campaign_id)
    metrics = metric_values(brief)
    for system in systems:
        for criterion in brief.criteria:
            if criterion.name not in scores:
                continue
            try:
                sample = _sample(system, criterion, scores[criterion.name], metrics)
            except TooFewJudgmentsError:
                continue
            yield Cell(system, criterion, sample)


def metric_values(brief: Brief) -> list[dict[int, float]]:
    """Return {output id: g} for each of the campaign's metrics, in their order."""
    found: dict[str, dict[int, float]] = {name: {} for name in brief.metrics}
    rows = MetricScore.objects.filter(campaign=brief.campaign_id, metric__in=brief.metrics)
    if found:
        for name, output, value in rows.values_list("metric", "output_id", "value"):
            found[name][output] = value
    return list(found.values())


def scale_of(criterion: Criterion) -> Scale:
    return Scale(criterion.low, criterion.high, criterion.bounded)


def _sample(
    system: SystemOutputs, criterion: Criterion, scores: Scores, metrics: Metrics
) -> Sample:
    chosen, index = _within(system, scores)
    return Sample(
        score=scores.value[chosen],
        item=index[chosen],
        annotator=scores.annotator[chosen],
        n_population=system.output.size,
        scale=scale_of(criterion),
        metric=metric_of(system, metrics),
    )


def _within(system: SystemOutputs, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which scores belong to the system's own prefix (rule 8), and to which of its outputs."""
    index = np.searchsorted(system.output, scores.output)
    index = np.minimum(index, system.output.size - 1)
    chosen = system.output[index] == scores.output
    if system.stop_position is not None:
        chosen &= system.position[index] < system.stop_position
    return chosen, index


def metric_of(system: SystemOutputs, metrics: Metrics) -> NDArray[np.float64] | None:
    """(N,) the metric of the system's outputs, (N, p) of several; NaN where it is not known.

    None for a campaign without metrics.
    """
    outputs = system.output.tolist()
    columns = [np.array([values.get(output, np.nan) for output in outputs]) for values in metrics]
    if len(columns) < 2:
        return columns[0] if columns else None
    return np.stack(columns, axis=1)


def estimator_of(metrics: Sequence[str]) -> Estimator:
    """The estimator that a campaign with these metrics uses: fixed with them."""
    return ESTIMATORS[min(len(metrics), 2)]
