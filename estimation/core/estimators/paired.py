"""Two systems compared on the same items: the difference of their means over all N outputs."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from estimation.core.data import errors
from estimation.core.data.incidence import Floats, Ints, distinct, numbered
from estimation.core.data.moments import Moments, gram, products_of
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.fit import BALANCE, PERSON_SHARE, Estimand, Method
from estimation.core.estimators.lines import about_line, guarded, least_squares
from estimation.core.estimators.multi import cross_fitted
from estimation.core.estimators.notices import Code, told
from estimation.core.estimators.parts import ItemPart, Parts, parts
from estimation.core.estimators.result import Difference, about_scale, has_interval, variance_of
from estimation.core.estimators.sides import (
    PairedSide,
    identical,
    noise_of,
    replicates,
    residuals,
    sides_of,
)

PairedEstimator = Literal["balanced", "regression", "multi", "mean"]
PAIRED_ESTIMATORS: tuple[str, ...] = get_args(PairedEstimator)


def difference(
    first: Sample,
    second: Sample,
    *,
    estimator: PairedEstimator = "balanced",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
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
    estimator : {"balanced", "regression", "multi", "mean"}, default "balanced"
        "balanced": a person's judgments weigh less the more of them there are, over both systems;
        all metrics of both, or none. "regression": one metric for each system, least squares.
        "multi": all metrics of both by cross-fitted ridge regression. "mean": no metric.
    estimand, finite_population, pseudo_rows, balance, person_share
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
    method = Method(
        estimator,
        "two_way",
        estimand,
        finite_population,
        pseudo_rows,
        balance,
        person_share,
    )
    _check(first, second, method)
    common = np.intersect1d(first.incidence.judged, second.incidence.judged, assume_unique=True)
    if not common.size:
        raise errors.TooFewJudgmentsError("No item has been judged for both systems.")
    a, b = sides_of(first, second, common, method)
    same = identical(a, b)
    # Nothing distinguishes the systems, so nothing is guarded against.
    used = replace(method, pseudo_rows=False) if same else method
    about = _regress(a, b, method, _ends(first.scale, used))
    stats = _moments(a, b, about, same=same)
    found = parts(
        stats,
        method=used,
        scale=_reach(first.scale),
        n_units=first.incidence.n_units,
        form="balanced" if estimator == "balanced" else "mean",
        item_part=about.item_part,
        ends=_ends(first.scale, used),
    )
    left_out = max(first.incidence.judged.size, second.incidence.judged.size) > common.size
    unknown = finite_population and 0 in (replicates(a.sample), replicates(b.sample))
    applies: dict[Code, bool] = {
        "identical_systems": same,
        "no_metric": estimator == "balanced" and not about.slopes.size,
        "unpaired_items": left_out,
        "no_replicates": unknown,
    }
    codes = frozenset(code for code, true in applies.items() if true)
    codes |= about_scale(found, _reach(first.scale))
    told_codes = codes if same else codes | about.codes
    return _assemble(a, b, found, about, method, told_codes, int(stats.n_units))


def _check(first: Sample, second: Sample, method: Method) -> None:
    if method.estimator not in PAIRED_ESTIMATORS:
        raise errors.InvalidOptionError(
            f"{method.estimator!r} is not one of {', '.join(PAIRED_ESTIMATORS)}."
        )
    method.check()
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
    x = np.hstack([a.judged_x, b.judged_x])
    weight = (a.total + b.total) / (a.total.sum() + b.total.sum())
    d, equal = a.items.mean - b.items.mean, method.estimator != "balanced"
    split = a.x.shape[1]
    if max(split, b.x.shape[1]) > 1:
        ridge = cross_fitted(x, d, weight=weight, group=a.group)
        first = np.einsum("ij,ij->i", x[:, :split], ridge.coefficients[:, :split])
        taken = first, ridge.predicted - first
        return _Regression(weight, d, taken, ridge.slopes, None, ridge.codes, equal, ridge.penalty)
    line = least_squares(x, d, weight)
    part = guarded(x, d, ends) if equal and x.shape[1] else None
    codes = about_line(line, x, d, weight) if x.shape[1] else frozenset()
    taken = x[:, :split] @ line.slopes[:split], x[:, split:] @ line.slopes[split:]
    return _Regression(weight, d, taken, line.slopes, part, codes, equal)


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
        items=gram(*(_by_unit(line * weigh, unit) for line in rows)),
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


def _by_unit(values: Floats, unit: Ints | None) -> Floats:
    """The sums of (n,) values of the common items over their groups."""
    return values if unit is None else np.asarray(np.bincount(unit, values), dtype=np.float64)


def _ends(scale: Scale, method: Method) -> Floats:
    """The pseudo-rows: (low, low), (low, high), (high, low) and (high, high)."""
    reach = scale.high - scale.low
    return np.array([0.0, -reach, reach, 0.0] if method.pseudo_rows else [])


def _reach(scale: Scale) -> Scale:
    """The scale of differences."""
    return Scale(scale.low - scale.high, scale.high - scale.low, scale.bounded)


def _assemble(
    a: PairedSide,
    b: PairedSide,
    found: Parts,
    about: _Regression,
    method: Method,
    codes: frozenset[Code],
    n_units: int,
) -> Difference:
    exists = has_interval(found)
    split = a.x.shape[1]
    people = numbered(np.r_[a.sample.annotator, b.sample.annotator])
    return Difference(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=about.d.size,
        n_population=a.sample.n_population,
        n_units=n_units,
        n_units_population=a.sample.incidence.n_units,
        n_judgments=(a.sample.n_judgments, b.sample.n_judgments),
        n_annotators=int(people.max()) + 1,
        effective_annotators=float(found.effective_annotators),
        slopes=(tuple(about.slopes[:split].tolist()), tuple(about.slopes[split:].tolist())),
        penalty=about.penalty,
        method=method,
        notices=told(codes if exists else codes | {"no_interval"}),
    )
