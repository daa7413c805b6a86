"""The input of every estimator: the judgments of one system on one criterion, as arrays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core import errors

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    metric: (N,) the automatic metric of every output, or None.

    The arrays are copied and made read-only. Raises a subclass of EstimationError for input
    that cannot be right.
    """

    score: Floats
    item: Ints
    annotator: Ints
    n_population: int
    scale: Scale
    metric: Floats | None = None

    def __post_init__(self) -> None:
        score = _frozen_floats(self.score, what="scores")
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "item", _frozen_ints(self.item, what="items"))
        object.__setattr__(self, "annotator", _frozen_ints(self.annotator, what="annotators"))
        if self.metric is not None:
            object.__setattr__(self, "metric", _frozen_floats(self.metric, what="metric"))
        _check_shapes(self)
        _check_scores(self)
        _check_incidence(self)
        _check_metric(self)

    @property
    def n_judgments(self) -> int:
        """T, the number of judgments."""
        return int(self.score.size)

    def standardised_metric(self) -> Floats:
        """(N,) x = (g - mean g) / sd g over all N outputs; zeros where g is constant.

        The divisor is N, because the N outputs are the whole population and not a sample of it.
        Raises MetricMissingError without a metric.
        """
        if self.metric is None:
            raise errors.MetricMissingError("This estimator needs a metric score for every output.")
        # Compared as numbers: the computed sd of a constant need not be exactly 0.
        if np.ptp(self.metric) == 0:
            return np.zeros(self.n_population)
        deviation = self.metric - self.metric.mean()
        return np.asarray(deviation / deviation.std())


def _frozen_floats(values: ArrayLike, *, what: str) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.ShapeMismatchError(f"The {what} must be a flat list of numbers.") from error
    return _flat_and_frozen(array, what=what)


def _frozen_ints(values: ArrayLike, *, what: str) -> Ints:
    array = np.array(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise errors.ShapeMismatchError(f"The {what} must be whole numbers, not {array.dtype}.")
    return _flat_and_frozen(array.astype(np.int64), what=what)


def _flat_and_frozen(array: NDArray[Any], *, what: str) -> NDArray[Any]:
    if array.ndim != 1:
        raise errors.ShapeMismatchError(
            f"The {what} must be a flat list, not {array.ndim}-dimensional."
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
    off = (sample.score < scale.low) | (sample.score > scale.high)
    if scale.bounded and off.any():
        raise errors.ScoreOffScaleError(
            f"The score {sample.score[off][0]} lies outside the scale {scale.low} to {scale.high}."
        )


def _check_incidence(sample: Sample) -> None:
    if sample.item.min() < 0 or sample.item.max() >= sample.n_population:
        raise errors.ItemOutsidePopulationError(
            f"Items are numbered 0 to {sample.n_population - 1}; the judgments name "
            f"{sample.item.min()} to {sample.item.max()}."
        )
    order = np.lexsort((sample.annotator, sample.item))
    same = (np.diff(sample.item[order]) == 0) & (np.diff(sample.annotator[order]) == 0)
    if same.any():
        first = order[np.flatnonzero(same)[0]]
        raise errors.DuplicateJudgmentError(
            f"Annotator {sample.annotator[first]} judged item {sample.item[first]} more than once."
        )


def _check_metric(sample: Sample) -> None:
    if sample.metric is None:
        return
    if sample.metric.size != sample.n_population:
        raise errors.ShapeMismatchError(
            f"The metric covers {sample.metric.size} outputs; the population has "
            f"{sample.n_population}."
        )
    missing = int((~np.isfinite(sample.metric)).sum())
    if missing:
        raise errors.MetricIncompleteError(
            f"The metric is missing for {missing} of {sample.n_population} outputs; it must be "
            "known for all of them, judged or not."
        )
