"""The public call: one system, one criterion, one estimate."""

from dataclasses import replace

from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import (
    BALANCE,
    PERSON_SHARE,
    AnyEstimator,
    Estimand,
    IntervalMethod,
    Method,
)
from estimation.core.estimators.notices import leniency
from estimation.core.estimators.registry import checked
from estimation.core.estimators.result import Estimate, assemble


def estimate(
    sample: Sample,
    *,
    estimator: AnyEstimator = "balanced",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
) -> Estimate:
    """Estimate the mean score over all N outputs of a system, with its error.

    Choose the metrics and the estimator before the first judgment. An interval is too narrow if
    the same judgments chose between several.

    Parameters
    ----------
    sample : Sample
        The judgments of one system on one criterion, and its metrics.
    estimator : str, default "balanced"
        "balanced": a person's judgments weigh less the more of them there are; any number of
        metrics, or none.
        "regression": control variates by least squares, items weighing equally; one metric.
        "algorithm_1": Algorithm 1 of [1]_; one metric.
        "mean": the mean of item means; no metric needed.
        "multi": several metrics by ridge regression, each item corrected by the others; items weigh
        equally. With one metric it is "regression".
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
    balance : float, default 0.15
        lambda of the balanced weights 1 / (k_i (1 + lambda m_j)), up to 1,000,000. Fix it before
        the first judgment, from the criterion's typical components: person / (item + rest).
    person_share : float, default 0.08
        The typical share of a judgment's variance that lies between people, 0 to 1. A smaller
        person variance is pulled up towards it, as by ten more people; 0 pulls nothing.

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
    [0.17, 0.1, 0.24]
    >>> interval.low < campaign.truth < interval.high
    True
    >>> round(estimate(campaign.sample, estimator="mean").interval(0.95).width, 2)
    0.17
    """
    method = Method(
        estimator,
        interval,
        estimand,
        finite_population,
        pseudo_rows,
        balance,
        person_share,
    )
    way = checked(method)
    if way.own_interval:
        method = replace(method, interval="iid")
    fitted = way.fit(sample, method)
    people = leniency(sample, fitted.correction)
    return assemble(
        fitted,
        people,
        method=method,
        scale=sample.scale,
        n_population=sample.n_population,
        n_units=sample.incidence.n_units,
    )
