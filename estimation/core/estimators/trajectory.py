"""Estimates after each judgment of a history, at once."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from estimation.core.data import errors
from estimation.core.data.history import moments_along
from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.fit import (
    BALANCE,
    PERSON_SHARE,
    Estimand,
    Estimator,
    IntervalMethod,
    Method,
    from_sums,
)
from estimation.core.estimators.parts import parts
from estimation.core.estimators.registry import checked
from estimation.core.estimators.rows import metric_for
from estimation.core.intervals.interval import half_width


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """The estimates of a growing sample; every array is (L,), NaN where undefined.

    Each entry equals what `estimate` gives for that many of the first judgments.

    Attributes
    ----------
    n_judgments : (L,) array of int
        How many judgments each entry has: by default 1, 2, ..., T.
    estimate, centre, std_error, df : (L,) array of float
        As in `Estimate`.
    n_items, n_units, effective_annotators : (L,) array of float
        As in `Estimate`.
    method : Method
        The options that were asked for.
    scale : Scale
        The scale of the scores.
    """

    n_judgments: Ints
    estimate: Floats
    centre: Floats
    std_error: Floats
    df: Floats
    n_items: Floats
    n_units: Floats
    effective_annotators: Floats
    method: Method
    scale: Scale

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """Return the ends of each interval, as `Estimate.interval` has them.

        Parameters
        ----------
        level : float
            The confidence level, such as 0.95.

        Returns
        -------
        low, high : (L,) arrays of float
            In score units, not clipped to the scale; NaN where there is no interval.

        Raises
        ------
        InvalidOptionError
            The level is not between 0 and 1.
        """
        half = half_width(self.std_error, self.df, level=level)
        low = np.minimum(self.centre - half, self.estimate)
        return low, np.maximum(self.centre + half, self.estimate)

    def widths(self, level: float) -> Floats:
        """Return the width of each interval.

        Parameters
        ----------
        level : float
            The confidence level, such as 0.95.

        Returns
        -------
        (L,) array of float
            In score units; NaN where there is no interval.

        Raises
        ------
        InvalidOptionError
            The level is not between 0 and 1.
        """
        low, high = self.ends(level)
        return high - low


def trajectory(
    sample: Sample,
    *,
    estimator: Estimator = "balanced",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    balance: float = BALANCE,
    person_share: float = PERSON_SHARE,
    looks: ArrayLike | None = None,
) -> Trajectory:
    """Return the estimate after every single judgment, computed at once.

    The sample's rows must be in order of arrival. There are no refits: the work is that of sorting
    the changes of weights, T log T where items weigh equally. With balanced weights each judgment
    changes all those of its annotator, so people who judge hundreds of items take longer; then
    look less often.

    Parameters
    ----------
    sample : Sample
        The judgments in order of arrival.
    estimator : {"balanced", "regression", "algorithm_1", "mean"}, default "balanced"
        The estimators that a few sums determine; with one metric or none.
    interval, estimand, finite_population, pseudo_rows, balance, person_share
        As in `estimate`.
    looks : (L,) array of int, optional
        After how many judgments to look, ascending; after the last in any case. By default after
        each judgment.

    Returns
    -------
    Trajectory
        Arrays with one entry for each look.

    Raises
    ------
    InvalidOptionError
        An option is unknown, the estimator needs more than sums, or the looks do not ascend from 1
        or more to at most T.
    MetricMissingError
        The estimator needs a metric and the sample has none.

    Examples
    --------
    >>> import numpy as np
    >>> from estimation.core import estimate, trajectory
    >>> from estimation.core.simulation import TERNARY, Plan, draw
    >>> plan = Plan(TERNARY, item=0.32, person=0.14, n_population=300)
    >>> sample = draw(plan, np.random.default_rng(1)).sample
    >>> history = trajectory(sample)
    >>> widths = history.widths(0.95)
    >>> [round(float(widths[t]), 2) for t in (50, 150, 300)]
    [0.38, 0.21, 0.16]
    >>> bool(np.isclose(history.estimate[-1], estimate(sample).estimate))
    True
    """
    method = Method(
        estimator,
        interval,
        estimand,
        finite_population,
        pseudo_rows,
        balance=balance,
        person_share=person_share,
    )
    checked(method)
    metric = metric_for(sample, from_sums(method.estimator))
    stats = moments_along(
        sample,
        x=np.zeros(sample.n_population) if metric is None else metric,
        balance=method.balance if estimator == "balanced" else None,
        looks=_looks(looks, sample.n_judgments),
    )
    found = parts(stats, method=method, scale=sample.scale, n_units=sample.incidence.n_units)
    return Trajectory(
        n_judgments=stats.judgments.one_one.astype(np.int64),
        estimate=found.estimate,
        centre=found.centre,
        std_error=np.sqrt(found.variance),
        df=found.df,
        n_items=stats.n_items,
        n_units=stats.n_units,
        effective_annotators=found.effective_annotators,
        method=method,
        scale=sample.scale,
    )


def _looks(asked: ArrayLike | None, n_judgments: int) -> Ints:
    """(L,) after how many judgments to look; raises InvalidOptionError if that cannot be."""
    if asked is None:
        return np.arange(1, n_judgments + 1)
    looks = np.append(np.asarray(asked, dtype=np.int64), n_judgments)
    if (np.diff(looks, prepend=0) < 0).any() or looks[0] < 1:
        raise errors.InvalidOptionError(
            f"Looks are numbers of judgments that ascend from 1 or more to at most {n_judgments}."
        )
    return np.unique(looks)
