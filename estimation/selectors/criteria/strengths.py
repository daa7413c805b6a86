"""The systems of a comparison, each by one strength that summarises its pairs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.special import expit

from estimation.core import TooFewJudgmentsError, bradley_terry
from estimation.selectors.criteria.cells import ShownCell
from estimation.selectors.criteria.rows import CriterionRow

FEWEST = 3  # systems; two of them are one pair, which says it all


@dataclass(frozen=True)
class Strength:
    """A system, and how often it would win against one of average strength, 0 to 1."""

    system: str
    log_odds: float
    wins: float


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
    wins = np.zeros((len(names), len(names)))
    for cell in row.cells:
        if cell.shown is not None:
            first, second = place[cell.system.first], place[cell.system.second]
            share = min(max(cell.shown.estimate, 0.0), 1.0)
            wins[first, second] = share * cell.shown.n_items
            wins[second, first] = (1 - share) * cell.shown.n_items
    try:
        found = bradley_terry(wins)
    except TooFewJudgmentsError:
        return None
    each = [
        Strength(name, one, float(expit(one)))
        for name, one in zip(names, found.tolist(), strict=True)
    ]
    return Strengths(row.criterion.wins_of, tuple(sorted(each, key=lambda one: -one.log_odds)))


def _systems(cells: Sequence[ShownCell]) -> list[str]:
    both = ((cell.system.first, cell.system.second) for cell in cells)
    return [name for name in dict.fromkeys(chain.from_iterable(both)) if name]
