"""How much a metric can save: correlation, normalised annotator variance, data efficiency."""

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Sample
from estimation.core.estimators.components import one_way


def data_efficiency(*, rho: float, gamma: float, raters: float = 1.0) -> float:
    """Return by what factor a metric saves judgments.

    Var(sample mean) / Var(control variates) = (1 + c) / (1 - rho² + c), c = gamma / raters:
    equation (7) of [1]_ for one judgment of each item.

    Parameters
    ----------
    rho : float
        Correlation of the metric with the human metric f, from -1 to 1.
    gamma : float
        sigma_a² / sigma_f², 0 or more; see `normalised_annotator_variance`.
    raters : float, default 1
        Judgments of each item, above 0.

    Returns
    -------
    float
        1 or more; infinite for a perfect metric without noise.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    References
    ----------
    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.

    Examples
    --------
    >>> from estimation.core import data_efficiency
    >>> round(data_efficiency(rho=0.5, gamma=1), 3)
    1.143
    >>> round(data_efficiency(rho=0.9, gamma=0), 3)
    5.263
    """
    if not (-1 <= rho <= 1 and gamma >= 0 and raters > 0):
        raise InvalidOptionError("Data efficiency takes a correlation, gamma >= 0 and raters > 0.")
    noise = gamma / raters
    left = 1 - rho**2 + noise
    return (1 + noise) / left if left > 0 else float("inf")


def data_efficiency_cap(*, gamma: float, raters: float = 1.0) -> float:
    """Return the data efficiency of a perfect metric: (1 + gamma) / gamma.

    Parameters
    ----------
    gamma, raters : float
        As in `data_efficiency`.

    Returns
    -------
    float
        1 or more; infinite without noise.

    Raises
    ------
    InvalidOptionError
        A number lies outside its range.

    Examples
    --------
    >>> from estimation.core import data_efficiency_cap
    >>> data_efficiency_cap(gamma=0.5)
    3.0
    """
    return data_efficiency(rho=1.0, gamma=gamma, raters=raters)


def normalised_annotator_variance(sample: Sample) -> float | None:
    """Return gamma = sigma_a² / sigma_f², both from the one-way analysis of variance.

    Parameters
    ----------
    sample : Sample
        The judgments; the metric is not used.

    Returns
    -------
    float or None
        None where the estimate of sigma_f² is not positive.

    Raises
    ------
    ReplicatesNeededError
        As in `one_way`.

    Examples
    --------
    >>> from estimation.core import Sample, Scale, normalised_annotator_variance
    >>> score, item, annotator = [1, 0, 0, -1, -1, -1], [0, 0, 1, 1, 2, 2], [1, 2, 1, 2, 1, 2]
    >>> sample = Sample(score, item, annotator, n_population=3, scale=Scale(-1, 1))
    >>> round(normalised_annotator_variance(sample), 3)
    0.8
    """
    components = one_way(sample)
    return components.noise / components.item if components.item > 0 else None


def human_metric_correlation(sample: Sample) -> float | None:
    """Estimate rho, the correlation of metric and human metric without the judges' noise.

    rho = Cov(ybar, g) / (sigma_f sigma_g), equation (5) of [1]_: the covariance over the judged
    items, sigma_f from the one-way analysis of variance, sigma_g over all N outputs.

    Parameters
    ----------
    sample : Sample
        The judgments and one metric.

    Returns
    -------
    float or None
        Cut to -1..1; None where the estimate of sigma_f² is not positive.

    Raises
    ------
    ReplicatesNeededError
        As in `one_way`.
    MetricMissingError
        The sample has no metric.
    InvalidOptionError
        The sample has several metrics.

    References
    ----------
    .. [1] A. T. Chaganty, S. Mussmann and P. Liang (2018). The price of debiasing automatic
       metrics in natural language evaluation. ACL 2018, 643-653.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import human_metric_correlation
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, rho=0.5, n_population=3000)
    >>> round(human_metric_correlation(draw(plan, np.random.default_rng(1)).sample), 1)
    0.5
    """
    x = sample.standardised_metric()
    item_variance = one_way(sample).item
    if item_variance <= 0:
        return None
    judged, item = np.unique(sample.item, return_inverse=True)
    mean = np.bincount(item, sample.score) / np.bincount(item)
    covariance = float(np.cov(mean, x[judged])[0, 1])
    return float(np.clip(covariance / np.sqrt(item_variance), -1.0, 1.0))
