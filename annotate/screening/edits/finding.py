"""Short edits: the required edits are minimal, or always the same text."""

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns, ScreenFinding, finding, share_bounds, tail
from annotate.screening.order_statistics import median_of_others, middles
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, distinct, numbered


class Edits(Thresholds):
    """More than `share` of the required edits change under `characters`, or repeat a text.

    of_usual: an edit is short only below this share of what others changed as well: of the same
        output where somebody else edited it, else of any.
    """

    characters: int = between(5, 1, 100)
    of_usual: float = between(0.25, 0.01, 1)
    share: float = between(0.5, 0.1, 0.99)
    level: float = between(0.99, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find(columns: Columns, own: Edits, limits: CrowdThresholds) -> ScreenFinding:
    """Flag annotators whose share of short or repeated edits exceeds `share` with confidence.

    Short: under `characters` changed, and far fewer than others change. Repeated: the annotator
    submitted the same text for another item (for two outputs of one item, that is honest work).
    """
    people = columns.people.size
    distance = _or(columns.edit_distance, np.full(len(columns.who), np.nan))
    required = np.isfinite(distance)
    limit = np.minimum(
        own.characters, own.of_usual * _usual(columns, distance, required, own.of_usual)
    )
    short = required & (distance < limit)
    repeated = required & _repeated(columns)
    who = columns.who
    n = np.bincount(who[required], minlength=people)
    thin = np.bincount(who[short | repeated], minlength=people)
    low, high = share_bounds(thin, n, own.level)
    return finding(
        "short_edits",
        columns,
        evidence=tail(thin, n, own.share),
        past=low > own.share,
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


def _usual(columns: Columns, distance: Floats, required: NDArray[np.bool_], share: float) -> Floats:
    """Return (T,) how much others changed: the geometric mean of the same output, or the median.

    The median is that of people's medians. A text that nobody else edited has the median. Who
    usually changes less than `share` of it is no yardstick for the outputs of others: else those
    who hardly change anything would excuse one another.
    """
    who, size = columns.who, np.log(np.where(required, np.maximum(distance, 1), 1))
    n = np.bincount(who[required], minlength=columns.people.size)
    middle = middles(who[required], size[required], n)
    typical = median_of_others(middle)
    known = required & ~(middle < typical + np.log(share))[who]
    output = columns.text
    others = np.bincount(output, known)[output] - known
    total = np.bincount(output, size * known)[output] - size * known
    own = np.where(others > 0, total / np.maximum(others, 1), typical[who])
    # Of one other, who may be careless too, no more than usual is believed.
    return np.asarray(np.exp(np.nan_to_num(np.minimum(own, typical[who]), nan=np.inf)))


def _repeated(columns: Columns) -> NDArray[np.bool_]:
    """Return (T,) whether the annotator submitted this edit for another item as well."""
    text = columns.edit_text
    if text is None:
        return np.zeros(len(columns.who), dtype=bool)
    item = columns.output if columns.item is None else columns.item
    there = np.flatnonzero(text >= 0)
    group = numbered(columns.who[there] * there.size + numbered(text[there]))
    different = distinct(group * there.size + numbered(item[there])) // max(there.size, 1)
    repeated = np.zeros(text.size, dtype=bool)
    repeated[there] = np.bincount(different, minlength=1)[group] > 1
    return repeated


def _or(column: Floats | None, default: Floats) -> Floats:
    return default if column is None else column
