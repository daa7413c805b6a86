"""Too fast: below reading time and a small part of the others', or faster than anybody can read."""

from __future__ import annotations

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray

from annotate.common.numbers import number, percent, seconds
from annotate.screening.arrays import median_of_others, medians, middles
from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    NoticeText,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Task,
    Thresholds,
    Verdict,
    between,
    tail,
    within,
)
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


QUICK = 0.45  # the share of tasks that honest people may do faster than reading takes
QUICKER = 0.25  # the same, faster than anybody reads, or than a third of their own usual time
LEAST_SECONDS = 1.2  # seconds in which nobody sees a task, decides and answers
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
    hurry otherwise, and a few answers that are soon given do not excuse the long ones.
    """
    over = ended(columns)
    known = np.isfinite(columns.seconds) & ((columns.words >= own.words) | over)
    needed = _needed(columns, own, over)
    parts = (known, known & over, known & ~over) if over.any() else (known,)
    paces = [_Quick(columns, rows, needed, own) for rows in parts]
    evidence = np.stack([pace.evidence for pace in paces])
    worst = evidence.argmax(axis=0)

    def of(name: str) -> Floats:
        each = np.stack([getattr(pace, name) for pace in paces])
        return np.asarray(each[worst, np.arange(worst.size)])

    enough = columns.others(limits.people, limits.judgments)
    numbers = {
        "seconds": of("typical"),
        "others_seconds": of("others"),
        "share_of_others": of("share"),
    }
    if columns.plausible is not None:
        early = np.bincount(columns.who[known & over], minlength=enough.size)
        numbers["ended_share"] = early / np.maximum(paces[0].n, 1)
    return ScreenFinding(
        "too_fast",
        columns.people,
        evidence=evidence.max(axis=0),
        past=of("past") > 0,
        value=of("middle"),
        low=of("low"),
        high=of("high"),
        threshold=1.0,
        n=of("n").astype(np.int64),
        enough=enough & (of("n") >= own.minimum),
        numbers=numbers,
    )


def ended(columns: Columns) -> NDArray[np.bool_]:
    """Return (T,) whether the task ended before its paragraphs."""
    if columns.plausible is None:
        return np.zeros(len(columns.who), dtype=bool)
    return np.asarray(columns.plausible == 0)


def _needed(columns: Columns, own: Timing, over: NDArray[np.bool_]) -> Floats:
    """Return (T,) the seconds that reading or searching takes."""
    speed = np.where(_searches(columns, over), own.scanning, own.words_per_minute)
    return np.maximum(columns.words * 60 / speed, LEAST_SECONDS)


def _searches(columns: Columns, over: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return np.asarray((columns.verdicts is not None) & ~over)


def fastest(columns: Columns) -> Floats:
    """Return (T,) the seconds below which nobody can have read or searched the words."""
    searches = _searches(columns, ended(columns))
    return np.asarray(columns.words * 60 / np.where(searches, FASTEST_SEARCH, FASTEST))


def hurried(columns: Columns, own: Timing) -> NDArray[np.bool_]:
    """Return (T,) whether a task took less than `share` of the time that its person usually takes.

    Usual is the upper quartile of their paces over tasks of this kind: who is always quick hurries
    nowhere, and who became quick hurries since.
    """
    over = ended(columns)
    pace = columns.seconds / _needed(columns, own, over)
    kind = 2 * columns.who + over
    ordered = np.lexsort((pace, kind))  # what is not known comes last
    rows = np.bincount(kind, minlength=2 * columns.people.size)
    known = np.bincount(kind, np.isfinite(pace), rows.size).astype(np.int64)
    at = np.minimum(np.cumsum(rows) - rows + known * 3 // 4, ordered.size - 1)
    return np.asarray(pace < own.share * pace[ordered[at]][kind])


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
    ) -> None:
        people = columns.people.size
        who, seconds = columns.who[rows], columns.seconds[rows]
        pace = seconds / needed[rows]
        self.n = np.bincount(who, minlength=people)
        self.middle, self.low, self.high = medians(who, pace, self.n, own.level)
        self.typical = middles(who, seconds, self.n)
        self.others = median_of_others(self.typical)
        self.share = self.typical / np.where(self.others > 0, self.others, np.nan)
        below = np.bincount(who, pace < 1, minlength=people)
        _middle, _low, most = medians(who, seconds / fastest(columns)[rows], self.n, own.level)
        unread = most < 1
        far = ((self.share < own.share) | unread) & (self.n >= own.minimum)
        # Answers that agree with the others do not show that somebody read in no time.
        looked = np.where(unread, 0.0, _looked(columns, rows))
        fell = columns.hurried[rows] if columns.hurried is not None else np.zeros(who.size)
        sudden = 2 * np.bincount(who, fell, people) > self.n
        quick = np.where(sudden | unread, QUICKER, QUICK)
        self.evidence = np.where(far, np.maximum(tail(below, self.n, quick) - looked, 0.0), 0.0)
        self.past = (self.high < 1) & far


def _times(value: float) -> str:
    return f"{value:.2g}×" if value < 9.5 else f"{value:.0f}×"


def _detail(said: Verdict) -> str:
    others = said.numbers.get("others_seconds")
    beside = f"Others take {seconds(others)}." if others is not None else ""
    before = said.numbers.get("seconds_before")
    earlier = f" Their own tasks before took {seconds(before)}." if before is not None else ""
    interval = within(said, lambda value: "–" if value is None else _times(value))
    return f"{interval}{beside}{earlier}".strip()


def _limit(said: Verdict) -> str:
    return (
        f"{'–' if said.value is None else _times(said.value)} of the reading time. Flagged if "
        f"clearly below {_times(said.threshold)} and either far less than the others take, or "
        "faster than anybody can read."
    )


FOR_REVIEWERS = ForReviewers(
    "Too fast",
    "reading time",
    "median active time",
    big=lambda said: seconds(said.numbers.get("seconds")),
    detail=_detail,
    limit=_limit,
    axis=lambda values: ScreenAxis(0, min(10.0, max(3.0, *values)), _times, flags_above=False),
)


def _notice(found: Verdict, own: Timing, *, paragraphs: bool) -> NoticeText:
    speed = own.scanning if paragraphs else own.words_per_minute
    sentences = []
    mine, others = found.numbers.get("seconds"), found.numbers.get("others_seconds")
    if mine is not None and others is not None:
        said = _("Half of your tasks took less than %(mine)s seconds; %(others)s is usual here.")
        sentences.append(said % {"mine": number(mine, 0), "others": number(others, 0)})
    if found.value is not None:
        said = _("That is %(share)s of the time that reading takes at %(speed)d words a minute.")
        sentences.append(said % {"share": percent(found.value), "speed": speed})
    limit = _(
        "We look at work that stays below that reading time and below %(share)s of what is usual, "
        "or that is faster than anybody can read."
    )
    return _("Your tasks took little time"), [*sentences, limit % {"share": percent(own.share)}]


def _told_seconds(task: Task) -> str:
    return _("%(seconds)s seconds") % {
        "seconds": number(task.seconds, 0 if task.seconds >= 10 else 1)
    }


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("less time than reading takes"), _notice, _told_seconds)


TOO_FAST = Screen("too_fast", "timing", Timing, find, FOR_REVIEWERS, FOR_ANNOTATORS, recent=True)
