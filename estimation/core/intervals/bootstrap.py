"""The paper's bootstrap: draw judgments with replacement, refit, take percentiles.

A replicate is a vector of counts over judgments, and the estimators are functions of five sums
that are linear in the counts. So replicates are one matrix product, and a whole history of
intervals is a cumulative sum over judgments in the order of their arrival.

Both treat every judgment as an independent draw, as the paper does: too narrow where people
differ (docs/statistics.md). They are for comparison, not for stopping.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from scipy import sparse

from estimation.core.data.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.data.sample import Floats, Ints, Sample
from estimation.core.intervals.interval import check_level

Refit = Literal["regression", "algorithm_1", "mean"]
Per = Literal["item", "judgment"]
REFITS: tuple[str, ...] = get_args(Refit)
PERS: tuple[str, ...] = get_args(Per)

# Numbers per array of a chunk: enough for matrix products to be fast, 2 MB of memory.
_CHUNK = 1 << 18
# Sums of squares below this share of their terms are rounding, not spread.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A percentile interval, in score units.

    low, high: the ends, not clipped to the scale. level: such as 0.8.
    centre: the estimate from the sample itself. std_error: standard deviation over replicates.
    replicates: how many were fitted; those in which nothing was drawn are left out.
    """

    low: float
    high: float
    level: float
    centre: float
    std_error: float
    replicates: int

    @property
    def width(self) -> float:
        """The distance between the ends."""
        return self.high - self.low


def bootstrap(
    sample: Sample,
    *,
    estimator: Refit = "regression",
    level: float = 0.8,
    replicates: int = 1000,
    seed: int = 0,
    per: Per = "item",
) -> BootstrapInterval:
    """Section 5 of Chaganty, Mussmann and Liang (2018): T of T judgments drawn with replacement.

    per: "item" lets items weigh equally, as `estimate` does: a judgment of item i weighs 1 / k_i
    each time that it is drawn. "judgment" lets judgments weigh equally, as in the paper.
    The metric stays standardised over all N outputs. The same seed gives the same replicates.
    Raises InvalidOptionError for another estimator or `per`, a level outside 0..1, fewer than
    two replicates or a negative seed; MetricMissingError without a metric that is needed.
    """
    check_options(estimator=estimator, per=per, level=level, replicates=replicates, seed=seed)
    column = columns(sample, estimator=estimator, per=per)
    rng = np.random.default_rng(seed)
    size = sample.n_judgments
    sums = [draw_counts(rng, rows, size) @ column for rows in chunks(replicates, size)]
    return summary(column, np.concatenate(sums), sample=sample, estimator=estimator, level=level)


def bootstrap_widths(
    sample: Sample,
    *,
    estimator: Refit = "regression",
    level: float = 0.8,
    replicates: int = 1000,
    seed: int = 0,
    per: Per = "item",
) -> Floats:
    """(T,) widths of the percentile interval after judgment 1, ..., T; NaN after the first.

    Counts are independent Poisson(1) numbers instead of T draws: given their sum they are the
    same draws, and the counts of the first n judgments serve for every n. Replicates in which
    nothing is drawn yet, a share of exp(-n), are left out. Needs T x replicates bytes.
    Options and errors as in `bootstrap`; rows in order of arrival.
    """
    check_options(estimator=estimator, per=per, level=level, replicates=replicates, seed=seed)
    counts = poisson_counts(sample.n_judgments, replicates=replicates, seed=seed)
    steps = _weight_steps(sample.item) if per == "item" else sparse.eye(counts.shape[0]).tocsr()
    x, y = _metric_and_scores(sample, estimator)
    width = np.empty(y.size)
    total = np.zeros((2 if estimator == "mean" else 5, 1, replicates))
    start = 0
    for rows in chunks(y.size, replicates):
        now = slice(start, start + rows)
        flow = _flow(steps[now], counts, x[sample.item[now]], y, total.shape[0])
        flow[:, 0] += total[:, 0]
        sums = np.cumsum(flow, axis=1, out=flow)
        low, high = percentile_ends(refit(sums, estimator=estimator), level=level)
        width[now] = high - low
        total, start = sums[:, -1:].copy(), start + rows
    width[0] = np.nan
    return width


def poisson_counts(size: int, *, replicates: int, seed: int) -> np.ndarray:
    """(size, replicates) uint8, how often each judgment counts; a prefix of a longer history."""
    rng = np.random.default_rng(seed)
    parts = [
        # The chance of a count above 255 is below 1e-500.
        rng.poisson(1.0, (rows, replicates)).astype(np.uint8)
        for rows in chunks(size, replicates)
    ]
    return np.concatenate(parts)


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
    # Where x is flat Sxy is 0 too, up to rounding, and any divisor but that rounding will do.
    divisor = weight if estimator == "algorithm_1" else np.where(flat, 1.0, sxx)
    return np.asarray(ybar - sxy / divisor * xbar)


def columns(sample: Sample, *, estimator: Refit, per: Per) -> Floats:
    """(T, 5) what a judgment adds to the five sums each time it is drawn, (T, 2) for the mean.

    Scores are taken about the middle of those given, so that the sums lose no digits.
    """
    x, y = _metric_and_scores(sample, estimator)
    weight = np.ones(y.size)
    if per == "item":
        weight = 1 / np.bincount(sample.item)[sample.item]
    x = x[sample.item]
    rows = [weight, y * weight]
    if estimator != "mean":
        rows += [x * weight, x * x * weight, x * y * weight]
    return np.stack(rows, axis=1)


def summary(
    column: Floats, sums: Floats, *, sample: Sample, estimator: Refit, level: float
) -> BootstrapInterval:
    """The interval from the sums (R, 5) of all replicates and the columns (T, 5) behind them."""
    fitted = refit(sums.T, estimator=estimator)
    fitted = fitted[np.isfinite(fitted)] + _shift(sample)
    if fitted.size < 2:
        raise IntervalUnavailableError("Too few judgments: next to no replicate drew any.")
    low, high = percentile_ends(fitted, level=level)
    centre = float(refit(column.sum(axis=0), estimator=estimator)) + _shift(sample)
    error = float(fitted.std(ddof=1))
    return BootstrapInterval(float(low), float(high), level, centre, error, fitted.size)


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


def _metric_and_scores(sample: Sample, estimator: Refit) -> tuple[Floats, Floats]:
    unused = estimator == "mean"
    x = np.zeros(sample.n_population) if unused else sample.standardised_metric()
    return x, sample.score - _shift(sample)


def _shift(sample: Sample) -> float:
    return float(sample.score.min() + sample.score.max()) / 2


def _weight_steps(item: Ints) -> sparse.csr_matrix:
    """(T, T) by how much judgment t changes the weight 1 / k of every judgment so far.

    With the t-th judgment its item's weights become 1 / k_t; before they were 1 / (k_t - 1).
    """
    size = item.size
    about = sparse.csr_matrix((np.ones(size), (np.arange(size), item)))
    so_far = sparse.tril(about @ about.T, format="csr")
    weight = sparse.diags(1 / np.asarray(so_far.sum(axis=1)).ravel()) @ so_far
    order = np.argsort(item, kind="stable")
    again = np.flatnonzero(np.diff(item[order]) == 0)
    before = sparse.csr_matrix(
        (np.ones(again.size), (order[again + 1], order[again])), shape=(size, size)
    )
    return sparse.csr_matrix(weight - before @ weight)


def _flow(
    steps: sparse.csr_matrix, counts: np.ndarray, x: Floats, y: Floats, n_sums: int
) -> Floats:
    """(n_sums, rows, R) what each of these judgments adds to the sums of every replicate.

    steps: these rows of the weight steps. x: (rows,) their items' metric. y: (T,) all scores.
    """
    involved = np.unique(steps.indices)
    drawn, change = counts[involved].astype(np.float64), steps[:, involved]
    flow = np.empty((n_sums, x.size, counts.shape[1]))
    flow[0], flow[1] = change @ drawn, change.multiply(y[involved]).tocsr() @ drawn
    if n_sums > 2:
        np.multiply(flow[0], x[:, None], out=flow[2])
        np.multiply(flow[2], x[:, None], out=flow[3])
        np.multiply(flow[1], x[:, None], out=flow[4])
    return flow
