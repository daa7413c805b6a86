"""Automatic metrics g(z) over text: the control variates. No Django, no database, no clock.

The import is cheap: rouge-score, nltk and sacrebleu (seconds) load on first use. docs/library.md is
a guide.
"""

from estimation.metrics.base import (
    LengthMismatchError,
    Metric,
    MetricError,
    MissingOthersError,
    MissingParagraphsError,
    MissingReferencesError,
    Needs,
)
from estimation.metrics.edits import HTER_VERSION, EmptyEditError, hter, levenshtein, takes_long
from estimation.metrics.scoring import (
    METRICS,
    UnknownMetricError,
    available,
    find,
    get,
    score_all,
)
from estimation.metrics.text import normalise, paragraphs, reading_length, word_spans, words
from estimation.metrics.vectors import (
    Encoder,
    MissingExtraError,
    ModelUnavailableError,
    vecsim_metric,
)

__all__ = [
    "HTER_VERSION",
    "METRICS",
    "EmptyEditError",
    "Encoder",
    "LengthMismatchError",
    "Metric",
    "MetricError",
    "MissingExtraError",
    "MissingOthersError",
    "MissingParagraphsError",
    "MissingReferencesError",
    "ModelUnavailableError",
    "Needs",
    "UnknownMetricError",
    "available",
    "find",
    "get",
    "hter",
    "levenshtein",
    "normalise",
    "paragraphs",
    "reading_length",
    "score_all",
    "takes_long",
    "vecsim_metric",
    "word_spans",
    "words",
]
