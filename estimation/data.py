"""From annotate's selectors to the samples of `estimation.core`: the one bridge."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from annotate.selectors import bulk, evidence
from annotate.selectors.evidence import Brief, Scores, SystemOutputs
from estimation.core import Sample, Scale
from estimation.core.errors import TooFewJudgmentsError
from estimation.core.incidence import Incidence
from estimation.models import MetricScore


@dataclass(frozen=True)
class Cell:
    """The judgments of one system on one criterion that enter its estimate."""

    system: SystemOutputs
    criterion: Criterion
    sample: Sample


@dataclass(frozen=True)
class Metric:
    """The campaign's metric of its outputs: ids (M,), ascending, and values (M,)."""

    output: NDArray[np.int64]
    value: NDArray[np.float64]


def cells(brief: Brief, systems: list[SystemOutputs]) -> Iterator[Cell]:
    """Yield the sample of every system × criterion that has at least two judgments."""
    scores = evidence.scores(brief.campaign_id)
    metric = metric_values(brief)
    for system in systems:
        chosen, item = _within(system, scores)
        incidence = Incidence(item, scores.annotator[chosen], system.output.size)
        values = metric_of(system, metric) if metric is not None else None
        for criterion in brief.criteria:
            if criterion.name not in scores.value:
                continue
            score = scores.value[criterion.name][chosen]
            try:
                sample = _sample(incidence, score, scale_of(criterion), values)
            except TooFewJudgmentsError:
                continue
            yield Cell(system, criterion, sample)


def metric_values(brief: Brief) -> Metric | None:
    """Return the values of the campaign's metric; None where it uses none or has none yet."""
    if not brief.metric:
        return None
    rows = MetricScore.objects.filter(campaign=brief.campaign_id, metric=brief.metric)
    output, value = bulk.columns(rows.order_by(), output="i8", value="f8")
    order = np.argsort(output, kind="stable")
    return Metric(output[order], value[order]) if output.size else None


def scale_of(criterion: Criterion) -> Scale:
    return Scale(criterion.low, criterion.high, criterion.bounded)


def metric_of(system: SystemOutputs, metric: Metric) -> NDArray[np.float64]:
    """(N,) the metric of the system's outputs; NaN where it is not known."""
    place = bulk.places(metric.output, wanted=system.output)
    return np.where(place >= 0, metric.value[place], np.nan)


def _sample(
    incidence: Incidence,
    score: NDArray[np.float64],
    scale: Scale,
    metric: NDArray[np.float64] | None,
) -> Sample:
    """The sample of one criterion; it shares the incidence where every judgment has a score."""
    known = ~np.isnan(score)
    if not known.all():
        score = score[known]
        incidence = Incidence(
            incidence.item[known], incidence.annotator[known], incidence.n_population
        )
    return Sample.on(incidence, score=score, scale=scale, metric=metric)


def _within(system: SystemOutputs, scores: Scores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which judgments belong to the system's own prefix (rule 8), and to which of its outputs."""
    item = bulk.places(system.output, wanted=scores.output)
    belongs = item >= 0
    if system.stop_position is not None:
        belongs &= system.position[item] < system.stop_position
    return np.flatnonzero(belongs), item[belongs]
