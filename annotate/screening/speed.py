"""Too fast: below reading time and a small part of the others', or faster than anybody can read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from numpy.typing import NDArray
from scipy.special import ndtri, owens_t, stdtr

from annotate.screening.arrays import median_of_others, medians, middles
from annotate.screening.base import (
    Columns,
    CrowdThresholds,
    ForAnnotators,
    ForReviewers,
    Numbers,
    Screen,
    ScreenAxis,
    ScreenFinding,
    Task,
    Thresholds,
    Told,
    between,
    finding,
    tail,
    within,
)
from annotate.screening.crowd import Mask
from annotate.text.figures import number, percent, seconds
from estimation.core import Floats, Ints

# People get quicker as they go on. By a power law with exponent .3, no fall in the first 25 tasks
# is larger.
PRACTICE = np.log(1.75)
LEAST = 4  # tasks before a change, and since
_LEAST_VARIANCE = 0.01  # of logarithms of times
_PRIOR = 8.0  # tasks for which the usual spread of a person's times counts


@dataclass(frozen=True, eq=False)
class PaceChange:
    """Where each person's times fall the most; (A,) each.

    evidence: -log10 of the probability of such a fall of somebody who gets quicker with practice
        alone; 0 unless the times since are also below reading, and a small part of the others'.
    rows: (T,) the tasks since. before, since: the geometric means of their seconds. Nobody without
        evidence has any.
    """

    evidence: Floats
    rows: Mask
    before: Floats
    since: Floats


def change(columns: Columns, rows: Mask, needed: Floats, most: Floats) -> PaceChange:
    """Find the change of pace among some tasks.

    rows: (T,) those. needed: (T,) the seconds that reading takes. most: (A,) the seconds that a
    fall must end below.
    """
    people, logs = columns.people.size, _logs(columns.seconds)
    pace = logs - np.log(needed)
    tasks = _Tasks.of(columns, rows & _some(columns, rows & (pace < 0)), logs, pace)
    near = tasks.near(most)
    sizes = tasks.falls(near, _usual_variance(columns.who[rows], pace[rows]))
    largest = _largest(sizes, tasks.who[near], people)
    some = largest >= 0
    evidence, said = np.zeros(people), np.full((2, people), np.nan)
    evidence[some] = _of_falls(sizes[largest[some]], tasks.n[some])
    found, first = evidence > 0, np.full(people, rows.size)
    first[found] = near[largest[found]]
    said[:, found] = np.exp(tasks.own[:, first[found]])
    after = np.zeros(rows.size, dtype=bool)
    after[tasks.at] = np.arange(tasks.at.size) >= first[tasks.who]
    return PaceChange(evidence, after, *said)


def _some(columns: Columns, rows: Mask) -> Mask:
    """Return (T,) whose judgments have any of these rows; most people never are below reading."""
    return np.asarray((np.bincount(columns.who, rows, columns.people.size) > 0)[columns.who])


@dataclass(frozen=True, eq=False)
class _Tasks:
    """Tasks of some people, person by person in order; (S,) each.

    at: which judgments. who: whose. n: (A,) how many each person has. before, since: how many of
    the person's came before this one, and how many from it on. own, pace: (2, S) the means of
    logarithms before and since, of seconds and of seconds over those that reading takes.
    inside: the sum of squares of the pace about both means.
    """

    at: Ints
    who: Ints
    n: Ints
    before: Ints
    since: Ints
    own: Floats
    pace: Floats
    inside: Floats

    @classmethod
    def of(cls, columns: Columns, rows: Mask, logs: Floats, pace: Floats) -> _Tasks:
        at = columns.turns[rows[columns.turns]]
        who = columns.who[at]
        n = np.bincount(who, minlength=columns.people.size)
        before = np.arange(who.size) - (np.cumsum(n) - n)[who]
        since = n[who] - before
        own, mean = (_means_around(values[at], who, n, before) for values in (logs, pace))
        squares = np.bincount(who, pace[at] ** 2, n.size)[who]
        inside = squares - before * mean[0] ** 2 - since * mean[1] ** 2
        return cls(at, who, n, before, since, own, mean, np.maximum(inside, 0.0))

    def near(self, most: Floats) -> Ints:
        """Return (N,) at which tasks times may have fallen far enough; most: (A,) seconds."""
        long_ = (self.before >= LEAST) & (self.since >= LEAST)
        below = (self.pace[1] < 0) & (self.own[1] < np.log(np.maximum(most, 1e-9))[self.who])
        return np.flatnonzero(long_ & below)

    def falls(self, near: Ints, usual: float) -> Floats:
        """Return (N,) the t statistics; usual: the variance of times within people."""
        spread = (self.inside[near] + _PRIOR * usual) / (self.n[self.who[near]] - 2 + _PRIOR)
        error = np.sqrt(spread * (1 / self.before[near] + 1 / self.since[near]))
        return np.asarray((self.pace[0, near] - self.pace[1, near] - PRACTICE) / error)


def _of_falls(falls: Floats, n: Ints) -> Floats:
    """Return (P,) -log10 of the probability of the largest t statistic of n (P,) tasks."""
    chance = _at_any(stdtr(n - 2 + _PRIOR, -falls), n)
    return np.asarray(np.maximum(-np.log10(np.maximum(chance, 1e-300)), 0.0))


def _at_any(chance: Floats, n: Ints) -> Floats:
    """Return (P,) the probability of a fall at any of n (P,) tasks, given that at one task.

    The falls at neighbouring tasks are of nearly the same times. Who has one at some task either
    has it at the first, or somewhere has none at a task and one at the next (Worsley 1982). Falls
    at k and k + 1 of n tasks correlate by √(k (n - k - 1) / ((k + 1) (n - k))). It is a bound for
    a known spread of normal times; for an estimated one it is simulated.
    """
    more = np.maximum(n - 2 * LEAST, 0)
    person = np.repeat(np.arange(n.size), more)
    k = np.arange(person.size) - np.repeat(np.cumsum(more) - more, more) + LEAST
    size = n[person]
    alike = np.sqrt(k * (size - k - 1) / ((k + 1) * (size - k)))
    begins = 2 * owens_t(-ndtri(chance)[person], np.sqrt((1 - alike) / (1 + alike)))
    return chance + np.bincount(person, begins, n.size)


def _means_around(values: Floats, who: Ints, n: Ints, before: Ints) -> Floats:
    """Return (2, S) the means of a person's values before each one, and from it on."""
    running = np.cumsum(values) - values
    sums = running - running[(np.cumsum(n) - n)[who]]
    rest = np.bincount(who, values, n.size)[who] - sums
    return np.stack([sums / np.maximum(before, 1), rest / (n[who] - before)])


def _usual_variance(who: Ints, pace: Floats) -> float:
    """Return the variance within people."""
    n = np.bincount(who)
    squares, total = np.bincount(who, pace**2), np.bincount(who, pace)
    apart = (squares - total**2 / np.maximum(n, 1)).sum()
    return max(float(apart / max(np.maximum(n - 1, 0).sum(), 1)), _LEAST_VARIANCE)


def _logs(seconds: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(seconds, 0.01)))


def _largest(values: Floats, who: Ints, people: int) -> Ints:
    """Return (A,) where each person's largest value (N,) is, -1 for people without any."""
    found = np.full(people, -1)
    order = np.argsort(values, kind="stable")
    found[who[order]] = order  # the last one assigned is the largest
    return found


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
    return np.maximum(columns.words * 60 / speed, LEAST_SECONDS)


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


def _times(value: float) -> str:
    return f"{value:.2g}×" if value < 9.5 else f"{value:.0f}×"


def _detail(said: Numbers) -> str:
    others = said.numbers.get("others_seconds")
    beside = f"Others take {seconds(others)}." if others is not None else ""
    before = said.numbers.get("seconds_before")
    earlier = f" Their own tasks before took {seconds(before)}." if before is not None else ""
    interval = within(said, lambda value: "–" if value is None else _times(value))
    return f"{interval}{beside}{earlier}".strip()


def _limit(said: Numbers) -> str:
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


def _notice(found: Numbers, own: Timing, *, paragraphs: bool) -> Told:
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
