"""Krippendorff's alpha: how far people agree beyond chance, with an interval from the items."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from estimation.core.agreement.kinds import Table, tabled
from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints, distinct, numbered
from estimation.core.intervals.interval import check_level

Distance = Literal["nominal", "ordinal", "interval"]
DISTANCES: tuple[str, ...] = get_args(Distance)

NO_REPLICATES = "Agreement takes items that at least two people judged; there are none."
NO_VARIATION = (
    "All items judged by several people got the same score throughout: agreement cannot be "
    "compared with chance."
)
_CELLS = 1_000_000  # numbers held at a time while resampling: 8 MB
_LOOK = 1000  # kinds of items that usually show that scores vary
_FEW = 8  # with fewer items of each kind than this on average, items are drawn one by one


class NoVariationError(errors.EstimationError):
    """Every comparable score is the same, so agreement cannot be compared with chance."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha with a percentile interval.

    Attributes
    ----------
    alpha : float
        1 for perfect agreement, 0 for chance, negative for disagreement beyond chance.
    low, high : float or None
        The interval at `level`, items resampled. None where fewer than two items were judged by
        several people, or where over half of the resamples do not vary.
    level : float
        The confidence level.
    distance : {"nominal", "ordinal", "interval"}
        How far two scores are apart.
    n_items, n_judgments, n_annotators : int
        Of the items judged by at least two people; other items say nothing about agreement.
    undefined : float
        The share of resamples that do not vary; they are left out.
    """

    alpha: float
    low: float | None
    high: float | None
    level: float
    distance: Distance
    n_items: int
    n_judgments: int
    n_annotators: int
    undefined: float


def krippendorff_alpha(
    item: ArrayLike,
    annotator: ArrayLike,
    value: ArrayLike,
    *,
    distance: Distance = "ordinal",
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Return Krippendorff's alpha, 1 - D_o / D_e, with an interval from the items.

    D_o is the mean squared distance of two judgments of the same item, each item's pairs weighing
    1 / (m_u - 1) for its m_u judgments; D_e is the same over all pairs of judgments [1]_. The
    interval resamples items, which are what was sampled; it does not speak for other annotators.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores.
    distance : {"nominal", "ordinal", "interval"}, default "ordinal"
        Squared distances: 1 for different scores; the squared difference of mid-ranks; (a - b)².
    level : float, default 0.95
        The confidence level.
    replicates : int, default 1000
        How often items are resampled; 0 for no interval.
    seed : int, default 0
        The seed of the resamples.

    Returns
    -------
    Agreement
        Alpha, its interval, and what it rests on.

    Raises
    ------
    ReplicatesNeededError
        No item was judged by two people.
    NoVariationError
        All comparable scores are equal.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError
        The arrays are not valid judgments.
    InvalidOptionError
        An option is unknown or out of range.

    References
    ----------
    .. [1] K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    >>> from estimation.core import krippendorff_alpha
    >>> item = [0, 0, 1, 1, 2, 2, 3]
    >>> annotator = [1, 2, 1, 2, 1, 3, 1]
    >>> found = krippendorff_alpha(item, annotator, [1, 1, 0, 0, -1, 0, 1], replicates=0)
    >>> round(found.alpha, 3), found.n_items
    (0.778, 3)
    """
    check_options(distance, level, replicates)
    items, people, values = judgment_arrays(item, annotator, value)
    table, n_people = pairable(items, people, values)
    return measured(table, n_people, distance, level=level, replicates=replicates, seed=seed)


def observed_agreement(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike
) -> tuple[float, float]:
    """Return how often two judgments of an item are equal, and how often two of any items are.

    The first is 1 - D_o of nominal alpha, the second 1 - D_e. Where nearly all scores are the
    same both are high and alpha says little.

    Parameters
    ----------
    item, annotator : (T,) array of int
        Any labels.
    value : (T,) array of float
        The scores.

    Returns
    -------
    tuple of float
        The observed share and the share by chance, between 0 and 1.

    Raises
    ------
    ReplicatesNeededError
        No item was judged by two people.
    DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError
        The arrays are not valid judgments.

    Examples
    --------
    >>> from estimation.core import observed_agreement
    >>> observed, chance = observed_agreement([0, 0, 1, 1], [1, 2, 1, 2], [1, 1, 1, 0])
    >>> observed, round(chance, 3)
    (0.5, 0.5)
    """
    table, _ = pairable(*judgment_arrays(item, annotator, value))
    times = table.items[None].astype(np.float64)
    marginal = np.asarray((table.counts.T @ times.T).T)
    apart, by_chance = _nominal(table, times, marginal)
    total = float(marginal.sum())
    return 1 - float(apart[0]) / total, 1 - float(by_chance[0]) / (total * (total - 1))


def measured(
    table: Table, n_people: int, distance: Distance, *, level: float, replicates: int, seed: int
) -> Agreement:
    """Alpha of a table with its interval. Raises NoVariationError."""
    units = int(table.items.sum())
    alpha = float(alphas(table, table.items[None].astype(np.float64), distance)[0])
    if np.isnan(alpha):
        raise NoVariationError(NO_VARIATION)
    resampled = _resampled(table, distance, replicates if units > 1 else 0, seed)
    low, high, undefined = _percentiles(resampled, level)
    n_judgments = int(table.items @ table.size)
    return Agreement(alpha, low, high, level, distance, units, n_judgments, n_people, undefined)


def judgment_arrays(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike
) -> tuple[Ints, Ints, Floats]:
    """Three checked (T,) arrays: items and annotators as ints from 0, values as floats.

    Raises ShapeMismatchError, InvalidScoreError or DuplicateJudgmentError.
    """
    people, items = np.asarray(annotator), np.asarray(item)
    try:
        values = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise errors.ShapeMismatchError("The scores must be a flat list of numbers.") from error
    if not (items.ndim == 1 and items.shape == people.shape == values.shape):
        raise errors.ShapeMismatchError(
            "Every judgment has one item, one annotator and one score; got shapes "
            f"{items.shape}, {people.shape} and {values.shape}."
        )
    if not np.isfinite(values).all():
        raise errors.InvalidScoreError(
            "Some scores are missing or infinite; leave those judgments out."
        )
    items, people = numbers_of(items), numbers_of(people)
    _check_once(items, people)
    return items, people, values


def numbers_of(labels: NDArray[Any]) -> Ints:
    """(T,) the labels' places among the different ones."""
    if labels.dtype.kind in "iu":
        return numbered(labels)
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


def _check_once(items: Ints, people: Ints) -> None:
    pairs = items * (people.max(initial=0) + 1) + people
    if distinct(pairs).size < pairs.size:
        raise errors.DuplicateJudgmentError("An annotator judged the same item more than once.")


def check_options(distance: str, level: float, replicates: int) -> None:
    if distance not in DISTANCES:
        raise errors.InvalidOptionError(f"{distance!r} is not one of {', '.join(DISTANCES)}.")
    check_level(level)
    if replicates < 0:
        raise errors.InvalidOptionError("The number of resamples is not negative.")


def pairable(items: Ints, people: Ints, values: Floats) -> tuple[Table, int]:
    """(the judgments of items with two or more, how many people gave them).

    Raises ReplicatesNeededError where there are none.
    """
    several = np.bincount(items)[items] > 1 if items.size else np.zeros(0, dtype=bool)
    if not several.any():
        raise errors.ReplicatesNeededError(NO_REPLICATES)
    table = tabled(items[several], values[several])
    return table, int(distinct(people[several]).size)


def alphas(table: Table, times: Floats, distance: Distance) -> Floats:
    """(B,) alpha with times[b, k] items of kind k; NaN where nothing varies."""
    if distance == "interval":
        observed, expected = _interval(table, times)
        varies = _varies(table, times)
        total = times @ table.size
    else:
        marginal = np.asarray((table.counts.T @ times.T).T)  # (B, V)
        total = marginal.sum(axis=1)
        sums = _nominal if distance == "nominal" else _ordinal
        observed, expected = sums(table, times, marginal)
        varies = (marginal > 0).sum(axis=1) > 1
    ratio = (total - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, 1 - ratio, np.nan)


def _varies(table: Table, times: Floats) -> NDArray[np.bool_]:
    """(B,) whether the items counted have more than one value."""
    # The first items nearly always say so; all of them are looked at where these do not vary.
    found = _spread(table, times, _LOOK)
    alike = np.flatnonzero(~found)
    found[alike] = _spread(table, times[alike], table.items.size)
    return found


def _spread(table: Table, times: Floats, kinds: int) -> NDArray[np.bool_]:
    lowest, highest = (ends[:kinds] for ends in table.ends)
    there = times[:, :kinds] > 0
    high = np.where(there, highest, -1).max(axis=1)
    return np.asarray(high > np.where(there, lowest, table.values.size).min(axis=1))


def _nominal(table: Table, times: Floats, marginal: Floats) -> tuple[Floats, Floats]:
    """(n D_o, n (n - 1) D_e): different pairs within items and over all."""
    size = table.size
    same = np.asarray(table.counts.power(2).sum(axis=1))
    observed = times @ ((size**2 - same) / (size - 1))
    return observed, marginal.sum(axis=1) ** 2 - (marginal**2).sum(axis=1)


def _interval(table: Table, times: Floats) -> tuple[Floats, Floats]:
    """As `_nominal`; the sum of (a - b)² over ordered pairs is 2 (m sum v² - (sum v)²)."""
    observed, n, sums, squares = table.sums @ times.T
    return observed, 2 * (n * squares - sums**2)


def _ordinal(table: Table, times: Floats, marginal: Floats) -> tuple[Floats, Floats]:
    """As `_interval`, on mid-ranks, which are computed for every resample."""
    rank = np.cumsum(marginal, axis=1) - marginal / 2
    total = marginal.sum(axis=1, keepdims=True)
    rank -= total / 2  # the weighted mean of mid-ranks
    weight = times / (table.size - 1)
    linear = np.asarray((table.counts.T @ (weight * table.size).T).T)
    squares = (table.counts @ rank.T).T ** 2
    observed = 2 * ((linear * rank**2).sum(axis=1) - (weight * squares).sum(axis=1))
    return observed, 2 * total[:, 0] * (marginal * rank**2).sum(axis=1)


def _resampled(table: Table, distance: Distance, replicates: int, seed: int) -> Floats:
    found = [alphas(table, times, distance) for times in _draws(table, replicates, seed)]
    return np.concatenate(found) if found else np.empty(0)


def _draws(table: Table, replicates: int, seed: int) -> Iterator[Floats]:
    """(b, K) how often items of each kind are drawn, in blocks that fit into memory."""
    rng, units, kinds = np.random.default_rng(seed), int(table.items.sum()), table.items.size
    block = max(1, _CELLS // max(kinds, table.values.size))
    share = table.items / units
    for start in range(0, replicates, block):
        size = min(block, replicates - start)
        if kinds * _FEW <= units:
            yield rng.multinomial(units, share, size).astype(np.float64)
        else:
            yield np.stack([_drawn(rng, table.items, units) for _ in range(size)])


def _drawn(rng: np.random.Generator, items: Ints, units: int) -> Floats:
    """(K,) how often items of each kind are among as many items drawn one by one."""
    drawn = np.bincount(rng.integers(0, units, units), minlength=units)
    if items.size < units:
        drawn = np.add.reduceat(drawn, np.cumsum(items) - items)
    return drawn.astype(np.float64)


def _percentiles(alphas: Floats, level: float) -> tuple[float | None, float | None, float]:
    known = alphas[~np.isnan(alphas)]
    undefined = 1 - known.size / alphas.size if alphas.size else 0.0
    if not known.size or undefined > 0.5:
        return None, None, undefined
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high), undefined
