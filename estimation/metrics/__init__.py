"""Automatic metrics g(z) over text: the control variates. Pure: no Django, no database, no clock.

Importing this package is cheap: rouge-score, nltk and sacrebleu (seconds) load on first use.
"""

from estimation.metrics.base import (
    LengthMismatchError,
    Metric,
    MetricError,
    MissingParagraphsError,
    MissingReferencesError,
)
from estimation.metrics.edits import EmptyEditError, hter, levenshtein
from estimation.metrics.registry import METRICS, UnknownMetricError, available, find, get
from estimation.metrics.scoring import Chunk, may_have_children, score_all, score_chunks
from estimation.metrics.text import normalise, paragraphs, words
from estimation.metrics.vectors import (
    Encoder,
    MissingExtraError,
    ModelUnavailableError,
    vecsim_metric,
)

__all__ = [
    "METRICS",
    "Chunk",
    "EmptyEditError",
    "Encoder",
    "LengthMismatchError",
    "Metric",
    "MetricError",
    "MissingExtraError",
    "MissingParagraphsError",
    "MissingReferencesError",
    "ModelUnavailableError",
    "UnknownMetricError",
    "available",
    "find",
    "get",
    "hter",
    "levenshtein",
    "may_have_children",
    "normalise",
    "paragraphs",
    "score_all",
    "score_chunks",
    "vecsim_metric",
    "words",
]
