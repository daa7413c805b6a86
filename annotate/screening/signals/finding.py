"""What the counts of one person's tasks say, one piece of evidence for each kind of signal.

Pure functions. Their result is evidence, which may list somebody for review; it is no verdict.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import gammaincinv

from annotate.screening.base import share_bounds
from annotate.screening.signals.counts import PageCounts
from annotate.screening.signals.settings import SignalThresholds

TYPING, PACE, AWAY, DOUBLE = "typing", "pace", "away", "double"
KINDS = (TYPING, PACE, AWAY, DOUBLE)
FEWEST_TIMES = 8  # tasks, before anything is said about how much their times vary
SHORTEST = 0.5  # seconds, for logarithms


@dataclass(frozen=True)
class TaskTrace:
    """One judged task.

    seconds: active time, at most the server's.
    new: characters that the edit certainly has beyond the given text; None without an edit.
    counts: of the page; None if it sent none.
    """

    seconds: float
    new: int | None
    counts: PageCounts | None


@dataclass(frozen=True)
class SignalEvidence:
    """What one kind of signal says about one person.

    listed: whether it lists them for review. value: what it measures; None if nothing was measured.
    bound: the end of the interval that is compared with `threshold`. n: tasks behind it.
    """

    kind: str
    listed: bool
    value: float | None
    bound: float | None
    threshold: float
    n: int
    numbers: Mapping[str, float] = field(default_factory=dict)


def new_characters(distance: int, before: int, after: int) -> int:
    """Return how many characters of an edit at least were not in the text that was given.

    distance: the Levenshtein distance of the two texts. before, after: their lengths. Of
    `distance` steps, insertions - deletions = after - before, so insertions and replacements
    together are at least half of their sum.
    """
    return max(0, math.ceil((distance + after - before) / 2))


def all_alone(tasks: Sequence[TaskTrace], settings: SignalThresholds) -> list[SignalEvidence]:
    """Return the evidence that needs no other person."""
    return [typing(tasks, settings), pace(tasks, settings), away(tasks, settings)]


def typing(tasks: Sequence[TaskTrace], settings: SignalThresholds) -> SignalEvidence:
    """Look at edits of some length: how much of them was typed, pasted, or neither.

    value: the share of edits typed less than half. A page that was loaded again has lost counts,
    so that task is left out.
    """
    edits = [
        (one.new, one.counts)
        for one in tasks
        if one.new is not None and one.new >= settings.inserted and one.counts is not None
        if not one.counts.resumed
    ]
    untyped = sum(counts.typed + counts.moved < new / 2 for new, counts in edits)
    entered = {
        name: float(sum(getattr(counts, name) for _new, counts in edits))
        for name in ("typed", "pasted", "replaced", "placed", "keys", "pastes")
    }
    known = entered["typed"] + entered["pasted"] + entered["replaced"] + entered["placed"]
    entered["characters"] = max(known, float(sum(new for new, _counts in edits)))
    return _share(TYPING, untyped, len(edits), settings.untyped, settings, entered)


def pace(tasks: Sequence[TaskTrace], settings: SignalThresholds) -> SignalEvidence:
    """Look at how much the times vary; machines that wait vary little.

    value: the standard deviation of log seconds. bound: the upper end of its interval (times of one
    person taken as log-normal).
    """
    times = np.log([max(one.seconds, SHORTEST) for one in tasks if one.counts is not None])
    n, threshold = len(times), settings.variation
    if n < FEWEST_TIMES:
        return SignalEvidence(PACE, False, None, None, threshold, n)
    spread = float(np.std(times, ddof=1))
    bound = spread * math.sqrt((n - 1) / float(2 * gammaincinv((n - 1) / 2, 1 - settings.level)))
    usual = float(np.exp(np.median(times)))
    return SignalEvidence(PACE, bound < threshold, spread, bound, threshold, n, {"seconds": usual})


def away(tasks: Sequence[TaskTrace], settings: SignalThresholds) -> SignalEvidence:
    """Look at how often the page lost the focus; by default this lists nobody.

    value: the share of tasks that were left for another window.
    """
    known = [one.counts for one in tasks if one.counts is not None]
    left = [counts for counts in known if counts.away]
    seconds = float(sum(counts.away_seconds for counts in left))
    times = float(sum(counts.away for counts in left))
    numbers = {"seconds": seconds, "times": times}
    return _share(AWAY, len(left), len(known), settings.away, settings, numbers)


def _share(
    kind: str,
    count: int,
    n: int,
    threshold: float,
    settings: SignalThresholds,
    numbers: Mapping[str, float],
) -> SignalEvidence:
    if not n:
        return SignalEvidence(kind, False, None, None, threshold, 0)
    low, _high = share_bounds(np.array([count]), np.array([n]), settings.level)
    bound = float(low[0])
    return SignalEvidence(kind, bound > threshold, count / n, bound, threshold, n, numbers)


Alone = Callable[[Sequence[TaskTrace], SignalThresholds], SignalEvidence]
