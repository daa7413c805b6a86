"""The numbers of one system on one criterion, and those of Table 2."""

from dataclasses import dataclass

import numpy as np

from estimation.core import (
    Crossed,
    Floats,
    Sample,
    crossed,
    data_efficiency,
    data_efficiency_cap,
    human_metric_correlation,
    normalised_annotator_variance,
    one_way,
    variance_of_item_means,
)


@dataclass(frozen=True)
class Spread:
    """Table 2 for one criterion, in squared score units.

    noise: MSW.
    mean_within: the mean over outputs of the variance of each one's scores, which the paper prints
        as sigma_a².
    item_means: the variance of item means, which the paper prints as sigma_f².
    item: the unbiased one-way estimate of sigma_f².
    crossed: separate components of items, people and the rest.
    """

    criterion: str
    n_outputs: int
    n_judgments: int
    noise: float
    mean_within: float
    item_means: float
    item: float
    crossed: Crossed

    @property
    def gamma_printed(self) -> float:
        """Return the ratio as the paper's table has it."""
        return self.mean_within / self.item_means

    @property
    def gamma(self) -> float:
        """Return sigma_a² / sigma_f² with the unbiased sigma_f²; infinite unless it is above 0."""
        return self.noise / self.item if self.item > 0 else float("inf")


@dataclass(frozen=True)
class MetricLink:
    """The relation of one metric with the human scores of one system on one criterion.

    r: Pearson's correlation of item means with the metric (Figure 5).
    rho: the same without the noise of the means, equation (5).
    efficiency, cap: equation (7) and its bound.
    None where sigma_f² is not positive or the metric does not vary.
    """

    system: str
    criterion: str
    metric: str
    n_outputs: int
    r: float | None
    rho: float | None
    gamma: float | None
    efficiency: float | None
    cap: float | None


def spread(criterion: str, sample: Sample) -> Spread:
    """Return Table 2's row over all judged outputs. Raises ReplicatesNeededError."""
    by_item = one_way(sample)
    return Spread(
        criterion=criterion,
        n_outputs=np.unique(sample.item).size,
        n_judgments=sample.n_judgments,
        noise=by_item.noise,
        mean_within=mean_within(sample),
        item_means=variance_of_item_means(sample),
        item=by_item.item,
        crossed=crossed(sample),
    )


def link(system: str, criterion: str, metric: str, sample: Sample) -> MetricLink:
    """Return the correlation and its data efficiency; the sample contains the metric."""
    gamma, rho = normalised_annotator_variance(sample), human_metric_correlation(sample)
    items, mean = item_means(sample)
    metric_of_judged = sample.standardised_metric()[items]
    varies = np.ptp(metric_of_judged) > 0 and np.ptp(mean) > 0
    known = rho is not None and gamma is not None and varies
    return MetricLink(
        system=system,
        criterion=criterion,
        metric=metric,
        n_outputs=items.size,
        r=float(np.corrcoef(mean, metric_of_judged)[0, 1]) if varies else None,
        rho=rho if varies else None,
        gamma=gamma,
        efficiency=data_efficiency(rho=rho, gamma=gamma) if known else None,  # type: ignore[arg-type]
        cap=data_efficiency_cap(gamma=gamma) if gamma else None,
    )


def mean_within(sample: Sample) -> float:
    """Return the mean, over items judged twice or more, of the variance of an item's scores."""
    _, index, count = np.unique(sample.item, return_inverse=True, return_counts=True)
    mean = np.bincount(index, sample.score) / count
    squares = np.bincount(index, (sample.score - mean[index]) ** 2)
    several = count > 1
    return float((squares[several] / (count[several] - 1)).mean())


def item_means(sample: Sample) -> tuple[np.ndarray, Floats]:
    """Return (judged items ascending, their mean scores)."""
    items, index = np.unique(sample.item, return_inverse=True)
    return items, np.bincount(index, sample.score) / np.bincount(index)
