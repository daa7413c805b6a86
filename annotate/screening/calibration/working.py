"""The times and edits of honest people like a campaign's: their own residuals, drawn again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from estimation.core import Floats, Ints

_LEAST_EFFECTS = 0.3  # of people's logarithms, while few people are known
_FEW = 5.0  # judgments that weigh as much as the others' mean


@dataclass(frozen=True, eq=False)
class Logs:
    """Logarithms of times or of sizes of edits: intercept + slope · x + person + residual.

    people, residuals: what occurred; they are drawn again.
    """

    intercept: float
    slope: float
    people: Floats
    residuals: Floats

    @classmethod
    def fitted(cls, who: Ints, x: Floats, y: Floats) -> Logs:
        """Return the model of logarithms y (n,) on x (n,), by person."""
        if y.size < 2:
            return cls(float(y.mean()) if y.size else 0.0, 0.0, np.zeros(1), np.zeros(1))
        spread = float(x.var())
        slope = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else 0.0
        intercept = float(np.median(y - slope * x))
        rest = y - intercept - slope * x
        _people, at, n = np.unique(who, return_inverse=True, return_counts=True)
        effect = np.bincount(at, rest) / (n + _FEW)
        return cls(intercept, slope, effect, rest - effect[at])

    def drawn(self, who: Ints, people: int, x: Floats, rng: Generator) -> Floats:
        """Return (T,) new values, not logarithms."""
        few = _LEAST_EFFECTS / np.sqrt(1 + self.people.size / 20)
        effect = rng.choice(self.people, people) + few * rng.standard_normal(people)
        rest = rng.choice(self.residuals, who.size)
        return np.asarray(np.exp(self.intercept + self.slope * x + effect[who] + rest))
