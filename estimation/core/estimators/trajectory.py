"""The estimate after every single judgment, computed at once."""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.moments import moments_along
from estimation.core.data.sample import Floats, Sample, Scale
from estimation.core.estimators.estimate import metric_for
from estimation.core.estimators.fit import Estimator
from estimation.core.estimators.parts import Estimand, IntervalMethod, Method, parts
from estimation.core.intervals.interval import half_width


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Estimates after judgment 1, 2, ..., T; every array is (T,), NaN where undefined.

    Entry t equals what `estimate` gives for the first t + 1 judgments.
    """

    estimate: Floats
    centre: Floats
    std_error: Floats
    df: Floats
    n_items: Floats
    effective_annotators: Floats
    method: Method
    scale: Scale

    def half_widths(self, level: float) -> Floats:
        """(T,) half the interval's width at `level`; NaN where there is no interval."""
        return half_width(self.std_error, self.df, level=level)


def trajectory(
    sample: Sample,
    *,
    estimator: Estimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
) -> Trajectory:
    """The history of `estimate` over the sample's rows, which must be in order of arrival.

    Options and errors as in `estimate`. O(T log T) altogether: cumulative sums, no refits.
    """
    method = Method(estimator, interval, estimand, finite_population, pseudo_rows)
    stats = moments_along(sample, x=metric_for(sample, method))
    found = parts(stats, method=method, scale=sample.scale, n_population=sample.n_population)
    return Trajectory(
        estimate=found.estimate,
        centre=found.centre,
        std_error=np.sqrt(found.variance),
        df=found.df,
        n_items=stats.items.one_one,
        effective_annotators=found.effective_annotators,
        method=method,
        scale=sample.scale,
    )
