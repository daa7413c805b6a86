"""What an estimate and a difference report, and how an estimate is put together."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from estimation.core.data.sample import Scale
from estimation.core.estimators.fit import Method
from estimation.core.estimators.notices import Code, Leniency, Notice, notices, work_weighted_mean
from estimation.core.estimators.parts import Parts
from estimation.core.estimators.rows import Fitted, known
from estimation.core.intervals.interval import Interval, interval_of


@dataclass(frozen=True, slots=True)
class Variance:
    """The squared standard error in parts, in squared score units; None where unknown.

    Attributes
    ----------
    item : float or None
        From having judged n of N items, with the finite-population correction.
    rest : float
        MSW' h / N: what single judgments leave even when every output is judged.
    annotator : float or None
        V_person, from having asked these people.
    annotator_sum : float
        V_annot, the squares of the residuals summed by annotator.
    cell_sum : float
        V_cell, the squares of the residuals of single judgments.
    annotator_raw : float or None
        c V_annot / s3_factor - V_cell, of which `annotator` is made; it may be negative.
    s3_factor : float or None
        What V_annot expects of c times itself where some people judge more than others.
    pulled : bool
        Whether the typical person variance took the place of a smaller estimated one.
    """

    item: float | None
    rest: float
    annotator: float | None
    annotator_sum: float
    cell_sum: float
    annotator_raw: float | None
    s3_factor: float | None
    pulled: bool


LEVEL = 0.95  # of the interval that a result is shown with


class HasInterval:
    """What an estimate and a difference share: an interval about a centre."""

    __slots__ = ()

    estimate: float
    centre: float
    std_error: float | None
    df: float | None
    n_items: int
    n_population: int
    n_judgments: int | tuple[int, int]
    n_annotators: int
    effective_annotators: float
    slopes: tuple[Any, ...]
    method: Method
    notices: tuple[Notice, ...]

    def __str__(self) -> str:
        """Return four lines: the result, its data, the method, and what a reader must know."""
        found = "no interval"
        if self.has_interval:
            ends = self.interval(LEVEL)
            found = f"{ends.low:.3f} to {ends.high:.3f} ({LEVEL:.0%} interval)"
        given = self.n_judgments
        judgments = given if isinstance(given, int) else " + ".join(map(str, given))
        method, metrics = self.method, _count_metrics(self.slopes)
        lines = (
            f"{type(self).__name__.lower()}: {self.estimate:.3f}, {found}",
            f"{judgments} judgments of {self.n_items} of {self.n_population} outputs by "
            f"{self.n_annotators} people (as many as {self.effective_annotators:.1f} equal ones)",
            f"{method.estimator}, {method.interval}, {method.estimand}, {metrics}",
            " ".join(one.text for one in self.notices) or "Nothing else to know.",
        )
        return "\n".join(lines)

    @property
    def has_interval(self) -> bool:
        """Whether the data give an interval."""
        return self.std_error is not None

    @property
    def off_scale(self) -> bool:
        """Whether the estimate or the centre lies where no mean of scores can; no rule stops then.

        An end of an interval may well lie off the scale.
        """
        return any(notice.code == "off_scale" for notice in self.notices)

    def interval(self, level: float) -> Interval:
        """Return the two-sided interval centre ± t_df · std_error, not clipped to the scale.

        An end beyond which the estimate lies is moved to the estimate.

        Parameters
        ----------
        level : float
            The confidence level, such as 0.95.

        Returns
        -------
        Interval
            In score units.

        Raises
        ------
        InvalidOptionError
            The level is not between 0 and 1.
        IntervalUnavailableError
            There is no standard error.
        """
        return interval_of(
            self.centre, self.std_error, self.df, level=level, estimate=self.estimate
        )


@dataclass(frozen=True, slots=True)
class Estimate(HasInterval):
    """The result of `estimate`; scores, and slopes per sd of the metric, are in score units.

    Attributes
    ----------
    estimate : float
        The estimate.
    centre : float
        The middle of its intervals. While items are few, the pseudo-rows pull it towards the
        middle of the scale.
    variance : Variance
        The squared standard error in parts.
    std_error, df : float or None
        Standard error and degrees of freedom; None where there is no interval.
    n_items, n_population : int
        How many of the N outputs were judged.
    n_units, n_units_population : int
        The same of the sampling units: items, or groups of items where the sample has groups.
    n_judgments, n_annotators : int
        By how many judgments of how many people.
    effective_annotators : float
        A_eff = 1 / sum of the squared shares of the weight that each person has.
    slope : float
        What the metric is multiplied by. For several metrics: the sd of their joint prediction.
    slopes : (p,) tuple of float
        One slope for each metric, 0 for a metric that was not used; empty without a metric.
    penalty : float or None
        Of the ridge on several metrics, inf where it uses no metric; None where there was none.
    correlation : float or None
        Pearson's r of item means with the metric, or with the joint prediction of several.
    equal_annotator_mean : float
        The mean over annotators of the mean corrected score of each.
    work_weighted_mean : float
        The mean over items of their mean corrected scores, so that people count by their work.
    leniency_correlation : float or None
        Pearson's r between annotators' activity and their mean corrected scores; None for fewer
        than three annotators, or where either does not vary.
    method : Method
        The options that were asked for.
    scale : Scale
        The scale of the scores.
    notices : tuple of Notice
        What a reader must know, in a fixed order.
    """

    estimate: float
    centre: float
    variance: Variance
    std_error: float | None
    df: float | None
    n_items: int
    n_population: int
    n_units: int
    n_units_population: int
    n_judgments: int
    n_annotators: int
    effective_annotators: float
    slope: float
    slopes: tuple[float, ...]
    penalty: float | None
    correlation: float | None
    equal_annotator_mean: float
    work_weighted_mean: float
    leniency_correlation: float | None
    method: Method
    scale: Scale
    notices: tuple[Notice, ...]


@dataclass(frozen=True, slots=True)
class Difference(HasInterval):
    """The result of `difference`: the first system minus the second, in score units.

    Its intervals are about this one pair of systems, not about several pairs at once.

    Attributes
    ----------
    estimate : float
        The estimated difference.
    centre : float
        The middle of its intervals.
    variance : Variance
        The squared standard error in parts.
    std_error, df : float or None
        Standard error and degrees of freedom; None where there is no interval.
    n_items, n_population : int
        How many of the N items were judged for both systems.
    n_units, n_units_population : int
        The same of the sampling units: items, or groups of items where the samples have groups.
    n_judgments : (int, int)
        Judgments of those items, for the first system and for the second.
    n_annotators : int
        How many people gave them.
    effective_annotators : float
        A_eff of the mean of each person's two shares.
    slopes : pair of tuples of float
        The slopes of the first system's metrics and of the second's; empty without metrics.
    penalty : float or None
        Of the ridge on several metrics, inf where it uses no metric; None where there was none.
    method : Method
        The options that were asked for.
    notices : tuple of Notice
        What a reader must know.
    """

    estimate: float
    centre: float
    variance: Variance
    std_error: float | None
    df: float | None
    n_items: int
    n_population: int
    n_units: int
    n_units_population: int
    n_judgments: tuple[int, int]
    n_annotators: int
    effective_annotators: float
    slopes: tuple[tuple[float, ...], tuple[float, ...]]
    penalty: float | None
    method: Method
    notices: tuple[Notice, ...]


def _count_metrics(slopes: tuple[Any, ...]) -> str:
    n = len(slopes[0] if slopes and isinstance(slopes[0], tuple) else slopes)
    return f"{n} metric" if n == 1 else f"{n or 'no'} metrics"


def assemble(
    fitted: Fitted,
    people: Leniency,
    *,
    method: Method,
    scale: Scale,
    n_population: int,
    n_units: int,
) -> Estimate:
    """Put an estimate together from what was computed of it."""
    stats, found = fitted.stats, fitted.parts
    exists = has_interval(found)
    codes = fitted.codes | about_scale(found, scale)
    return Estimate(
        estimate=float(found.estimate),
        centre=float(found.centre),
        variance=variance_of(found),
        std_error=float(np.sqrt(found.variance)) if exists else None,
        df=float(found.df) if exists else None,
        n_items=int(stats.n_items),
        n_population=n_population,
        n_units=int(stats.n_units),
        n_units_population=n_units,
        n_judgments=int(stats.judgments.one_one),
        n_annotators=int(stats.n_annotators),
        effective_annotators=float(found.effective_annotators),
        slope=fitted.slope,
        slopes=fitted.slopes,
        penalty=fitted.penalty,
        correlation=fitted.correlation,
        equal_annotator_mean=people.equal_annotator_mean,
        work_weighted_mean=work_weighted_mean(stats, found),
        leniency_correlation=people.correlation,
        method=method,
        scale=scale,
        notices=notices(stats, found, people, method=method, about_metric=codes, exists=exists),
    )


def about_scale(found: Parts, scale: Scale) -> frozenset[Code]:
    """The notice about an estimate or a centre outside the scale, or its working range."""
    within = scale.holds(found.estimate) & scale.holds(found.centre)
    return frozenset() if within else frozenset(["off_scale"])


def has_interval(found: Parts) -> bool:
    """Whether the parts have a variance and degrees of freedom."""
    return bool(np.isfinite(found.variance) and found.df > 0)


def variance_of(found: Parts) -> Variance:
    """The reported parts of a variance."""
    people = found.people
    return Variance(
        item=known(found.item),
        rest=float(found.rest),
        annotator=known(people.variance),
        annotator_sum=float(people.sum),
        cell_sum=float(people.cell_sum),
        annotator_raw=known(people.raw),
        s3_factor=known(people.s3_factor),
        pulled=bool(people.pulled),
    )
