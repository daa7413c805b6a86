"""The input of every estimator: the judgments of one system on one criterion, as arrays."""

from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from estimation.core.data import errors
from estimation.core.data.frozen import frozen_floats
from estimation.core.data.incidence import Floats, Incidence, Ints, is_text


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a criterion's scores, in the criterion's own units.

    Parameters
    ----------
    low, high : float
        The ends of the scale. An unbounded criterion (such as HTER) has a working range instead:
        it places the interval's pseudo-rows and restricts nothing else.
    bounded : bool, default True
        Whether scores outside the range are impossible.

    Raises
    ------
    InvalidOptionError
        `low` is not below `high`, or one of them is not finite.

    Examples
    --------
    >>> from estimation.core import Scale
    >>> Scale(-1, 1)
    Scale(low=-1, high=1, bounded=True)
    >>> Scale(0, 2, bounded=False).bounded
    False
    """

    low: float
    high: float
    bounded: bool = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise errors.InvalidOptionError(
                f"A scale runs from a lower to a higher number, not from {self.low} to {self.high}."
            )

    def holds(self, mean: Floats | float) -> NDArray[np.bool_]:
        """Return whether means lie within the range, up to rounding.

        Parameters
        ----------
        mean : () or (L,) array of float
            In score units.

        Returns
        -------
        () or (L,) array of bool
            False for NaN.
        """
        rounding = 1e-9 * (self.high - self.low)
        return np.asarray((mean >= self.low - rounding) & (mean <= self.high + rounding))


@dataclass(frozen=True, eq=False)
class Sample:
    """The judgments of one system on one criterion, with the metric of all of its outputs.

    The input of every estimator. The arrays are copied and made read-only; those that are
    read-only already are shared.

    Parameters
    ----------
    score : (T,) array of float
        The scores of the judgments, in the order in which they arrived.
    item : (T,) array of int or str
        Which output each judgment is about: from 0 to N - 1, or one of `outputs`.
    annotator : (T,) array of int or str
        Who judged. Any labels, for instance database keys or names.
    n_population : int
        N, the number of outputs that the system has, judged or not.
    scale : Scale
        The criterion's scale.
    metric : (N,) or (N, p) array of float, optional
        The automatic metric of every output, or p metrics in columns.
    group : (N,) array of int, optional
        Which group of items each output belongs to, as in `Incidence`.
    shared : Incidence, optional
        The incidence that `item` and `annotator` come from; see `Sample.on`.
    outputs : (N,) sequence of str, optional
        The ids of all outputs, in the order of `metric`, where `item` holds ids. Samples that are
        compared have them in the same order.

    Attributes
    ----------
    incidence : Incidence
        Who judged what, with its counts.
    sums : dict
        What estimators have added up of these judgments, by the balance of the weights.

    Raises
    ------
    ShapeMismatchError
        Arrays differ in length, have the wrong dimensions, or do not hold numbers.
    TooFewJudgmentsError
        There are fewer than two judgments.
    InvalidScoreError
        A score is missing or infinite.
    ScoreOffScaleError
        A score lies outside a bounded scale.
    ItemOutsidePopulationError
        A judgment names an item below 0 or above N - 1.
    DuplicateJudgmentError
        An annotator judged an item twice.
    MetricIncompleteError
        The metric has no finite value for some outputs.

    Examples
    --------
    Four outputs; three judgments of two of them by two people.

    >>> from estimation.core import Sample, Scale
    >>> sample = Sample(
    ...     score=[1, 0, -1],
    ...     item=[0, 0, 2],
    ...     annotator=[7, 9, 7],
    ...     n_population=4,
    ...     scale=Scale(-1, 1),
    ...     metric=[0.4, 0.1, 0.2, 0.3],
    ... )
    >>> sample.n_judgments
    3
    >>> sample.standardised_metric().round(2).tolist()
    [1.34, -1.34, -0.45, 0.45]
    """

    score: Floats
    item: Ints
    annotator: Ints
    n_population: int
    scale: Scale
    metric: Floats | None = None
    group: Ints | None = None
    shared: InitVar[Incidence | None] = None
    outputs: InitVar[Sequence[str] | None] = None
    incidence: Incidence = field(init=False, repr=False)
    sums: dict[float | None, Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self, shared: Incidence | None, outputs: Sequence[str] | None) -> None:
        if shared is None:
            object.__setattr__(self, "item", _items(self, outputs))
        score = frozen_floats(self.score, what="scores")
        object.__setattr__(self, "score", score)
        if self.metric is not None:
            metric = frozen_floats(self.metric, what="metric", dimensions=(1, 2))
            object.__setattr__(self, "metric", metric)
        incidence = shared if shared is not None and _is_of(self, shared) else _incidence(self)
        object.__setattr__(self, "incidence", incidence)
        object.__setattr__(self, "item", incidence.item)
        object.__setattr__(self, "annotator", incidence.annotator)
        object.__setattr__(self, "group", incidence.group)
        _check_shapes(self)
        _check_scores(self)
        _check_metric(self)

    @classmethod
    def on(
        cls, incidence: Incidence, *, score: Floats, scale: Scale, metric: Floats | None = None
    ) -> "Sample":
        """Add the scores of one criterion to judgments that were checked and counted before.

        Parameters
        ----------
        incidence : Incidence
            The judgments.
        score : (T,) array of float
            Their scores on this criterion.
        scale : Scale
            The criterion's scale.
        metric : (N,) or (N, p) array of float, optional
            The metric of every output, or several in columns.

        Returns
        -------
        Sample
            The same as `Sample(...)` of the same arrays, without a second check of the incidence.
        """
        return cls(
            score,
            incidence.item,
            incidence.annotator,
            incidence.n_population,
            scale,
            metric,
            incidence.group,
            incidence,
        )

    @property
    def n_judgments(self) -> int:
        """T, the number of judgments."""
        return int(self.score.size)

    def without_metric(self) -> "Sample":
        """Return the same judgments without a metric.

        Returns
        -------
        Sample
            With the same incidence, which is not checked again, and the same sums.
        """
        plain = Sample.on(self.incidence, score=self.score, scale=self.scale)
        object.__setattr__(plain, "sums", self.sums)
        return plain

    def standardised_metric(self) -> Floats:
        """Return the metric with mean 0 and variance 1 over all N outputs.

        The divisor of the variance is N: the N outputs are the population, not a sample of it.

        Returns
        -------
        (N,) array of float
            x = (g - mean g) / sd g; zeros where the metric is constant.

        Raises
        ------
        MetricMissingError
            The sample has no metric.
        InvalidOptionError
            The sample has several metrics.
        """
        metrics = self.standardised_metrics()
        if metrics.shape[1] > 1:
            raise errors.InvalidOptionError(
                f"This estimator takes one metric, not {metrics.shape[1]}; 'multi' takes several."
            )
        return np.ascontiguousarray(metrics[:, 0])

    def standardised_metrics(self) -> Floats:
        """Return every metric with mean 0 and variance 1 over all N outputs.

        Returns
        -------
        (N, p) array of float
            One column for each metric, as in `standardised_metric`; p = 1 for a single metric.

        Raises
        ------
        MetricMissingError
            The sample has no metric.
        """
        if self.metric is None:
            raise errors.MetricMissingError("This estimator needs a metric score for every output.")
        columns = self.metric.reshape(self.n_population, -1).T
        return np.stack([standardised(column) for column in columns], axis=1)


def standardised(values: Floats) -> Floats:
    """(N,) the values less their mean, by their sd (divisor N); zeros where they are constant."""
    # By a power of 2, which changes no digit: squares of very large or small values are no floats.
    near = np.ldexp(values, -int(np.frexp(np.abs(values).max(initial=0.0))[1]))
    # Compare the values: the computed sd of a constant need not be exactly 0.
    if not near.size or near.min() == near.max():
        return np.zeros(values.size)
    deviation = near - near.mean()
    return np.asarray(deviation / deviation.std())


def _is_of(sample: Sample, incidence: Incidence) -> bool:
    """Whether the sample's arrays are those of this incidence, not copies that may differ."""
    return (
        sample.item is incidence.item
        and sample.annotator is incidence.annotator
        and sample.n_population == incidence.n_population
        and sample.group is incidence.group
    )


def _items(sample: Sample, outputs: Sequence[str] | None) -> Any:
    """(T,) the items as numbers: ids become their places in `outputs`."""
    items: NDArray[Any] = np.asarray(sample.item)
    if not is_text(items):
        return sample.item
    if outputs is None:
        raise errors.ShapeMismatchError(
            "Items have ids: give the ids of all outputs, in the metric's order, as outputs=."
        )
    ids = list(outputs)
    place = {one: number for number, one in enumerate(ids)}
    if not len(place) == len(ids) == sample.n_population:
        raise errors.ShapeMismatchError(
            f"outputs holds each of the population's {sample.n_population} outputs once."
        )
    if unknown := [one for one in items.tolist() if one not in place]:
        raise errors.ItemOutsidePopulationError(f"{unknown[0]!r} is not one of the outputs.")
    return [place[one] for one in items.tolist()]


def _incidence(sample: Sample) -> Incidence:
    return Incidence(sample.item, sample.annotator, sample.n_population, sample.group)


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
