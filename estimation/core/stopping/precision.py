"""Stop when the interval is narrow enough and rests on enough data: three rules of precision.

`precision` looks at the default interval, `anytime` at a confidence sequence, and
`empirical_bernstein` at a bound that is exact for independent judgments.
"""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Floats, Sample, Scale
from estimation.core.estimators.estimate import Estimate
from estimation.core.estimators.parts import Method
from estimation.core.estimators.trajectory import Trajectory
from estimation.core.intervals.bernstein import BernsteinRule, bernstein_half_widths
from estimation.core.intervals.interval import check_level, half_width
from estimation.core.stopping.sequence import check_planned_items, confidence_sequence

MIN_ITEMS = 30
MIN_ITEMS_UNBOUNDED = 50
MIN_EFFECTIVE_ANNOTATORS = 5.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether to stop; `width` of the interval now (None without one); `reason` in words."""

    stop: bool
    width: float | None
    reason: str


def precision(estimate: Estimate, *, target_width: float, level: float) -> Verdict:
    """Stop when the unclipped interval at `level` is no wider than `target_width`.

    Never before 30 items (50 on an unbounded scale) nor, for the population of annotators,
    before 5 effective annotators: until then the width itself cannot be trusted.
    target_width: full width in score units. Raises InvalidOptionError unless it is positive.
    """
    _check_target(target_width)
    width = estimate.interval(level).width if estimate.has_interval else None
    return _verdict(estimate, width, target_width)


def first_stop(history: Trajectory, *, target_width: float, level: float) -> int | None:
    """The index of the first judgment after which `precision` would stop, or None."""
    _check_target(target_width)
    return _first(history, 2 * history.half_widths(level), target_width)


def anytime(
    estimate: Estimate, *, target_width: float, level: float, planned_items: float
) -> Verdict:
    """As `precision`, by the confidence sequence: for people who look and stop by hand.

    planned_items: what the plan expects a fixed-n interval to take, set beforehand; see
    `confidence_sequence`, which takes some 2.4 times as many. The same guards apply.
    Raises InvalidOptionError unless target_width and planned_items are positive.
    """
    _check_target(target_width)
    check_level(level)
    check_planned_items(planned_items)
    width = None
    if estimate.has_interval and estimate.n_items >= MIN_ITEMS:
        width = confidence_sequence(estimate, level=level, planned_items=planned_items).width
    return _verdict(estimate, width, target_width)


def first_anytime_stop(
    history: Trajectory, *, target_width: float, level: float, planned_items: float
) -> int | None:
    """The index of the first judgment after which `anytime` would stop, or None."""
    _check_target(target_width)
    band = confidence_sequence(history, level=level, planned_items=planned_items)
    return _first(history, band.width, target_width)


def empirical_bernstein(
    sample: Sample, *, target_width: float, level: float, rule: BernsteinRule = "ebgstop"
) -> Verdict:
    """Stop when twice the Bernstein bound is no wider than `target_width`.

    Looks at each item's first judgment only, because a second one is not independent of it, and
    at their plain mean: bounds on a metric-corrected mean would need the range of the residuals.
    Exact if people do not differ, and then 13 to 20 times the judgments of a fixed-n interval.
    Raises as `bernstein_half_widths`, notably for an unbounded scale.
    """
    _check_target(target_width)
    _, first = np.unique(sample.item, return_index=True)
    scores = sample.score[np.sort(first)]
    half = bernstein_half_widths(scores, scale=sample.scale, level=level, rule=rule)[-1]
    return _by_width(2 * float(half), target_width)


def width_floor(
    *, person_variance: float, effective_annotators: Floats | float, level: float
) -> Floats:
    """2 t(A_eff - 1) sigma_person / sqrt(A_eff): the width left with endless items.

    person_variance: sigma_person² in squared score units, such as `crossed(...).person`.
    effective_annotators: A_eff, () or (K,). The same shape in score units; NaN for A_eff <= 1.
    """
    if person_variance < 0:
        raise InvalidOptionError("A variance is not negative; truncate it first.")
    a = np.asarray(effective_annotators, dtype=np.float64)
    return 2 * half_width(np.sqrt(person_variance / a), a - 1, level=level)


def annotators_needed(
    *,
    target_width: float,
    level: float,
    person_variance: float,
    other_variance: float = 0.0,
    evenness: float = 1.0,
    limit: int = 10_000,
) -> int | None:
    """The smallest number of annotators whose interval would meet the target, or None.

    person_variance: sigma_person². other_variance: the squared standard error that more people
    do not remove (items and rest). evenness: A_eff / A, 1 where everybody judges equally much.
    limit: None is returned where even this many annotators would not do.
    Raises InvalidOptionError for a target that is not positive or numbers outside their range.
    """
    _check_target(target_width)
    if not 0 < evenness <= 1 or person_variance < 0 or other_variance < 0:
        raise InvalidOptionError("Variances are not negative, and evenness lies between 0 and 1.")
    count = np.arange(2, limit + 1)
    effective = np.asarray(count * evenness, dtype=np.float64)
    error = np.sqrt(other_variance + person_variance / effective)
    width = 2 * half_width(error, effective - 1, level=level)
    meets = np.flatnonzero((effective >= MIN_EFFECTIVE_ANNOTATORS) & (width <= target_width))
    return int(count[meets[0]]) if meets.size else None


def _verdict(estimate: Estimate, width: float | None, target_width: float) -> Verdict:
    """The guards of `precision` in order, then the width, which is None where none exists."""
    if not estimate.has_interval:
        return Verdict(False, None, "There is no interval yet: ask for more items and more people.")
    items = _items_needed(estimate.scale)
    if estimate.n_items < items or width is None:
        return Verdict(False, width, f"{estimate.n_items} of at least {items} items are judged.")
    people = _people_needed(estimate.method)
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
    enough = (history.n_items >= _items_needed(history.scale)) & (
        history.effective_annotators >= _people_needed(history.method)
    )
    stops = np.flatnonzero(enough & (width <= target_width))
    return int(stops[0]) if stops.size else None


def _items_needed(scale: Scale) -> int:
    return MIN_ITEMS if scale.bounded else MIN_ITEMS_UNBOUNDED


def _people_needed(method: Method) -> float:
    # A panel speaks for itself however small it is.
    return MIN_EFFECTIVE_ANNOTATORS if method.estimand == "population" else 0.0


def _check_target(target_width: float) -> None:
    if not target_width > 0:
        raise InvalidOptionError(f"A target width is a positive number; got {target_width}.")
