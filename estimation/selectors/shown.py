"""Which part of an estimate is shown: none before ten items, and no impossible scores.

This is for display only. The stopping rule uses the whole interval from the start.
"""

from dataclasses import dataclass
from math import inf
from typing import Protocol

from annotate.text.figures import count, many

LEAST_ITEMS = 10


@dataclass(frozen=True)
class ScoreRange:
    """The scores between which an interval is shown."""

    low: float
    high: float

    def cut(self, value: float | None) -> float | None:
        return None if value is None else min(max(value, self.low), self.high)


class ScoreBounds(Protocol):
    """The common fields of a criterion and a scale."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def bounded(self) -> bool: ...


def of_scale(criterion: ScoreBounds, estimate: float | None = None) -> ScoreRange:
    """Return the scale; for an unbounded one, the working range.

    An estimate above its working range keeps the upper end of its interval. No score is below the
    range.
    """
    if criterion.bounded or estimate is None or estimate <= criterion.high:
        return ScoreRange(criterion.low, criterion.high)
    return ScoreRange(criterion.low, inf)


def span(criterion: ScoreBounds) -> float:
    """Return the largest width that is shown for an interval on this criterion."""
    return criterion.high - criterion.low


def least(n_population: int | None) -> int:
    """Return the number of judged items from which an estimate is shown, or all if fewer."""
    return LEAST_ITEMS if not n_population else min(LEAST_ITEMS, n_population)


@dataclass(frozen=True)
class Awaited:
    """Something that is not shown yet, such as `Estimates`, and the progress towards it."""

    what: str
    of: tuple[str, str]  # what is counted, in singular and plural
    n: int
    needed: int
    final: bool = False  # no more will come

    @property
    def share(self) -> int:
        """Return the progress in percent, for a bar."""
        return min(100, round(100 * self.n / self.needed)) if self.needed else 100

    def __str__(self) -> str:
        if self.is_enough:  # the items of a system without an estimate are not counted further
            return f"{self.what} are not made yet: there are enough {self.of[1]}."
        if self.final:
            return (
                f"There are {many(self.n, *self.of)}. {self.what} are shown from {self.needed} on."
            )
        return f"{self.what} appear after {many(self.needed, *self.of)}: {self.so_far}."

    @property
    def is_enough(self) -> bool:
        return 0 < self.needed <= self.n

    @property
    def so_far(self) -> str:
        if self.is_enough:
            return "enough so far"
        return f"{count(self.n)} so far" if self.n else "none so far"
