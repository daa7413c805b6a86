"""The public calls: one system, one criterion, an estimate now or after every judgment."""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import moments, moments_along
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.cells import Fitted
from estimation.core.estimators.components import Crossed
from estimation.core.estimators.fit import (
    ESTIMANDS,
    INTERVALS,
    AnyEstimator,
    Estimand,
    Estimator,
    IntervalMethod,
    Method,
    from_sums,
    parts,
)
from estimation.core.estimators.notices import (
    leniency,
)
from estimation.core.estimators.registry import registered
from estimation.core.estimators.result import Estimate, assemble
from estimation.core.intervals.interval import half_width


def estimate(
    sample: Sample,
    *,
    estimator: AnyEstimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    seed: int = 0,
    components: Crossed | None = None,
) -> Estimate:
    """Estimate the mean score over all N outputs of a system, with its error.

    Choose the metrics and the estimator before the first judgment. An interval is too narrow if
    the same judgments chose between several.

    Parameters
    ----------
    sample : Sample
        The judgments of one system on one criterion, and its metrics.
    estimator : str, default "regression"
        "regression": control variates by least squares; one metric.
        "algorithm_1": Algorithm 1 of [1]_; one metric.
        "mean": the mean of item means; no metric needed.
        "multi": one metric or more. Least squares where there are at least 20 judged items for
        each metric, otherwise ridge regression, cross-fitted in five folds of items.
        "balanced": generalised least squares over all judgments, corrected by the metrics if
        there are any. It speaks for people counted equally and is narrower where activity is
        uneven.
        "ppi": PPI++ [2]_ with a normal interval of its own; one metric; for comparison only.
    interval : {"two_way", "iid"}, default "two_way"
        "two_way" treats items and annotators as sampled. "iid" treats every judgment as an
        independent draw. It serves comparison only: it is too narrow whenever people differ, and
        it knows no pseudo-rows, estimand or finite population.
    estimand : {"population", "panel"}, default "population"
        Whether the result speaks for people in general or for exactly these annotators.
    finite_population : bool, default True
        Shrink the item part as the share of judged outputs grows.
    pseudo_rows : bool, default True
        Guard the item part with four rows at the ends of the scale, in the way of [3]_.
    seed : int, default 0
        The seed of the five folds ("multi", and "balanced" with several metrics); 0 or more.
    components : Crossed, optional
        The variance components that weigh the judgments ("balanced" only). By default they are
        estimated from the sample.

    Returns
    -------
    Estimate
        The estimate, its variance in parts, and what a reader must know about it.

    Raises
    ------
    InvalidOptionError
        An option is unknown, out of range, or not for this estimator.
    MetricMissingError
        The estimator needs a metric and the sample has none.

    References
    ----------
    The formulas are in docs/statistics.md.

    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.
    .. [2] A. N. Angelopoulos, J. C. Duchi and T. Zrnic (2023). PPI++: Efficient
       prediction-powered inference. arXiv:2311.01453.
    .. [3] A. Agresti and B. A. Coull (1998). Approximate is better than "exact" for interval
       estimation of binomial proportions. The American Statistician 52, 119-126.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> campaign = draw(plan, np.random.default_rng(1))
    >>> found = estimate(campaign.sample)
    >>> interval = found.interval(0.95)
    >>> [round(number, 2) for number in (found.estimate, interval.low, interval.high)]
    [0.16, 0.08, 0.24]
    >>> interval.low < campaign.truth < interval.high
    True
    >>> round(estimate(campaign.sample, estimator="mean").interval(0.95).width, 2)
    0.16
    """
    method = Method(estimator, interval, estimand, finite_population, pseudo_rows, seed)
    _check_options(method, components)
    if (way := registered(estimator)).fit is not None:
        if way.own_interval:
            method = replace(method, interval="iid")
        return _estimate_from_rows(sample, method, way.fit(sample, method, components))
    x = metric_for(sample, method)
    stats = moments(sample, x=x)
    found = parts(stats, method=method, scale=sample.scale, n_population=sample.n_population)
    people = leniency(sample, x=x, slope=float(found.slope))
    return assemble(
        stats, found, people, method=method, scale=sample.scale, n_population=sample.n_population
    )


def _estimate_from_rows(sample: Sample, method: Method, fitted: Fitted) -> Estimate:
    """An estimate that needs more than a few sums."""
    corrected = np.zeros(sample.n_population)
    corrected[sample.item] = fitted.correction
    people = leniency(sample, x=corrected, slope=1.0)
    return assemble(
        moments(sample, x=np.zeros(sample.n_population)),
        fitted.parts,
        people,
        method=method,
        scale=sample.scale,
        n_population=sample.n_population,
        fitted=fitted,
    )


def _check_options(method: Method, components: Crossed | None) -> None:
    found = registered(method.estimator)
    choices = (
        (method.interval, INTERVALS),
        (method.estimand, ESTIMANDS),
    )
    for given, known in choices:
        if given not in known:
            raise errors.InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
    if method.interval == "iid" and found.two_way_only:
        raise errors.InvalidOptionError(f"{method.estimator!r} has the two-way interval only.")
    if components is not None and not found.takes_components:
        raise errors.InvalidOptionError(f"The estimator {method.estimator!r} takes no components.")
    if method.seed < 0:
        raise errors.InvalidOptionError(f"A seed is 0 or more; got {method.seed}.")


def metric_for(sample: Sample, method: Method) -> Floats:
    """(N,) the standardised metric, or zeros for the mean; also checks the method's options."""
    _check_options(method, None)
    if from_sums(method.estimator) == "mean":
        return np.zeros(sample.n_population)
    return sample.standardised_metric()


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """The estimates after judgment 1, 2, ..., T; every array is (T,), NaN where undefined.

    Entry t equals what `estimate` gives for the first t + 1 judgments.

    Attributes
    ----------
    estimate, centre, std_error, df : (T,) array of float
        As in `Estimate`.
    n_items, effective_annotators : (T,) array of float
        As in `Estimate`.
    method : Method
        The options that were asked for.
    scale : Scale
        The scale of the scores.
    """

    estimate: Floats
    centre: Floats
    std_error: Floats
    df: Floats
    n_items: Floats
    effective_annotators: Floats
    method: Method
    scale: Scale

    def half_widths(self, level: float) -> Floats:
        """Return half the width of each interval.

        Parameters
        ----------
        level : float
            The confidence level, such as 0.95.

        Returns
        -------
        (T,) array of float
            In score units; NaN where there is no interval.

        Raises
        ------
        InvalidOptionError
            The level is not between 0 and 1.
        """
        return half_width(self.std_error, self.df, level=level)


def trajectory(
    sample: Sample,
    *,
    estimator: Estimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
) -> Trajectory:
    """Return the estimate after every single judgment, computed at once.

    The sample's rows must be in order of arrival. The work is O(T log T): cumulative sums, no
    refits.

    Parameters
    ----------
    sample : Sample
        The judgments in order of arrival.
    estimator : {"regression", "algorithm_1", "mean"}, default "regression"
        The estimators that a few sums determine.
    interval, estimand, finite_population, pseudo_rows
        As in `estimate`.

    Returns
    -------
    Trajectory
        Arrays with one entry for each judgment.

    Raises
    ------
    InvalidOptionError
        An option is unknown, or the estimator needs more than sums.
    MetricMissingError
        The estimator needs a metric and the sample has none.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate, trajectory
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> history = trajectory(sample)
    >>> widths = 2 * history.half_widths(0.95)
    >>> [round(float(widths[t]), 2) for t in (50, 150, 300)]
    [0.38, 0.21, 0.17]
    >>> bool(np.isclose(history.estimate[-1], estimate(sample).estimate))
    True
    """
    method = Method(estimator, interval, estimand, finite_population, pseudo_rows)
    stats = moments_along(sample, x=metric_for(sample, method))
    found = parts(stats, method=method, scale=sample.scale, n_population=sample.n_population)
    return Trajectory(
        estimate=found.estimate,
        centre=found.centre,
        std_error=np.sqrt(found.variance),
        df=found.df,
        n_items=stats.items.one_one,
        effective_annotators=found.effective_annotators,
        method=method,
        scale=sample.scale,
    )
