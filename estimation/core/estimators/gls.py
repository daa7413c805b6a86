"""Generalised least squares over all judgments: people count equally as far as noise allows."""

from dataclasses import replace

import numpy as np

from estimation.core.data.errors import ReplicatesNeededError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Sample
from estimation.core.estimators.components import Crossed, crossed
from estimation.core.estimators.fit import Method
from estimation.core.estimators.notices import Code
from estimation.core.estimators.rows import Fitted, by_sums, corrected, of_corrected, several
from estimation.core.estimators.weights import gls_weights

# The smallest share of the variance that counts as noise. Without noise the covariance of the
# judgments is singular and the weights diverge.
_LEAST_NOISE = 0.05


def gls(sample: Sample, method: Method, components: Crossed | None = None) -> Fitted:
    """The GLS mean of y - x · b; what `estimate` calls "gls".

    b: the slope of `regression`, or of `multi` for several metrics; none without a metric.
    components: of the corrected scores; by default their crossed moments, negative ones set
    to 0 and rest at least 5 % of their sum.
    """
    fitted = by_sums(sample, method, "mean") if sample.metric is None else several(sample, method)
    plain = corrected(sample, fitted.correction)
    usable, confounded = (components, False) if components else _components(plain)
    codes: set[Code] = set(fitted.codes) if sample.metric is not None else {"no_metric"}
    if confounded:
        codes.add("confounded_components")
    x = np.zeros((sample.n_population, 0))
    found = of_corrected(
        sample,
        method,
        gls_weights(sample.incidence, usable).weight,
        "balanced",
        correction=fitted.correction,
        slopes=np.array(fitted.slopes),
        x=x if sample.metric is None else sample.standardised_metrics(),
        correlation=fitted.correlation,
        codes=frozenset(codes),
        penalty=fitted.penalty,
    )
    return replace(found, components=usable)


def _components(plain: Sample) -> tuple[Crossed, bool]:
    """The components of corrected scores, and whether some could not be separated."""
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
    size: Floats = np.bincount(group).astype(np.float64)
    repeated = t**2 - float((size**2).sum())
    if repeated == 0:
        return Crossed(item=0.0, person=0.0, rest=1.0)
    mean = np.bincount(group, sample.score) / size
    rest = float(((sample.score - mean[group]) ** 2).sum()) / (t - size.size)
    # U_e = T sum y² - (sum y)² = T² var y = factor (T² - sum size²) + rest (T² - T)
    factor = max(0.0, (t**2 * float(sample.score.var()) - rest * (t**2 - t)) / repeated)
    return Crossed(*((0.0, factor, rest) if once_per_item else (factor, 0.0, rest)))
