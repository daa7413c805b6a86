"""All metrics by name."""

from collections.abc import Sequence

from estimation.metrics import comparisons, reference_free, vectors
from estimation.metrics.base import FloatArray, Metric, MetricError


class UnknownMetricError(MetricError):
    """No metric has this name; the message lists the known ones."""


# A new metric is a `Metric` in its module's METRICS, with a test.
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        *reference_free.METRICS,
        *comparisons.METRICS,
    )
}


def get(name: str) -> Metric:
    """Return the metric of that name.

    name: A name in `METRICS`, or `vecsim:MODEL`.
    Returns: the metric; a model is loaded when something is scored.
    Raises UnknownMetricError: no metric has this name.
    Raises ModelUnavailableError: `vecsim:` stands without a model.

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

    name: any name, for instance that of a column.
    Returns: None where the name can only be a column of the user's own.

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

    has_reference: whether every text has a reference.
    has_paragraphs: whether every text has the input's paragraphs.
    has_others: whether another system wrote a text for every item.
    Returns: in the order of registration.

    >>> from estimation.metrics import available
    >>> all(metric.needs == "nothing" for metric in available(has_reference=False))
    True
    """
    given = {
        "nothing": True,
        "reference": has_reference,
        "paragraphs": has_paragraphs,
        "others": has_others,
    }
    return [metric for metric in METRICS.values() if given[metric.needs]]


def score_all(
    metric_names: Sequence[str],
    texts: Sequence[str],
    references: Sequence[str] | None = None,
    *,
    paragraphs: Sequence[Sequence[str]] | None = None,
    others: Sequence[Sequence[str]] | None = None,
) -> dict[str, FloatArray]:
    """Compute several metrics for many texts.

    metric_names: names in `METRICS`, or `vecsim:MODEL`.
    texts: the texts.
    references: one for each text.
    paragraphs: the input's paragraphs for each text.
    others: what the other systems wrote for the same item, for each text.
    Returns: (texts,) floats by metric name.
    Raises MetricError: A metric is unknown or lacks what it needs; raised before any work.

    >>> from estimation.metrics import score_all
    >>> scores = score_all(["length", "repetition_1"], ["a b a b", "a b c"])
    >>> {name: values.tolist() for name, values in scores.items()}
    {'length': [4.0, 3.0], 'repetition_1': [0.5, 0.0]}
    """
    metrics = {name: get(name) for name in metric_names}
    for metric in metrics.values():
        metric.check(texts, references, paragraphs=paragraphs, others=others)
    return {
        name: metric.score(texts, references, paragraphs=paragraphs, others=others)
        for name, metric in metrics.items()
    }
