"""How much a metric can save: correlation, normalised annotator variance, data efficiency."""

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Sample
from estimation.core.estimators.components import one_way


def data_efficiency(*, rho: float, gamma: float, raters: float = 1.0) -> float:
    """Var(sample mean) / Var(control variates) = (1 + c) / (1 - rho² + c), c = gamma / raters.

    rho: correlation of the metric with the human metric f. gamma: sigma_a² / sigma_f².
    raters: judgments per item. The factor by which judgments are saved; infinite at rho = 1
    without noise. Equation (7) of Chaganty, Mussmann and Liang (2018). Raises InvalidOptionError
    outside -1 <= rho <= 1, gamma >= 0, raters > 0.
    """
    if not (-1 <= rho <= 1 and gamma >= 0 and raters > 0):
        raise InvalidOptionError("Data efficiency takes a correlation, gamma >= 0 and raters > 0.")
    noise = gamma / raters
    left = 1 - rho**2 + noise
    return (1 + noise) / left if left > 0 else float("inf")


def data_efficiency_cap(*, gamma: float, raters: float = 1.0) -> float:
    """The data efficiency of a perfect metric, (1 + gamma) / gamma with gamma / raters."""
    return data_efficiency(rho=1.0, gamma=gamma, raters=raters)


def normalised_annotator_variance(sample: Sample) -> float | None:
    """gamma = sigma_a² / sigma_f², both from the one-way analysis of variance.

    None where the estimate of sigma_f² is not positive. Raises ReplicatesNeededError as `one_way`.
    """
    components = one_way(sample)
    return components.noise / components.item if components.item > 0 else None


def human_metric_correlation(sample: Sample) -> float | None:
    """rho = Cov(ybar, g) / (sigma_f sigma_g), equation (5): what r would be without noise.

    Cov over the judged items, sigma_f from the one-way analysis of variance, sigma_g over all N
    outputs; cut to -1..1. None where sigma_f² is not positive or fewer than two items differ.
    Raises ReplicatesNeededError without replicates, MetricMissingError without a metric.
    """
    x = sample.standardised_metric()
    item_variance = one_way(sample).item
    if item_variance <= 0:
        return None
    judged, item = np.unique(sample.item, return_inverse=True)
    mean = np.bincount(item, sample.score) / np.bincount(item)
    covariance = float(np.cov(mean, x[judged])[0, 1])
    return float(np.clip(covariance / np.sqrt(item_variance), -1.0, 1.0))
