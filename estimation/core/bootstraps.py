"""Percentile intervals by resampling: the paper's bootstrap and the pigeonhole bootstrap.

The paper's treats every judgment as an independent draw: its intervals are too narrow where people
differ (docs/statistics.md). Both serve comparison, not stopping.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator

from estimation.core.errors import IntervalUnavailableError, InvalidOptionError
from estimation.core.intervals import check_level
from estimation.core.sample import Floats, Sample

# --- Bootstrap replicates as counts over judgments, and estimates refitted from five sums.
#
# A replicate is a vector of counts over judgments, and the estimators are functions of five sums
# that are linear in the counts. So all replicates are one matrix product.


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


def percentile_ends(values: Floats, *, level: float) -> tuple[float, float]:
    """The (1 - level) / 2 and (1 + level) / 2 quantiles of finite values (R,).

    Linear between order statistics, as numpy's default.
    """
    ordered, tail = np.sort(values), (1 - level) / 2

    def quantile(share: float) -> float:
        place = share * (values.size - 1)
        below = int(place)
        low, high = ordered[below], ordered[min(below + 1, values.size - 1)]
        return float(low + (place - below) * (high - low))

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


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A percentile interval, in score units.

    low, high: the ends, not clipped to the scale.
    level: the confidence level, such as 0.8.
    centre: the estimate from the sample itself.
    std_error: the standard deviation over replicates.
    replicates: how many replicates were fitted; those in which nothing was drawn are left out.
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
    """Return the paper's bootstrap interval: T of T judgments drawn with replacement.

    Section 5 of [1]_. The metric stays standardised over all N outputs. It treats judgments as
    independent draws, so it is too narrow where people differ: for comparison, not for stopping.

    sample: the judgments and, unless the estimator is the mean, one metric.
    estimator: what is fitted again in every replicate.
    level: the confidence level.
    replicates: at least 2.
    seed: not negative. The same seed gives the same replicates.
    per: "item": items weigh equally, as in `estimate`; a judgment of item i weighs 1 / k_i each
        time that it is drawn. "judgment": judgments weigh equally, as in the paper.
    Returns: the (1 - level) / 2 and (1 + level) / 2 quantiles of the replicates.
    Raises InvalidOptionError: an option is unknown or out of range.
    Raises MetricMissingError: the estimator needs a metric and the sample has none.
    Raises IntervalUnavailableError: fewer than two replicates drew any judgment.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    """
    check_options(estimator=estimator, per=per, level=level, replicates=replicates, seed=seed)
    column = columns(sample, estimator=estimator, per=per)
    rng = np.random.default_rng(seed)
    size = sample.n_judgments
    sums = [draw_counts(rng, rows, size) @ column for rows in chunks(replicates, size)]
    return summary(column, np.concatenate(sums), sample=sample, estimator=estimator, level=level)


def summary(
    column: Floats, sums: Floats, *, sample: Sample, estimator: Refit, level: float
) -> BootstrapInterval:
    """The interval from the sums (R, 5) of all replicates and the columns (T, 5) behind them."""
    fitted = refit(sums.T, estimator=estimator)
    fitted = fitted[np.isfinite(fitted)] + midpoint(sample)
    if fitted.size < 2:
        raise IntervalUnavailableError("Too few judgments: next to no replicate drew any.")
    low, high = percentile_ends(fitted, level=level)
    centre = float(refit(column.sum(axis=0), estimator=estimator)) + midpoint(sample)
    error = float(fitted.std(ddof=1))
    return BootstrapInterval(low, high, level, centre, error, fitted.size)


def pigeonhole(
    sample: Sample,
    *,
    estimator: Refit = "regression",
    level: float = 0.8,
    replicates: int = 1000,
    seed: int = 0,
    per: Per = "item",
) -> BootstrapInterval:
    """Return the pigeonhole bootstrap interval: items and annotators drawn independently.

    n of the n judged items and A of the A annotators are drawn; a judgment counts the product of
    its two counts [1]_. The interval knows that people differ and is conservative. Of a mean it
    estimates

        item (c_items + 2) + person (c_people + 2) + 3 rest   over T, where the truth is
        item c_items + person c_people + rest,   c = sum of squared counts / T.

    Where most items are judged once, c_items is near 1 and the variance up to three times too
    large: an upper reference.

    sample, estimator, level, replicates, seed, per: as in `bootstrap`.
    Returns: as from `bootstrap`.
    Raises InvalidOptionError, MetricMissingError: as in `bootstrap`.
    Raises IntervalUnavailableError: there are fewer than two items or two annotators.

    .. [1] A. B. Owen (2007). The pigeonhole bootstrap. The Annals of Applied Statistics 1,
       386-411.
    """
    check_options(estimator=estimator, per=per, level=level, replicates=replicates, seed=seed)
    items, item = np.unique(sample.item, return_inverse=True)
    people, person = np.unique(sample.annotator, return_inverse=True)
    if items.size < 2 or people.size < 2:
        raise IntervalUnavailableError("The pigeonhole bootstrap takes two items and two people.")
    column = columns(sample, estimator=estimator, per=per)
    # A generator each, so that the replicates do not depend on how they are chunked.
    draws = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    sums = []
    for rows in chunks(replicates, sample.n_judgments):
        v, u = draw_counts(draws[0], rows, items.size), draw_counts(draws[1], rows, people.size)
        sums.append((v[:, item] * u[:, person]) @ column)
    return summary(column, np.concatenate(sums), sample=sample, estimator=estimator, level=level)
