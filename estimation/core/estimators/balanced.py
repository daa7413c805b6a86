"""The balanced estimator: generalised least squares, in which active people count no more."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from estimation.core.data.errors import InvalidOptionError, ReplicatesNeededError
from estimation.core.data.incidence import Floats, Incidence, Ints
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.cells import (
    Cells,
    Fitted,
    ItemPart,
    Items,
    ends_of,
    finite,
    items_of,
    two_way,
)
from estimation.core.estimators.components import Crossed, crossed
from estimation.core.estimators.fit import Method
from estimation.core.estimators.multi import (
    Combination,
    about_metrics,
    combined,
    corrections,
    explained,
    reported_slope,
)
from estimation.core.estimators.notices import Code

# The smallest share of the variance that counts as noise. Without noise the covariance of the
# judgments is singular and the weights diverge.
_LEAST_NOISE = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """weight: (T,) sums to 1, single ones may be negative. model_variance: that of the weighted
    mean if the components are right, in squared score units."""

    weight: Floats
    model_variance: float


def gls_weights(incidence: Incidence, components: Crossed) -> Weights:
    """w = S^-1 1 / (1' S^-1 1), S = rest I + item [same item] + person [same person].

    The weights of least variance among all that sum to 1 (Aitken 1936). By Woodbury's identity
    over people, O(T + A³): S = D + person P P', D the item blocks, P (T, A) who judged.
    Raises InvalidOptionError unless item, person >= 0 and rest > 0.
    """
    if not (components.item >= 0 and components.person >= 0 and components.rest > 0):
        raise InvalidOptionError("Weights take variances that are not negative, and some noise.")
    row, person = np.unique(incidence.item, return_inverse=True)[1], incidence.person
    by_item = _item_blocks(row, components)
    shape = int(row.max()) + 1, incidence.activity.size
    who = csr_array((np.ones(row.size), (row, person)), shape=shape)
    # M = P' D^-1 P: a judgment's own 1 / rest, less what the other judgments of its item tell.
    shared = (who.T @ (who * by_item[:, None])).toarray()
    m = (np.diag(incidence.activity.astype(np.float64)) - shared) / components.rest
    ones = _solve_blocks(np.ones(row.size), row, by_item, components)
    system = np.eye(m.shape[0]) + components.person * m
    effect = components.person * np.linalg.solve(system, np.bincount(person, ones))
    solved = ones - _solve_blocks(effect[person], row, by_item, components)
    precision = float(solved.sum())
    return Weights(solved / precision, 1 / precision)


def _item_blocks(row: Ints, components: Crossed) -> Floats:
    """(n,) item / (rest + k_i item): the inverse of a block is (I - this 11') / rest."""
    count = np.bincount(row)
    return np.asarray(components.item / (components.rest + count * components.item))


def _solve_blocks(values: Floats, row: Ints, by_item: Floats, components: Crossed) -> Floats:
    """(T,) D^-1 times `values` (T,)."""
    shared = by_item * np.bincount(row, values)
    return np.asarray((values - shared[row]) / components.rest)


def balanced(sample: Sample, method: Method, components: Crossed | None = None) -> Fitted:
    """The GLS mean of y - x · b, people counting equally; what `estimate` calls "balanced".

    b: the slope of `regression`, or of `multi` for several metrics; none without a metric.
    components: of the corrected scores; by default their crossed moments, negative ones set
    to 0 and rest at least 5 % of their sum.
    """
    items, x = items_of(sample), _metrics(sample)
    about = combined(sample, items, x, method, always_fit=x.shape[1] <= 1)
    correction = corrections(items, x, about)
    corrected = sample.score - correction
    usable, confounded = (components, False) if components else _components(sample, corrected)
    weight = gls_weights(sample.incidence, usable).weight
    estimate = float(weight @ corrected)
    centre, variance = _item_part(items, weight, corrected, ends_of(sample.scale, method))
    variance, rest = finite(variance, weight, items, sample.n_population, method)
    slope = reported_slope(x, about.slopes)
    part = ItemPart(estimate, centre, slope, variance, rest, about.df)
    cells = Cells(weight * (corrected - estimate), weight, sample.annotator)
    return Fitted(
        parts=two_way(part, cells, method=method),
        correction=correction,
        slopes=tuple(about.slopes.tolist()),
        correlation=explained(items, x, about),
        codes=_codes(items, x, about, confounded),
    )


def _metrics(sample: Sample) -> Floats:
    """(N, p), p = 0 without a metric."""
    if sample.metric is None:
        return np.zeros((sample.n_population, 0))
    return sample.standardised_metrics()


def _codes(items: Items, x: Floats, about: Combination, confounded: bool) -> frozenset[Code]:
    told: set[Code] = {"no_metric"}
    if x.shape[1]:
        told = set(about_metrics(items.mean, x[items.label], about))
    if confounded:
        told.add("confounded_components")
    return frozenset(told)


def _item_part(
    items: Items, weight: Floats, corrected: Floats, ends: Floats
) -> tuple[float, float]:
    """(centre, V_item = sum_i (sum_j u_ij)²), with the pseudo-rows `ends` if there are any.

    A pseudo-row weighs as much as the typical item, sum_i W_i², W_i = sum_j w_ij: with equal
    weights 1 / n, so that the centre is the mean over n + 4 rows as it is for the mean.
    """
    item_weight = items.sums(weight)
    typical = float((item_weight**2).sum())
    total = 1 + typical * ends.size
    centre = float(weight @ corrected + typical * ends.sum()) / total
    u = np.r_[items.sums(weight * (corrected - centre)), typical * (ends - centre)]
    return centre, float((u**2).sum()) / total**2


def _components(sample: Sample, corrected: Floats) -> tuple[Crossed, bool]:
    """The components of the corrected scores, and whether some could not be separated."""
    # Corrected scores know no scale.
    plain = replace(sample, score=corrected, metric=None, scale=Scale(0, 1, bounded=False))
    try:
        found, confounded = crossed(plain).truncated(), False
    except ReplicatesNeededError:
        found, confounded = _confounded(plain), True
    total = found.item + found.person + found.rest
    # Without any spread all weights are equally good.
    least = _LEAST_NOISE * total if total > 0 else 1.0
    return replace(found, rest=max(found.rest, least)), confounded


def _confounded(sample: Sample) -> Crossed:
    """Components where no item was judged twice, or no annotator judged twice.

    Item and rest (person and rest) then only occur together, and the weights depend on their
    sum alone, which is put down as rest; the remaining component follows from the variance
    within the repeated factor and the total. With one annotator, one item, or neither repeated,
    the weights are equal whatever the components.
    """
    who, t = sample.incidence, sample.n_judgments
    once_per_item, once_per_person = who.judged.size == t, who.activity.size == t
    if once_per_item == once_per_person:
        return Crossed(item=0.0, person=0.0, rest=1.0)
    group = who.person if once_per_item else np.unique(sample.item, return_inverse=True)[1]
    size = np.bincount(group)
    repeated = t**2 - float((size**2).sum())
    if repeated == 0:
        return Crossed(item=0.0, person=0.0, rest=1.0)
    mean = np.bincount(group, sample.score) / size
    rest = float(((sample.score - mean[group]) ** 2).sum()) / (t - size.size)
    # U_e = T sum y² - (sum y)² = T² var y = factor (T² - sum size²) + rest (T² - T)
    factor = max(0.0, (t**2 * float(sample.score.var()) - rest * (t**2 - t)) / repeated)
    return Crossed(*((0.0, factor, rest) if once_per_item else (factor, 0.0, rest)))
