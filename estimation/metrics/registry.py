"""The metrics there are, by name. Adding one: a `Metric` in its module's METRICS, and a test."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from estimation.metrics import against_reference, reference_free
from estimation.metrics.base import Metric, MetricError


class UnknownMetricError(MetricError):
    """No metric has this name; the message lists those that there are."""


METRICS: Mapping[str, Metric] = MappingProxyType(
    {metric.name: metric for metric in (*reference_free.METRICS, *against_reference.METRICS)}
)


def get(name: str) -> Metric:
    """The metric of that name. Raises UnknownMetricError."""
    try:
        return METRICS[name]
    except KeyError:
        known = ", ".join(METRICS)
        raise UnknownMetricError(f"There is no metric {name!r}. Known: {known}.") from None


def available(has_reference: bool) -> list[Metric]:
    """The metrics that can be computed with, or without, a reference; reference-free first."""
    return [metric for metric in METRICS.values() if has_reference or metric.needs == "nothing"]
