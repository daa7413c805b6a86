"""All metrics by name. A new metric is a `Metric` in its module's METRICS, with a test."""

from __future__ import annotations

from estimation.metrics import (
    against_input,
    against_reference,
    consensus,
    reference_free,
    sentences,
    vectors,
)
from estimation.metrics.base import Metric, MetricError


class UnknownMetricError(MetricError):
    """No metric has this name; the message lists the known ones."""


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *reference_free.METRICS,
        *sentences.METRICS,
        *against_reference.METRICS,
        *against_input.METRICS,
        *consensus.METRICS,
    )
}


def get(name: str) -> Metric:
    """Return the metric of that name.

    Parameters
    ----------
    name : str
        A name in `METRICS`, or `vecsim:MODEL`.

    Returns
    -------
    Metric
        The metric; a model is loaded when something is scored.

    Raises
    ------
    UnknownMetricError
        No metric has this name.
    ModelUnavailableError
        `vecsim:` stands without a model.

    Examples
    --------
    >>> from estimation.metrics import get
    >>> get("length").score(["one two three"]).tolist()
    [3.0]
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
    """Return the metric of that name, or None.

    Parameters
    ----------
    name : str
        Any name, for instance that of a column.

    Returns
    -------
    Metric or None
        None where the name can only be a column of the user's own.

    Examples
    --------
    >>> from estimation.metrics import find
    >>> find("my_llm_judge") is None
    True
    """
    try:
        return get(name)
    except MetricError:
        return None


def available(
    has_reference: bool, *, has_paragraphs: bool = False, has_others: bool = False
) -> list[Metric]:
    """List the metrics that the given data allow, reference-free ones first.

    Parameters
    ----------
    has_reference : bool
        Whether every text has a reference.
    has_paragraphs : bool, default False
        Whether every text has the input's paragraphs.
    has_others : bool, default False
        Whether another system wrote a text for every item.

    Returns
    -------
    list of Metric
        In the order of registration.

    Examples
    --------
    >>> from estimation.metrics import available
    >>> all(metric.needs == "nothing" for metric in available(has_reference=False))
    True
    """
    needs = {"nothing"}
    if has_reference:
        needs.add("reference")
    if has_paragraphs:
        needs.add("paragraphs")
    if has_others:
        needs.add("others")
    return [metric for metric in METRICS.values() if metric.needs in needs]
