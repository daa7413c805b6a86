"""A closer look at one system × criterion: what its texts scored, and what its metrics said.

The content that is stored, in plain values:

- n: judged texts. mean: of their means; None without any. scores: their distribution.
- line: the least-squares line from the metrics to the means; None without one.
- metrics: one for each metric of the campaign: name; r, low, high and level of the correlation of
  its values with the means, r None where there is none; cut: [metric, mean], the averages that part
  high from low; parts: the four quadrants; points: up to 1,000 of [position, metric, mean, n];
  values: the distribution of the metric.

A distribution has `edges` (k + 1) and `counts` (k). A part has `metric` and `people` ("high" or
"low"), how many texts (`n`), and the positions of a few clear examples.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotate.instruments.base import Criterion
from estimation.core import Predictor, TextScores, correlation

MOST_POINTS = 1000
EXAMPLES = 5
BINS = 16

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Row = dict[str, Any]


def content(
    position: Ints,
    scores: TextScores,
    *,
    criterion: Criterion,
    metrics: Floats | None,
    names: Sequence[str],
    line: Predictor | None,
    level: float,
) -> Row:
    """Return the content for texts at these positions (N,), with metrics (N, p) or None."""
    known = np.flatnonzero(scores.n > 0)
    mean = scores.mean[known]
    ends = (criterion.low, criterion.high) if criterion.bounded else None
    columns = () if metrics is None else zip(names, metrics.T, strict=True)
    return {
        "n": int(known.size),
        "mean": float(mean.mean()) if known.size else None,
        "scores": _distribution(mean, ends),
        "line": _line(line, names),
        "metrics": [
            {"name": name, **_beside(position[known], value[known], mean, scores.n[known], level)}
            for name, value in columns
        ],
    }


def _line(line: Predictor | None, names: Sequence[str]) -> Row | None:
    if line is None:
        return None
    return {
        "intercept": line.intercept,
        "slopes": dict(zip(names, line.slopes.tolist(), strict=True)),
    }


def _distribution(values: Floats, ends: tuple[float, float] | None = None) -> Row:
    """Return how many values lie in each part of the scale, or of their own range."""
    if not values.size:
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(values, bins=BINS, range=ends)
    return {"edges": edges.tolist(), "counts": counts.tolist()}


def _beside(position: Ints, value: Floats, mean: Floats, n: Ints, level: float) -> Row:
    """Return one metric beside the means of the judged texts, all (n,)."""
    known = np.isfinite(value)
    position, value, mean, n = position[known], value[known], mean[known], n[known]
    found = correlation(value, mean, level=level)
    return {
        "r": found and found.r,
        "low": found and found.low,
        "high": found and found.high,
        "level": level,
        "n": int(value.size),
        "cut": [float(value.mean()), float(mean.mean())] if value.size else None,
        "parts": list(_parts(position, value, mean)),
        "points": _points(position, value, mean, n),
        "values": _distribution(value),
    }


def _points(position: Ints, value: Floats, mean: Floats, n: Ints) -> list[list[float]]:
    """Return evenly spaced texts in the order of collecting, which is random."""
    order = np.argsort(position, kind="stable")
    if order.size > MOST_POINTS:
        order = order[np.linspace(0, order.size - 1, MOST_POINTS).astype(int)]
    columns = (position[order].tolist(), value[order], mean[order], n[order].tolist())
    return [[at, float(g), float(y), many] for at, g, y, many in zip(*columns, strict=True)]


def _parts(position: Ints, value: Floats, mean: Floats) -> Iterator[Row]:
    """Yield the quadrants about the averages, each with its clearest examples.

    A text is clear where the nearer of its two distances is large, in standard deviations.
    """
    if not value.size:
        return
    across, up = _standard(value), _standard(mean)
    clear = np.minimum(np.abs(across), np.abs(up))
    for metric in ("high", "low"):
        for people in ("high", "low"):
            here = ((across >= 0) == (metric == "high")) & ((up >= 0) == (people == "high"))
            mine = np.flatnonzero(here)
            first = mine[np.argsort(-clear[mine], kind="stable")][:EXAMPLES]
            examples = position[first].tolist()
            yield {"metric": metric, "people": people, "n": int(mine.size), "examples": examples}


def _standard(values: Floats) -> Floats:
    spread = float(values.std())
    return np.asarray((values - values.mean()) / (spread or 1.0))
