"""Estimates by a campaign's protocol: what it opened with decides how each of them is made."""

from typing import Any

from annotate.instruments.base import Criterion
from annotate.selectors.campaigns.counting import Brief
from estimation.core import Difference, Estimate, Sample, difference, estimate

# The estimators whose weights make people count by all of their work.
BY_WORK = ("mean", "regression", "multi", "algorithm_1")


def estimated(brief: Brief, criterion: Criterion, sample: Sample) -> Estimate:
    """Return the estimate of one system on one criterion."""
    return estimate(sample, estimator=estimator_for(brief, sample), **_options(brief, criterion))


def without_metrics(brief: Brief, criterion: Criterion, sample: Sample) -> Estimate:
    """Return the same protocol without metrics, to compute what they save."""
    return estimated(brief, criterion, sample.without_metric())


def compared(brief: Brief, criterion: Criterion, first: Sample, second: Sample) -> Difference:
    """Return by how much the first system exceeds the second; see `difference` for its errors."""
    estimator = estimator_for(brief, first)
    return difference(
        first,
        second,
        estimator=estimator,  # type: ignore[arg-type]  # a protocol has one of these
        **_options(brief, criterion),
    )


def estimator_for(brief: Brief, sample: Sample) -> str:
    """Return the protocol's estimator, or the mean while the metric that it takes is not known."""
    asked = brief.protocol.estimator
    return "mean" if sample.metric is None and asked in BY_WORK else asked


def _options(brief: Brief, criterion: Criterion) -> dict[str, Any]:
    constants = brief.protocol.of(criterion.name)
    return {
        "estimand": brief.estimand,
        "balance": constants.balance,
        "person_share": constants.person_share,
    }
