"""What would settle a pair that is open: about how many items, or other people."""

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.intervals.interval import MIN_EFFECTIVE_ANNOTATORS
from estimation.core.stopping.ranking import PairState
from estimation.core.stopping.sequence import (
    MIN_SEQUENCE_ITEMS,
    few_people_factor,
    sequence_half_widths,
)


def items_to_decide(
    state: PairState,
    *,
    margin: float,
    alpha: float,
    planned_items: float,
    most: int,
    person_variance: float = 0.0,
) -> int | None:
    """Return about how many items decide a pair if its difference stays where it is.

    The interval then excludes 0 or lies within the margin. More items by the same people shrink all
    of the squared standard error but `person_variance`.

    Parameters
    ----------
    state : PairState
        What is known about the pair now.
    margin : float
        As in `ranking`.
    alpha : float
        What `ranking` allows this pair: 1 - level, divided by the number of pairs.
    planned_items : float
        As in `ranking`.
    most : int
        The most items that there are.
    person_variance : float, default 0.0
        The part of the squared standard error that comes from differences between people.

    Returns
    -------
    int or None
        Items judged for both systems, in all; None where these people and `most` items do not
        decide it, or nothing is known yet.

    Raises
    ------
    InvalidOptionError
        `person_variance` is negative, or an option is out of range.

    Examples
    --------
    >>> from estimation.core import PairState, items_to_decide
    >>> state = PairState(0.1, std_error=0.08, n_items=60, effective_annotators=20)
    >>> rule = {"margin": 0.1, "alpha": 0.05 / 6, "planned_items": 200, "most": 2000}
    >>> items_to_decide(state, **rule)
    506
    >>> items_to_decide(state, **rule, person_variance=0.003) is None
    True
    """
    if not person_variance >= 0:
        raise InvalidOptionError(f"A variance is not negative; got {person_variance}.")
    if state.std_error is None or state.effective_annotators < MIN_EFFECTIVE_ANNOTATORS:
        return None
    t = np.arange(max(state.n_items, MIN_SEQUENCE_ITEMS), most + 1, dtype=np.float64)
    shrinking = max(0.0, state.std_error**2 - person_variance) * state.n_items / t
    half = few_people_factor(state.effective_annotators, alpha=alpha) * sequence_half_widths(
        np.sqrt(shrinking + min(person_variance, state.std_error**2)),
        t,
        alpha=alpha,
        planned_items=planned_items,
    )
    return _first(t, half, reach=max(abs(state.estimate), margin - abs(state.estimate)))


def _first(t: Floats, half: Floats, *, reach: float) -> int | None:
    enough = np.flatnonzero(half <= reach)
    return int(t[enough[0]]) if enough.size else None
