"""Two systems compared on the same items: the difference of their means over all N outputs."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from estimation.core import errors
from estimation.core.estimators import Items, items_of
from estimation.core.fit import (
    ItemPart,
    Method,
    Moments,
    chosen,
    gram,
    parts,
    products_of,
)
from estimation.core.results import Code, Difference, about_scale, has_interval, told, variance_of
from estimation.core.ridge import about_line, cross_fitted, guarded, least_squares
from estimation.core.sample import Floats, Ints, Sample, Scale, distinct, numbered

# --- The two systems of a paired difference: what each one's judgments of the common items weigh.


@dataclass(frozen=True, slots=True, eq=False)
class PairedSide:
    """One system's judgments of the common items, by item and annotator; x (N, p).

    weight: (T,) a_ij / sum_j a_ij, the weight of each judgment in its item's mean. items: the
    weight of each item in this system, and the mean score.
    """

    sample: Sample
    x: Floats
    items: Items
    total: Floats
    weight: Floats

    @property
    def group(self) -> Ints | None:
        """(n,) the groups of the common items, None where each item is one of its own."""
        return (
            None if self.sample.group is None else np.asarray(self.sample.group[self.items.label])
        )


def sides_of(
    first: Sample, second: Sample, common: Ints, method: Method
) -> tuple[PairedSide, PairedSide]:
    """Both systems, the common items only, with the weights of the method."""
    a, b = (_restricted(sample, common) for sample in (first, second))
    weights = a.incidence.weight, b.incidence.weight
    if method.estimator == "balanced":
        weights = _balanced(a, b, method.balance)
    one, other = (
        _side(sample, weight, method) for sample, weight in zip((a, b), weights, strict=True)
    )
    return one, other


def _restricted(sample: Sample, common: Ints) -> Sample:
    rows = np.flatnonzero(np.isin(sample.item, common))
    # One order for all samples, so that equal judgments give exactly equal sums.
    person = sample.incidence.person
    pair = sample.item[rows] * (int(person.max(initial=0)) + 1) + person[rows]
    rows = rows[np.argsort(pair)]  # no two are equal
    return replace(
        sample,
        score=sample.score[rows],
        item=sample.item[rows],
        annotator=sample.annotator[rows],
    )


def _balanced(a: Sample, b: Sample, balance: float) -> tuple[Floats, Floats]:
    """1 / (k_i (1 + lambda m_j)), m_j half of the person's work on both systems."""
    share = np.r_[a.incidence.weight, b.incidence.weight]
    person = numbered(np.r_[a.annotator, b.annotator])
    weight = share / (1 + balance * (np.bincount(person, share) / 2)[person])
    return weight[: a.n_judgments], weight[a.n_judgments :]


def _side(sample: Sample, weight: Floats, method: Method) -> PairedSide:
    if method.estimator == "mean" or (sample.metric is None and method.estimator == "balanced"):
        x = np.zeros((sample.n_population, 0))
    elif method.estimator == "regression":
        x = sample.standardised_metric()[:, None]
    else:
        x = sample.standardised_metrics()
    items = items_of(sample, weight)
    total = np.asarray(np.bincount(items.row, weight), dtype=np.float64)
    return PairedSide(sample, x, items, total, weight / total[items.row])


def identical(a: PairedSide, b: PairedSide) -> bool:
    """Whether nothing that is known tells the systems apart."""
    pairs = [
        (getattr(a.sample, name), getattr(b.sample, name))
        for name in ("score", "item", "annotator", "metric")
    ]
    return all(
        one is other or (one is not None and other is not None and np.array_equal(one, other))
        for one, other in pairs
    )


def residuals(side: PairedSide, weight: Floats, correction: Floats) -> tuple[Floats, Floats]:
    """(u, w), both (T,), of one system's judgments about its own mean.

    weight, correction: (n,) of the items, and what the metrics take off their scores.
    """
    mean = float(weight @ (side.items.mean - correction))
    w = weight[side.items.row] * side.weight
    return w * (side.sample.score - correction[side.items.row] - mean), w


def replicates(sample: Sample) -> int:
    """How many judgments are not the first of their item."""
    return sample.n_judgments - int(sample.incidence.judged.size)


def noise_of(a: PairedSide, b: PairedSide, weight: Floats) -> float:
    """The variance of d_i about what all people would say of item i, averaged by W_i².

    MSW_a sum w_a² + MSW_b sum w_b² - 2 s_ab sum w_a w_b over the people who judged both outputs,
    by sum W_i²; s_ab the covariance within items of these people. What they have in common cancels
    in d_i. 0 where a system has no items judged twice.
    """
    if not replicates(a.sample) or not replicates(b.sample):
        return 0.0
    person = numbered(np.r_[a.sample.annotator, b.sample.annotator])
    stride, size = person.max() + 1, a.sample.n_judgments
    _, at_a, at_b = np.intersect1d(
        a.items.row * stride + person[:size],
        b.items.row * stride + person[size:],
        return_indices=True,
    )
    row = a.items.row[at_a]
    both = np.bincount(row, minlength=weight.size)
    covariance = _within(a.sample.score[at_a], b.sample.score[at_b], row, both)
    w_a, w_b = (weight[side.items.row] * side.weight for side in (a, b))
    own = sum(_msw(side) * float((w**2).sum()) for side, w in ((a, w_a), (b, w_b)))
    shared = covariance * float((w_a[at_a] * w_b[at_b]).sum())
    return max(0.0, (own - 2 * shared) / float((weight**2).sum()))


def _msw(side: PairedSide) -> float:
    """The variance of single judgments within items."""
    k = side.sample.incidence.count[side.items.label]
    mean = np.bincount(side.items.row, side.sample.score, k.size) / k
    squares = float(((side.sample.score - mean[side.items.row]) ** 2).sum())
    return squares / replicates(side.sample)


def _within(first: Floats, second: Floats, row: Ints, count: Ints) -> float:
    """The covariance within rows; 0 where no row has two entries."""
    replicates = int(np.maximum(count - 1, 0).sum())
    if not replicates:
        return 0.0
    held = np.maximum(count, 1)
    about = [
        values - (np.bincount(row, values, count.size) / held)[row] for values in (first, second)
    ]
    return float((about[0] * about[1]).sum()) / replicates


# --- Two systems compared on the same items: the difference of their means over all N outputs.


PAIRED_ESTIMATORS = ("balanced", "regression", "multi", "mean")


def difference(
    first: Sample,
    second: Sample,
    method: Method | None = None,
    **options: Any,
) -> Difference:
    """Estimate by how much the mean score of the first system exceeds that of the second.

    Item i must be the same input in both samples, and an annotator's label the same person. Only
    items judged for both systems count; they must be a random part of all items, for instance a
    common prefix of one random order. An output that both systems share is judged once, and its
    judgments stand in both samples: its difference is 0, and it stays in.

    The difference d_i of the item's two mean scores is regressed on the metrics of both systems.
    What one person said about both outputs of an item cancels before anything is squared. The
    pseudo-rows pair the ends of the scale: (low, low), (low, high), (high, low), (high, high).
    Where all judgments and metrics are the same, nothing distinguishes the systems: the difference
    and its variance are 0, without pseudo-rows.

    first, second: the two systems' judgments, with equal `n_population` and equal scales.
    method, options: as in `estimate`, with the two-way interval and one of four estimators.
        "balanced": a person's judgments weigh less the more of them there are, over both systems;
        all metrics of both, or none. "regression": one metric for each system, least squares.
        "multi": all metrics of both by cross-fitted ridge regression. "mean": no metric.
    Returns: first minus second, with the variance in parts.
    Raises InvalidOptionError: an option is unknown or out of range.
    Raises ShapeMismatchError: the samples have different numbers of outputs or different scales.
    Raises TooFewJudgmentsError: no item was judged for both systems.
    Raises MetricMissingError: the estimator needs metrics and a sample has none.

    The formulas are in docs/statistics.md, section "Paired differences".
    """
    method = chosen(method, options)
    _check(first, second, method)
    common = np.intersect1d(first.incidence.judged, second.incidence.judged, assume_unique=True)
    if not common.size:
        raise errors.TooFewJudgmentsError("No item has been judged for both systems.")
    a, b = sides_of(first, second, common, method)
    same, is_balanced = identical(a, b), method.estimator == "balanced"
    # Nothing distinguishes the systems, so nothing is guarded against.
    used = replace(method, pseudo_rows=False) if same else method
    about = _regress(a, b, method, _ends(first.scale, used))
    stats = _moments(a, b, about, same=same)
    found = parts(
        stats,
        method=used,
        scale=_reach(first.scale),
        n_units=first.incidence.n_units,
        form="balanced" if is_balanced else "mean",
        item_part=about.item_part,
        ends=_ends(first.scale, used),
    )
    exists, split = has_interval(found), a.x.shape[1]
    left_out = max(first.incidence.judged.size, second.incidence.judged.size) > common.size
    applies: dict[Code, bool] = {
        "identical_systems": same,
        "no_metric": is_balanced and not about.slopes.size,
        "unpaired_items": left_out,
        "no_replicates": method.finite_population
        and 0 in (replicates(a.sample), replicates(b.sample)),
        "no_interval": not exists,
    }
    codes = frozenset(code for code, true in applies.items() if true)
    codes |= about_scale(found, _reach(first.scale))
    return Difference(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=about.d.size,
        n_population=first.n_population,
        n_units=int(stats.n_units),
        n_units_population=first.incidence.n_units,
        n_judgments=(a.sample.n_judgments, b.sample.n_judgments),
        n_annotators=int(stats.n_annotators),
        effective_annotators=float(found.effective_annotators),
        slopes=(tuple(about.slopes[:split].tolist()), tuple(about.slopes[split:].tolist())),
        penalty=about.penalty,
        method=method,
        notices=told(codes if same else codes | about.codes),
    )


def _check(first: Sample, second: Sample, method: Method) -> None:
    if method.estimator not in PAIRED_ESTIMATORS:
        raise errors.InvalidOptionError(
            f"{method.estimator!r} is not one of {', '.join(PAIRED_ESTIMATORS)}."
        )
    method.check()
    if method.interval != "two_way":
        raise errors.InvalidOptionError("A difference has the two-way interval only.")
    if first.n_population != second.n_population:
        raise errors.ShapeMismatchError(
            f"The systems have {first.n_population} and {second.n_population} outputs; compared "
            "systems answer the same inputs."
        )
    one, other = first.group, second.group
    if one is not other and (one is None or other is None or not np.array_equal(one, other)):
        raise errors.ShapeMismatchError("The two systems' items are grouped differently.")
    if first.scale != second.scale:
        raise errors.ShapeMismatchError("The two systems' scores are on different scales.")


@dataclass(frozen=True, slots=True, eq=False)
class _Regression:
    """The item differences, corrected by the metrics of both systems.

    weight: (n,) W_i, sums to 1. d: (n,) the differences of the items' mean scores. taken: (n,)
    what the metrics of the first system and those of the second take off d. slopes: (p,) of both
    systems' metrics. item_part: of least squares, None where the weighted formulas apply. equal:
    whether items weigh equally. penalty: of the ridge, None without one.
    """

    weight: Floats
    d: Floats
    taken: tuple[Floats, Floats]
    slopes: Floats
    item_part: ItemPart | None
    codes: frozenset[Code]
    equal: bool
    penalty: float | None = None


def _regress(a: PairedSide, b: PairedSide, method: Method, ends: Floats) -> _Regression:
    x = np.hstack([side.x[side.items.label] for side in (a, b)])
    weight = (a.total + b.total) / (a.total.sum() + b.total.sum())
    d, equal = a.items.mean - b.items.mean, method.estimator != "balanced"
    split = a.x.shape[1]
    if max(split, b.x.shape[1]) > 1:
        ridge = cross_fitted(x, d, weight=weight, group=a.group)
        first = np.einsum("ij,ij->i", x[:, :split], ridge.coefficients[:, :split])
        taken = first, ridge.predicted - first
        return _Regression(weight, d, taken, ridge.slopes, None, ridge.codes, equal, ridge.penalty)
    slopes, rank = least_squares(x, d, weight)
    part = guarded(x, d, ends) if equal and x.shape[1] else None
    codes = about_line(slopes, rank, x, d, weight) if x.shape[1] else frozenset()
    taken = x[:, :split] @ slopes[:split], x[:, split:] @ slopes[split:]
    return _Regression(weight, d, taken, slopes, part, codes, equal)


def _moments(a: PairedSide, b: PairedSide, about: _Regression, *, same: bool) -> Moments:
    """The statistics of the corrected differences, as of a system with these scores and no metric.

    A system's own residual is y - its part of the correction - its own mean, so that what one
    person said of both outputs of an item cancels before anything is squared.
    """
    n, (first, second) = about.d.size, about.taken
    unit = a.group
    u_a, w_a = residuals(a, about.weight, first)
    u_b, w_b = residuals(b, about.weight, -second)
    row = np.r_[a.items.row, b.items.row]
    person = numbered(np.r_[a.sample.annotator, b.sample.annotator])
    stride = int(person.max()) + 1
    # One number for each pair: `unique` on pairs themselves takes most of the time.
    pair, cell = np.unique(row * stride + person, return_inverse=True)
    share, net = np.bincount(cell, np.r_[w_a, w_b] / 2), np.bincount(cell, np.r_[u_a, -u_b])
    cells = n * np.stack([share, np.zeros(share.size), net])
    judge = pair % stride
    people = np.stack([np.bincount(judge, line) for line in cells]).astype(np.float64)
    corrected = about.d - first - second
    shift = float(about.weight @ corrected)
    rows = np.ones(n), np.zeros(n), corrected - shift
    weigh, plain = n * about.weight, gram(*rows)
    # Two outputs that one person judged together count as one judgment of the difference.
    h = float((share**2).sum() / (about.weight**2).sum())
    pairs_of = min(replicates(a.sample), replicates(b.sample))
    return Moments(
        means=plain,
        judgments=plain,
        weighted=plain if about.equal else products_of([line * weigh for line in rows], rows),
        items=gram(
            *(
                line * weigh if unit is None else np.bincount(unit, line * weigh).astype(np.float64)
                for line in rows
            )
        ),
        annotators=gram(*people),
        cells=gram(*cells),
        cubes=np.asarray((people[0] ** 3).sum()),
        fourths=np.asarray((people[0] ** 4).sum()),
        within=np.asarray(noise_of(a, b, about.weight) / h * pairs_of),
        replicates=np.asarray(0.0 if same else float(pairs_of)),
        score_variance=np.asarray(about.weight @ (about.d - about.weight @ about.d) ** 2),
        n_annotators=np.asarray(people.shape[1]),
        n_units=np.asarray(float(n if unit is None else distinct(unit).size)),
        grouped=unit is not None,
        shift=shift,
    )


def _ends(scale: Scale, method: Method) -> Floats:
    """The pseudo-rows: (low, low), (low, high), (high, low) and (high, high)."""
    reach = scale.high - scale.low
    return np.array([0.0, -reach, reach, 0.0] if method.pseudo_rows else [])


def _reach(scale: Scale) -> Scale:
    """The scale of differences."""
    return Scale(scale.low - scale.high, scale.high - scale.low, scale.bounded)
