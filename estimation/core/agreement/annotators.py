"""Signs of careless work, one row per annotator. What to do about them is decided elsewhere.

None of this may look at the system or at its effect on an estimate: who is left out is decided on
rules fixed beforehand, or the estimate is no longer one of the outputs' quality.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from estimation.core.agreement.alpha import NoVariationError, judgment_arrays
from estimation.core.agreement.straightlining import labels_of
from estimation.core.data import errors
from estimation.core.data.sample import Floats, Ints
from estimation.core.intervals.interval import half_width

# How much the pooled spread of squared deviations counts beside an annotator's own: two equal
# deviations by chance must not make a standard error of 0.
_PRIOR = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """How far each annotator lies from the others, as a multiple of what is usual; rows (A,).

    annotator: the labels, ascending. shared: items that others judged too.
    ratio: 1 is usual, 2 twice the squared deviation; NaN without shared items.
    low, high: t interval of `ratio`, cut at 0; see `deviations` for its standard error.
    p_value: one-sided, for a ratio of at most 1. Many annotators are many tests.
    """

    annotator: Ints
    ratio: Floats
    low: Floats
    high: Floats
    p_value: Floats
    shared: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """How each annotator's scores move over time, items allowed for; rows (A,).

    slope: change in score units from the annotator's first to the last judgment; NaN for fewer
    than three judgments. low, high: t interval. p_value: two-sided, for a slope of 0.
    """

    annotator: Ints
    judgments: Ints
    slope: Floats
    low: Floats
    high: Floats
    p_value: Floats


def deviations(
    item: ArrayLike,
    annotator: ArrayLike,
    value: ArrayLike,
    *,
    noise: float | None = None,
    level: float = 0.95,
) -> Deviations:
    """Mean over j's shared items of (y_ij - ybar_i,-j)² / (noise (1 + 1 / (k_i - 1))).

    item, annotator: (T,) labels; value: (T,) scores of one criterion. ybar_i,-j: the mean of the
    other k_i - 1 judgments of item i, so an item that few others judged, whose mean is less
    sure, is expected to deviate more. noise: sigma_person² + sigma_rest² in squared score units;
    by default the mean square within items, which a few careless people raise.
    Standard error: sqrt(s² / n) with s² = ((n - 1) s_j² + 4 s_all²) / (n + 3) and n + 3 degrees of
    freedom, s_j² the variance of j's n ratios and s_all² that of everybody's (moderated t, Smyth
    2004): squared deviations of discrete scores are too coarse for a few of them to stand alone.
    An annotator who is honestly stricter than others has a ratio above 1 as well.

    Raises ReplicatesNeededError without shared items, NoVariationError where noise is 0, and as
    `krippendorff_alpha` for input that cannot be right.
    """
    items, _, values = judgment_arrays(item, annotator, value)
    labels, who = labels_of(annotator)
    count = np.bincount(items)[items] if items.size else items
    shared = count > 1
    if not shared.any():
        raise errors.ReplicatesNeededError("No item was judged by two people: nothing to compare.")
    noise = _mean_square_within(items, values) if noise is None else noise
    if noise <= 0:
        raise NoVariationError("Judgments of the same item never differ: deviation has no unit.")
    others = _mean_of_others(items, values)[shared]
    usual = noise * (1 + 1 / (count[shared] - 1))
    ratio = (values[shared] - others) ** 2 / usual
    return _ratios(labels, who[shared], ratio, level)


def drift(
    item: ArrayLike,
    annotator: ArrayLike,
    value: ArrayLike,
    *,
    when: ArrayLike | None = None,
    expected: ArrayLike | None = None,
    level: float = 0.95,
) -> Drift:
    """Least-squares slope of y - expected on time, for each annotator.

    item, annotator, value: (T,). when: (T,) any unit, by default the order of the rows; each
    annotator's first judgment is 0 and the last 1. expected: (T,) what the item lets one expect
    (for instance from a metric); by default the mean of the others' judgments of the item, and
    the mean of all scores where there are none. Errors as `krippendorff_alpha`.
    """
    items, _, values = judgment_arrays(item, annotator, value)
    labels, who = labels_of(annotator)
    time = _like(values, np.arange(values.size) if when is None else when, what="times")
    wanted = _mean_of_others(items, values) if expected is None else expected
    residual = values - _like(values, wanted, what="expected scores")
    t = _unit_time(who, time, labels.size)
    return _slopes(labels, who, t, residual, level)


def _ratios(labels: Ints, who: Ints, ratio: Floats, level: float) -> Deviations:
    n = np.bincount(who, minlength=labels.size)
    known = np.where(n > 0, n, np.nan)
    mean = np.bincount(who, ratio, labels.size) / known
    squares = np.bincount(who, (ratio - mean[who]) ** 2, labels.size)
    df = known - 1 + _PRIOR
    error = np.sqrt((squares + _PRIOR * ratio.var()) / df / known)
    half = half_width(error, df, level=level)
    p_value = _upper_tail(mean - 1, error, df)
    return Deviations(labels, mean, np.maximum(0, mean - half), mean + half, p_value, n)


def _slopes(labels: Ints, who: Ints, t: Floats, residual: Floats, level: float) -> Drift:
    n = np.bincount(who, minlength=labels.size).astype(np.float64)
    t = t - (np.bincount(who, t, labels.size) / n)[who]
    y = residual - (np.bincount(who, residual, labels.size) / n)[who]
    spread = np.bincount(who, t * t, labels.size)
    known = (n >= 3) & (spread > 0)
    safe = np.where(known, spread, np.nan)
    slope = np.bincount(who, t * y, labels.size) / safe
    rss = np.bincount(who, (y - slope[who] * t) ** 2, labels.size)
    df = np.where(known, n - 2, np.nan)
    error = np.sqrt(rss / df / safe)
    half = half_width(error, df, level=level)
    p_value = np.minimum(1, 2 * _upper_tail(np.abs(slope), error, df))
    return Drift(labels, n.astype(np.int64), slope, slope - half, slope + half, p_value)


def _mean_square_within(items: Ints, values: Floats) -> float:
    count = np.bincount(items)
    mean = np.bincount(items, values) / count
    return float(((values - mean[items]) ** 2).sum() / (values.size - count.size))


def _mean_of_others(items: Ints, values: Floats) -> Floats:
    """(T,) the mean of the other judgments of the item; the mean of all where there are none."""
    if not values.size:
        return values
    count, total = np.bincount(items)[items], np.bincount(items, values)[items]
    return np.where(count > 1, (total - values) / np.maximum(count - 1, 1), values.mean())


def _upper_tail(distance: Floats, error: Floats, df: Floats) -> Floats:
    """P(t_df > distance / error); where the error is 0, the sign decides."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(distance == 0, 0.0, distance / error)
    return np.where(np.isnan(error), np.nan, stdtr(np.where(df > 0, df, np.nan), -t))


def _unit_time(who: Ints, time: Floats, size: int) -> Floats:
    first, last = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(first, who, time)
    np.maximum.at(last, who, time)
    span = np.where(last > first, last - first, 1.0)
    return np.asarray((time - first[who]) / span[who])


def _like(values: Floats, given: ArrayLike, *, what: str) -> Floats:
    array = np.asarray(given, dtype=np.float64)
    if array.shape != values.shape or not np.isfinite(array).all():
        raise errors.ShapeMismatchError(
            f"The {what} must be one finite number for each of the {values.size} judgments."
        )
    return array
