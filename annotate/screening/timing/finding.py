"""Too fast: less time than reading takes, and far less than the others take."""

import numpy as np
from scipy.special import bdtr, bdtrik

from annotate.screening.base import Columns, Verdict, verdicts
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from estimation.core import Floats, Ints


class Timing(Thresholds):
    """Reading faster than `words_per_minute`, in less than `share` of the others' median time.

    scanning: the same for paragraphs, which careful people search and do not read.
    words: tasks with fewer words are ignored.
    """

    words_per_minute: float = between(500, 100, 5000)
    scanning: float = between(1500, 100, 10_000)
    words: int = between(20, 1, 1000)
    share: float = between(1 / 3, 0.01, 1)
    level: float = between(0.95, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


def find(columns: Columns, own: Timing, limits: CrowdThresholds) -> list[Verdict]:
    """Flag annotators whose median time is confidently below reading speed and the others'.

    value: the median over items of time / (words shown / reading speed). Its interval comes from a
        sign test, so a few quick items are not enough. An annotator is flagged if its upper end is
        below 1 and the median time is below `share` of the median of the others' medians. In a fast
        crowd, people of the usual speed are not flagged.
    """
    known = np.isfinite(columns.seconds) & (columns.words >= own.words)
    who, seconds = columns.who[known], columns.seconds[known]
    speed = own.words_per_minute if columns.verdicts is None else own.scanning
    pace = seconds / (columns.words[known] * 60 / speed)
    n = np.bincount(who, minlength=columns.people.size)
    enough = (n >= own.minimum) & columns.others(limits.people, limits.judgments)
    middle, low, high = medians(who, pace, n, own.level)
    typical = medians(who, seconds, n, own.level)[0]
    others = median_of_others(typical)
    share = typical / np.where(others > 0, others, np.nan)
    return verdicts(
        "too_fast",
        columns,
        flagged=(high < 1) & (share < own.share),
        value=middle,
        low=low,
        high=high,
        threshold=1.0,
        n=n,
        enough=enough,
        numbers={"seconds": typical, "others_seconds": others, "share_of_others": share},
    )


def medians(who: Ints, value: Floats, n: Ints, level: float) -> tuple[Floats, Floats, Floats]:
    """Return (A,) medians with one-sided bounds from order statistics, infinite for few values."""
    ordered = value[np.lexsort((value, who))]
    start = np.cumsum(n) - n
    rank = _quantile(level, n)  # this many may be below, and one more is below

    def at(position: Ints, beyond: float) -> Floats:
        there = (position >= 0) & (position < n)
        safe = np.where(there, start + position, 0)
        return np.where(there, np.append(ordered, np.nan)[safe], beyond)

    middle = (at((n - 1) // 2, np.nan) + at(n // 2, np.nan)) / 2
    return middle, at(n - 1 - rank, -np.inf), at(rank, np.inf)


def median_of_others(value: Floats) -> Floats:
    """Return (A,) the median of all others' values, NaN for an annotator without others."""
    known = np.sort(value[np.isfinite(value)])
    mine = np.where(np.isfinite(value), np.searchsorted(known, value), known.size)
    rest = known.size - np.isfinite(value)
    if known.size < 2:
        return np.where(rest > 0, known.sum(), np.nan)

    def at(position: Ints) -> Floats:
        """Return the value at this position among the others."""
        return np.asarray(known[np.maximum(position + (position >= mine), 0)])

    return (at((rest - 1) // 2) + at(rest // 2)) / 2


def _quantile(level: float, n: Ints) -> Ints:
    """Return (A,) the least number of heads that n tosses do not exceed with this probability.

    It equals `scipy.stats.binom.ppf`, whose import would take 60 MB in every process that may
    screen.
    """
    tosses = np.maximum(n, 1)
    near = np.ceil(bdtrik(level, tosses, 0.5))
    below = np.maximum(near - 1, 0)
    least = np.where(bdtr(below, tosses, 0.5) >= level, below, near)
    return np.where(n > 0, least, 0).astype(np.int64)
