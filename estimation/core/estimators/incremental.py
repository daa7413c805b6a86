"""Estimates that follow judgments one by one, without starting again each time.

A judgment changes the mean of its own item and the weight 1 / k_i of that item's k_i judgments,
so it changes the sums of the few annotators who judged the item, and nothing else. Otherwise an
estimate needs sums over items and over annotators: the quadratic forms of the two-way variance are
expanded in the slope (`Gram.residual`), so residuals are never formed.

The sums over items are kept by blocks. A changed block is summed again, so rounding errors
do not accumulate in a long stream, and there are few blocks to sum.
"""

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import Gram, Moments, gram
from estimation.core.data.sample import Sample, Scale, standardised
from estimation.core.estimators.fit import ESTIMATORS, Method, parts
from estimation.core.estimators.notices import compare
from estimation.core.estimators.result import Estimate, assemble

# Rows of the tables: one column for each item that was ever judged, and for each annotator.
_ITEM = 19  # `Gram` of the item, of its judgments and of its cells; squares about its mean
_PERSON = 6  # sums of (1, x, y) / k, then of (1, x, y)
_BLOCK = 256  # items


class Running:
    """The judgments of one system on one criterion, added and removed one at a time.

    `add` and `remove` cost O(k_i), where k_i is the number of judgments of the item. `estimate`
    costs a few passes over the annotators and over one number for each 256 items, however many
    judgments there are. Its results equal those of `estimation.core.estimate` up to rounding.

    Parameters
    ----------
    n_population : int
        N, the number of outputs that the system has.
    scale : Scale
        The criterion's scale.
    metric : (N,) array of float, optional
        The automatic metric of every output; needed unless the method is the mean.
    method : Method, optional
        The options, by default those of `estimate`. The estimator is "regression",
        "algorithm_1" or "mean".

    Raises
    ------
    InvalidOptionError
        The estimator needs more than sums.
    MetricMissingError, ShapeMismatchError, MetricIncompleteError
        The metric is missing, has the wrong shape, or is not finite.

    Examples
    --------
    >>> from estimation.core import Method, Running, Scale
    >>> running = Running(n_population=4, scale=Scale(-1, 1), method=Method("mean"))
    >>> running.add(item=0, annotator=7, score=1)
    >>> running.add(item=2, annotator=9, score=0)
    >>> running.estimate().estimate
    0.5
    >>> running.add(item=2, annotator=7, score=-1)
    >>> running.remove(item=0, annotator=7)
    >>> running.estimate().estimate
    -0.5
    """

    def __init__(
        self,
        *,
        n_population: int,
        scale: Scale,
        metric: Floats | None = None,
        method: Method | None = None,
    ) -> None:
        """Begin without judgments; `metric` is (N,), None for the mean only.

        Raises InvalidOptionError for an estimator that needs more than sums, and for the metric
        what `Sample` raises.
        """
        self._method = method or Method()
        self._scale, self._n_population = scale, n_population
        self._x = _standardised(metric, self._method, n_population)
        self._shift: float | None = None
        self._scores: dict[int, dict[int, float]] = {}  # item -> {annotator's column: y}
        self._item_column: dict[int, int] = {}
        self._person_column: dict[int, int] = {}
        self._items, self._blocks = np.zeros((_ITEM, _BLOCK)), np.zeros((_ITEM, 1))
        self._people = np.zeros((_PERSON, 64))

    @classmethod
    def of(cls, sample: Sample, *, method: Method | None = None) -> "Running":
        """Begin with the judgments of a sample.

        Parameters
        ----------
        sample : Sample
            The judgments, their scale, and the metric.
        method : Method, optional
            As in the class.

        Returns
        -------
        Running
            With every judgment of the sample added.
        """
        running = cls(
            n_population=sample.n_population,
            scale=sample.scale,
            metric=sample.metric,
            method=method,
        )
        rows = sample.item.tolist(), sample.annotator.tolist(), sample.score.tolist()
        for item, annotator, score in zip(*rows, strict=True):
            running.add(item, annotator, score)
        return running

    def add(self, item: int, annotator: int, score: float) -> None:
        """Add one judgment.

        Parameters
        ----------
        item : int
            The output, from 0 to N - 1.
        annotator : int
            Any label.
        score : float
            In score units.

        Raises
        ------
        ItemOutsidePopulationError, InvalidScoreError, ScoreOffScaleError, DuplicateJudgmentError
            As for `Sample`.
        """
        self._check(item, score)
        self._shift = score if self._shift is None else self._shift
        person = self._column(annotator)
        scores = self._scores.setdefault(item, {})
        if person in scores:
            raise errors.DuplicateJudgmentError(
                f"Annotator {annotator} judged item {item} more than once."
            )
        self._change(item, person, score - self._shift, sign=1)

    def remove(self, item: int, annotator: int) -> None:
        """Remove one judgment, for instance an excluded one.

        Parameters
        ----------
        item, annotator : int
            The output, and who judged it.

        Raises
        ------
        KeyError
            There is no such judgment.
        """
        person = self._person_column[annotator]
        self._change(item, person, self._scores[item][person], sign=-1)

    def estimate(self) -> Estimate:
        """Return the estimate from the judgments so far.

        Returns
        -------
        Estimate
            The same as `estimate` of these judgments, up to rounding.

        Raises
        ------
        TooFewJudgmentsError
            There are fewer than two judgments.
        """
        stats = self._moments()
        found = parts(
            stats, method=self._method, scale=self._scale, n_population=self._n_population
        )
        _, sum_x, sum_y, activity = self._active()
        mean = stats.shift + (sum_y - float(found.slope) * sum_x) / activity
        return assemble(
            stats,
            found,
            compare(activity.astype(np.int64), mean),
            method=self._method,
            scale=self._scale,
            n_population=self._n_population,
        )

    def _moments(self) -> Moments:
        sums = self._blocks.sum(axis=1)
        if sums[6] < 2 or self._shift is None:
            raise errors.TooFewJudgmentsError("An estimate needs at least two judgments.")
        weighted, *_ = self._active()
        return Moments(
            items=Gram(*sums[:6]),
            judgments=Gram(*sums[6:12]),
            annotators=gram(weighted),
            cells=Gram(*sums[12:18]),
            within=np.asarray(sums[18]),
            n_annotators=np.asarray(weighted.shape[1]),
            shift=self._shift,
        )

    def _active(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Of the annotators with judgments: (3, A) weighted sums; sums of x, of y, and counts."""
        people = self._people[:, : len(self._person_column)]
        people = people[:, people[3] > 0]
        return people[:3], people[4], people[5], people[3]

    def _change(self, item: int, person: int, y: float, *, sign: int) -> None:
        x, scores = float(self._x[item]), self._scores[item]
        self._weigh(scores, x, sign=-1)
        if sign > 0:
            scores[person] = y
        else:
            del scores[person]
        self._weigh(scores, x, sign=1)
        self._people[3:, person] += (sign, sign * x, sign * y)
        self._summarise(item, x, list(scores.values()))

    def _weigh(self, scores: dict[int, float], x: float, *, sign: int) -> None:
        """Put the item's judgments, each with weight 1 / k_i, into their annotators' sums."""
        for person, y in scores.items():
            weight = sign / len(scores)
            self._people[:3, person] += (weight, weight * x, weight * y)

    def _summarise(self, item: int, x: float, scores: list[float]) -> None:
        column = self._item_column.setdefault(item, len(self._item_column))
        self._items = _with_room(self._items, column)
        self._blocks = _with_room(self._blocks, column // _BLOCK)
        self._items[:, column] = _contribution(x, scores)
        start = column // _BLOCK * _BLOCK
        changed = self._items[:, start : start + _BLOCK]
        self._blocks[:, column // _BLOCK] = changed.sum(axis=1)

    def _column(self, annotator: int) -> int:
        column = self._person_column.setdefault(annotator, len(self._person_column))
        self._people = _with_room(self._people, column)
        return column

    def _check(self, item: int, score: float) -> None:
        if not 0 <= item < self._n_population:
            raise errors.ItemOutsidePopulationError(
                f"Items are numbered 0 to {self._n_population - 1}; the judgment names {item}."
            )
        if not np.isfinite(score):
            raise errors.InvalidScoreError("A score is a finite number.")
        scale = self._scale
        if scale.bounded and not scale.low <= score <= scale.high:
            raise errors.ScoreOffScaleError(
                f"The score {score} lies outside the scale {scale.low} to {scale.high}."
            )


def _standardised(metric: Floats | None, method: Method, n_population: int) -> Floats:
    if method.estimator not in ESTIMATORS:
        raise errors.InvalidOptionError(
            f"Judgments are added one by one for {', '.join(ESTIMATORS)}, not {method.estimator!r}."
        )
    if method.estimator == "mean":
        return np.zeros(n_population)
    if metric is None:
        raise errors.MetricMissingError("This estimator needs a metric score for every output.")
    if metric.shape != (n_population,):
        raise errors.ShapeMismatchError(f"One metric of {n_population} outputs is needed.")
    if not np.isfinite(metric).all():
        raise errors.MetricIncompleteError("The metric must be known for all outputs.")
    return standardised(metric)


def _contribution(x: float, scores: list[float]) -> tuple[float, ...]:
    """What one item with these scores adds to the sums; see `_ITEM`."""
    if not scores:
        return (0.0,) * _ITEM
    k = len(scores)
    mean, squares = sum(scores) / k, sum(y * y for y in scores)
    one_item = (1.0, x, mean, x * x, x * mean)
    return (
        *one_item,
        mean * mean,
        *(value * k for value in one_item),
        squares,
        *(value / k for value in one_item),
        squares / k**2,
        sum((y - mean) ** 2 for y in scores),
    )


def _with_room(table: Floats, column: int) -> Floats:
    """The table, with twice the columns once `column` lies beyond them."""
    if column < table.shape[1]:
        return table
    return np.hstack([table, np.zeros_like(table)])
