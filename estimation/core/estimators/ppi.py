"""Prediction-powered inference, PPI++: another way to use a metric, for comparison."""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data.errors import MetricMissingError
from estimation.core.data.incidence import Floats
from estimation.core.data.moments import moments
from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import Method
from estimation.core.estimators.notices import Code
from estimation.core.estimators.parts import parts
from estimation.core.estimators.rows import Fitted, corrected, correlated, flat, items_of


@dataclass(frozen=True, slots=True)
class PpiMean:
    """estimate and std_error in score units; slope in score units per unit of the metric."""

    estimate: float
    std_error: float
    slope: float


def ppi_mean(y: Floats, g: Floats, pool: Floats) -> PpiMean:
    """PPI++ for a mean: Angelopoulos, Duchi and Zrnic (2023), power-tuned.

    y, g: (n,) score and metric where both are known. pool: (M,) the metric where only it is.
    estimate = mean y + slope (mean pool - mean g), slope = Cov(y, g) / ((1 + n / M) Var(all g)),
    Cov with divisor n, Var over both samples with n + M - 1, as in the authors' ppi_py. Unlike
    there, the slope is not clipped to 0..1, so the metric's sign and units do not matter.
    std_error² = slope² var(pool) / M + var(y - slope g) / n, variances with divisor n and M.
    A constant metric has slope 0. Raises MetricMissingError for an empty pool.
    """
    n, m = y.size, pool.size
    if m == 0:
        raise MetricMissingError("PPI++ needs outputs without judgments; all were judged.")
    everything = np.r_[g, pool]
    covariance = float(((y - y.mean()) * (g - g.mean())).mean())
    varies = np.ptp(everything) > 0
    slope = covariance / ((1 + n / m) * float(everything.var(ddof=1))) if varies else 0.0
    estimate = float(y.mean() + slope * (pool.mean() - g.mean()))
    variance = slope**2 * float(pool.var()) / m + float((y - slope * g).var()) / n
    return PpiMean(estimate, variance**0.5, slope)


def ppi(sample: Sample, method: Method) -> Fitted:
    """PPI++ on item means, the pool being the outputs not judged; what `estimate` calls "ppi".

    Its interval is normal (df infinite) and knows neither annotators nor the finite population.
    From three items on; pseudo-rows and other guards are left out, as the authors have none.
    """
    x, who = sample.standardised_metric(), sample.incidence
    items = items_of(sample, who.weight)
    found = ppi_mean(items.mean, x[items.label], np.delete(x, items.label))
    correction = found.slope * x[sample.item]
    # The metric of the pool is known, so the remaining errors are centred at 0.
    stats = moments(corrected(sample, correction), x=np.zeros(sample.n_population))
    plain = parts(
        stats,
        method=method,
        scale=sample.scale,
        n_units=sample.incidence.n_units,
        form="mean",
    )
    variance = found.std_error**2 if items.label.size >= 3 else float("nan")
    applies: dict[Code, bool] = {
        "constant_metric": found.slope == 0,
        "constant_scores": flat(items.mean),
    }
    own = replace(
        plain,
        estimate=np.asarray(found.estimate),
        slope=np.asarray(found.slope),
        centre=np.asarray(found.estimate),
        item=np.asarray(variance),
        rest=np.asarray(0.0),
        df=np.asarray(np.inf),
    )
    return Fitted(
        stats=stats,
        parts=own,
        correction=correction,
        slope=found.slope,
        slopes=(found.slope,),
        correlation=correlated(items.mean, x[items.label]),
        codes=frozenset(code for code, true in applies.items() if true),
    )
