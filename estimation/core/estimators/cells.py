"""What each judgment contributes to an estimate's error, summed by item and by annotator."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.fit import Method, Parts, annotator_part
from estimation.core.estimators.notices import Code


@dataclass(frozen=True, slots=True, eq=False)
class Items:
    """The judged items of a sample: rows (n,), and for each judgment the row it belongs to.

    label: (n,) which output, ascending. row: (T,) 0..n-1. count: (n,) k_i. mean: (n,) the mean
    score. noise: the variance within items, MSW; None where no item was judged twice.
    """

    label: Ints
    row: Ints
    count: Ints
    mean: Floats
    noise: float | None

    @property
    def n(self) -> int:
        """How many items were judged."""
        return int(self.label.size)

    def weights(self) -> Floats:
        """(T,) 1 / (n k_i): items weigh equally, and so do the judgments of one item."""
        return np.asarray(1 / (self.n * self.count[self.row]))

    def sums(self, values: Floats) -> Floats:
        """(n,) sums over the judgments of each item of `values` (T,)."""
        return np.asarray(np.bincount(self.row, values, self.n), dtype=np.float64)


def items_of(sample: Sample) -> Items:
    """Number the judged items of a sample and average their scores."""
    who = sample.incidence
    count = who.count[who.judged]
    row = (np.cumsum(who.count > 0) - 1)[sample.item]
    mean = np.bincount(row, sample.score) / count
    replicates = sample.n_judgments - count.size
    within = float(((sample.score - mean[row]) ** 2).sum())
    return Items(who.judged, row, count, mean, within / replicates if replicates else None)


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """One entry per (item, annotator) pair, all (C,).

    u: the pair's part of the estimate's error, in score units; sums to 0 over all pairs.
    share: its part of the estimate's weight; sums to 1.
    annotator: any labels.
    """

    u: Floats
    share: Floats
    annotator: Ints

    def by_annotator(self, values: Floats) -> Floats:
        """(A,) sums of `values` (C,) over each annotator's pairs."""
        _, person = np.unique(self.annotator, return_inverse=True)
        return np.asarray(np.bincount(person, values), dtype=np.float64)

    def effective_annotators(self) -> float:
        """A_eff = 1 / sum_j share_j²."""
        return float(1 / (self.by_annotator(self.share) ** 2).sum())


@dataclass(frozen=True, slots=True)
class ItemPart:
    """The part of an estimate's error that comes from having judged n of N items.

    estimate, centre: the plain estimate and the middle of its intervals. slope: as reported.
    variance: the item part after finite-population correction. rest: what a census would leave.
    df: degrees of freedom of the item part.
    """

    estimate: float
    centre: float
    slope: float
    variance: float
    rest: float
    df: float


def two_way(part: ItemPart, cells: Cells, *, method: Method) -> Parts:
    """Add the annotator part max(0, c V_annot - V_cell) of section "The interval" of the docs.

    V_annot sums u by annotator and squares, V_cell squares each pair's u.
    """
    effective = np.asarray(cells.effective_annotators())
    annotator_sum = np.asarray((cells.by_annotator(cells.u) ** 2).sum())
    cell_sum = np.asarray((cells.u**2).sum())
    annotator, df = np.asarray(0.0), np.asarray(part.df, dtype=np.float64)
    if method.interval == "two_way" and method.estimand == "population":
        annotator = annotator_part(annotator_sum, cell_sum, effective)
        df = np.minimum(df, effective - 1)
    known = (part.estimate, part.slope, part.centre, part.variance, part.rest)
    estimate, slope, centre, item, rest = (np.asarray(value) for value in known)
    return Parts(
        estimate, slope, centre, item, rest, annotator, annotator_sum, cell_sum, df, effective
    )


def finite(
    variance: float, weight: Floats, items: Items, n_population: int, method: Method
) -> tuple[float, float]:
    """((1 - f) V_item, sigma_a² h / N): the item part when N outputs are all there are.

    With W_i = sum_j w_ij, f = 1 / (N sum W_i²) and h = sum w_ij² / sum W_i²; for items of equal
    weight these are n / N and mean(1 / k_i). f = 0 without replicates.
    """
    if not method.finite_population or items.noise is None:
        return variance, 0.0
    squared = float((items.sums(weight) ** 2).sum())
    h = float((weight**2).sum()) / squared
    return (1 - 1 / (n_population * squared)) * variance, items.noise * h / n_population


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """An intermediate result of an estimator that needs more than a few sums.

    correction: (T,) what the metrics take off each judgment's score. slopes: (p,) one for each
    metric, 0 for one that was not used. correlation: of item means with the correction.
    codes: the notices about metrics that apply.
    """

    parts: Parts
    correction: Floats
    slopes: tuple[float, ...]
    correlation: float | None
    codes: frozenset[Code]


def ends_of(scale: Scale, method: Method) -> Floats:
    """(4,) the scores of the pseudo-rows at x = 0, or (0,) where the method has none."""
    ends = [scale.low, scale.low, scale.high, scale.high] if method.pseudo_rows else []
    return np.array(ends, dtype=np.float64)


def correlated(first: Floats, second: Floats) -> float | None:
    """Pearson's r of two (n,) arrays; None where either does not vary beyond rounding."""
    if any(_flat(values) for values in (first, second)):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _flat(values: Floats) -> bool:
    tolerance = 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0)))
    return bool(np.ptp(values) <= tolerance) if values.size else True


def columns_that_vary(x: Floats) -> NDArray[np.bool_]:
    """(p,) which columns of `x` (n, p) vary over the judged items; as `fit.spread_of_x`."""
    squares = (x**2).sum(axis=0)
    spread = ((x - x.mean(axis=0)) ** 2).sum(axis=0)
    return np.asarray(spread > 1e-12 * np.maximum(1.0, squares))
