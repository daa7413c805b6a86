"""Signals of an annotator's page: evidence for a person who reviews, and never a verdict.

They can list somebody for review. Nothing here, and nothing that uses it, pauses anyone, excludes
work or refuses pay.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import numpy as np
from scipy.special import fdtr, gammaincinv

from annotate.common.numbers import count, many, percent, seconds
from annotate.screening.base import Thresholds, between, share_bounds
from estimation.core import Floats

SIGNALS = "signals"  # the name of the group in the stored settings


class SignalThresholds(Thresholds):
    """The settings of the signals of the page.

    on: whether the page counts anything. It is told to annotators where they join.
    inserted: characters from which on an edit is looked at.
    untyped: share of such edits, typed less than half, above which their author is listed.
    level: confidence of the bounds of shares and of the variation of times.
    variation: standard deviation of log times; who certainly varies less is listed.
    away: share of tasks left for another window, above which somebody is listed; 1: never.
    chance: probability that two honest people who share network and device are taken for one.
    """

    on: bool = False
    inserted: int = between(10, 1, 10_000)
    untyped: float = between(0.3, 0.1, 1)
    level: float = between(0.99, 0.8, 0.9999)
    variation: float = between(0.15, 0, 1)
    away: float = between(1, 0.1, 1)
    chance: float = between(0.01, 0.0001, 0.2)


def signals_on(stored: Mapping[str, Any]) -> bool:
    """Return whether a campaign's stored settings ask for signals."""
    return bool(stored.get(SIGNALS, {}).get("on", False))


# Upper ends, in milliseconds, of the classes of the time between two keys. The page's script has
# the same; a last class holds what is longer.
RHYTHM = (80, 110, 150, 200, 270, 370, 550, 850, 1400)
MOST = 1_000_000  # of any count
LONGEST_SCREEN = 200  # characters of the page's description of its device
HASH = 16  # hexadecimal digits
COUNTED = (
    *("pastes", "pasted", "moved", "typed", "replaced", "placed"),
    *("keys", "erased", "away", "away_seconds", "resumed"),
)
HASHED = ("network", "device")


@dataclass(frozen=True)
class PageCounts:
    """The counts of one task. Lengths are in characters of the text box.

    pastes: how often something was pasted or dropped. pasted: characters, without those that the
        given text has too, which are `moved`.
    typed: by keys, on-screen keyboards and dictation. replaced: by corrections that the browser or
        the system offers. placed: by scripts.
    keys: pressed in the text box. erased: those of them that delete.
    away: how often the page lost the focus. away_seconds: for how long in total.
    resumed: 1 if the page was loaded again meanwhile, so the counts are not all.
    rhythm: how many times between two keys fall into each class of `RHYTHM`.
    network, device: keyed hashes; "" if unknown.
    """

    pastes: int = 0
    pasted: int = 0
    moved: int = 0
    typed: int = 0
    replaced: int = 0
    placed: int = 0
    keys: int = 0
    erased: int = 0
    away: int = 0
    away_seconds: int = 0
    resumed: int = 0
    rhythm: tuple[int, ...] = (0,) * (len(RHYTHM) + 1)
    network: str = ""
    device: str = ""

    def as_data(self) -> dict[str, Any]:
        """Return plain JSON without what is 0 or unknown, which `stored` takes back."""
        said: dict[str, Any] = {name: getattr(self, name) for name in (*COUNTED, *HASHED)}
        found = {name: value for name, value in said.items() if value}
        return {**found, "rhythm": list(self.rhythm)} if any(self.rhythm) else found

    def plus(self, more: Self) -> Self:
        """Return both together, of one task that was opened again; hashes that are known stay."""
        sums: dict[str, Any] = {
            name: min(getattr(self, name) + getattr(more, name), MOST) for name in COUNTED
        }
        sums["resumed"] = min(sums["resumed"], 1)
        names = {name: getattr(self, name) or getattr(more, name) for name in HASHED}
        rhythm = (min(a + b, MOST) for a, b in zip(self.rhythm, more.rhythm, strict=True))
        return type(self)(**sums, **names, rhythm=tuple(rhythm))

    @classmethod
    def stored(cls, value: Mapping[str, Any]) -> Self:
        """Read the output of `as_data`."""
        return cls(**{**value, "rhythm": _rhythm(value.get("rhythm"))})


def sent(value: Any) -> PageCounts | None:
    """Read what a page sent, whatever it is: a count is clipped, and what is no count is left out.

    None if it is no object: then nothing is known of the task. The hashes are not the page's.
    """
    if not isinstance(value, Mapping):
        return None
    counts: dict[str, Any] = {name: _count(value.get(name)) for name in COUNTED}
    counts["resumed"] = min(counts["resumed"], 1)
    return PageCounts(**counts, rhythm=_rhythm(value.get("rhythm")))


def screen_of(value: Any) -> str:
    """Return what the page says about its device; "" if it is no text or a very long one."""
    said = value.get("screen") if isinstance(value, Mapping) else None
    return said if isinstance(said, str) and len(said) <= LONGEST_SCREEN else ""


def hashed(key: bytes, kind: str, value: str) -> str:
    """Return a short name for a value that only the key can connect with it; "" stays ""."""
    if not value:
        return ""
    text = f"{kind}:{value}".encode(errors="replace")
    return hmac.new(key, text, hashlib.sha256).hexdigest()[:HASH]


def _count(value: Any) -> int:
    """Return a number as a count from 0 to `MOST`; 0 for anything else."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return max(0, min(value, MOST))
    if isinstance(value, float) and math.isfinite(value):
        return int(max(0.0, min(value, float(MOST))))
    return 0


def _rhythm(value: Any) -> tuple[int, ...]:
    classes = len(RHYTHM) + 1
    given = value[:classes] if isinstance(value, list) else []
    return tuple(_count(one) for one in given) + (0,) * (classes - len(given))


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


FEWEST_KEYS = 100  # times between keys, for a rhythm of typing
FEWEST_TASKS = 5
TYPED, TIMED = 4, 2  # features of people who type, and of those who do not
MOST_OTHERS = 1000  # people elsewhere whose rhythms say how much people differ
MOST_TOGETHER = 200  # accounts in one place that are compared; more are a proxy, or a crowd
_EDGES = (40.0, *RHYTHM, 2000.0)
_MIDDLES = np.log([math.sqrt(a * b) for a, b in pairwise(_EDGES)])


@dataclass(frozen=True)
class PageProfile:
    """What is compared of one account.

    place: the hashes of the network and the device that most of the work came from; None if the
        page did not say.
    rhythm: `TYPED` or `TIMED` numbers; none where there is too little work.
    """

    place: tuple[str, str] | None
    rhythm: tuple[float, ...]


def profile(tasks: Sequence[TaskTrace]) -> PageProfile:
    """Return what is compared of one account's tasks."""
    known = [one for one in tasks if one.counts is not None]
    if len(known) < FEWEST_TASKS:
        return PageProfile(None, ())
    places = Counter((one.counts.network, one.counts.device) for one in known if one.counts)
    place, times = places.most_common(1)[0]
    is_sure = all(place) and 2 * times > len(known)
    pace, spread = _timing(known)
    typed = _typing_rhythm(known)
    # How much times vary is known too badly to help where there is a rhythm of typing.
    return PageProfile(place if is_sure else None, (*typed, pace) if typed else (pace, spread))


def _timing(tasks: Sequence[TaskTrace]) -> tuple[float, float]:
    times = np.log([max(one.seconds, SHORTEST) for one in tasks])
    return float(np.mean(times)), float(np.log(np.std(times, ddof=1) + 0.05))


def _typing_rhythm(tasks: Sequence[TaskTrace]) -> tuple[float, ...]:
    counts = [one.counts for one in tasks if one.counts is not None]
    classes = np.sum([one.rhythm for one in counts], axis=0)
    n = classes.sum()
    if n < FEWEST_KEYS:
        return ()
    mean = float(classes @ _MIDDLES / n)
    spread = math.sqrt(float(classes @ (_MIDDLES - mean) ** 2 / n))
    keys, erased = sum(one.keys for one in counts), sum(one.erased for one in counts)
    return mean, spread, math.asin(math.sqrt(min(1.0, erased / max(keys, 1))))


def doubles(
    people: Mapping[int, PageProfile], settings: SignalThresholds
) -> dict[int, SignalEvidence]:
    """Return the evidence on everybody who shares network and device with others.

    value: how likely two different people have rhythms as near as those of the nearest such pair,
    at most; `numbers["partner"]` is the other account. It lists both if the value is below `chance`
    divided by the number of other accounts in the same place; in a place of very many, nobody.
    """
    found: dict[int, SignalEvidence] = {}
    for size in (TYPED, TIMED):
        alike = {who: one for who, one in people.items() if len(one.rhythm) == size}
        sample = sorted(alike)[:MOST_OTHERS]
        for members in _places(alike):
            here = set(members)
            others = np.array([alike[who].rhythm for who in sample if who not in here])
            rhythms = np.array([alike[who].rhythm for who in members])
            found |= _together(members, rhythms, others, settings)
    return found


def _places(people: Mapping[int, PageProfile]) -> list[list[int]]:
    places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for who, one in people.items():
        if one.place is not None:
            places[one.place].append(who)
    return [sorted(members) for members in places.values() if len(members) > 1]


def _together(
    members: Sequence[int], rhythms: Floats, others: Floats, settings: SignalThresholds
) -> dict[int, SignalEvidence]:
    """Return the evidence on the people of one place. rhythms: (m, k), in their order."""
    limit = settings.chance / (len(members) - 1)
    numbers = {"accounts": float(len(members))}
    chances = nearness(rhythms, others) if len(members) <= MOST_TOGETHER else None
    if chances is None:
        return {
            who: SignalEvidence(DOUBLE, False, None, None, limit, 0, numbers) for who in members
        }
    np.fill_diagonal(chances, 2.0)
    nearest = chances.argmin(axis=1)
    return {
        who: _double_evidence(float(chances[j, k]), members[k], limit, rhythms.shape[1], numbers)
        for j, (who, k) in enumerate(zip(members, nearest.tolist(), strict=True))
    }


def _double_evidence(
    chance: float, partner: int, limit: float, size: int, numbers: Mapping[str, float]
) -> SignalEvidence:
    numbers = {**numbers, "partner": float(partner)}
    return SignalEvidence(DOUBLE, chance < limit, chance, chance, limit, size, numbers)


def nearness(rhythms: Floats, others: Floats) -> Floats | None:
    """Return (m, m) the probabilities that two different people are as near as each two of these.

    rhythms: (m, k). others: (N, k) those of people elsewhere; None with fewer than k + 6. Rhythms
    of different people are taken as normal, so half the squared distance of two of them, in the
    others' covariance, is Hotelling's T².
    """
    n, k = others.shape if others.ndim == 2 else (0, rhythms.shape[1])
    if n < k + 6:
        return None
    root = np.linalg.cholesky(np.cov(others, rowvar=False) + 1e-9 * np.eye(k))
    scaled = np.linalg.solve(root, rhythms.T).T
    apart = scaled[:, None, :] - scaled[None, :, :]
    squared = (apart**2).sum(axis=2) / 2
    degrees = n - 1
    ratio = squared * (degrees - k + 1) / (degrees * k)
    return np.asarray(fdtr(k, degrees - k + 1, ratio), dtype=np.float64)


TITLES = {
    TYPING: "Typing and pasting",
    PACE: "Even pace",
    AWAY: "Other windows",
    DOUBLE: "Another account",
}


def told(evidence: SignalEvidence, partner: str = "") -> str:
    """Return one or two sentences. partner: the other account's pseudonym."""
    if evidence.value is None and evidence.kind != DOUBLE:
        return _NOTHING[evidence.kind]
    return (
        _double_told(evidence, partner)
        if evidence.kind == DOUBLE
        else _SAID[evidence.kind](evidence)
    )


def _typing_told(said: SignalEvidence) -> str:
    numbers = said.numbers
    characters = numbers.get("characters") or 1.0
    parts = [
        f"{name} {percent(numbers.get(key, 0) / characters)}"
        for name, key in (
            ("Pasted", "pasted"),
            ("typed", "typed"),
            ("put in by corrections of the browser", "replaced"),
            ("put in by a script", "placed"),
        )
        if key in ("pasted", "typed") or numbers.get(key)
    ]
    edits = f"the {count(round(characters))} characters in {many(said.n, 'edit')}"
    keys = many(round(numbers.get("keys", 0)), "key press", "key presses")
    return (
        f"{parts[0]} of {edits}; {', '.join(parts[1:])}. {percent(said.value)} of these edits were "
        f"typed less than half. {keys}."
    )


def _pace_told(said: SignalEvidence) -> str:
    usual, ratio = said.numbers.get("seconds"), said.value or 0.0
    return f"Each task takes about {seconds(usual)}, give or take {percent(ratio)}."


def _away_told(said: SignalEvidence) -> str:
    times, away = said.numbers.get("times", 0), said.numbers.get("seconds", 0)
    return (
        f"Left the page in {percent(said.value)} of {many(said.n, 'task')}, "
        f"{many(round(times), 'time')}, {seconds(away)} in total."
    )


def _double_told(said: SignalEvidence, partner: str) -> str:
    accounts = round(said.numbers.get("accounts", 2))
    shares = f"{many(accounts, 'account')} share this network and this kind of device. "
    if said.value is None:
        return f"{shares}There is too little work to compare their rhythms."
    rhythm = "typing and working" if said.n > 2 else "working"
    return (
        f"{shares}The rhythm of {rhythm} is most like that of {partner or 'one of them'}: two "
        f"different people are this alike with a probability of about {_chance(said.value)}."
    )


def _chance(value: float) -> str:
    return "1 in 1,000 or less" if value <= 0.001 else f"{value:.2g}"


_SAID: dict[str, Callable[[SignalEvidence], str]] = {
    TYPING: _typing_told,
    PACE: _pace_told,
    AWAY: _away_told,
}
_NOTHING = {
    TYPING: "There is no edit of some length yet whose writing the page saw.",
    PACE: "There are too few tasks to say how much the times vary.",
    AWAY: "The page has counted nothing yet.",
}
