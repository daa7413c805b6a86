"""Bootstrap replicates as counts over judgments, and estimates refitted from five sums.

A replicate is a vector of counts over judgments, and the estimators are functions of five sums that
are linear in the counts. So replicates are one matrix product, and a whole history of intervals is
a cumulative sum over judgments in the order of their arrival.
"""

from collections.abc import Iterator
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.intervals.interval import check_level

Refit = Literal["regression", "algorithm_1", "mean"]
Per = Literal["item", "judgment"]
REFITS: tuple[str, ...] = get_args(Refit)
PERS: tuple[str, ...] = get_args(Per)

# Numbers per array of a chunk: enough for matrix products to be fast, 2 MB of memory.
_CHUNK = 1 << 18

# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


def refit(sums: Floats, *, estimator: Refit) -> Floats:
    """The estimate from weighted sums (2 or 5, ...) of 1, y, x, x², xy; NaN where all are 0.

    The slopes are those of `fit`: Sxy / Sxx for the regression, Sxy / sum of weights for
    Algorithm 1, and 0 where the metric does not vary among what was drawn.
    """
    weight = np.where(sums[0] > 0, sums[0], np.nan)
    ybar = sums[1] / weight
    if estimator == "mean":
        return np.asarray(ybar)
    _, _, one_x, x_x, x_y = sums
    xbar = one_x / weight
    sxx, sxy = x_x - one_x * xbar, x_y - one_x * ybar
    flat = sxx <= _ROUNDING * np.maximum(1.0, x_x)
    # Where x is flat, Sxy is 0 up to rounding, and any divisor but the rounding error serves.
    divisor = weight if estimator == "algorithm_1" else np.where(flat, 1.0, sxx)
    return np.asarray(ybar - sxy / divisor * xbar)


def columns(sample: Sample, *, estimator: Refit, per: Per) -> Floats:
    """(T, 5) what a judgment adds to the five sums each time it is drawn, (T, 2) for the mean.

    Scores are centred at the middle of the given ones, so that the sums lose no digits.
    """
    x, y = metric_and_scores(sample, estimator)
    weight = np.ones(y.size)
    if per == "item":
        weight = 1 / np.bincount(sample.item)[sample.item]
    x = x[sample.item]
    rows = [weight, y * weight]
    if estimator != "mean":
        rows += [x * weight, x * x * weight, x * y * weight]
    return np.stack(rows, axis=1)


def percentile_ends(values: Floats, *, level: float) -> tuple[Floats, Floats]:
    """The (1 - level) / 2 and (1 + level) / 2 quantiles along the last axis, NaN left out.

    Linear between order statistics, as numpy's default; NaN where nothing is left.
    """
    ordered = np.sort(values, axis=-1)  # NaN goes last
    last = np.isfinite(values).sum(axis=-1) - 1
    tail = (1 - level) / 2

    def quantile(share: float) -> Floats:
        place = np.maximum(0.0, share * last)
        below = place.astype(np.int64)
        above = np.minimum(below + 1, np.maximum(last, 0))
        low, high = (
            np.take_along_axis(ordered, at[..., None], axis=-1)[..., 0] for at in (below, above)
        )
        return np.asarray(low + (place - below) * (high - low))

    return quantile(tail), quantile(1 - tail)


def draw_counts(rng: Generator, replicates: int, size: int) -> Floats:
    """(replicates, size) how often each of `size` things was drawn in `size` draws."""
    drawn = rng.integers(0, size, (replicates, size))
    drawn += size * np.arange(replicates)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=replicates * size)
    return counts.reshape(replicates, size).astype(np.float64)


def chunks(rows: int, width: int) -> Iterator[int]:
    """Numbers of rows that add up to `rows`, each so few that rows x width stays in bounds."""
    step = max(1, _CHUNK // width)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def check_options(*, estimator: str, per: str, level: float, replicates: int, seed: int) -> None:
    """Raise InvalidOptionError unless all are within the range that `bootstrap` documents."""
    check_level(level)
    for given, known in ((estimator, REFITS), (per, PERS)):
        if given not in known:
            raise InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
    if replicates < 2 or seed < 0:
        raise InvalidOptionError(
            "A bootstrap takes two replicates and a seed that is not negative."
        )


def metric_and_scores(sample: Sample, estimator: Refit) -> tuple[Floats, Floats]:
    unused = estimator == "mean"
    x = np.zeros(sample.n_population) if unused else sample.standardised_metric()
    return x, sample.score - midpoint(sample)


def midpoint(sample: Sample) -> float:
    return float(sample.score.min() + sample.score.max()) / 2
