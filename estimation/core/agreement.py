"""Agreement between people: Krippendorff's alpha with an interval, and what stands beside it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import bdtrc, roots_jacobi

from estimation.core import errors
from estimation.core.intervals import check_level
from estimation.core.sample import Floats, Ints, distinct, numbered

# --- Items by the scores they got: items with the same scores are of one kind and counted together.


_BITS = 62  # of the number that stands for all scores of an item


@dataclass(frozen=True)
class Table:
    """Pairable judgments: counts (K, V) of each value in each kind of item.

    Items with the same scores are of one kind. values: (V,) ascending. items: (K,) how many items
    are of each kind.
    """

    counts: csr_array
    values: Floats
    items: Ints

    @cached_property
    def size(self) -> Floats:
        """(K,) judgments per item, at least 2."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @cached_property
    def sums(self) -> Floats:
        """(4, K) of one item: observed disagreement (interval), judgments, sums of v and of v²."""
        # Centred, so that large scores with a small spread keep their digits.
        values = self.values - self.values.mean()
        size, first, second = self.size, self.counts @ values, self.counts @ values**2
        return np.stack([2 * (size * second - first**2) / (size - 1), size, first, second])


def tabled(items: Ints, values: Floats) -> Table:
    """The table of these judgments: any number of items, each judged by at least one person."""
    levels, level = np.unique(values, return_inverse=True)
    order = np.lexsort((level, items))
    sorted_items, level = items[order], level[order]
    start = np.flatnonzero(np.r_[True, sorted_items[1:] != sorted_items[:-1]])
    size = np.diff(np.r_[start, items.size])
    first, times = _kinds(level, start, size, levels.size)
    # The rows of the first item of each kind, one below the other.
    row = np.repeat(np.arange(first.size), size[first])
    own = np.arange(row.size) - np.repeat(np.cumsum(size[first]) - size[first], size[first])
    column = level[start[first][row] + own]
    counts = csr_array((np.ones(row.size), (row, column)), shape=(first.size, levels.size))
    counts.sum_duplicates()
    return Table(counts, levels, times)


def _kinds(level: Ints, start: Ints, size: Ints, levels: int) -> tuple[Ints, Ints]:
    """(K,) one item of each kind, and (K,) how many there are of it.

    level: (T,) sorted within each item; start, size: (U,) of the items in it. An item whose scores
    do not fit into one number is a kind of its own.
    """
    code = np.zeros(start.size, dtype=np.int64)
    fits = size * np.log2(levels + 1) < _BITS
    for m in range(int(size[fits].max(initial=0))):
        longer = fits & (size > m)
        code[longer] = code[longer] * (levels + 1) + level[start[longer] + m] + 1
    alone = np.flatnonzero(~fits)
    code[alone] = -1 - np.arange(alone.size)
    _, first, times = np.unique(code, return_index=True, return_counts=True)
    return first, times


# --- Krippendorff's alpha: how far people agree beyond chance, with an interval from the items.


Distance = Literal["nominal", "ordinal", "interval"]
DISTANCES: tuple[str, ...] = get_args(Distance)

NO_REPLICATES = "Agreement takes items that at least two people judged; there are none."
NO_VARIATION = (
    "All items judged by several people got the same score throughout: agreement cannot be "
    "compared with chance."
)
_CELLS = 1_000_000  # numbers held at a time while resampling: 8 MB
_FEW = 8  # with fewer items of each kind than this on average, items are drawn one by one


class NoVariationError(errors.EstimationError):
    """Every comparable score is the same, so agreement cannot be compared with chance."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Krippendorff's alpha with a percentile interval.

    alpha: 1 for perfect agreement, 0 for chance, negative for disagreement beyond chance.
    low, high: the interval at `level`, items resampled. None where fewer than two
        items were judged by several people, or where over half of the resamples do not vary.
    level: the confidence level.
    distance: how far two scores are apart.
    n_items, n_judgments, n_annotators: of the items judged by at least two people; other items say
        nothing about agreement.
    undefined: the share of resamples that do not vary; they are left out.
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

    item, annotator: (T,) ints; any labels.
    value: (T,) floats; the scores.
    distance: squared distances: 1 for different scores; the squared difference of mid-ranks; (a -
        b)².
    level: the confidence level.
    replicates: how often items are resampled; 0 for no interval.
    seed: the seed of the resamples.
    Returns: alpha, its interval, and what it rests on.
    Raises ReplicatesNeededError: no item was judged by two people.
    Raises NoVariationError: all comparable scores are equal.
    Raises DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError: the arrays are not valid
        judgments.
    Raises InvalidOptionError: an option is unknown or out of range.

    .. [1] K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.
    """
    check_options(distance, level, replicates)
    items, people, values = judgment_arrays(item, annotator, value)
    table, n_people = pairable(items, people, values)
    units = int(table.items.sum())
    alpha = float(alphas(table, table.items[None].astype(np.float64), distance)[0])
    if np.isnan(alpha):
        raise NoVariationError(NO_VARIATION)
    draws = _draws(table, replicates if units > 1 else 0, seed)
    resampled = np.concatenate([np.empty(0), *(alphas(table, one, distance) for one in draws)])
    low, high, undefined = _percentiles(resampled, level)
    n_judgments = int(table.items @ table.size)
    return Agreement(alpha, low, high, level, distance, units, n_judgments, n_people, undefined)


def observed_agreement(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike
) -> tuple[float, float]:
    """Return how often two judgments of an item are equal, and how often two of any items are.

    The first is 1 - D_o of nominal alpha, the second 1 - D_e. Where nearly all scores are the
    same both are high and alpha says little.

    item, annotator: (T,) ints; any labels.
    value: (T,) floats; the scores.
    Returns: the observed share and the share by chance, between 0 and 1.
    Raises ReplicatesNeededError: no item was judged by two people.
    Raises DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError: the arrays are not valid
        judgments.

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
    pairs = items * (people.max(initial=0) + 1) + people
    if distinct(pairs).size < pairs.size:
        raise errors.DuplicateJudgmentError("An annotator judged the same item more than once.")
    return items, people, values


def numbers_of(labels: NDArray[Any]) -> Ints:
    """(T,) the labels' places among the different ones."""
    if labels.dtype.kind in "iu":
        return numbered(labels)
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.int64)


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
    marginal = np.asarray((table.counts.T @ times.T).T)  # (B, V)
    sums = {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval}[distance]
    observed, expected = sums(table, times, marginal)
    varies = (marginal > 0).sum(axis=1) > 1
    ratio = (marginal.sum(axis=1) - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, 1 - ratio, np.nan)


def _nominal(table: Table, times: Floats, marginal: Floats) -> tuple[Floats, Floats]:
    """(n D_o, n (n - 1) D_e): different pairs within items and over all."""
    size = table.size
    same = np.asarray(table.counts.power(2).sum(axis=1))
    observed = times @ ((size**2 - same) / (size - 1))
    return observed, marginal.sum(axis=1) ** 2 - (marginal**2).sum(axis=1)


def _interval(table: Table, times: Floats, _marginal: Floats) -> tuple[Floats, Floats]:
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


# --- Leave-one-out alpha: how far the others agree, for each annotator.
#
# One person's judgments are subtracted from the sums over all: the work grows with judgments,
# not with people times judgments.


# Above this, a table of pairs of values costs more than starting again for each person.
MOST_LEVELS = 32


@dataclass(frozen=True, slots=True, eq=False)
class WithoutEach:
    """Alpha without each annotator who shares items with others; rows (A,).

    annotator: (A,); the labels, in ascending order.
    alpha: (A,) floats; alpha of what all others judged; NaN where it does not exist.
    shared: (A,) ints; the annotator's judgments of items that others judged too.
    """

    annotator: NDArray[np.generic]
    alpha: Floats
    shared: Ints


def alpha_without_each(
    item: ArrayLike, annotator: ArrayLike, value: ArrayLike, *, distance: Distance = "ordinal"
) -> WithoutEach:
    """Return Krippendorff's alpha of the others, for each annotator who shares an item.

    The judgments of one person are subtracted from the sums over all. The ordinal distance is slow
    where there are more than 32 different values.

    item, annotator, value, distance: as in `krippendorff_alpha`.
    Returns: one row for each annotator who shares an item with another.
    Raises DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError, InvalidOptionError: as in
        `krippendorff_alpha`.
    """
    check_options(distance, 0.95, 0)
    items, people, values = judgment_arrays(item, annotator, value)
    several = np.bincount(items)[items] > 1 if items.size else np.zeros(0, dtype=bool)
    labels, person = np.unique(people[several], return_inverse=True)
    found = _Shared(items[several], person, values[several])
    names = distinct(np.asarray(annotator))[labels]
    return WithoutEach(names, _alphas_without(found, distance), np.bincount(person))


class _Shared:
    """Judgments (T,) of items that several people judged, and what goes with each person.

    item, person: from 0 (item: perhaps with gaps). values: (V,) ascending. level: (T,) which.
    size: (T,) how many judged the row's item. Without the row's person a pair loses its other
    judgment too, because nothing is left to compare it with: `left` are those rows, and
    `left_by` the person whose absence leaves them.
    """

    def __init__(self, item: Ints, person: Ints, value: Floats) -> None:
        self.item, self.person, self.value = item, person, value
        self.people = int(person.max(initial=-1)) + 1
        self.values, self.level = np.unique(value, return_inverse=True)
        self.of_item = np.bincount(item)
        self.size = self.of_item[item].astype(np.float64)
        pairs = np.flatnonzero(self.size == 2)
        by_item = pairs[np.argsort(item[pairs], kind="stable")].reshape(-1, 2)
        self.left = by_item[:, ::-1].ravel()
        self.left_by = person[by_item.ravel()]

    def sums(self, of_row: Floats) -> Floats:
        """(A,) the sum over a person's rows."""
        return np.asarray(np.bincount(self.person, of_row, self.people), dtype=np.float64)

    def kept(self, of_row: Floats) -> Floats:
        """(A,) the sum over all rows that can be compared without the person."""
        gone = np.bincount(self.left_by, of_row[self.left], self.people)
        return np.asarray(of_row.sum() - self.sums(of_row) - gone)

    def per_item(self, of_row: Floats) -> Floats:
        """(T,) the sum over all rows of the row's item."""
        return np.asarray(np.bincount(self.item, of_row)[self.item])

    def removed(self) -> tuple[Ints, Ints, Ints]:
        """(person, level, how often) for each level of which judgments go with a person."""
        size = max(self.values.size, 1)
        person = np.r_[self.person, self.left_by]
        level = np.r_[self.level, self.level[self.left]]
        pair, times = np.unique(person * size + level, return_counts=True)
        return pair // size, pair % size, times

    def varies(self) -> NDArray[np.bool_]:
        """(A,) whether the others gave more than one value."""
        person, level, times = self.removed()
        gone = times == np.bincount(self.level)[level]
        return np.asarray(self.values.size - np.bincount(person, gone, self.people) > 1)


def _alphas_without(found: _Shared, distance: Distance) -> Floats:
    """(A,) alpha = 1 - (n - 1) observed / expected, NaN where nothing varies."""
    if not found.people:
        return np.empty(0)
    if distance == "ordinal":
        small = found.values.size <= MOST_LEVELS
        return np.array(list((_ordinal_without if small else _anew)(found)), dtype=np.float64)
    observed, expected = (_nominal_without if distance == "nominal" else _interval_without)(found)
    varies = found.varies()
    total = found.kept(np.ones(found.size.size))
    ratio = (total - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, 1 - ratio, np.nan)


def _without(found: _Shared, now: Floats, then: Floats) -> Floats:
    """(A,) a sum over items, without each person. `now` (T,) is the value of the row's item and
    `then` (T,) its value without the row's person; an item of two judgments then counts 0."""
    change = now - np.where(found.size > 2, then, 0.0)
    return np.asarray((now / found.size).sum() - found.sums(change))


def _nominal_without(found: _Shared) -> tuple[Floats, Floats]:
    """(A,) as `alpha._nominal`, without each person."""
    size, levels = found.size, max(found.values.size, 1)
    _, pair, times = np.unique(
        found.item * levels + found.level, return_inverse=True, return_counts=True
    )
    alike = times[pair].astype(np.float64)  # judgments of the item with the row's value
    same = found.per_item(alike)
    rest = np.maximum(size - 2, 1)
    observed = _without(
        found, (size**2 - same) / (size - 1), ((size - 1) ** 2 - (same - 2 * alike + 1)) / rest
    )
    count = np.bincount(found.level).astype(np.float64)
    person, level, removed = found.removed()
    less = np.bincount(person, removed * (2 * count[level] - removed), found.people)
    return observed, found.kept(np.ones(size.size)) ** 2 - ((count**2).sum() - less)


def _interval_without(found: _Shared) -> tuple[Floats, Floats]:
    """(A,) as `alpha._interval`, without each person."""
    size, value = (
        found.size,
        found.value - found.values.mean() if found.values.size else found.value,
    )
    first, second = found.per_item(value), found.per_item(value**2)
    without = (size - 1) * (second - value**2) - (first - value) ** 2
    observed = _without(
        found, 2 * (size * second - first**2) / (size - 1), 2 * without / np.maximum(size - 2, 1)
    )
    total, sums, squares = (found.kept(of_row) for of_row in (np.ones(size.size), value, value**2))
    return observed, 2 * (total * squares - sums**2)


def _ordinal_without(found: _Shared) -> Iterator[float]:
    """Alpha without each person, from pairs of values (V, V), because mid-ranks change."""
    levels, units = found.values.size, found.of_item.size
    counts = np.zeros((units, levels))
    np.add.at(counts, (found.item, found.level), 1)
    weight = np.divide(1.0, found.of_item - 1, where=found.of_item > 1, out=np.zeros(units))
    pairs = (counts * weight[:, None]).T @ counts
    marginal = counts.sum(axis=0)
    order, n = np.argsort(found.person, kind="stable"), np.bincount(found.person)
    ends = np.cumsum(n)
    block = max(1, _CELLS // (levels**2 * int(n.max())))
    for first in range(0, n.size, block):
        own = slice(first, first + block)
        rows, starts = order[ends[first] - n[first] : ends[own][-1]], ends[own] - n[own]
        change, gone = _taken(found, counts, rows)
        at = starts - starts[0]
        yield from _of_pairs(
            pairs + np.add.reduceat(change, at), marginal - np.add.reduceat(gone, at)
        ).tolist()


def _taken(found: _Shared, counts: Floats, rows: Ints) -> tuple[Floats, Floats]:
    """((R, V, V), (R, V)) what pairs gain and counts lose without the person of each row."""
    mine, size = counts[found.item[rows]], found.size[rows, None]
    others = mine.copy()
    others[np.arange(rows.size), found.level[rows]] -= 1
    compared = np.where(size > 2, others, 0.0)
    less = (mine / (size - 1))[:, :, None] * mine[:, None]
    more = (compared / np.maximum(size - 2, 1))[:, :, None] * others[:, None]
    return more - less, mine - compared  # of a pair of judgments, both are gone


def _of_pairs(pairs: Floats, marginal: Floats) -> Floats:
    """(B,) ordinal alpha of (B, V, V) pairs, which weigh 1 / (m - 1), and (B, V) counts."""
    rank = np.cumsum(marginal, axis=1) - marginal / 2
    apart = (rank[:, :, None] - rank[:, None]) ** 2
    expected = (marginal[:, :, None] * apart * marginal[:, None]).sum(axis=(1, 2))
    observed = (pairs * apart).sum(axis=(1, 2))
    varies = np.count_nonzero(marginal, axis=1) > 1
    alpha = 1 - (marginal.sum(axis=1) - 1) * observed / np.where(varies, expected, 1.0)
    return np.where(varies, alpha, np.nan)


def _anew(found: _Shared) -> Iterator[float]:
    """Alpha without each person, computed from the beginning every time."""
    for j in range(found.people):
        keep = found.person != j
        try:
            table, _ = pairable(found.item[keep], found.person[keep], found.value[keep])
        except errors.ReplicatesNeededError:
            yield float("nan")
        else:
            yield float(alphas(table, table.items[None].astype(np.float64), "ordinal")[0])


# --- Cohen's and Fleiss' kappa: agreement beyond what equal answers by chance would give.


def fleiss_kappa(item: ArrayLike, annotator: ArrayLike, value: ArrayLike) -> float:
    """Return Fleiss' kappa of several annotators, who need not be the same for every item.

    Items with a single judgment are left out. Every other item weighs equally, in the observed
    disagreement (the share of its pairs that differ) and in the frequencies of the scores, from
    which chance is computed. Where all items have the same number of judgments, this is Fleiss'
    definition [1]_; otherwise it is one of several generalisations.

    item, annotator: (T,) ints; any labels.
    value: (T,) floats; the scores, as categories without an order.
    Returns: 1 for perfect agreement, 0 for chance, negative for disagreement beyond chance.
    Raises ReplicatesNeededError: no item was judged by two people.
    Raises NoVariationError: all comparable scores are equal.
    Raises DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError: the arrays are not valid
        judgments.

    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological
       Bulletin 76, 378-382.

    >>> from estimation.core import fleiss_kappa
    >>> item, annotator = [0, 0, 0, 1, 1, 1], [1, 2, 3, 1, 2, 4]
    >>> round(fleiss_kappa(item, annotator, [1, 1, 1, 0, 0, 1]), 3)
    0.25
    """
    table, _ = pairable(*judgment_arrays(item, annotator, value))
    size, weight = table.size, table.items / int(table.items.sum())
    same = np.asarray((table.counts.power(2).sum(axis=1)), dtype=np.float64) - size
    observed = float(1 - weight @ (same / (size * (size - 1))))
    share = np.asarray(table.counts.T @ (weight / size))
    expected = float(share @ (1 - share))
    if not expected > 0:
        raise NoVariationError(NO_VARIATION)
    return 1 - observed / expected


# --- The intraclass correlation of single judgments, from a one-way analysis of variance.


def intraclass_correlation(item: ArrayLike, annotator: ArrayLike, value: ArrayLike) -> float:
    """Return ICC(1,1): one-way, random items, agreement of single judgments.

    (MSB - MSW) / (MSB + (k0 - 1) MSW), MSB and MSW the mean squares between and within items,
    k0 = (T - sum k_i² / T) / (n - 1) for items judged k_i times, so the design need not be
    balanced [2]_. It is the first of the six of [1]_, ICC(1) in [2]_: each item has its own random
    people, whose differences count as disagreement. The correlation of means of k judgments is
    k·icc / (1 + (k - 1)·icc).

    item, annotator: (T,) ints; any labels.
    value: (T,) floats; the scores.
    Returns: the share of a judgment's variance that lies between items; may be negative.
    Raises ReplicatesNeededError: fewer than two items were judged, or no item was judged twice.
    Raises NoVariationError: all scores are equal.
    Raises DuplicateJudgmentError, ShapeMismatchError, InvalidScoreError: the arrays are not valid
        judgments.

    .. [1] P. E. Shrout and J. L. Fleiss (1979). Intraclass correlations: uses in assessing rater
       reliability. Psychological Bulletin 86, 420-428.
    .. [2] A. Donner (1986). A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model. International Statistical Review 54, 67-82.
    """
    items, _, values = judgment_arrays(item, annotator, value)
    times = np.bincount(items)
    t, n = items.size, times.size
    if n < 2 or t == n:
        raise errors.ReplicatesNeededError(
            "The intraclass correlation takes two items or more, some of them judged twice."
        )
    if not np.ptp(values) > 0:
        raise NoVariationError("All scores are equal, so nothing varies between or within items.")
    # Centred, so that large scores with a small spread keep their digits.
    centred = values - values.mean()
    mean = np.bincount(items, centred) / times
    between = float((times * mean**2).sum()) / (n - 1)
    within = float(((centred - mean[items]) ** 2).sum()) / (t - n)
    k0 = (t - float(times @ times) / t) / (n - 1)
    return (between - within) / (between + (k0 - 1) * within)


# --- Straight-lining: one answer repeated, compared with what the others answer.


_MOST_NODES = 64


def person_correlation(annotator: ArrayLike, value: ArrayLike) -> float:
    """Estimate the correlation of answers within people, answers taken as categories.

    (MSB - MSW) / (MSB + (k0 - 1) MSW) from one-way analysis of variance by annotator, summed over
    the indicators of the answers. Straight-liners raise it, which makes `uniformity` more
    lenient.

    annotator: (T,) ints; any labels.
    value: (T,) floats; the answers.
    Returns: from 0 to 0.99; 0 where nothing is known.
    Raises ShapeMismatchError, InvalidScoreError: the arrays are not valid answers.
    """
    labels, who, levels, answer = _answers(annotator, value)
    n, k = np.bincount(who), labels.size
    total = int(n.sum())
    if k < 2 or total <= k:
        return 0.0
    # Only combinations that occur: people × answers may far outnumber judgments.
    pair, counts = np.unique(who * levels.size + answer, return_counts=True)
    explained = float((counts**2 / n[pair // levels.size]).sum())
    between = (explained - float((np.bincount(answer) ** 2).sum()) / total) / (k - 1)
    within = (total - explained) / (total - k)
    k0 = (total - float((n**2).sum()) / total) / (k - 1)
    unlike = between + (k0 - 1) * within
    return float(np.clip((between - within) / unlike, 0, 0.99)) if unlike > 0 else 0.0


def uniformity(
    answer: Ints, rates: Floats, correlation: float
) -> tuple[float, float, float, float, float, float]:
    """Test whether the answers of one annotator are all the same or come in long runs.

    The number of equal answers is binomial, and the longest run of length L follows the recurrence
    q_m = q_(m-1) - (1 - p) p^L q_(m-L-1) (Feller 1968, section XIII.7). Honest people differ, so p
    varies as a beta distribution with the base rate as its mean and correlation 1 / (a + b + 1);
    both probabilities are averaged over it by quadrature.

    answer: (n,) ints; the answers in order, as positions in `rates`.
    rates: (V,) floats; the probability of each answer.
    correlation: the correlation within people, at least 0 and below 1.
    Returns: n, modal share, longest run, share_p, run_p and p_value.
    """
    counts, runs = _tallied(answer.tolist(), rates.size)
    n, levels = answer.size, rates.size
    share_p = run_p = 1.0
    for rate, many, long_ in zip(rates.tolist(), counts, runs, strict=True):
        if many:
            share_p = min(share_p, levels * _so_many(rate, correlation, n, many))
            run_p = min(run_p, levels * _so_long(rate, correlation, n, long_))
    p_value = min(1.0, 2 * min(share_p, run_p))
    return n, max(counts) / n, float(max(runs)), share_p, run_p, p_value


def _tallied(answers: list[int], levels: int) -> tuple[list[int], list[int]]:
    """How often each level occurs, and its longest run. For a few answers numpy takes longer."""
    counts, longest = [0] * levels, [0] * levels
    before, run = -1, 0
    for answer in answers:
        run = run + 1 if answer == before else 1
        before = answer
        counts[answer] += 1
        if run > longest[answer]:
            longest[answer] = run
    return counts, longest


@lru_cache(maxsize=2**14)  # in a crowd the same few numbers recur
def _so_many(rate: float, correlation: float, n: int, many: int) -> float:
    """Return the probability of `many` or more of an answer among n."""
    p, weight = _spread_out(rate, correlation, min(n // 2 + 1, _MOST_NODES))
    return float(weight @ bdtrc(many - 1.0, n, p))


@lru_cache(maxsize=2**14)
def _so_long(rate: float, correlation: float, n: int, length: int) -> float:
    """Return the probability of a run of `length` or more of an answer among n."""
    p, weight = _spread_out(rate, correlation, min(n // 2 + 1, _MOST_NODES))
    return float(weight @ _run_probability(p, n, length))


@lru_cache(maxsize=2**12)
def _spread_out(rate: float, correlation: float, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights of a person's rate; exact for up to 2 * nodes - 1 answers."""
    rate = float(np.clip(rate, 1e-12, 1 - 1e-12))
    if correlation <= 0:
        return np.array([rate]), np.array([1.0])
    size = 1 / correlation - 1
    a, b = rate * size, (1 - rate) * size
    at, weights = roots_jacobi(nodes, b - 1, a - 1)
    return (1 + at) / 2, weights / weights.sum()


def _run_probability(p: Floats, n: int, length: int) -> Floats:
    """Probability of at least `length` successes in a row among n, for each p."""
    none = np.ones((n + 1, p.size))  # none[m]: no such run among the first m
    if length <= n:
        none[length] = 1 - p**length
    for m in range(length + 1, n + 1):
        none[m] = none[m - 1] - (1 - p) * p**length * none[m - length - 1]
    return np.asarray(np.clip(1 - none[n], 0, 1))


def _answers(annotator: ArrayLike, value: ArrayLike) -> tuple[Ints, Ints, Floats, Ints]:
    rows = np.arange(np.size(value))  # every row is an item of its own, so no judgment is a repeat
    _, _, values = judgment_arrays(rows, annotator, value)
    labels, who = distinct(np.asarray(annotator)), numbers_of(np.asarray(annotator))
    levels = distinct(values)
    return labels, who, levels, np.searchsorted(levels, values)
