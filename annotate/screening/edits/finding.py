"""Short edits: the required edits are minimal, or always the same text."""

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns, Verdict, share_bounds, verdicts
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints


class Edits(Thresholds):
    """More than `share` of the required edits change under `characters`, or repeat a text."""

    characters: int = between(5, 1, 100)
    share: float = between(0.5, 0.1, 0.99)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find(columns: Columns, own: Edits, limits: CrowdThresholds) -> list[Verdict]:
    """Flag annotators whose share of short or repeated edits exceeds `share` with confidence.

    Short: under `characters` changed. Repeated: the annotator submitted the same text for another
    item (for two outputs of one item, that is honest work).
    """
    people = columns.people.size
    distance = _or(columns.edit_distance, np.full(len(columns.who), np.nan))
    required = np.isfinite(distance)
    short = required & (distance < own.characters)
    repeated = required & _repeated(columns)
    who = columns.who
    n = np.bincount(who[required], minlength=people)
    thin = np.bincount(who[short | repeated], minlength=people)
    low, high = share_bounds(thin, n, own.level)
    return verdicts(
        "short_edits",
        columns,
        flagged=low > own.share,
        value=thin / np.where(n > 0, n, np.nan),
        low=low,
        high=high,
        threshold=own.share,
        n=n,
        enough=(n >= own.minimum) & (people > 1),
        numbers={
            "short": np.bincount(who[short], minlength=people).astype(float),
            "repeated": np.bincount(who[repeated], minlength=people).astype(float),
        },
    )


def _repeated(columns: Columns) -> NDArray[np.bool_]:
    """Return (T,) whether the annotator submitted this edit for another item as well."""
    text = columns.edit_text
    if text is None:
        return np.zeros(len(columns.who), dtype=bool)
    item = columns.output if columns.item is None else columns.item
    group = _pairs(columns.who, text)
    items = np.bincount(group[np.unique(_pairs(group, item), return_index=True)[1]])
    return np.asarray((items[group] > 1) & (text >= 0))


def _pairs(one: Ints, other: Ints) -> Ints:
    """Return (T,) a number for each different pair."""
    codes, size = np.unique(other, return_inverse=True)[1], len(other)
    return np.asarray(np.unique(one * size + codes, return_inverse=True)[1])


def _or(column: Floats | None, default: Floats) -> Floats:
    return default if column is None else column
