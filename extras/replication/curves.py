"""Figure 6: the width of the bootstrap interval against the number of judgments."""

from dataclasses import dataclass

import numpy as np

from estimation.core import Floats, Sample
from extras.replication.cells import item_means

SIZES = tuple(range(50, 501, 50))
TAILS = (0.1, 0.9)  # the paper's 80 % intervals
HUMAN, NOISELESS, PERFECT = "human judgments alone", "noiseless judgments", "perfect metric"


@dataclass(frozen=True)
class Curve:
    """Widths of the interval at each of `SIZES`, and the data efficiency against judgments alone.

    The data efficiency is the ratio of squared widths, averaged over the sizes, as in section 5.
    """

    label: str
    widths: tuple[float, ...]
    efficiency: float


def curves(
    sample: Sample, metrics: dict[str, Floats], *, noiseless_with: str, replicates: int, seed: int
) -> list[Curve]:
    """Return the curves of one panel: judgments alone, each metric, and the paper's conjectures.

    metrics: name -> (N,) values.
    noiseless_with: the metric used for noiseless judgments.
    A bootstrap sample draws an output with replacement, then one of its judgments, so that every
    judgment is an independent draw as in the paper's model. All curves share their draws.
    """
    rng = np.random.default_rng(seed)
    items, mean = item_means(sample)
    at = rng.integers(0, items.size, (replicates, max(SIZES)))
    score = _a_judgment_of_each(sample, at, rng)
    plain = _widths(score, np.zeros_like(score))
    found = {HUMAN: plain}
    for name, values in metrics.items():
        found[name] = _widths(score, _standardised(values)[items][at])
    without_noise = _standardised(metrics[noiseless_with])[items][at]
    found[NOISELESS] = _widths(mean[at], without_noise)
    found[PERFECT] = _widths(score, _standardised(mean)[at])
    return [
        Curve(name, tuple(widths.tolist()), float(np.mean((plain / widths) ** 2)))
        for name, widths in found.items()
    ]


def _a_judgment_of_each(sample: Sample, at: np.ndarray, rng: np.random.Generator) -> Floats:
    """Return the score of one random judgment of each of the judged items `at`."""
    order = np.argsort(sample.item, kind="stable")
    _, first, count = np.unique(sample.item[order], return_index=True, return_counts=True)
    chosen = first[at] + (rng.random(at.shape) * count[at]).astype(np.int64)
    return np.asarray(sample.score[order][chosen])


def _standardised(values: Floats) -> Floats:
    deviation = values - values.mean()
    sd = deviation.std()
    return np.asarray(deviation / sd if sd > 0 else deviation)


def _widths(y: Floats, x: Floats) -> Floats:
    """Return (sizes,) the width of Algorithm 1's bootstrap interval; with x = 0 the mean's."""
    starts = np.array((0, *SIZES[:-1]))
    n = np.array(SIZES)
    mean_y, mean_x, mean_xy = (
        np.cumsum(np.add.reduceat(values, starts, axis=1), axis=1) / n for values in (y, x, x * y)
    )
    estimate = mean_y - (mean_xy - mean_x * mean_y) * mean_x
    low, high = np.quantile(estimate, TAILS, axis=0)
    return np.asarray(high - low)
