"""Whether two accounts may be one person: the same network, the same device and the same rhythm.

Students of one university share its network, and those of one computer room its devices. So a
network or a device alone says nothing; the rhythm of two such people must be nearer than chance
brings people together, allowing for everybody with whom they were compared.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import fdtr

from annotate.screening.signals.counts import RHYTHM
from annotate.screening.signals.finding import DOUBLE, SHORTEST, SignalEvidence, TaskTrace
from annotate.screening.signals.settings import SignalThresholds
from estimation.core import Floats

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
    typed = _typing(known)
    # How much times vary is known too badly to help where there is a rhythm of typing.
    return PageProfile(place if is_sure else None, (*typed, pace) if typed else (pace, spread))


def _timing(tasks: Sequence[TaskTrace]) -> tuple[float, float]:
    times = np.log([max(one.seconds, SHORTEST) for one in tasks])
    return float(np.mean(times)), float(np.log(np.std(times, ddof=1) + 0.05))


def _typing(tasks: Sequence[TaskTrace]) -> tuple[float, ...]:
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
        who: _evidence(float(chances[j, k]), members[k], limit, rhythms.shape[1], numbers)
        for j, (who, k) in enumerate(zip(members, nearest.tolist(), strict=True))
    }


def _evidence(
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
