"""The public call: one system, one criterion, one estimate with what is known about its error."""

from dataclasses import dataclass

import numpy as np

from estimation.core import errors
from estimation.core.fit import ESTIMATORS, Estimator, correlation, spread_of_x
from estimation.core.interval import Interval, check_level, half_width
from estimation.core.leniency import Leniency, leniency
from estimation.core.moments import Moments, moments
from estimation.core.notices import Notice, notices
from estimation.core.parts import (
    ESTIMANDS,
    INTERVALS,
    Estimand,
    IntervalMethod,
    Method,
    Parts,
    parts,
)
from estimation.core.sample import Floats, Sample, Scale


@dataclass(frozen=True, slots=True)
class Variance:
    """The squared standard error in parts, in squared score units; None where unknown.

    item: from having judged n of N items, finite-population corrected.
    rest: sigma_a² h / N, what remains of single judgments even after a census.
    annotator: from having asked these people, max(0, c V_annot - V_cell).
    annotator_sum, cell_sum: V_annot and V_cell themselves.
    """

    item: float | None
    rest: float
    annotator: float | None
    annotator_sum: float
    cell_sum: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What `estimate` returns; scores, and slopes per sd of the metric, are in score units.

    estimate: the plain estimate. centre: the middle of its intervals, which the pseudo-rows
    draw towards the middle of the scale while items are few.
    std_error, df: None where no interval exists. variance: the squared error in parts.
    n_items of n_population outputs were judged, n_judgments times by n_annotators people.
    effective_annotators: 1 / sum of squared shares of the weight, A_eff.
    slope: what the metric is multiplied by; correlation: of item means with the metric, or None.
    equal_annotator_mean, leniency_correlation: see `Leniency`.
    method, scale: what was asked for. notices: what a reader must be told.
    """

    estimate: float
    centre: float
    variance: Variance
    std_error: float | None
    df: float | None
    n_items: int
    n_population: int
    n_judgments: int
    n_annotators: int
    effective_annotators: float
    slope: float
    correlation: float | None
    equal_annotator_mean: float
    leniency_correlation: float | None
    method: Method
    scale: Scale
    notices: tuple[Notice, ...]

    @property
    def has_interval(self) -> bool:
        """Whether the data admit an interval at all."""
        return self.std_error is not None

    def interval(self, level: float) -> Interval:
        """The two-sided interval, centre ± t_df · std_error, not clipped to the scale.

        Raises InvalidOptionError unless 0 < level < 1, IntervalUnavailableError without a
        standard error.
        """
        check_level(level)
        if self.std_error is None or self.df is None:
            raise errors.IntervalUnavailableError(
                "There is no interval yet: it takes at least three items and, to speak for people "
                "in general, at least two annotators."
            )
        half = float(half_width(np.asarray(self.std_error), np.asarray(self.df), level=level))
        return Interval(self.centre - half, self.centre + half, level, self.df, self.centre)


def estimate(
    sample: Sample,
    *,
    estimator: Estimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
) -> Estimate:
    """Estimate the mean score over all N outputs, with its error.

    estimator: "regression" (control variates by least squares), "algorithm_1" (the paper's, to
    the letter) or "mean" (of item means, no metric needed).
    interval: "two_way" counts items and annotators as sampled; "iid" treats every judgment as
    an independent draw and is offered for comparison only: it is too narrow whenever people
    differ, and takes neither pseudo-rows, nor estimand, nor finite-population correction.
    estimand: "population" speaks for people in general, "panel" for exactly these annotators.
    finite_population: shrink the item part as the share of judged outputs grows.
    pseudo_rows: guard the item part with four rows at the ends of the scale.

    Formulas and sources: docs/statistics.md. Raises InvalidOptionError, and
    MetricMissingError for an estimator that needs a metric.
    """
    method = Method(estimator, interval, estimand, finite_population, pseudo_rows)
    x = metric_for(sample, method)
    stats = moments(sample, x=x)
    found = parts(stats, method=method, scale=sample.scale, n_population=sample.n_population)
    people = leniency(sample, x=x, slope=float(found.slope))
    return assemble(
        stats, found, people, method=method, scale=sample.scale, n_population=sample.n_population
    )


def metric_for(sample: Sample, method: Method) -> Floats:
    """(N,) the standardised metric, or zeros for the mean; also checks the method's options."""
    choices = (
        (method.estimator, ESTIMATORS),
        (method.interval, INTERVALS),
        (method.estimand, ESTIMANDS),
    )
    for given, known in choices:
        if given not in known:
            raise errors.InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
    if method.estimator == "mean":
        return np.zeros(sample.n_population)
    return sample.standardised_metric()


def assemble(
    stats: Moments,
    found: Parts,
    people: Leniency,
    *,
    method: Method,
    scale: Scale,
    n_population: int,
) -> Estimate:
    """Put an estimate together from what was computed of it."""
    exists = bool(np.isfinite(found.variance) and found.df > 0)
    r = _known(correlation(stats.items))
    _, flat = spread_of_x(stats.items)
    return Estimate(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=_variance(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=int(stats.items.one_one),
        n_population=n_population,
        n_judgments=int(stats.judgments.one_one),
        n_annotators=int(stats.n_annotators),
        effective_annotators=float(found.effective_annotators),
        slope=float(found.slope),
        correlation=r,
        equal_annotator_mean=people.equal_annotator_mean,
        leniency_correlation=people.correlation,
        method=method,
        scale=scale,
        notices=notices(
            stats, found, people, method=method, correlation=r, flat=bool(flat), exists=exists
        ),
    )


def _variance(found: Parts) -> Variance:
    return Variance(
        item=_known(found.item),
        rest=float(found.rest),
        annotator=_known(found.annotator),
        annotator_sum=float(found.annotator_sum),
        cell_sum=float(found.cell_sum),
    )


def _known(value: Floats) -> float | None:
    return float(value) if np.isfinite(value) else None
