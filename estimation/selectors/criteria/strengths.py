"""The systems of a comparison, each by one strength that summarises its pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.special import expit

from estimation.core import TooFewJudgmentsError, bradley_terry
from estimation.core import strength_half_widths as half_widths
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.criteria.rows import CriterionRow

FEWEST = 3  # systems; two of them are one pair, which says it all


@dataclass(frozen=True)
class Strength:
    """A system, and how often it would win against one of average strength, 0 to 1.

    half: half the width of its interval, in log-odds; None where a pair has none.
    """

    system: str
    log_odds: float
    half: float | None

    @property
    def wins(self) -> float:
        return float(expit(self.log_odds))

    @property
    def ends(self) -> tuple[float, float] | None:
        """Return the interval of the log-odds."""
        return None if self.half is None else (self.log_odds - self.half, self.log_odds + self.half)

    @property
    def wins_ends(self) -> tuple[float, float] | None:
        """Return the same of the wins."""
        return (
            None if self.ends is None else (float(expit(self.ends[0])), float(expit(self.ends[1])))
        )


@dataclass(frozen=True)
class Strengths:
    """All systems by one question, the strongest first."""

    question: str
    systems: tuple[Strength, ...]


def strengths(rows: Iterable[CriterionRow]) -> tuple[Strengths, ...]:
    """Return the strengths by each question about pairs whose estimates connect all systems."""
    found = (_strengths(row) for row in rows if row.criterion.wins_of)
    return tuple(one for one in found if one is not None)


def _strengths(row: CriterionRow) -> Strengths | None:
    names = _systems(row.cells)
    if len(names) < FEWEST:
        return None
    place = {name: n for n, name in enumerate(names)}
    wins, halves = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for cell in row.cells:
        if cell.shown is not None:
            first, second = place[cell.system.first], place[cell.system.second]
            share = min(max(cell.shown.estimate, 0.0), 1.0)
            wins[first, second] = share * cell.shown.n_items
            wins[second, first] = (1 - share) * cell.shown.n_items
            wide = np.nan if cell.shown.width is None else cell.shown.width
            halves[first, second] = halves[second, first] = wide / 2
    try:
        found = bradley_terry(wins)
    except TooFewJudgmentsError:
        return None
    known = [None] * len(names) if np.isnan(halves).any() else half_widths(wins, halves).tolist()
    each = [Strength(*one) for one in zip(names, found.tolist(), known, strict=True)]
    return Strengths(row.criterion.wins_of, tuple(sorted(each, key=lambda one: -one.log_odds)))


def _systems(cells: Sequence[ShownCell]) -> list[str]:
    both = ((cell.system.first, cell.system.second) for cell in cells)
    return [name for name in dict.fromkeys(chain.from_iterable(both)) if name]
