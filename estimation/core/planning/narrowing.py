"""What narrows an interval most cheaply: more judgments by the same people, or by new ones."""

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil

import numpy as np

from estimation.core.data.sample import Sample
from estimation.core.estimators.result import Estimate
from estimation.core.intervals.interval import half_width


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Widths that are expected after some more judgments, in score units.

    Attributes
    ----------
    now : float
        The width now.
    same_people, new_people : float
        After the further judgments, given by those who have judged, or by others.
    """

    now: float
    same_people: float
    new_people: float


def narrowing(
    sample: Sample, estimate: Estimate, *, more: int, level: float, cap: int | None = None
) -> Narrowing | None:
    """Return the widths that further judgments are expected to leave.

    Each new person gives as many judgments as people have given on average, at most the cap.
    Further judgments are of items as different as those so far.

    Parameters
    ----------
    sample : Sample
        The judgments so far.
    estimate : Estimate
        Made from this sample.
    more : int
        How many further judgments; not negative.
    level : float
        The confidence level.
    cap : int, optional
        The most judgments by one annotator.

    Returns
    -------
    Narrowing or None
        None where there is no interval yet.

    Raises
    ------
    InvalidOptionError
        The level is not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate
    >>> from estimation.core.planning import narrowing
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> found = narrowing(sample, estimate(sample), more=100, level=0.95)
    >>> found.new_people < found.same_people < found.now
    True
    """
    if estimate.std_error is None or estimate.df is None:
        return None
    part, total = estimate.variance, estimate.n_judgments
    shrunk = ((part.item or 0.0) + part.rest) * total / (total + more)
    people = part.annotator or 0.0
    now = float(2 * half_width(np.array(estimate.std_error), np.array(estimate.df), level=level))
    same = _width(shrunk + people, estimate, 1.0, more, level)
    growth = _growth(sample, more, cap)
    new = _width(shrunk + people / growth, estimate, growth, more, level)
    return Narrowing(now, min(now, same), min(now, same, new))


def people_to_reach(
    sample: Sample,
    estimate: Estimate,
    *,
    target_width: float,
    planned: int,
    level: float,
    cap: int | None = None,
) -> int | None:
    """Return how many new people it takes to reach a width by the last planned judgment.

    They share the judgments that are left, each at most the cap. Further judgments are of items as
    different as those so far.

    Parameters
    ----------
    sample : Sample
        The judgments so far.
    estimate : Estimate
        Made from this sample.
    target_width : float
        The full width asked for, in score units.
    planned : int
        All judgments, those made included.
    level : float
        The confidence level.
    cap : int, optional
        The most judgments by one annotator.

    Returns
    -------
    int or None
        At least 1; None where not even a new person for each judgment that is left would do, and
        where there is no interval yet.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate
    >>> from estimation.core.planning import people_to_reach
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300, cap=10)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> found = estimate(sample)
    >>> people_to_reach(sample, found, target_width=0.1, planned=sample.n_judgments, level=0.95)
    """
    more = planned - estimate.n_judgments
    if estimate.std_error is None or estimate.df is None or more < 1:
        return None
    part = estimate.variance
    # Where the finite population is credited, nothing is left of the item part at the end.
    item = 0.0 if part.rest > 0 else (part.item or 0.0) * estimate.n_items / estimate.n_population
    people = part.annotator or 0.0

    def width(n: int) -> float:
        growth = _growth(sample, more, cap, each=more / n)
        return _width(item + part.rest + people / growth, estimate, growth, more, level)

    least = 1 if cap is None else max(1, ceil(more / cap))
    if width(more) > target_width:
        return None
    enough = range(min(least, more), more + 1)
    return enough[bisect_left(enough, True, key=lambda n: width(n) <= target_width)]


def _growth(sample: Sample, more: int, cap: int | None, each: float | None = None) -> float:
    """A_eff with the new people over A_eff now, at least 1; judgments weigh alike.

    each: how many judgments a new person gives; None for as many as people have given.
    """
    counts = sample.incidence.activity.astype(np.float64)
    each = min(each or counts.mean(), cap or np.inf)
    squares, total = (counts**2).sum(), counts.sum()
    return float(max(1.0, (total + more) ** 2 / (squares + more * each) * squares / total**2))


def _width(variance: float, estimate: Estimate, growth: float, more: int, level: float) -> float:
    df = estimate.n_items - 2.0 + more
    if estimate.method.estimand == "population":
        df = min(df, estimate.effective_annotators * growth - 1)
    df = max(df, estimate.df or df)
    return float(2 * half_width(np.sqrt(np.array(variance)), np.array(df), level=level))
