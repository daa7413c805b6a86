"""Signs of careless work, one row per annotator. Other code decides what to do about them.

None of this looks at the system or at an effect on an estimate. Exclusion follows rules fixed
beforehand; otherwise the estimate no longer measures the outputs' quality.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from estimation.core.agreement.alpha import NoVariationError, judgment_arrays
from estimation.core.agreement.straightlining import labels_of
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints
from estimation.core.intervals.interval import half_width

# How much the pooled spread of squared deviations counts beside an annotator's own: two equal
# deviations by chance must not make a standard error of 0.
_PRIOR = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class Deviations:
    """How far each annotator lies from the others, as a multiple of what is usual; rows (A,).

    Attributes
    ----------
    annotator : (A,) array of int
        The labels, in ascending order.
    ratio : (A,) array of float
        1 is usual, 2 is twice the usual squared deviation; NaN without shared items.
    low, high : (A,) array of float
        The t interval of `ratio`, cut at 0.
    p_value : (A,) array of float
        One-sided, for a ratio of at most 1. Many annotators are many tests.
    shared : (A,) array of int
        The annotator's items that others judged too.
    """

    annotator: Ints
    ratio: Floats
    low: Floats
    high: Floats
    p_value: Floats
    shared: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """How each annotator's scores move over time, allowing for the items; rows (A,).

    Attributes
    ----------
    annotator : (A,) array of int
        The labels, in ascending order.
    judgments : (A,) array of int
        How many judgments each annotator made.
    slope : (A,) array of float
        The change from the annotator's first to the last judgment, in score units; NaN for fewer
        than three judgments.
    low, high : (A,) array of float
        The t interval of `slope`.
    p_value : (A,) array of float
        Two-sided, for a slope of 0.
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
    """Compare each annotator with the others on the items that they share.

    The ratio is the mean over j's shared items of
    (y_ij - ybar_i,-j)² / (noise (1 + 1 / (k_i - 1))). ybar_i,-j is the mean of the item's other
    k_i - 1 judgments; a mean of few judgments is less certain, so a larger deviation is usual.
    The standard error is sqrt(s² / n), s² = ((n - 1) s_j² + 4 s_all²) / (n + 3), with n + 3
    degrees of freedom: s_j² is the variance of j's n ratios and s_all² that of all ratios. This is
    a moderated t [1]_: a few squared deviations of discrete scores are too coarse to stand alone.
    An honest annotator who is stricter than others has a ratio above 1 as well.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores on one criterion.
    noise : float, optional
        sigma_person² + sigma_rest² in squared score units. By default the mean square within items,
        which a few careless people raise.
    level : float, default 0.95
        The confidence level.

    Returns
    -------
    Deviations
        One row for each annotator.

    Raises
    ------
    ReplicatesNeededError
        No item was judged by two people.
    NoVariationError
        The noise is 0.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError, InvalidOptionError
        As in `krippendorff_alpha`.

    References
    ----------
    .. [1] G. K. Smyth (2004). Linear models and empirical Bayes methods for assessing differential
       expression in microarray experiments. Statistical Applications in Genetics and Molecular
       Biology 3, article 3.

    Examples
    --------
    The third annotator contradicts the first two on every item.

    >>> import numpy as np
    >>> from estimation.core import deviations
    >>> item, annotator = np.repeat(np.arange(8), 3), np.tile([1, 2, 3], 8)
    >>> value = np.array([[a, a, 1 - a] for a in (0, 1, 1, 0, 1, 0, 0, 1)]).ravel()
    >>> deviations(item, annotator, value).ratio.round(2).tolist()
    [0.5, 0.5, 2.0]
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
    """Fit the slope of each annotator's scores on time, by least squares.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores on one criterion.
    when : (T,) array of float, optional
        The times, in any unit; by default the order of the rows. Each annotator's first judgment is
        at 0 and the last at 1.
    expected : (T,) array of float, optional
        The score that the item lets one expect, for instance from a metric. By default the mean of
        the item's other judgments, or the mean of all scores where there are none.
    level : float, default 0.95
        The confidence level.

    Returns
    -------
    Drift
        One row for each annotator.

    Raises
    ------
    ShapeMismatchError
        An array does not have one finite number for each judgment.
    DuplicateJudgmentError, InvalidScoreError, InvalidOptionError
        As in `krippendorff_alpha`.

    Examples
    --------
    The scores of annotator 2 fall from 1 to 0 while the items stay the same.

    >>> from estimation.core import drift
    >>> found = drift(range(6), [1, 1, 1, 2, 2, 2], [0.5, 0.5, 0.5, 1, 0.5, 0], expected=[0.5] * 6)
    >>> found.annotator.tolist(), found.slope.round(2).tolist()
    ([1, 2], [0.0, -1.0])
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
