"""From the judgments so far: at which judgment a system's interval reaches its target.

The parts of the squared error that are not known exactly are drawn forward (`paths.py`). Every
drawn path starts at the present value, so the forecast narrows as the campaign goes on.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.estimators.result import Estimate
from estimation.core.intervals.interval import check_target, half_width
from estimation.core.planning.paths import crowd, effective_ahead, item_part, person_part
from estimation.core.planning.study import Range
from estimation.core.stopping.precision import items_needed, people_needed
from estimation.core.stopping.sequence import sequence_half_widths

REPLICATES = 400
ENDS = (0.05, 0.95)  # of the ranges: 9 of 10 campaigns
_LOOKS = 200
_WIDER = 1.35  # spread of the ends over that of the drawn paths: see docs/statistics.md


@dataclass(frozen=True, slots=True)
class Ahead:
    """How a system's collection goes on.

    Parameters
    ----------
    planned : int
        All judgments planned for the system, those made included.
    cap : int, optional
        The most judgments of this system by one annotator; None for no cap.
    planned_items : float, optional
        For campaigns that stop by a confidence sequence, as in `anytime`.
    """

    planned: int
    cap: int | None = None
    planned_items: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class StopDraws:
    """Drawn ends of one system's collection.

    Attributes
    ----------
    judgments : (R,) array of float
        Its judgments at the stop; all that are planned where it does not stop.
    reached : (R,) array of bool
        Whether the interval reaches its target before the items run out.
    width_at_end : Range
        The width with everything judged, in score units; its range holds 90 % of the draws.
    """

    judgments: Floats
    reached: NDArray[np.bool_]
    width_at_end: Range

    @property
    def chance(self) -> float:
        """The share of draws that reach the target."""
        return float(self.reached.mean())


def stops_ahead(
    sample: Sample,
    estimate: Estimate,
    ahead: Ahead,
    *,
    target_width: float,
    level: float,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> StopDraws:
    """Draw after how many judgments a system's interval reaches its target.

    Parameters
    ----------
    sample : Sample
        The judgments so far.
    estimate : Estimate
        Made from this sample.
    ahead : Ahead
        How collection goes on.
    target_width : float
        The full width asked for, in score units; positive.
    level : float
        The confidence level.
    replicates : int, default 400
        How many ends are drawn.
    seed : int, default 0
        The seed of the draws.

    Returns
    -------
    StopDraws
        The ends, and the width that would be left with every item judged.

    Raises
    ------
    InvalidOptionError
        The target is not positive, the level not between 0 and 1, or a number of draws below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import Sample, estimate
    >>> from estimation.core.planning import Ahead, stops_ahead
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=800)
    >>> whole = draw(plan, np.random.default_rng(1)).sample
    >>> first = (whole.score[:100], whole.item[:100], whole.annotator[:100])
    >>> soon = Sample(*first, 800, whole.scale, whole.metric)
    >>> ahead = Ahead(planned=whole.n_judgments, cap=25)
    >>> found = stops_ahead(soon, estimate(soon), ahead, target_width=0.25, level=0.95)
    >>> bool(100 < found.judgments.mean() < 600)
    True
    """
    check_target(target_width)
    if replicates < 1:
        raise InvalidOptionError("A forecast draws at least one end.")
    rng = np.random.default_rng(seed)
    n, judgments = _looks(sample, estimate, ahead)
    here = crowd(sample, estimate)
    effective = effective_ahead(here, judgments, ahead.cap, replicates, rng)
    of_items = item_part(sample, estimate, n, replicates, rng)
    of_people = person_part(sample, estimate, here, effective, judgments, rng)
    error = np.sqrt(of_items + of_people + estimate.variance.rest)
    width = _widths(error, n, effective, ahead, level=level, estimate=estimate)
    enough = (n >= items_needed(estimate.scale)) & (effective >= people_needed(estimate.method))
    meets = enough & (width <= target_width)
    reached = np.asarray(meets.any(axis=1))
    at = np.where(reached, meets.argmax(axis=1), n.size - 1)
    last = np.where(np.isnan(width[:, -1]), np.inf, width[:, -1])
    return StopDraws(_spread_out(judgments[at], judgments), reached, ranged(last))


def _spread_out(ends: Floats, judgments: Floats) -> Floats:
    """Ends further from their median, in the logarithm of what is left.

    The paths take the spread of squares and the growth of the crowd as they look so far, which
    leaves out part of what is not known.
    """
    left = np.maximum(ends - judgments[0], 1.0)
    middle = np.median(left)
    wider = judgments[0] + middle * (left / middle) ** _WIDER
    return np.asarray(np.where(ends > judgments[0], np.minimum(wider, judgments[-1]), ends))


def ranged(values: Floats) -> Range:
    """Return the median with the 5 % and 95 % quantiles; the ends of 9 of 10 campaigns."""
    low, middle, high = np.quantile(values, (ENDS[0], 0.5, ENDS[1]), method="nearest")
    return Range(float(middle), float(low), float(high))


def _looks(sample: Sample, estimate: Estimate, ahead: Ahead) -> tuple[Floats, Floats]:
    """(L,) items and (L,) judgments from now to the last planned one."""
    n, most = estimate.n_items, estimate.n_population
    left = max(0, ahead.planned - sample.n_judgments)
    share = np.unique(np.r_[0.0, np.geomspace(1e-3, 1.0, _LOOKS)])
    return n + share * (most - n), sample.n_judgments + share * left


def _widths(
    error: Floats,
    n: Floats,
    effective: Floats,
    ahead: Ahead,
    *,
    level: float,
    estimate: Estimate,
) -> Floats:
    if ahead.planned_items is not None:
        half = sequence_half_widths(error, n, alpha=1 - level, planned_items=ahead.planned_items)
        return np.asarray(2 * half)
    df = n - 2 + 0 * effective
    if estimate.method.estimand == "population" and estimate.method.interval == "two_way":
        df = np.minimum(df, effective - 1)
    return 2 * half_width(error, df, level=level)
