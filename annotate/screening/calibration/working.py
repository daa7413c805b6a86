"""The times and edits of honest people like a campaign's: what they did, drawn again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from estimation.core import Floats, Ints

_NEAR = 0.9  # the bandwidth between people, in standard deviations, if one is known
_LEAST_EFFECTS = 0.3  # of people's logarithms, while few people are known


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
    def fitted(cls, who: Ints, x: Floats, y: Floats, kind: Ints) -> Logs:
        """Return the model of logarithms y (n,) on x (n,), by person; kind: (n,) 0 to K - 1."""
        kinds = [kind == k for k in range(int(kind.max(initial=0)) + 1)]
        lines = np.array([_line(x[part], y[part]) for part in kinds])
        rest = y - lines[kind, 0] - lines[kind, 1] * x
        _people, at, n = np.unique(who, return_inverse=True, return_counts=True)
        mean = np.bincount(at, rest) / n
        within = rest - mean[at]
        # Means of few tasks differ by chance as well, and residuals from them are too small.
        effects = mean * np.sqrt(_between(mean, n, within))
        within *= np.sqrt(n / np.maximum(n - 1, 1))[at]
        known = n[at] > 1
        residuals = tuple(_or_none(within[part & known]) for part in kinds)
        return cls(lines, _even(_or_none(effects)), residuals)

    def drawn(self, who: Ints, people: int, x: Floats, kind: Ints, rng: Generator) -> Floats:
        """Return (T,) new values, not logarithms; kind: (T,) as fitted, and 0 where it was not."""
        kind = np.where(kind < len(self.lines), kind, 0)
        intercept, slope = self.lines[kind].T
        rest = np.choose(kind, [rng.choice(each, who.size) for each in self.residuals])
        return np.asarray(np.exp(intercept + slope * x + self._effects(people, rng)[who] + rest))

    def _effects(self, people: int, rng: Generator) -> Floats:
        """Return (people,) effects near those that occurred, a little further apart.

        A smoothed bootstrap (Silverman and Young 1987): the fastest that occurred are not the
        fastest that there can be.
        """
        known, middle = self.people.size, self.people.mean()
        near, few = _NEAR * known**-0.2, _LEAST_EFFECTS / np.sqrt(1 + known / 20)
        drawn, between, more = rng.choice(self.people, people), *rng.standard_normal((2, people))
        apart = drawn - middle + near * self.people.std() * between
        return np.asarray(middle + apart / np.sqrt(1 + near**2) + few * more)


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the intercept, from which half of y (n,) are above the line, and the slope."""
    if y.size < 2:
        return (float(y.mean()) if y.size else 0.0), 0.0
    spread = float(x.var())
    slope = float(((x - x.mean()) * (y - y.mean())).mean() / spread) if spread > 0 else 0.0
    return float(np.median(y - slope * x)), slope


def _between(mean: Floats, n: Ints, within: Floats) -> Floats:
    """Return (A,) the share of the variance of each person's mean that is the person's own.

    By the analysis of variance of one random factor. mean, n: (A,), within: the residuals.
    """
    people, whole = n.size, int(n.sum())
    if people < 2:
        return np.zeros(people)
    noise = float(within @ within) / max(whole - people, 1)
    apart = mean - (n @ mean) / whole
    own = (float(n @ apart**2) - (people - 1) * noise) / (whole - float(n @ n) / whole)
    return np.asarray(max(own, 0.0) / np.maximum(max(own, 0.0) + noise / n, 1e-12))


def _even(effects: Floats) -> Floats:
    """Return (2 H,) effects that are even about their median, from the half that is nearer to it.

    Careless people are fast and change little, and some are not yet suspicious; nobody is slow to
    deceive. If slow people are many, the fast ones show how much people differ.
    """
    middle = np.median(effects)
    halves = (middle - effects[effects <= middle], effects[effects >= middle] - middle)
    near = min(halves, key=lambda half: float((half**2).mean()))
    return np.asarray(np.r_[middle - near, middle + near])


def _or_none(values: Floats) -> Floats:
    return values if values.size else np.zeros(1)
