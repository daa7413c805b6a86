"""Estimates that follow judgments one by one, without starting again each time.

A judgment changes the weight of the judgments of its own item and, with balanced weights, of all
that the item's judges judged. Sums are kept for each item and for each annotator. An estimate adds
them up by the quadratic forms of `estimators.parts`, so residuals are never formed.
"""

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import Gram, Moments, gram, products, variance_of_scores
from estimation.core.data.sample import Sample, Scale, standardised
from estimation.core.estimators.fit import ESTIMATORS, Method, from_sums
from estimation.core.estimators.notices import compare
from estimation.core.estimators.parts import parts
from estimation.core.estimators.registry import checked
from estimation.core.estimators.result import Estimate, assemble
from estimation.core.estimators.rows import of_stats

# Rows of the tables, one column for each item and for each annotator; y is the score - shift.
_K, _Y, _YY, _C, _CY = range(5)  # item: judgments, sums of y and y², of c and c y (c below)
_ITEM = 5
# Annotator: sums of (1, x, y), of their products by k, and of their products by k².
_PLAIN, _BY_K, _BY_KK = slice(0, 3), slice(3, 9), slice(9, 15)
_PERSON = 15


class Running:
    """The judgments of one system on one criterion, added and removed one at a time.

    `add` and `remove` cost a few operations for each judge of the item; with balanced weights they
    touch all that these people judged. `estimate` costs a few passes over the items and the
    annotators, however many judgments there are. Its results equal those of
    `estimation.core.estimate` up to rounding.

    Parameters
    ----------
    n_population : int
        N, the number of outputs that the system has.
    scale : Scale
        The criterion's scale.
    metric : (N,) array of float, optional
        The automatic metric of every output; needed for "regression" and "algorithm_1".
    method : Method, optional
        The options, by default those of `estimate`. The estimator is "balanced", "regression",
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
        """Begin without judgments."""
        self._method = method or Method()
        self._scale, self._n_population = scale, n_population
        self._x = _standardised(metric, self._method, n_population)
        self._has_metric = metric is not None and self._method.estimator != "mean"
        # c = 1 / (1 + balance m) of an annotator; 1 where items weigh equally.
        balanced = self._method.estimator == "balanced"
        self._balance = self._method.balance if balanced else 0.0
        self._shift: float | None = None
        self._scores: dict[int, dict[int, float]] = {}  # item -> {annotator's column: y}
        self._judged: dict[int, dict[int, float]] = {}  # annotator's column -> {item: y}
        self._person_column: dict[int, int] = {}
        self._items = np.zeros((_ITEM, n_population))
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
        if sample.group is not None:
            raise errors.InvalidOptionError("Groups of items are not followed one by one.")
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
        found = parts(stats, method=self._method, scale=self._scale, n_units=self._n_population)
        activity, sum_x, sum_y = self._active()[_PLAIN]
        mean = stats.shift + (sum_y - float(found.slope) * sum_x) / activity
        form = from_sums(self._method.estimator)
        fitted = of_stats(stats, found, np.zeros(0), has_metric=self._has_metric, form=form)
        return assemble(
            fitted,
            compare(activity.astype(np.int64), mean),
            method=self._method,
            scale=self._scale,
            n_population=self._n_population,
            n_units=self._n_population,
        )

    def _moments(self) -> Moments:
        people, k = self._active(), self._items[_K]
        judged = np.flatnonzero(k)
        if people[0].sum() < 2 or self._shift is None:
            raise errors.TooFewJudgmentsError("An estimate needs at least two judgments.")
        count, y, squares, share, weighted = self._items[:, judged]
        x, c = self._x[judged], 1 / (1 + self._balance * people[_BY_K][0])
        means = gram(np.ones(judged.size), x, y / count)
        one = share / count
        persons = c * people[_BY_K][:3]
        judgments = Gram(count.sum(), count @ x, y.sum(), count @ x**2, y @ x, squares.sum())
        sums = people[_BY_K] @ c
        return Moments(
            means=means,
            judgments=judgments,
            weighted=Gram(*sums) if self._balance else means,
            items=gram(one, one * x, weighted / count) if self._balance else means,
            annotators=gram(*persons),
            cells=Gram(*(people[_BY_KK] @ c**2)),
            cubes=np.asarray((persons[0] ** 3).sum()),
            fourths=np.asarray((persons[0] ** 4).sum()),
            within=np.asarray(max(0.0, float((squares - y**2 / count).sum()))),
            replicates=np.asarray(float(count.sum() - judged.size)),
            score_variance=variance_of_scores(judgments),
            n_annotators=np.asarray(c.size),
            n_units=np.asarray(float(judged.size)),
            grouped=False,
            shift=self._shift,
        )

    def _active(self) -> Floats:
        """(15, A) the sums of the annotators who have judgments."""
        people = self._people[:, : len(self._person_column)]
        return np.asarray(people[:, people[0] > 0])

    def _change(self, item: int, person: int, y: float, *, sign: int) -> None:
        scores = self._scores[item]
        people = {*scores, person}
        self._weigh_people(people, sign=-1)
        self._count(item, scores, sign=-1)
        if sign > 0:
            scores[person] = y
            self._judged.setdefault(person, {})[item] = y
        else:
            del scores[person], self._judged[person][item]
        x = float(self._x[item])
        self._people[_PLAIN, person] += sign * np.array([1.0, x, y])
        self._count(item, scores, sign=1)
        self._weigh_people(people, sign=1)
        self._items[:3, item] = (
            len(scores),
            sum(scores.values()),
            sum(y * y for y in scores.values()),
        )

    def _count(self, item: int, scores: dict[int, float], *, sign: int) -> None:
        """Put the item's judgments, each by k_i and by k_i², into their annotators' sums."""
        for person, y in scores.items():
            products_of_row = products(np.array([1.0, float(self._x[item]), y]))
            self._people[_BY_K, person] += sign * products_of_row / len(scores)
            self._people[_BY_KK, person] += sign * products_of_row / len(scores) ** 2

    def _weigh_people(self, people: set[int], *, sign: int) -> None:
        """Put what these annotators' judgments weigh into the sums of all items they judged."""
        if not self._balance:
            return
        for person in people:
            if own := self._judged.get(person):
                c = sign / (1 + self._balance * self._people[_BY_K, person][0])
                item, y = np.fromiter(own, np.int64), np.fromiter(own.values(), np.float64)
                self._items[_C, item] += c
                self._items[_CY, item] += c * y

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
        low, high = self._scale.low, self._scale.high
        if self._scale.bounded and not low <= score <= high:
            raise errors.ScoreOffScaleError(f"The score {score} lies outside {low} to {high}.")


def _standardised(metric: Floats | None, method: Method, n_population: int) -> Floats:
    checked(method)
    if method.estimator not in ESTIMATORS:
        raise errors.InvalidOptionError(
            f"Judgments are added one by one for {', '.join(ESTIMATORS)}, not {method.estimator!r}."
        )
    if method.estimator == "mean" or (method.estimator == "balanced" and metric is None):
        return np.zeros(n_population)
    if metric is None:
        raise errors.MetricMissingError("This estimator needs a metric score for every output.")
    if metric.shape != (n_population,):
        raise errors.ShapeMismatchError(f"One metric of {n_population} outputs is needed.")
    if not np.isfinite(metric).all():
        raise errors.MetricIncompleteError("The metric must be known for all outputs.")
    return standardised(metric)


def _with_room(table: Floats, column: int) -> Floats:
    """The table, with twice the columns once `column` lies beyond them."""
    return table if column < table.shape[1] else np.hstack([table, np.zeros_like(table)])
