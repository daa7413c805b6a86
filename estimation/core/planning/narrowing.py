"""What narrows an interval most cheaply: more judgments by the same people, or by new ones."""

from dataclasses import dataclass

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


def _growth(sample: Sample, more: int, cap: int | None) -> float:
    """A_eff with the new people over A_eff now, at least 1; judgments weigh alike."""
    counts = sample.incidence.activity.astype(np.float64)
    each = min(counts.mean(), cap or counts.mean())
    squares, total = (counts**2).sum(), counts.sum()
    return float(max(1.0, (total + more) ** 2 / (squares + more * each) * squares / total**2))


def _width(variance: float, estimate: Estimate, growth: float, more: int, level: float) -> float:
    df = estimate.n_items - 2.0 + more
    if estimate.method.estimand == "population":
        df = min(df, estimate.effective_annotators * growth - 1)
    df = max(df, estimate.df or df)
    return float(2 * half_width(np.sqrt(np.array(variance)), np.array(df), level=level))
