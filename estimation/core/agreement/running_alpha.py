"""Krippendorff's alpha that follows judgments one by one, without starting again each time."""

from collections import Counter
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.agreement.alpha import (
    NO_REPLICATES,
    NO_VARIATION,
    Agreement,
    Distance,
    NoVariationError,
    check_options,
    measured,
)
from estimation.core.agreement.kinds import Kind, of_kinds
from estimation.core.data import errors
from estimation.core.data.incidence import Floats

Key = TypeVar("Key")


class RunningAlpha:
    """The judgments behind Krippendorff's alpha, added and removed one at a time.

    Alpha depends on how many items got which scores. These numbers are kept for each kind of item
    (the scores without their order), so `add` and `remove` cost a few operations for each judge of
    the item. `agreement` costs a few for each kind: there are few where scores have levels, and
    nearly as many as items where they are measured. `alpha` costs one pass over the items for the
    distance "interval".

    Parameters
    ----------
    distance : {"nominal", "ordinal", "interval"}, default "ordinal"
        As in `krippendorff_alpha`.

    Raises
    ------
    InvalidOptionError
        The distance is unknown.

    Examples
    --------
    >>> from estimation.core import RunningAlpha
    >>> running = RunningAlpha(distance="nominal")
    >>> for item, annotator, value in [(0, 1, 1), (0, 2, 1), (1, 1, 0), (1, 2, 0)]:
    ...     running.add(item, annotator, value)
    >>> running.alpha()
    1.0
    >>> running.add(item=1, annotator=3, value=1)
    >>> round(running.alpha(), 3)
    0.333
    >>> running.remove(item=1, annotator=3)
    >>> running.agreement(replicates=100).n_judgments
    4
    """

    def __init__(self, *, distance: Distance = "ordinal") -> None:
        """Begin without judgments."""
        check_options(distance, 0.95, 0)
        self._distance: Distance = distance
        self._scores: dict[int, dict[int, float]] = {}  # item -> {annotator: value}
        # Of the items with two judgments or more.
        self._kinds: Counter[Kind] = Counter()
        self._people: Counter[int] = Counter()
        self._values: Counter[float] = Counter()
        # For the distance "interval": each item's disagreement, judgments, and sums of v and v².
        self._shift: float | None = None
        self._column: dict[int, int] = {}
        self._sums = np.zeros((4, 64))

    @classmethod
    def of(
        cls,
        item: ArrayLike,
        annotator: ArrayLike,
        value: ArrayLike,
        *,
        distance: Distance = "ordinal",
    ) -> "RunningAlpha":
        """Begin with judgments.

        Parameters
        ----------
        item, annotator, value, distance
            As in `krippendorff_alpha`.

        Returns
        -------
        RunningAlpha
            With every judgment added.

        Raises
        ------
        InvalidScoreError, DuplicateJudgmentError, InvalidOptionError
            As in `krippendorff_alpha`.
        """
        running = cls(distance=distance)
        columns = (np.asarray(column).tolist() for column in (item, annotator, value))
        for one in zip(*columns, strict=True):
            running.add(*one)
        return running

    def add(self, item: int, annotator: int, value: float) -> None:
        """Add one judgment.

        Parameters
        ----------
        item, annotator : int
            Any labels.
        value : float
            The score.

        Raises
        ------
        InvalidScoreError
            The score is not finite.
        DuplicateJudgmentError
            The annotator judged this item before.
        """
        if not np.isfinite(value):
            raise errors.InvalidScoreError("A score is a finite number.")
        scores = self._scores.setdefault(item, {})
        if annotator in scores:
            raise errors.DuplicateJudgmentError("An annotator judged the same item more than once.")
        self._shift = value if self._shift is None else self._shift
        self._count(scores, -1)
        scores[annotator] = float(value)
        self._count(scores, 1)
        self._sum(item, scores)

    def remove(self, item: int, annotator: int) -> None:
        """Remove one judgment, for instance an excluded one.

        Parameters
        ----------
        item, annotator : int
            What was judged, and by whom.

        Raises
        ------
        KeyError
            There is no such judgment.
        """
        scores = self._scores[item]
        if annotator not in scores:
            raise KeyError(annotator)
        self._count(scores, -1)
        del scores[annotator]
        self._count(scores, 1)
        self._sum(item, scores)

    def alpha(self) -> float:
        """Return alpha without its interval.

        Returns
        -------
        float
            As in `krippendorff_alpha`, up to rounding.

        Raises
        ------
        ReplicatesNeededError, NoVariationError
            As in `krippendorff_alpha`.
        """
        if self._distance != "interval":
            return self.agreement(replicates=0).alpha
        self._check()
        if len(self._values) < 2:
            raise NoVariationError(NO_VARIATION)
        observed, n, sums, squares = self._sums[:, : len(self._column)].sum(axis=1).tolist()
        return float(1 - (n - 1) * observed / (2 * (n * squares - sums**2)))

    def agreement(self, *, level: float = 0.95, replicates: int = 1000, seed: int = 0) -> Agreement:
        """Return alpha with its interval.

        Parameters
        ----------
        level, replicates, seed
            As in `krippendorff_alpha`.

        Returns
        -------
        Agreement
            As in `krippendorff_alpha` of these judgments.

        Raises
        ------
        ReplicatesNeededError, NoVariationError, InvalidOptionError
            As in `krippendorff_alpha`.
        """
        check_options(self._distance, level, replicates)
        self._check()
        return measured(
            of_kinds(self._kinds),
            len(self._people),
            self._distance,
            level=level,
            replicates=replicates,
            seed=seed,
        )

    def _check(self) -> None:
        if not self._kinds:
            raise errors.ReplicatesNeededError(NO_REPLICATES)

    def _count(self, scores: dict[int, float], sign: int) -> None:
        """Count an item among those with two judgments or more, or no longer count it."""
        if len(scores) < 2:
            return
        values = list(scores.values())
        _change(self._kinds, [tuple(sorted(values))], sign)
        _change(self._people, list(scores), sign)
        _change(self._values, values, sign)

    def _sum(self, item: int, scores: dict[int, float]) -> None:
        if self._distance != "interval" or self._shift is None:
            return
        column = self._column.setdefault(item, len(self._column))
        if column >= self._sums.shape[1]:
            self._sums = np.hstack([self._sums, np.zeros_like(self._sums)])
        self._sums[:, column] = _of_item([y - self._shift for y in scores.values()])


def _change(counted: Counter[Key], keys: list[Key], sign: int) -> None:
    for key in keys:
        counted[key] += sign
        if not counted[key]:
            del counted[key]


def _of_item(values: list[float]) -> Floats:
    """(4,) an item's disagreement, judgments, and sums of v and v²; 0 below two judgments."""
    m, first, second = len(values), sum(values), sum(v * v for v in values)
    if m < 2:
        return np.zeros(4)
    return np.array([2 * (m * second - first**2) / (m - 1), m, first, second])
