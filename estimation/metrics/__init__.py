"""Automatic metrics g(z) over text: the control variates. Pure: no Django, no database, no clock.

Importing this package is cheap: rouge-score, nltk and sacrebleu (seconds) load on first use.
"""

from estimation.metrics.base import (
    LengthMismatchError,
    Metric,
    MetricError,
    MissingReferencesError,
)
from estimation.metrics.edits import EmptyEditError, hter, levenshtein
from estimation.metrics.registry import METRICS, UnknownMetricError, available, get
from estimation.metrics.scoring import score_all
from estimation.metrics.text import normalise, words

__all__ = [
    "METRICS",
    "EmptyEditError",
    "LengthMismatchError",
    "Metric",
    "MetricError",
    "MissingReferencesError",
    "UnknownMetricError",
    "available",
    "get",
    "hter",
    "levenshtein",
    "normalise",
    "score_all",
    "words",
]
