"""The metrics there are, by name. Adding one: a `Metric` in its module's METRICS, and a test."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from estimation.metrics import against_input, against_reference, reference_free, vectors
from estimation.metrics.base import Metric, MetricError


class UnknownMetricError(MetricError):
    """No metric has this name; the message lists those that there are."""


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (*reference_free.METRICS, *against_reference.METRICS, *against_input.METRICS)
    }
)


def get(name: str) -> Metric:
    """The metric of that name, `vecsim:MODEL` included (see `vectors`).

    Raises UnknownMetricError, or ModelUnavailableError for `vecsim:` without a model.
    """
    if name.startswith(vectors.PREFIX):
        return vectors.named(name)
    try:
        return METRICS[name]
    except KeyError:
        known = ", ".join(METRICS)
        raise UnknownMetricError(
            f"There is no metric {name!r}. Known: {known}, {vectors.PREFIX}MODEL."
        ) from None


def find(name: str) -> Metric | None:
    """The metric of that name, or None where it can only be a column of the user's own."""
    try:
        return get(name)
    except MetricError:
        return None


def available(has_reference: bool, *, has_paragraphs: bool = False) -> list[Metric]:
    """The metrics that can be computed from what there is; reference-free first."""
    needs = {"nothing"}
    if has_reference:
        needs.add("reference")
    if has_paragraphs:
        needs.add("paragraphs")
    return [metric for metric in METRICS.values() if metric.needs in needs]
