"""Own consistency: ratings that do not go with one's own edits."""

import numpy as np

from annotate.screening import crowd
from annotate.screening.base import Columns, ScreenFinding, finding
from annotate.screening.coding import ranked
from annotate.screening.grouping import levels
from annotate.screening.slopes import slopes
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats


class Consistency(Thresholds):
    """Ratings that go with the own edits less than `threshold` of the usual (0: not at all).

    minimum: the least number of edits.
    """

    threshold: float = between(0.5, 0, 0.9)
    minimum: int = between(8, 8, 1000)


def find(columns: Columns, own: Consistency, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators whose worse ratings do not come with larger edits, as other people's do.

    Per annotator, the slope of the rank of an edit's size on the mean rank of the ratings, both
    from the whole campaign. It compares a person's edits with each other, so the size of their
    edits and the level of their ratings do not matter. value: the slope over the others' slope.
    Without edits there is no evidence.
    """
    people = columns.people.size
    none = np.full(len(columns.who), np.nan)
    size = none if columns.edit_distance is None else columns.edit_distance
    rows = np.isfinite(size) & (len(columns.scores) > 0)
    who, n = columns.who[rows], np.bincount(columns.who[rows], minlength=people)
    worse = -_mean_rank(np.column_stack([c[rows] for c in columns.scores.values()] or [size[rows]]))
    apart = worse - (np.bincount(who, worse, people) / np.maximum(n, 1))[who]
    counts = crowd.counts(columns, crowd.categories(columns))
    yardstick = crowd.varied(counts, limits)
    found = slopes(who, apart * _rank(size[rows]), apart**2, yardstick)
    value = found.own / found.usual
    enough = (n >= own.minimum) & np.isfinite(value)
    return finding(
        "own_consistency",
        columns,
        evidence=found.evidence,
        past=value < own.threshold,
        value=value,
        threshold=own.threshold,
        n=n,
        enough=enough & crowd.large_enough(counts, yardstick, limits),
        numbers={"slope": found.own, "usual_slope": found.usual},
    )


def _mean_rank(answers: Floats) -> Floats:
    """Return (T,) the mean rank of the answers of each judgment, standardised."""
    return _standard(np.mean([_rank(column) for column in answers.T], axis=0))


def _rank(values: Floats) -> Floats:
    """Return mid-ranks with mean 0 and variance 1."""
    _different, which, n = levels(values)
    return ranked(n)[which]


def _standard(values: Floats) -> Floats:
    spread = values.std() if values.size else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros(values.shape)
