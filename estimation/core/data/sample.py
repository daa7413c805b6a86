"""The input of every estimator: the judgments of one system on one criterion, as arrays."""

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Incidence, Ints


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a criterion's scores, in the criterion's own units.

    For an unbounded criterion (``bounded=False``, such as HTER) `low` and `high` are a working
    range: they place the interval's pseudo-rows and restrict nothing else.

    Raises InvalidOptionError unless `low` < `high`, both finite.
    """

    low: float
    high: float
    bounded: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise errors.InvalidOptionError(
                f"A scale runs from a lower to a higher number, not from {self.low} to {self.high}."
            )


@dataclass(frozen=True, eq=False)
class Sample:
    """Judgments of one system on one criterion, with the metric of all of its outputs.

    score: (T,) the judgments' scores, in the order in which they arrived.
    item: (T,) ints 0..N-1, which output each judgment is about.
    annotator: (T,) ints, who judged; any labels, for instance database keys.
    n_population: N, the number of outputs that the system has.
    scale: the criterion's scale.
    metric: (N,) the automatic metric of every output, (N, p) for p metrics, or None.
    shared: the `Incidence` that `item` and `annotator` belong to, where several samples share it.

    The arrays are copied and made read-only. Raises a subclass of EstimationError for input
    that cannot be right.
    """

    score: Floats
    item: Ints
    annotator: Ints
    n_population: int
    scale: Scale
    metric: Floats | None = None
    shared: InitVar[Incidence | None] = None
    incidence: Incidence = field(init=False, repr=False)

    def __post_init__(self, shared: Incidence | None) -> None:
        score = _frozen_floats(self.score, what="scores")
        object.__setattr__(self, "score", score)
        if self.metric is not None:
            metric = _frozen_floats(self.metric, what="metric", dimensions=(1, 2))
            object.__setattr__(self, "metric", metric)
        incidence = shared if shared is not None and _is_of(self, shared) else _incidence(self)
        object.__setattr__(self, "incidence", incidence)
        object.__setattr__(self, "item", incidence.item)
        object.__setattr__(self, "annotator", incidence.annotator)
        _check_shapes(self)
        _check_scores(self)
        _check_metric(self)

    @classmethod
    def on(
        cls, incidence: Incidence, *, score: Floats, scale: Scale, metric: Floats | None = None
    ) -> "Sample":
        """Scores on one more criterion of judgments that were checked and counted before."""
        return cls(
            score,
            incidence.item,
            incidence.annotator,
            incidence.n_population,
            scale,
            metric,
            incidence,
        )

    @property
    def n_judgments(self) -> int:
        """T, the number of judgments."""
        return int(self.score.size)

    def standardised_metric(self) -> Floats:
        """(N,) x = (g - mean g) / sd g over all N outputs; zeros where g is constant.

        The divisor is N, because the N outputs are the whole population and not a sample of it.
        Raises MetricMissingError without a metric, InvalidOptionError where there are several.
        """
        metrics = self.standardised_metrics()
        if metrics.shape[1] > 1:
            raise errors.InvalidOptionError(
                f"This estimator takes one metric, not {metrics.shape[1]}; 'multi' takes several."
            )
        return np.ascontiguousarray(metrics[:, 0])

    def standardised_metrics(self) -> Floats:
        """(N, p) every metric as in `standardised_metric`, one column each; p = 1 for a single one.

        Raises MetricMissingError without a metric.
        """
        if self.metric is None:
            raise errors.MetricMissingError("This estimator needs a metric score for every output.")
        columns = self.metric.reshape(self.n_population, -1).T
        return np.stack([standardised(column) for column in columns], axis=1)


def standardised(values: Floats) -> Floats:
    """(N,) the values less their mean, by their sd (divisor N); zeros where they are constant."""
    # Compared as numbers: the computed sd of a constant need not be exactly 0.
    if np.ptp(values) == 0:
        return np.zeros(values.size)
    deviation = values - values.mean()
    return np.asarray(deviation / deviation.std())


def _is_of(sample: Sample, incidence: Incidence) -> bool:
    """Whether this very incidence is meant, and not a copy that may differ."""
    return (
        sample.item is incidence.item
        and sample.annotator is incidence.annotator
        and sample.n_population == incidence.n_population
    )


def _incidence(sample: Sample) -> Incidence:
    return Incidence(sample.item, sample.annotator, sample.n_population)


def _frozen_floats(values: ArrayLike, *, what: str, dimensions: tuple[int, ...] = (1,)) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.ShapeMismatchError(f"The {what} must be a flat list of numbers.") from error
    return _frozen(array, what=what, dimensions=dimensions)


def _frozen(array: NDArray[Any], *, what: str, dimensions: tuple[int, ...]) -> NDArray[Any]:
    if array.ndim not in dimensions:
        shape = "a flat list" if dimensions == (1,) else "a flat list or a table"
        raise errors.ShapeMismatchError(
            f"The {what} must be {shape}, not {array.ndim}-dimensional."
        )
    array.flags.writeable = False
    return array


def _check_shapes(sample: Sample) -> None:
    sizes = sample.score.size, sample.item.size, sample.annotator.size
    if len(set(sizes)) > 1:
        raise errors.ShapeMismatchError(
            "Every judgment has one score, one item and one annotator; got "
            "{} scores, {} items and {} annotators.".format(*sizes)
        )
    if sample.n_judgments < 2:
        raise errors.TooFewJudgmentsError(
            f"An estimate needs at least two judgments; there are {sample.n_judgments}."
        )


def _check_scores(sample: Sample) -> None:
    if not np.isfinite(sample.score).all():
        raise errors.InvalidScoreError(
            "Some scores are missing or infinite; every score is a number."
        )
    scale = sample.scale
    if not scale.bounded or scale.low <= sample.score.min() <= sample.score.max() <= scale.high:
        return
    off = (sample.score < scale.low) | (sample.score > scale.high)
    if off.any():
        raise errors.ScoreOffScaleError(
            f"The score {sample.score[off][0]} lies outside the scale {scale.low} to {scale.high}."
        )


def _check_metric(sample: Sample) -> None:
    if sample.metric is None:
        return
    if sample.metric.shape[0] != sample.n_population or sample.metric.size == 0:
        raise errors.ShapeMismatchError(
            f"The metric is {' by '.join(map(str, sample.metric.shape))}; it takes one row for "
            f"each of the population's {sample.n_population} outputs, and at least one column."
        )
    complete = np.isfinite(sample.metric.reshape(sample.n_population, -1)).all(axis=1)
    if not complete.all():
        raise errors.MetricIncompleteError(
            f"The metric is missing for {(~complete).sum()} of {sample.n_population} outputs; it "
            "must be known for all of them, judged or not."
        )
