"""The times and edits of honest people like a campaign's: what they did, drawn again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from estimation.core import Floats, Ints

_LEAST_EFFECTS = 0.3  # of people's logarithms, while few people are known
_FEW = 5.0  # judgments that weigh as much as the others' mean


@dataclass(frozen=True, eq=False)
class Logs:
    """Logarithms of times or of sizes of edits: a line of x + person + residual.

    Tasks of each kind have a line (K, 2) of their own, intercept and slope, and residuals. Who is
    fast in one kind is as fast in the other. people, residuals: what occurred.
    """

    lines: Floats
    people: Floats
    residuals: tuple[Floats, ...]

    @classmethod
    def fitted(cls, who: Ints, x: Floats, y: Floats, kind: Ints | None = None) -> Logs:
        """Return the model of logarithms y (n,) on x (n,), by person.

        kind: (n,) 0 to K - 1, None if all are alike.
        """
        kind = np.zeros(y.size, dtype=np.int64) if kind is None else kind
        kinds = [kind == k for k in range(int(kind.max(initial=0)) + 1)]
        lines = np.array([_line(x[part], y[part]) for part in kinds])
        rest = y - lines[kind, 0] - lines[kind, 1] * x
        _people, at, n = np.unique(who, return_inverse=True, return_counts=True)
        effect = np.bincount(at, rest) / (n + _FEW)
        residuals = tuple(_or_none((rest - effect[at])[part]) for part in kinds)
        return cls(lines, _or_none(effect), residuals)

    def drawn(
        self, who: Ints, people: int, x: Floats, rng: Generator, kind: Ints | None = None
    ) -> Floats:
        """Return (T,) new values, not logarithms.

        kind: (T,) as fitted, None if all are alike; a kind that was not fitted is like the first.
        """
        given = np.zeros(who.size, dtype=np.int64) if kind is None else kind
        kind = np.where(given < len(self.lines), given, 0)
        intercept, slope = self.lines[kind].T
        rest = np.choose(kind, [rng.choice(each, who.size) for each in self.residuals])
        few = _LEAST_EFFECTS / np.sqrt(1 + self.people.size / 20)
        effect = rng.choice(self.people, people) + few * rng.standard_normal(people)
        return np.asarray(np.exp(intercept + slope * x + effect[who] + rest))


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the intercept, from which half of y (n,) are above the line, and the slope."""
    if y.size < 2:
        return (float(y.mean()) if y.size else 0.0), 0.0
    spread = float(x.var())
    slope = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else 0.0
    return float(np.median(y - slope * x)), slope


def _or_none(values: Floats) -> Floats:
    return values if values.size else np.zeros(1)
