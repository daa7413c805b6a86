"""The public call: one system, one criterion, one estimate with what is known about its error."""

from dataclasses import dataclass, replace

import numpy as np

from estimation.core.data import errors
from estimation.core.data.moments import Moments, moments
from estimation.core.data.sample import Floats, Sample, Scale
from estimation.core.estimators.balanced import balanced
from estimation.core.estimators.cells import Fitted
from estimation.core.estimators.components import Crossed
from estimation.core.estimators.fit import (
    ALL_ESTIMATORS,
    ESTIMATORS,
    AnyEstimator,
    correlation,
    from_sums,
    spread_of_x,
)
from estimation.core.estimators.leniency import Leniency, leniency
from estimation.core.estimators.notices import Code, Notice, about_one_metric, notices
from estimation.core.estimators.parts import (
    ESTIMANDS,
    INTERVALS,
    Estimand,
    IntervalMethod,
    Method,
    Parts,
    parts,
)
from estimation.core.estimators.ppi import ppi
from estimation.core.estimators.several import several
from estimation.core.intervals.interval import Interval, interval_of


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
    slope: what the metric is multiplied by; for several, the sd of what they predict together.
    slopes: (p,) one for each metric, 0 for one not used; empty without a metric.
    correlation: of item means with the metric, or with what several predict, or None.
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
    slopes: tuple[float, ...]
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
        return interval_of(self.centre, self.std_error, self.df, level=level)


def estimate(
    sample: Sample,
    *,
    estimator: AnyEstimator = "regression",
    interval: IntervalMethod = "two_way",
    estimand: Estimand = "population",
    finite_population: bool = True,
    pseudo_rows: bool = True,
    seed: int = 0,
    components: Crossed | None = None,
) -> Estimate:
    """Estimate the mean score over all N outputs, with its error.

    estimator: one of
      "regression": control variates by least squares, one metric.
      "algorithm_1": the paper's, to the letter, one metric.
      "mean": of item means, no metric needed.
      "multi": one or more metrics, by least squares where there are 20 judged items or more for
      each metric, else by ridge regression, cross-fitted in five folds of items.
      "balanced": generalised least squares over all judgments, corrected by the metrics if there
      are any; it speaks for people counted equally, and is narrower where activity is uneven.
      "ppi": PPI++ with its own normal interval, one metric, for comparison only.
    Which metrics, and which estimator, is to be fixed before the first judgment: choosing by the
    same judgments makes the interval too narrow.
    interval: "two_way" counts items and annotators as sampled; "iid" treats every judgment as
    an independent draw and is offered for comparison only: it is too narrow whenever people
    differ, and takes neither pseudo-rows, nor estimand, nor finite-population correction.
    estimand: "population" speaks for people in general, "panel" for exactly these annotators.
    finite_population: shrink the item part as the share of judged outputs grows.
    pseudo_rows: guard the item part with four rows at the ends of the scale.
    seed: of the five folds ("multi", "balanced" with several metrics); 0 or more.
    components: the variance components that weigh the judgments ("balanced"); by default those of
    the sample.

    Formulas and sources: docs/statistics.md. Raises InvalidOptionError, also for options that
    the estimator does not have, and MetricMissingError for an estimator that needs a metric.
    """
    method = Method(estimator, interval, estimand, finite_population, pseudo_rows, seed)
    _check_options(method, components)
    if estimator not in ESTIMATORS:
        return _estimate_from_rows(sample, method, components)
    x = metric_for(sample, method)
    stats = moments(sample, x=x)
    found = parts(stats, method=method, scale=sample.scale, n_population=sample.n_population)
    people = leniency(sample, x=x, slope=float(found.slope))
    return assemble(
        stats, found, people, method=method, scale=sample.scale, n_population=sample.n_population
    )


def _estimate_from_rows(sample: Sample, method: Method, components: Crossed | None) -> Estimate:
    """An estimate that takes more than a few sums."""
    if method.estimator == "ppi":
        method = replace(method, interval="iid")
        fitted = ppi(sample, method)
    elif method.estimator == "multi":
        fitted = several(sample, method)
    else:
        fitted = balanced(sample, method, components)
    corrected = np.zeros(sample.n_population)
    corrected[sample.item] = fitted.correction
    people = leniency(sample, x=corrected, slope=1.0)
    return assemble(
        moments(sample, x=np.zeros(sample.n_population)),
        fitted.parts,
        people,
        method=method,
        scale=sample.scale,
        n_population=sample.n_population,
        fitted=fitted,
    )


def _check_options(method: Method, components: Crossed | None) -> None:
    choices = (
        (method.estimator, ALL_ESTIMATORS),
        (method.interval, INTERVALS),
        (method.estimand, ESTIMANDS),
    )
    for given, known in choices:
        if given not in known:
            raise errors.InvalidOptionError(f"{given!r} is not one of {', '.join(known)}.")
    if method.interval == "iid" and method.estimator in ("multi", "balanced"):
        raise errors.InvalidOptionError(f"{method.estimator!r} has the two-way interval only.")
    if components is not None and method.estimator != "balanced":
        raise errors.InvalidOptionError("Components are for the balanced estimator only.")
    if method.seed < 0:
        raise errors.InvalidOptionError(f"A seed is 0 or more; got {method.seed}.")


def metric_for(sample: Sample, method: Method) -> Floats:
    """(N,) the standardised metric, or zeros for the mean; also checks the method's options."""
    _check_options(method, None)
    if from_sums(method.estimator) == "mean":
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
    fitted: Fitted | None = None,
) -> Estimate:
    """Put an estimate together from what was computed of it."""
    exists = bool(np.isfinite(found.variance) and found.df > 0)
    slopes, r, about_metric = _of_metrics(stats, found, method)
    if fitted is not None:
        slopes, r, about_metric = fitted.slopes, fitted.correlation, fitted.codes
    return Estimate(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=int(stats.items.one_one),
        n_population=n_population,
        n_judgments=int(stats.judgments.one_one),
        n_annotators=int(stats.n_annotators),
        effective_annotators=float(found.effective_annotators),
        slope=float(found.slope),
        slopes=slopes,
        correlation=r,
        equal_annotator_mean=people.equal_annotator_mean,
        leniency_correlation=people.correlation,
        method=method,
        scale=scale,
        notices=notices(
            stats, found, people, method=method, about_metric=about_metric, exists=exists
        ),
    )


def _of_metrics(
    stats: Moments, found: Parts, method: Method
) -> tuple[tuple[float, ...], float | None, frozenset[Code]]:
    """Slopes, correlation and notices of an estimate with one metric or none."""
    r = _known(correlation(stats.items))
    if method.estimator == "mean":
        return (), r, frozenset()
    _, flat = spread_of_x(stats.items)
    codes = about_one_metric(float(stats.items.one_one), correlation=r, flat=bool(flat))
    return (float(found.slope),), r, codes


def variance_of(found: Parts) -> Variance:
    """The reported parts of a variance."""
    return Variance(
        item=_known(found.item),
        rest=float(found.rest),
        annotator=_known(found.annotator),
        annotator_sum=float(found.annotator_sum),
        cell_sum=float(found.cell_sum),
    )


def _known(value: Floats) -> float | None:
    return float(value) if np.isfinite(value) else None
