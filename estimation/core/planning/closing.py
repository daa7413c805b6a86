"""From drawn ends of each system to judgments, cost and closing time of a whole campaign."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.planning.remaining import StopDraws, ranged
from estimation.core.planning.study import Range

DAY = 86_400.0
MOST_DAYS = 3  # that the pace is learnt from
_LEAST_JUDGMENTS = 10
_BINS = 8
_MOST_RUNNING = 1000


@dataclass(frozen=True, slots=True)
class Arrivals:
    """How fast judgments come.

    Attributes
    ----------
    per_second : float
        The mean rate.
    spread : float
        The variance of the rate in one bin, over its squared mean.
    bin_seconds : float
        The length of a bin.
    bins : int
        How many bins the rate was learnt from.
    """

    per_second: float
    spread: float
    bin_seconds: float
    bins: int


@dataclass(frozen=True, slots=True)
class ClosingForecast:
    """What a campaign takes until all of its intervals are at their targets.

    Each range holds 90 % of the drawn ends, and its `expected` is their median.

    Attributes
    ----------
    judgments : Range
        In all, those made included.
    seconds : Range or None
        From now; None while the pace is unknown.
    chance : float
        The probability that every interval reaches its target before the items run out.
    """

    judgments: Range
    seconds: Range | None
    chance: float


def pace(times: Floats, *, now: float) -> Arrivals | None:
    """Learn the rate of judgments from their times.

    Over whole days where there are any, at most three, so that nights count; otherwise since the
    first judgment.

    Parameters
    ----------
    times : (T,) array of float
        When judgments were submitted, in seconds.
    now : float
        The present, in the same seconds.

    Returns
    -------
    Arrivals or None
        None where fewer than 10 judgments came in that time.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core.planning import pace
    >>> found = pace(np.arange(0.0, 3600.0, 36.0), now=3600.0)
    >>> round(found.per_second * 3600)
    100
    """
    times = np.sort(np.asarray(times, dtype=np.float64))
    if times.size < _LEAST_JUDGMENTS or not now > times[0]:
        return None
    days = min(MOST_DAYS, int((now - times[0]) // DAY))
    length = days * DAY if days else now - times[0]
    bins = _BINS if days < 2 else days
    edges = now - length + np.linspace(0.0, length, bins + 1)
    counts = np.histogram(times, edges)[0].astype(np.float64)
    mean = counts.mean()
    if counts.sum() < _LEAST_JUDGMENTS:
        return None
    spread = max(float(counts.var(ddof=1)) / mean**2, 1 / mean)
    return Arrivals(float(counts.sum() / length), spread, length / bins, bins)


def closing(
    systems: Sequence[Sequence[StopDraws]],
    *,
    judged: int,
    running: int = 0,
    durations: Floats | None = None,
    shared: float = 1.0,
    pace: Arrivals | None = None,
    seed: int = 0,
) -> ClosingForecast:
    """Combine drawn ends into a forecast of the campaign.

    A system goes on until its last criterion is at its target.

    Parameters
    ----------
    systems : sequence of sequences of StopDraws
        For each system one per criterion with a target; not empty, all with R draws.
    judged : int
        The campaign's judgments so far.
    running : int, default 0
        Judgments in progress: they are finished after the stop.
    durations : (M,) array of float, optional
        How long judgments took, in seconds. After the stop, the campaign waits for the slowest of
        those in progress.
    shared : float, default 1
        The campaign's judgments so far over the sum of those of its systems: below 1 where systems
        wrote the same outputs, whose judgments count once.
    pace : Arrivals, optional
        How fast judgments come; None if unknown.
    seed : int, default 0
        The seed of the draws of the pace.

    Returns
    -------
    ClosingForecast
        Judgments, time and the chance to reach every target.

    Raises
    ------
    InvalidOptionError
        There is no system, or one without draws.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core.planning import Range, StopDraws, closing
    >>> ends = StopDraws(np.array([200.0]), np.array([True]), Range(0.2, 0.2, 0.2))
    >>> closing([[ends], [ends]], judged=150).judgments.expected
    400.0
    """
    if not systems or not all(systems):
        raise InvalidOptionError("A forecast takes the drawn ends of at least one system.")
    rng = np.random.default_rng(seed)
    ends = [np.max([one.judgments for one in each], axis=0) for each in systems]
    # Systems are drawn apart, so their draws are shuffled before they are added up.
    total = shared * np.sum([rng.permutation(end) for end in ends], axis=0)
    total = np.maximum(total + running, judged + running)
    reached = [np.all([one.reached for one in each], axis=0) for each in systems]
    chance = float(np.prod([one.mean() for one in reached]))
    if pace is None:
        return ClosingForecast(ranged(total), None, chance)
    seconds = _seconds(total - judged, pace, rng)
    if durations is not None and running:
        seconds = np.maximum(seconds, _slowest(durations, running, seconds.size, rng))
    return ClosingForecast(ranged(total), ranged(seconds), chance)


def _seconds(left: Floats, pace: Arrivals, rng: np.random.Generator) -> Floats:
    """Times for that many judgments: the mean rate is uncertain, and so is each later bin's."""
    bins = np.maximum(1.0, left / pace.per_second / pace.bin_seconds)
    sd = np.sqrt(pace.spread * (1 / pace.bins + 1 / bins))
    return np.asarray(left / pace.per_second * np.exp(sd * rng.standard_normal(left.size)))


def _slowest(durations: Floats, running: int, draws: int, rng: np.random.Generator) -> Floats:
    """(R,) how long the slowest of those in progress takes; long ones are met more often."""
    known = np.asarray(durations, dtype=np.float64)
    total = known.sum()
    if not total > 0:
        return np.zeros(draws)
    met = rng.choice(known, (draws, min(running, _MOST_RUNNING)), p=known / total)
    return np.asarray((met * rng.random(met.shape)).max(axis=1))
