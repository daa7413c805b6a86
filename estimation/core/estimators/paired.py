"""Two systems compared on the same items: the difference of their means over all N outputs."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample
from estimation.core.estimators.cells import Cells, ItemPart, Items, items_of, two_way
from estimation.core.estimators.fit import ESTIMANDS, Estimand, Method, Parts
from estimation.core.estimators.multi import Combination, about_metrics, combine, folds
from estimation.core.estimators.notices import Code, told
from estimation.core.estimators.result import Difference, variance_of

PairedEstimator = Literal["regression", "multi", "mean"]
PAIRED_ESTIMATORS: tuple[str, ...] = get_args(PairedEstimator)


def difference(
    first: Sample,
    second: Sample,
    *,
    estimator: PairedEstimator = "regression",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    seed: int = 0,
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

    Parameters
    ----------
    first, second : Sample
        The two systems' judgments, with equal `n_population` and equal scales.
    estimator : {"regression", "multi", "mean"}, default "regression"
        "regression": one metric for each system, least squares. "multi": all metrics of both, by
        the rule of `estimate`. "mean": no metric.
    estimand, finite_population, pseudo_rows, seed
        As in `estimate`.

    Returns
    -------
    Difference
        First minus second, with the variance in parts.

    Raises
    ------
    InvalidOptionError
        An option is unknown or out of range.
    ShapeMismatchError
        The samples have different numbers of outputs or different scales.
    TooFewJudgmentsError
        No item was judged for both systems.
    MetricMissingError
        The estimator needs metrics and a sample has none.

    References
    ----------
    The formulas are in docs/statistics.md, section "Paired differences".

    Examples
    --------
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> from estimation.core import difference
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> worse = replace(sample, score=np.maximum(sample.score - 1, -1))
    >>> found = difference(sample, worse)
    >>> round(found.estimate, 2)
    0.84
    >>> found.interval(0.95).low > 0
    True
    >>> difference(sample, sample).estimate
    0.0
    """
    method = Method(estimator, "two_way", estimand, finite_population, pseudo_rows, seed)
    _check(first, second, method)
    common = np.intersect1d(first.item, second.item)
    if not common.size:
        raise errors.TooFewJudgmentsError("No item has been judged for both systems.")
    a, b = (_side(sample, common, method) for sample in (first, second))
    same = _identical(a, b)
    about = _regress(a, b, method, guard=pseudo_rows and not same)
    noise = _noise(a, b) if finite_population else None
    part = _item_part(about, noise, share=common.size / first.n_population)
    cells = _cells(a, b, about)
    left_out = max(first.incidence.judged.size, second.incidence.judged.size) > common.size
    codes = _codes(a, b, about, {"identical_systems": same, "unpaired_items": left_out})
    if finite_population and noise is None:
        codes |= {"no_replicates"}
    return _assemble(a, b, two_way(part, cells, method=method), about, method, codes)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """One system's judgments of the common items, by item and annotator; x (N, p)."""

    sample: Sample
    items: Items
    x: Floats

    @property
    def judged_x(self) -> Floats:
        """(n, p) the metrics of the common items."""
        return np.asarray(self.x[self.items.label])


def _check(first: Sample, second: Sample, method: Method) -> None:
    choices = ((method.estimator, PAIRED_ESTIMATORS), (method.estimand, ESTIMANDS))
    for given, known in choices:
        if given not in known:
            raise errors.InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
    if method.seed < 0:
        raise errors.InvalidOptionError(f"A seed is 0 or more; got {method.seed}.")
    if first.n_population != second.n_population:
        raise errors.ShapeMismatchError(
            f"The systems have {first.n_population} and {second.n_population} outputs; compared "
            "systems answer the same inputs."
        )
    if first.scale != second.scale:
        raise errors.ShapeMismatchError("The two systems' scores are on different scales.")


def _side(sample: Sample, common: Ints, method: Method) -> _Side:
    rows = np.flatnonzero(np.isin(sample.item, common))
    # One order for all samples, so that equal judgments give exactly equal sums.
    rows = rows[np.lexsort((sample.annotator[rows], sample.item[rows]))]
    kept = replace(
        sample,
        score=sample.score[rows],
        item=sample.item[rows],
        annotator=sample.annotator[rows],
    )
    if method.estimator == "mean":
        x = np.zeros((sample.n_population, 0))
    elif method.estimator == "regression":
        x = sample.standardised_metric()[:, None]
    else:
        x = sample.standardised_metrics()
    return _Side(kept, items_of(kept), x)


def _identical(a: _Side, b: _Side) -> bool:
    """Whether nothing that is known tells the systems apart."""
    pairs = [
        (getattr(a.sample, name), getattr(b.sample, name))
        for name in ("score", "item", "annotator", "metric")
    ]
    return all(
        one is other or (one is not None and other is not None and np.array_equal(one, other))
        for one, other in pairs
    )


def _regress(a: _Side, b: _Side, method: Method, *, guard: bool) -> Combination:
    scale = a.sample.scale
    reach = scale.high - scale.low
    ends = [0.0, -reach, reach, 0.0] if guard else []
    return combine(
        np.hstack([a.judged_x, b.judged_x]),
        a.items.mean - b.items.mean,
        fold=folds(a.sample.n_population, seed=method.seed)[a.items.label],
        ends=np.array(ends),
        always_fit=method.estimator != "multi",
    )


def _item_part(about: Combination, noise: float | None, *, share: float) -> ItemPart:
    """Finite-population corrected: ((1 - f) V_item, noise / N), f = 0 where noise is unknown."""
    variance = about.variance if noise is None else (1 - share) * about.variance
    n_population = about.coefficients.shape[0] / share
    rest = 0.0 if noise is None else noise / n_population
    return ItemPart(about.estimate, about.centre, 0.0, variance, rest, about.df)


def _noise(a: _Side, b: _Side) -> float | None:
    """The mean over items of the variance of d_i about what all people would say of item i.

    s_a² mean(1 / k_a) + s_b² mean(1 / k_b) - 2 s_ab mean(m / (k_a k_b)), s² the variances within
    items, s_ab the covariance within items of the m people who judged both outputs; what they
    have in common cancels in d_i. None where a system has no items judged twice.
    """
    if a.items.noise is None or b.items.noise is None:
        return None
    key_a, key_b = (side.items.row for side in (a, b))
    _, person = np.unique(np.r_[a.sample.annotator, b.sample.annotator], return_inverse=True)
    stride = person.max() + 1
    size = a.sample.n_judgments
    _, at_a, at_b = np.intersect1d(
        key_a * stride + person[:size], key_b * stride + person[size:], return_indices=True
    )
    row = key_a[at_a]
    both = np.bincount(row, minlength=a.items.n)
    covariance = _within(a.sample.score[at_a], b.sample.score[at_b], row, both)
    own = a.items.noise * (1 / a.items.count).mean() + b.items.noise * (1 / b.items.count).mean()
    shared = covariance * (both / (a.items.count * b.items.count)).mean()
    return max(0.0, float(own - 2 * shared))


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


def _cells(a: _Side, b: _Side, about: Combination) -> Cells:
    """The net u of every (item, annotator) pair, and half of its share in each system.

    A system's own u is w (y - its part of the correction - its own mean), so that what one
    person said of both outputs of an item cancels before anything is squared.
    """
    split = a.x.shape[1]
    u_a, w_a = _residuals(a, about.coefficients[:, :split])
    u_b, w_b = _residuals(b, -about.coefficients[:, split:])
    row = np.r_[a.items.row, b.items.row]
    annotator = np.r_[a.sample.annotator, b.sample.annotator]
    pairs, cell = np.unique(np.stack([row, annotator]), axis=1, return_inverse=True)
    net = np.bincount(cell, np.r_[u_a, -u_b])
    share = np.bincount(cell, np.r_[w_a, w_b] / 2)
    return Cells(np.asarray(net, dtype=np.float64), np.asarray(share, dtype=np.float64), pairs[1])


def _residuals(side: _Side, coefficients: Floats) -> tuple[Floats, Floats]:
    """(u, w), both (T,), of one system's judgments about its own mean."""
    correction = (side.judged_x * coefficients).sum(axis=1)
    mean = float((side.items.mean - correction).mean())
    weight = side.items.weights()
    return weight * (side.sample.score - correction[side.items.row] - mean), weight


def _codes(a: _Side, b: _Side, about: Combination, applies: dict[Code, bool]) -> frozenset[Code]:
    codes = frozenset(code for code, true in applies.items() if true)
    x = np.hstack([a.judged_x, b.judged_x])
    if not x.shape[1] or applies["identical_systems"]:
        return codes
    return codes | about_metrics(a.items.mean - b.items.mean, x, about)


def _assemble(
    a: _Side,
    b: _Side,
    found: Parts,
    about: Combination,
    method: Method,
    codes: frozenset[Code],
) -> Difference:
    exists = bool(np.isfinite(found.variance) and found.df > 0)
    split = a.x.shape[1]
    people = np.union1d(a.sample.annotator, b.sample.annotator)
    return Difference(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=a.items.n,
        n_population=a.sample.n_population,
        n_judgments=(a.sample.n_judgments, b.sample.n_judgments),
        n_annotators=int(people.size),
        effective_annotators=float(found.effective_annotators),
        slopes=(tuple(about.slopes[:split].tolist()), tuple(about.slopes[split:].tolist())),
        method=method,
        notices=told(codes if exists else codes | {"no_interval"}),
    )
