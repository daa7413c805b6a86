"""Stop when the interval is narrow enough and rests on enough data: two rules of precision.

`precision` looks at the default interval, `anytime` at a confidence sequence.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.fit import Method
from estimation.core.intervals import MIN_EFFECTIVE_ANNOTATORS, check_level, check_target
from estimation.core.results import Estimate
from estimation.core.sample import Floats, Scale
from estimation.core.sequences import check_planned_items, confidence_sequence, sequence_half_widths
from estimation.core.trajectories import Trajectory

MIN_ITEMS = 30
MIN_ITEMS_UNBOUNDED = 50


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule stops.

    stop: whether to stop now.
    width: the width of the interval now, in score units; None where there is no
        interval.
    reason: a sentence for people.
    """

    stop: bool
    width: float | None
    reason: str


def precision(estimate: Estimate, *, target_width: float, level: float) -> Verdict:
    """Stop when the unclipped interval is no wider than the target.

    Never before 30 items or groups of items (50 on an unbounded scale) nor, for the population of
    annotators, before 5 effective annotators: until then the width itself is not reliable. Never
    while the estimate or the centre lies off the scale; an end of the interval may.

    estimate: the estimate now.
    target_width: the full width asked for, in score units; positive.
    level: the confidence level.
    Returns: whether to stop, and why.
    Raises InvalidOptionError: the target is not positive, or the level not between 0 and 1.
    """
    check_target(target_width)
    width = estimate.interval(level).width if estimate.has_interval else None
    return _verdict(estimate, width, target_width)


def first_stop(history: Trajectory, *, target_width: float, level: float) -> int | None:
    """Return the first judgment after which `precision` stops.

    history: from `trajectory`.
    target_width, level: as in `precision`.
    Returns: an index into the looks of the history, by default the judgments, from 0;
        None where the rule never stops.
    Raises InvalidOptionError: as in `precision`.
    """
    check_target(target_width)
    return _first(history, history.widths(level), target_width)


def anytime(
    estimate: Estimate, *, target_width: float, level: float, planned_items: float
) -> Verdict:
    """Stop as `precision` does, by the width of the confidence sequence.

    For people who look at the results and stop by hand: the sequence holds at every look at once.

    estimate, target_width, level: as in `precision`.
    planned_items: how many items the plan expects a fixed-n interval to take, chosen before the
        first judgment; see `confidence_sequence`, which takes some 2.4 times as many.
    Returns: whether to stop, and why.
    Raises InvalidOptionError: `target_width` or `planned_items` is not positive, or the level not
        between 0 and 1.
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

    history: from `trajectory`.
    target_width, level, planned_items: as in `anytime`.
    Returns: an index into the looks of the history, by default the judgments, from 0;
        None where the rule never stops.
    Raises InvalidOptionError: as in `anytime`.
    """
    check_target(target_width)
    check_level(level)
    half = sequence_half_widths(
        history.std_error, history.n_units, alpha=1 - level, planned_items=planned_items
    )
    low, high = history.around(half)
    return _first(history, high - low, target_width)


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
