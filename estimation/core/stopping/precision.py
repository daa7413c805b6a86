"""Stop when the interval is narrow enough and rests on enough data: two rules of precision.

`precision` looks at the default interval, `anytime` at a confidence sequence.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Scale
from estimation.core.estimators.fit import Method
from estimation.core.estimators.result import Estimate
from estimation.core.estimators.trajectory import Trajectory
from estimation.core.intervals.interval import MIN_EFFECTIVE_ANNOTATORS, check_level, check_target
from estimation.core.stopping.sequence import check_planned_items, confidence_sequence

MIN_ITEMS = 30
MIN_ITEMS_UNBOUNDED = 50


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule stops.

    Attributes
    ----------
    stop : bool
        Whether to stop now.
    width : float or None
        The width of the interval now, in score units; None where there is no interval.
    reason : str
        A sentence for people.
    """

    stop: bool
    width: float | None
    reason: str


def precision(estimate: Estimate, *, target_width: float, level: float) -> Verdict:
    """Stop when the unclipped interval is no wider than the target.

    Never before 30 items or groups of items (50 on an unbounded scale) nor, for the population of
    annotators, before 5 effective annotators: until then the width itself is not reliable. Never
    while the estimate or the centre lies off the scale; an end of the interval may.

    Parameters
    ----------
    estimate : Estimate
        The estimate now.
    target_width : float
        The full width asked for, in score units; positive.
    level : float
        The confidence level.

    Returns
    -------
    Verdict
        Whether to stop, and why.

    Raises
    ------
    InvalidOptionError
        The target is not positive, or the level not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate, precision
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> found = estimate(draw(plan, np.random.default_rng(1)).sample)
    >>> precision(found, target_width=0.3, level=0.95).stop
    True
    >>> precision(found, target_width=0.1, level=0.95).stop
    False
    """
    check_target(target_width)
    width = estimate.interval(level).width if estimate.has_interval else None
    return _verdict(estimate, width, target_width)


def first_stop(history: Trajectory, *, target_width: float, level: float) -> int | None:
    """Return the first judgment after which `precision` stops.

    Parameters
    ----------
    history : Trajectory
        From `trajectory`.
    target_width, level
        As in `precision`.

    Returns
    -------
    int or None
        An index into the looks of the history, by default the judgments, from 0; None where the
        rule never stops.

    Raises
    ------
    InvalidOptionError
        As in `precision`.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import first_stop, trajectory
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> history = trajectory(draw(plan, np.random.default_rng(1)).sample)
    >>> first_stop(history, target_width=0.3, level=0.95) < 300
    True
    >>> first_stop(history, target_width=0.01, level=0.95) is None
    True
    """
    check_target(target_width)
    return _first(history, history.widths(level), target_width)


def anytime(
    estimate: Estimate, *, target_width: float, level: float, planned_items: float
) -> Verdict:
    """Stop as `precision` does, by the width of the confidence sequence.

    For people who look at the results and stop by hand: the sequence holds at every look at once.

    Parameters
    ----------
    estimate, target_width, level
        As in `precision`.
    planned_items : float
        How many items the plan expects a fixed-n interval to take, chosen before the first
        judgment; see `confidence_sequence`, which takes some 2.4 times as many.

    Returns
    -------
    Verdict
        Whether to stop, and why.

    Raises
    ------
    InvalidOptionError
        `target_width` or `planned_items` is not positive, or the level not between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import anytime, estimate
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> found = estimate(draw(plan, np.random.default_rng(1)).sample)
    >>> anytime(found, target_width=0.3, level=0.95, planned_items=200).stop
    True
    """
    check_target(target_width)
    check_level(level)
    check_planned_items(planned_items)
    width = None
    if estimate.has_interval and estimate.n_units >= MIN_ITEMS:
        width = confidence_sequence(estimate, level=level, planned_items=planned_items).width
    return _verdict(estimate, width, target_width)


def first_anytime_stop(
    history: Trajectory, *, target_width: float, level: float, planned_items: float
) -> int | None:
    """Return the first judgment after which `anytime` stops.

    Parameters
    ----------
    history : Trajectory
        From `trajectory`.
    target_width, level, planned_items
        As in `anytime`.

    Returns
    -------
    int or None
        An index into the looks of the history, by default the judgments, from 0; None where the
        rule never stops.

    Raises
    ------
    InvalidOptionError
        As in `anytime`.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import first_anytime_stop, first_stop, trajectory
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=600)
    >>> history = trajectory(draw(plan, np.random.default_rng(1)).sample)
    >>> later = first_anytime_stop(history, target_width=0.35, level=0.95, planned_items=200)
    >>> later > first_stop(history, target_width=0.35, level=0.95)
    True
    """
    check_target(target_width)
    band = confidence_sequence(history, level=level, planned_items=planned_items)
    return _first(history, band.width, target_width)


def _verdict(estimate: Estimate, width: float | None, target_width: float) -> Verdict:
    """The guards of `precision` in order, then the width, which is None where none exists."""
    if estimate.off_scale:
        return Verdict(False, width, "The estimate lies off the scale: it is wrong.")
    if not estimate.has_interval:
        return Verdict(False, None, "There is no interval yet: ask for more items and more people.")
    items = items_needed(estimate.scale)
    if estimate.n_units < items or width is None:
        what = (
            "items" if estimate.n_units_population == estimate.n_population else "groups of items"
        )
        return Verdict(False, width, f"{estimate.n_units} of at least {items} {what} are judged.")
    people = people_needed(estimate.method)
    if estimate.effective_annotators < people:
        return Verdict(
            False,
            width,
            f"The work rests on {estimate.effective_annotators:.1f} effective annotators; it takes "
            f"{people:.0f}. Ask more people.",
        )
    return _by_width(width, target_width)


def _by_width(width: float, target_width: float) -> Verdict:
    if width > target_width:
        return Verdict(False, width, f"The interval is {width:.3g} wide, not {target_width:.3g}.")
    return Verdict(True, width, f"The interval is {width:.3g} wide, as asked for.")


def _first(history: Trajectory, width: Floats, target_width: float) -> int | None:
    enough = (history.n_units >= items_needed(history.scale)) & (
        history.effective_annotators >= people_needed(history.method)
    )
    enough &= history.scale.holds(history.estimate) & history.scale.holds(history.centre)
    stops = np.flatnonzero(enough & (width <= target_width))
    return int(stops[0]) if stops.size else None


def items_needed(scale: Scale) -> int:
    return MIN_ITEMS if scale.bounded else MIN_ITEMS_UNBOUNDED


def people_needed(method: Method) -> float:
    # A panel of any size speaks for itself.
    return MIN_EFFECTIVE_ANNOTATORS if method.estimand == "population" else 0.0
