"""The input of every estimator: who judged what, the scores, and how metrics enter."""

import hashlib
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from estimation.core import errors

# --- Who judged what: the part of a sample that all criteria of a system share.


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Labels whose range is at most this many times their number are counted, not sorted.
_DENSE = 8


@dataclass(frozen=True, eq=False)
class Incidence:
    """Which annotator judged which item: checked once, counted once, shared by several samples.

    Judgments on several criteria of one system have the same items and annotators. An incidence
    holds these arrays and what can be counted from them; `Sample.on` adds the scores of one
    criterion. The arrays are copied and made read-only.

    item: (T,) ints; which output each judgment is about, from 0 to N - 1.
    annotator: (T,) ints or str; who judged. Any labels, for instance database keys or names.
    n_population: N, the number of outputs that the system has, judged or not.
    group: (N,) ints; which group (document, prompt, dialogue) each output belongs to, judged or
        not. Items of a group are not independent, so whole groups are the sampling units. None
        where each output is a group of its own.
    Raises ShapeMismatchError: the arrays have different lengths, are not flat, or do not hold whole
        numbers.
    Raises ItemOutsidePopulationError: A judgment names an item below 0 or above N - 1.
    Raises DuplicateJudgmentError: an annotator judged an item twice.
    """

    item: Ints
    annotator: Ints
    n_population: int
    group: Ints | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "item", _frozen_ints(self.item, what="items"))
        object.__setattr__(self, "group", _groups(self.group, self.n_population))
        object.__setattr__(
            self, "annotator", _frozen_ints(_numbers(self.annotator), what="annotators")
        )
        if self.item.size != self.annotator.size:
            raise errors.ShapeMismatchError(
                "Every judgment has one item and one annotator; got "
                f"{self.item.size} items and {self.annotator.size} annotators."
            )
        if self.item.size:
            self._check_range()
            self._check_duplicates()

    @property
    def n_judgments(self) -> int:
        """T, the number of judgments."""
        return int(self.item.size)

    @property
    def n_units(self) -> int:
        """How many sampling units the outputs form: N, or the number of their groups."""
        return self.n_population if self.group is None else int(self.group.max(initial=-1)) + 1

    @cached_property
    def unit(self) -> Ints:
        """(T,) the sampling unit of each judgment: its item, or the item's group."""
        return self.item if self.group is None else np.asarray(self.group[self.item])

    @cached_property
    def n_judged_units(self) -> int:
        """How many sampling units have a judgment."""
        return self.judged.size if self.group is None else distinct(self.unit).size

    @cached_property
    def count(self) -> Ints:
        """(N,) how many judgments each output has; 0 for outputs that are not judged."""
        return np.bincount(self.item, minlength=self.n_population)

    @cached_property
    def judged(self) -> Ints:
        """(n,) the outputs that have a judgment, in ascending order."""
        return np.flatnonzero(self.count)

    @cached_property
    def weight(self) -> Floats:
        """(T,) 1 / k_i, where k_i is the number of judgments of the same item."""
        return np.asarray((1 / np.maximum(self.count, 1))[self.item])

    @cached_property
    def person(self) -> Ints:
        """(T,) the annotators, numbered 0 to A - 1 in the order of their labels."""
        return numbered(self.annotator)

    @cached_property
    def activity(self) -> Ints:
        """(A,) how many judgments each annotator made."""
        return np.bincount(self.person)

    @cached_property
    def person_weight(self) -> Floats:
        """(A,) the sum of 1 / k_i over each annotator's judgments."""
        return np.asarray(np.bincount(self.person, self.weight), dtype=np.float64)

    def _check_range(self) -> None:
        low, high = self.item.min(), self.item.max()
        if low < 0 or high >= self.n_population:
            raise errors.ItemOutsidePopulationError(
                f"Items are numbered 0 to {self.n_population - 1}; the judgments name "
                f"{low} to {high}."
            )

    def _check_duplicates(self) -> None:
        # Only an item with several judgments can have two by one person.
        shared = np.flatnonzero(self.weight < 1)
        pair = self.item[shared] * self.activity.size + self.person[shared]
        in_order = np.sort(pair)
        same = np.flatnonzero(in_order[1:] == in_order[:-1])
        if same.size:
            first = shared[np.flatnonzero(pair == in_order[same[0]])[0]]
            raise errors.DuplicateJudgmentError(
                f"Annotator {self.annotator[first]} judged item {self.item[first]} more than once."
            )


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, in ascending order, by sorting.

    `np.unique` puts numbers into a hash table first. That takes many times as long where most of
    them are different.

    labels: (T,); anything that can be sorted.
    Returns: (D,); each label once.

    >>> import numpy as np
    >>> from estimation.core import distinct
    >>> distinct(np.array([7, 9, 7])).tolist()
    [7, 9]
    """
    in_order = np.sort(labels)
    return in_order[np.flatnonzero(np.r_[in_order.size > 0, in_order[1:] != in_order[:-1]])]


def numbered(label: Ints) -> Ints:
    """Return the labels' ranks among the different labels.

    Labels that lie close together are counted, not sorted.

    label: (T,) ints; such as ids of people.
    Returns: (T,) ints; from 0; equal labels have equal numbers, and smaller labels smaller ones.

    >>> import numpy as np
    >>> from estimation.core import numbered
    >>> numbered(np.array([40, 7, 40, 12])).tolist()
    [2, 0, 2, 1]
    """
    if not label.size:
        return label
    low, spread = int(label.min()), int(label.max()) - int(label.min()) + 1
    if spread > _DENSE * label.size:
        return np.asarray(np.unique(label, return_inverse=True)[1])
    present = np.zeros(spread, dtype=np.int64)
    present[label - low] = 1
    return np.asarray((np.cumsum(present) - 1)[label - low])


def _groups(given: ArrayLike | None, n_population: int) -> Ints | None:
    """(N,) the groups, numbered from 0; None where each output is a group of its own."""
    if given is None:
        return None
    group = _frozen_ints(given, what="groups")
    if group.size != n_population:
        raise errors.ShapeMismatchError(
            f"Every output has one group; got {group.size} groups of {n_population} outputs."
        )
    numbers = numbered(group)
    if numbers.size and int(numbers.max()) + 1 == n_population:
        return None
    numbers.flags.writeable = False
    return numbers


def _numbers(labels: ArrayLike) -> ArrayLike:
    """(T,) texts as numbers, the same in every sample; other labels as they are."""
    array: NDArray[Any] = np.asarray(labels)
    if not is_text(array):
        return labels
    found, place = np.unique(array.astype(str), return_inverse=True)
    digests = [hashlib.blake2b(str(one).encode(), digest_size=8).digest() for one in found]
    # Half of the range, so that differences of two numbers are numbers too.
    return np.array([int.from_bytes(one, "big") >> 2 for one in digests])[place]


def is_text(labels: NDArray[Any]) -> bool:
    """Whether the labels are texts."""
    objects = labels.dtype == object and all(isinstance(one, str) for one in labels.flat)
    return bool(labels.size) and (labels.dtype.kind == "U" or objects)


def _frozen_ints(values: ArrayLike, *, what: str) -> Ints:
    array: NDArray[Any] = np.array(values)
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise errors.ShapeMismatchError(f"The {what} must be whole numbers, not {array.dtype}.")
    if array.ndim != 1:
        raise errors.ShapeMismatchError(
            f"The {what} must be a flat list, not {array.ndim}-dimensional."
        )
    array = array.astype(np.int64)
    array.flags.writeable = False
    return array


def frozen_floats(values: ArrayLike, *, what: str, dimensions: tuple[int, ...] = (1,)) -> Floats:
    """The values as read-only floats; an array that is read-only already is shared."""
    try:
        array = np.asarray(values)
        if array.dtype != np.float64 or array.flags.writeable or not array.flags.owndata:
            array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.ShapeMismatchError(f"The {what} must be a flat list of numbers.") from error
    if array.ndim not in dimensions:
        shape = "a flat list" if dimensions == (1,) else "a flat list or a table"
        raise errors.ShapeMismatchError(
            f"The {what} must be {shape}, not {array.ndim}-dimensional."
        )
    array.flags.writeable = False
    return array


# --- The input of every estimator: the judgments of one system on one criterion, as arrays.


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of a criterion's scores, in the criterion's own units.

    low, high: the ends of the scale. An unbounded criterion (such as HTER) has a working range
        instead: it places the interval's pseudo-rows and restricts nothing else.
    bounded: whether scores outside the range are impossible.
    Raises InvalidOptionError: `low` is not below `high`, or one of them is not finite.
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

        mean: () or (L,) floats; in score units.
        Returns: () or (L,) bools; False for NaN.
        """
        rounding = 1e-9 * (self.high - self.low)
        return np.asarray((mean >= self.low - rounding) & (mean <= self.high + rounding))


@dataclass(frozen=True, eq=False)
class Sample:
    """The judgments of one system on one criterion, with the metric of all of its outputs.

    The input of every estimator. The arrays are copied and made read-only; those that are
    read-only already are shared.

    score: (T,) floats; the scores of the judgments, in the order in which they arrived.
    item: (T,) ints or str; which output each judgment is about: from 0 to N - 1, or one of
        `outputs`.
    annotator: (T,) ints or str; who judged. Any labels, for instance database keys or names.
    n_population: N, the number of outputs that the system has, judged or not.
    scale: the criterion's scale.
    metric: (N,) or (N, p) floats; the automatic metric of every output, or p metrics in columns.
    group: (N,) ints; which group of items each output belongs to, as in `Incidence`.
    shared: the incidence that `item` and `annotator` come from; see `Sample.on`.
    outputs: (N,) sequence of str; the ids of all outputs, in the order of `metric`, where `item`
        holds ids. Samples that are compared have them in the same order.
    incidence: who judged what, with its counts.
    Raises ShapeMismatchError: arrays differ in length, have the wrong dimensions, or do not hold
        numbers.
    Raises TooFewJudgmentsError: there are fewer than two judgments.
    Raises InvalidScoreError: A score is missing or infinite.
    Raises ScoreOffScaleError: A score lies outside a bounded scale.
    Raises ItemOutsidePopulationError: A judgment names an item below 0 or above N - 1.
    Raises DuplicateJudgmentError: an annotator judged an item twice.
    Raises MetricIncompleteError: the metric has no finite value for some outputs.
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

    def __post_init__(self, shared: Incidence | None, outputs: Sequence[str] | None) -> None:
        if shared is None:
            object.__setattr__(self, "item", _items(self, outputs))
        score = frozen_floats(self.score, what="scores")
        object.__setattr__(self, "score", score)
        if self.metric is not None:
            metric = frozen_floats(self.metric, what="metric", dimensions=(1, 2))
            object.__setattr__(self, "metric", metric)
        incidence = shared
        # The arrays may be copies that differ, as after `dataclasses.replace`.
        if incidence is None or not (
            self.item is incidence.item
            and self.annotator is incidence.annotator
            and self.n_population == incidence.n_population
            and self.group is incidence.group
        ):
            incidence = Incidence(self.item, self.annotator, self.n_population, self.group)
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

        incidence: the judgments.
        score: (T,) floats; their scores on this criterion.
        scale: the criterion's scale.
        metric: (N,) or (N, p) floats; the metric of every output, or several in columns.
        Returns: the same as `Sample(...)` of the same arrays, without a second check of the
            incidence.
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

        Returns: with the same incidence, which is not checked again.
        """
        return Sample.on(self.incidence, score=self.score, scale=self.scale)

    def standardised_metric(self) -> Floats:
        """Return the metric with mean 0 and variance 1 over all N outputs.

        The divisor of the variance is N: the N outputs are the population, not a sample of it.

        Returns: (N,) floats; x = (g - mean g) / sd g; zeros where the metric is constant.
        Raises MetricMissingError: the sample has no metric.
        Raises InvalidOptionError: the sample has several metrics.
        """
        metrics = self.standardised_metrics()
        if metrics.shape[1] > 1:
            raise errors.InvalidOptionError(
                f"This estimator takes one metric, not {metrics.shape[1]}; 'multi' takes several."
            )
        return np.ascontiguousarray(metrics[:, 0])

    def standardised_metrics(self) -> Floats:
        """Return every metric with mean 0 and variance 1 over all N outputs.

        Returns: (N, p) floats; one column for each metric, as in `standardised_metric`; p = 1 for a
            single metric.
        Raises MetricMissingError: the sample has no metric.
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


# --- How metrics enter estimates: bounded, by a rule that looks at no judgment.


MetricTransform = Literal["normal_scores", "signed_scores", "raw"]
METRIC_TRANSFORMS: tuple[str, ...] = get_args(MetricTransform)


def entering(metric: Floats, *, transform: str = "normal_scores") -> Floats:
    """Return what enters estimates in place of a metric.

    The slope is learnt from judged outputs, and the metric's mean is that of all outputs: a few
    extreme values that nobody judged would move an estimate without limit. Ranks cannot.

    metric: (M,) or (M, p) floats; one metric, or p in columns, for all outputs of all systems of
        the comparison, judged or not. NaN where a value is missing; infinite values are the largest
        or smallest.
    transform: "normal_scores": Φ⁻¹((rank − ½) / M), ties sharing their mean rank. A missing value
        has the mean rank, 0; M counts the others. "signed_scores": for differences of two texts,
        the sign times Φ⁻¹(½ + (rank − ½) / 2M), ranks of the absolute values, 0 for no difference
        and where a value is missing. "raw": the values themselves.
    Returns: (M,) or (M, p) floats; with the normal scores, strictly increasing transformations of a
        metric change nothing, and changing its sign changes that of the result. With the signed
        scores, changing the sign of some differences changes that of their results, and no others.
    Raises InvalidOptionError: there is no such transformation.
    """
    values = np.asarray(metric, dtype=np.float64)
    if transform == "raw" or not values.size:
        return values
    if transform not in METRIC_TRANSFORMS:
        known = ", ".join(METRIC_TRANSFORMS)
        raise errors.InvalidOptionError(f"{transform!r} is not one of {known}.")
    return np.asarray(np.apply_along_axis(_scores, 0, values, transform))


def _scores(values: Floats, transform: str) -> Floats:
    known, scores = ~np.isnan(values), np.zeros(values.size)
    of = _normal_scores if transform == "normal_scores" else _signed_scores
    scores[known] = of(values[known])
    return scores


def _normal_scores(values: Floats) -> Floats:
    # About the middle, so that both halves are exactly alike.
    from_middle = _ranks(values) - (values.size + 1) / 2
    return np.asarray(np.sign(from_middle) * _upper(2 * np.abs(from_middle), values.size))


def _signed_scores(values: Floats) -> Floats:
    return np.asarray(np.sign(values) * _upper(_ranks(np.abs(values)) - 0.5, values.size))


def _ranks(values: Floats) -> Floats:
    """From 1; values that are equal share the mean of their ranks."""
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(count) - (count - 1) / 2)[which])


def _upper(place: Floats, of: int) -> Floats:
    """Φ⁻¹(½ + place / 2M)."""
    return np.asarray(0.0 - ndtri(0.5 - place / (2 * of)))
