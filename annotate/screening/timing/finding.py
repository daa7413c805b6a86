"""Too fast: below reading time and a small part of the others', or faster than anybody can read."""

import numpy as np
from numpy.typing import NDArray

from annotate.screening.base import Columns, ScreenFinding, finding, tail
from annotate.screening.order_statistics import median_of_others, medians, middles
from annotate.screening.thresholds import CrowdThresholds, Thresholds, between
from annotate.screening.timing.change import change
from estimation.core import Floats


class Timing(Thresholds):
    """Reading faster than `words_per_minute`, in less than `share` of the others' median time.

    scanning: the same for paragraphs, which careful people search and do not read.
    words: tasks with fewer words are ignored, except those that ended before the paragraphs.
    """

    words_per_minute: float = between(500, 100, 5000)
    scanning: float = between(2500, 100, 10_000)
    words: int = between(20, 1, 1000)
    share: float = between(1 / 3, 0.01, 1)
    level: float = between(0.95, 0.6, 0.99999)
    minimum: int = between(5, 5, 1000)


QUICK = 0.35  # the share of tasks that honest people may do faster than reading takes
LEAST = 1.2  # seconds in which nobody sees a task, decides and answers
# Words a minute that nobody takes in, and that nobody searches in paragraphs.
FASTEST, FASTEST_SEARCH = 2500, 12_500


def find(columns: Columns, own: Timing, limits: CrowdThresholds) -> ScreenFinding:
    """Find annotators whose median time is confidently below reading speed and the others'.

    value: the median over items of time / (words shown / reading speed). Its interval comes from a
        sign test, so a few quick items are not enough. It is past the threshold if its upper end is
        below 1 and the median time is below `share` of the median of the others' medians. In a fast
        crowd, people of the usual speed are not, unless it is below what anybody can read.
    Answers that end before the paragraphs ("not plausible") are read, not searched. They and the
    tasks with all parts are also looked at alone: who answers carefully when they answer at all may
    hurry otherwise, and a few answers that are soon given do not excuse the long ones. Evidence is
    also a `change` of pace: who works fast from some task on, and not before, is no fast reader.
    """
    ended = _ended(columns)
    known = np.isfinite(columns.seconds) & ((columns.words >= own.words) | ended)
    needed = _needed(columns, own, ended)
    parts = (known, known & ended, known & ~ended) if ended.any() else (known,)
    paces = [_Quick(columns, rows, needed, own) for rows in parts]
    fall = change(columns, parts[-1], needed, own.share * paces[-1].others)
    paces.append(_Quick(columns, fall.rows, needed, own, paces[-1].others))
    changed = np.maximum(fall.evidence - _looked(columns, fall.rows), 0.0)
    evidence = np.stack([*(pace.evidence for pace in paces[:-1]), changed])
    worst = evidence.argmax(axis=0)

    def of(name: str) -> Floats:
        each = np.stack([getattr(pace, name) for pace in paces])
        return np.asarray(each[worst, np.arange(worst.size)])

    enough = columns.others(limits.people, limits.judgments)
    fell = worst == len(parts)
    numbers = {
        "seconds": of("typical"),
        "others_seconds": of("others"),
        "share_of_others": of("share"),
        "seconds_before": np.where(fell, fall.before, np.nan),
    }
    if columns.plausible is not None:
        early = np.bincount(columns.who[known & ended], minlength=enough.size)
        numbers["ended_share"] = early / np.maximum(paces[0].n, 1)
    return finding(
        "too_fast",
        columns,
        evidence=evidence.max(axis=0),
        past=of("past"),
        value=of("middle"),
        low=of("low"),
        high=of("high"),
        threshold=1.0,
        n=of("n").astype(np.int64),
        enough=enough & (of("n") >= own.minimum),
        numbers=numbers,
    )


def _ended(columns: Columns) -> NDArray[np.bool_]:
    """Return (T,) whether the task ended before its paragraphs."""
    if columns.plausible is None:
        return np.zeros(len(columns.who), dtype=bool)
    return np.asarray(columns.plausible == 0)


def _needed(columns: Columns, own: Timing, ended: NDArray[np.bool_]) -> Floats:
    """Return (T,) the seconds that reading or searching takes."""
    speed = np.where(_searches(columns, ended), own.scanning, own.words_per_minute)
    return np.maximum(columns.words * 60 / speed, LEAST)


def _searches(columns: Columns, ended: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray((columns.verdicts is not None) & ~ended)


def fastest(columns: Columns) -> Floats:
    """Return (T,) the seconds below which nobody can have read or searched the words."""
    searches = _searches(columns, _ended(columns))
    return np.asarray(columns.words * 60 / np.where(searches, FASTEST_SEARCH, FASTEST))


def _looked(columns: Columns, rows: NDArray[np.bool_]) -> Floats:
    """Return (A,) how much likelier some tasks' answers are of somebody who looked: powers of 10.

    0 where they rather are of somebody who did not, and where nobody knows.
    """
    people = columns.people.size
    if columns.unseen is None:
        return np.zeros(people)
    odds = np.bincount(columns.who, np.where(rows, columns.unseen, 0.0), people)
    return np.asarray(np.maximum(-odds, 0.0) / np.log(10))


class _Quick:
    """The pace of everybody over some of their tasks; (A,) each."""

    def __init__(
        self,
        columns: Columns,
        rows: NDArray[np.bool_],
        needed: Floats,
        own: Timing,
        others: Floats | None = None,
    ) -> None:
        """others: (A,) the others' median time, where it is not that of the same rows."""
        people = columns.people.size
        who, seconds = columns.who[rows], columns.seconds[rows]
        pace = seconds / needed[rows]
        self.n = np.bincount(who, minlength=people)
        self.middle, self.low, self.high = medians(who, pace, self.n, own.level)
        self.typical = middles(who, seconds, self.n)
        self.others = median_of_others(self.typical) if others is None else others
        self.share = self.typical / np.where(self.others > 0, self.others, np.nan)
        below = np.bincount(who, pace < 1, minlength=people)
        _middle, _low, most = medians(who, seconds / fastest(columns)[rows], self.n, own.level)
        unread = most < 1
        far = ((self.share < own.share) | unread) & (self.n >= own.minimum)
        # Answers that agree with the others do not show that somebody read in no time.
        looked = np.where(unread, 0.0, _looked(columns, rows))
        self.evidence = np.where(far, np.maximum(tail(below, self.n, QUICK) - looked, 0.0), 0.0)
        self.past = (self.high < 1) & far
