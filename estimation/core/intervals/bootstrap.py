"""Percentile intervals by resampling: the paper's bootstrap and the pigeonhole bootstrap.

The paper's treats every judgment as an independent draw: its intervals are too narrow where people
differ (docs/statistics.md). Both serve comparison, not stopping.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.errors import IntervalUnavailableError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.intervals.resampling import (
    Per,
    Refit,
    check_options,
    chunks,
    columns,
    draw_counts,
    midpoint,
    percentile_ends,
    refit,
)


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A percentile interval, in score units.

    Attributes
    ----------
    low, high : float
        The ends, not clipped to the scale.
    level : float
        The confidence level, such as 0.8.
    centre : float
        The estimate from the sample itself.
    std_error : float
        The standard deviation over replicates.
    replicates : int
        How many replicates were fitted; those in which nothing was drawn are left out.
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

    Parameters
    ----------
    sample : Sample
        The judgments and, unless the estimator is the mean, one metric.
    estimator : {"regression", "algorithm_1", "mean"}, default "regression"
        What is fitted again in every replicate.
    level : float, default 0.8
        The confidence level.
    replicates : int, default 1000
        At least 2.
    seed : int, default 0
        Not negative. The same seed gives the same replicates.
    per : {"item", "judgment"}, default "item"
        "item": items weigh equally, as in `estimate`; a judgment of item i weighs 1 / k_i each time
        that it is drawn. "judgment": judgments weigh equally, as in the paper.

    Returns
    -------
    BootstrapInterval
        The (1 - level) / 2 and (1 + level) / 2 quantiles of the replicates.

    Raises
    ------
    InvalidOptionError
        An option is unknown or out of range.
    MetricMissingError
        The estimator needs a metric and the sample has none.
    IntervalUnavailableError
        Fewer than two replicates drew any judgment.

    References
    ----------
    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import bootstrap
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> found = bootstrap(sample, replicates=400, seed=7)
    >>> [round(number, 2) for number in (found.low, found.high)]
    [0.11, 0.2]
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
    return BootstrapInterval(float(low), float(high), level, centre, error, fitted.size)


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

    Parameters
    ----------
    sample, estimator, level, replicates, seed, per
        As in `bootstrap`.

    Returns
    -------
    BootstrapInterval
        As from `bootstrap`.

    Raises
    ------
    InvalidOptionError, MetricMissingError
        As in `bootstrap`.
    IntervalUnavailableError
        There are fewer than two items or two annotators.

    References
    ----------
    .. [1] A. B. Owen (2007). The pigeonhole bootstrap. The Annals of Applied Statistics 1,
       386-411.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import bootstrap, pigeonhole
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> pigeonhole(sample).width > bootstrap(sample).width
    True
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
