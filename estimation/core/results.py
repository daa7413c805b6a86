"""What an estimate and a difference report, and what a reader must know about them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from estimation.core.fit import Method, Moments, Parts
from estimation.core.intervals import Interval, half_width, interval_of
from estimation.core.sample import Floats, Sample, Scale

# --- What a reader of an estimate must know, as values, and how annotators differ.


# Means that differ by less than this share of themselves differ by rounding.
_EQUAL = 1e-12


def leniency(sample: Sample, correction: Floats) -> tuple[float, float | None]:
    """(mean over annotators of their mean scores, its correlation with their activity).

    Scores are less (T,) what the metrics take off each, which takes out which outputs each one
    happened to get. The correlation is None for fewer than three annotators, or where either does
    not vary.
    """
    who = sample.incidence
    # About the middle of the scores, so that equal scores have exactly equal means.
    middle = (sample.score.min() + sample.score.max()) / 2
    corrected = sample.score - middle - correction
    mean = middle + np.bincount(who.person, corrected) / who.activity
    spread = np.ptp(mean) > _EQUAL * np.abs(mean).max()
    varies = who.activity.size >= 3 and np.ptp(who.activity) > 0 and spread
    r = float(np.corrcoef(who.activity, mean)[0, 1]) if varies else None
    return float(mean.mean()), r


Code = Literal[
    "off_scale",
    "constant_metric",
    "constant_columns",
    "constant_scores",
    "no_metric",
    "not_helping_yet",
    "cross_fitted",
    "identical_systems",
    "unpaired_items",
    "no_interval",
    "no_replicates",
    "activity_matters",
]

# The level at which the two means are compared; a notice must not depend on a page's level.
_LEVEL = 0.95
_ROUNDING = 1e-9  # of a number: less than this is no difference


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that a reader of an estimate must know.

    code: A stable name for programs, such as "no_interval" or "activity_matters".
    text: a sentence for people.
    """

    code: Code
    text: str


_TEXTS: dict[Code, str] = {
    "off_scale": (
        "The estimate, or the middle of its interval, lies off the scale, so it is wrong: a metric "
        "with extreme values does this. It stops nothing."
    ),
    "constant_metric": "The metric is the same for all judged outputs, so it was not used.",
    "constant_columns": (
        "Some metrics are the same for all judged outputs, so they were not used: their slope is 0."
    ),
    "constant_scores": (
        "All judged outputs have the same score, so this interval has no width. It does not say "
        "how far the estimate may be wrong."
    ),
    "no_metric": "There is no metric, so nothing was corrected by one.",
    "not_helping_yet": (
        "The metric does not help with so few items: fitting it costs more than it saves."
    ),
    "cross_fitted": "The metrics were combined by cross-fitted ridge regression.",
    "identical_systems": (
        "Judgments and metrics of the two systems are the same throughout, so they do not differ."
    ),
    "unpaired_items": "Items judged for only one of the two systems were left out.",
    "no_interval": "Too few items or annotators for an interval.",
    "no_replicates": (
        "No item was judged twice, so the interval takes no credit for the share of outputs judged."
    ),
    "activity_matters": (
        "People who judge much score differently: the mean with people counted equally and the "
        "mean weighted by work differ by more than half the interval's half-width."
    ),
}


def notices(
    stats: Moments,
    found: Parts,
    equal: float,
    *,
    method: Method,
    about_metric: frozenset[Code],
    exists: bool,
) -> tuple[Notice, ...]:
    """The notices that apply, in a fixed order; `about_metric` are those already known to.

    equal: the mean with annotators counted equally.
    """
    corrects = method.interval == "two_way" and method.finite_population
    half = float(half_width(found.variance**0.5, found.df, level=_LEVEL)) if exists else None
    by_work = work_weighted_mean(stats, found)
    moved = abs(equal - by_work) - _ROUNDING * max(abs(equal), abs(by_work))
    applies: dict[Code, bool] = {
        "no_interval": not exists,
        "no_replicates": corrects and not stats.replicates > 0,
        "activity_matters": half is not None and moved > half / 2,
    }
    return told(about_metric | {code for code, true in applies.items() if true})


def work_weighted_mean(stats: Moments, found: Parts) -> float:
    """The mean over items of their metric-corrected mean scores: people count by their work."""
    means = stats.means
    return float((means.one_y - found.slope * means.one_x) / means.one_one + stats.shift)


def told(codes: frozenset[Code]) -> tuple[Notice, ...]:
    """The notices with these codes, in a fixed order."""
    return tuple(Notice(code, text) for code, text in _TEXTS.items() if code in codes)


def about_one_metric(n_items: float, *, correlation: float | None, flat: bool) -> frozenset[Code]:
    """The notices about a single metric; correlation with item means, flat over judged items.

    It does not help yet where n - 2 <= 1 / r²: estimating the slope costs more than it removes.
    """
    if flat:
        return frozenset(["constant_metric"])
    costs_more = correlation is None or (n_items - 2) * correlation**2 <= 1
    return frozenset(["not_helping_yet"] if costs_more else [])


# --- What an estimate and a difference report, and how an estimate is put together.


@dataclass(frozen=True, slots=True)
class Variance:
    """The squared standard error in parts, in squared score units; None where unknown.

    item: from having judged n of N items, with the finite-population correction.
    rest: MSW' h / N: what single judgments leave even when every output is judged.
    annotator: V_person, from having asked these people.
    annotator_sum: V_annot, the squares of the residuals summed by annotator.
    cell_sum: V_cell, the squares of the residuals of single judgments.
    annotator_raw: c V_annot / s3_factor - V_cell, of which `annotator` is made; it
        may be negative.
    s3_factor: float or None; what V_annot expects of c times itself where some people judge more
        than others.
    pulled: whether the typical person variance took the place of a smaller estimated one.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What an estimate and a difference share; scores are in score units.

    estimate: the estimate, or the estimated difference.
    centre: the middle of its intervals. While items are few, the pseudo-rows pull it towards the
        middle of the scale.
    variance: the squared standard error in parts.
    std_error, df: standard error and degrees of freedom; None where there is no interval.
    n_items, n_population: how many of the N outputs were judged; for both systems of a difference.
    n_units, n_units_population: the same of the sampling units: items, or groups of items where the
        sample has groups.
    n_annotators: how many people judged.
    effective_annotators: A_eff = 1 / sum of the squared shares of the weight that each person has;
        of a difference, of the mean of each person's two shares.
    penalty: of the ridge on several metrics, inf where it uses no metric; None without a ridge.
    method: the options that were asked for.
    notices: what a reader must know, in a fixed order.
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
    n_annotators: int
    effective_annotators: float
    penalty: float | None
    method: Method
    notices: tuple[Notice, ...]

    def _described(self, judgments: str, metrics: int) -> str:
        """Four lines: the result, its data, the method, and what a reader must know."""
        found = "no interval"
        if self.has_interval:
            ends = self.interval(LEVEL)
            found = f"{ends.low:.3f} to {ends.high:.3f} ({LEVEL:.0%} interval)"
        method = self.method
        lines = (
            f"{type(self).__name__.lower()}: {self.estimate:.3f}, {found}",
            f"{judgments} judgments of {self.n_items} of {self.n_population} outputs by "
            f"{self.n_annotators} people (as many as {self.effective_annotators:.1f} equal ones)",
            f"{method.estimator}, {method.interval}, {method.estimand}, "
            + (f"{metrics} metric" if metrics == 1 else f"{metrics or 'no'} metrics"),
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

        level: the confidence level, such as 0.95.
        Returns: in score units.
        Raises InvalidOptionError: the level is not between 0 and 1.
        Raises IntervalUnavailableError: there is no standard error.
        """
        return interval_of(
            self.centre, self.std_error, self.df, level=level, estimate=self.estimate
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Result):
    """The result of `estimate`; slopes are in score units per sd of the metric.

    n_judgments: how many judgments there are.
    slope: what the metric is multiplied by. For several metrics: the sd of their joint prediction.
    slopes: (p,) tuple of float; one slope for each metric, 0 for a metric that was not used; empty
        without a metric.
    correlation: Pearson's r of item means with the metric, or with the joint prediction of several.
    equal_annotator_mean: the mean over annotators of the mean corrected score of each.
    work_weighted_mean: the mean over items of their mean corrected scores, so that people count by
        their work.
    leniency_correlation: Pearson's r between annotators' activity and their mean corrected scores;
        None for fewer than three annotators, or where either does not vary.
    scale: the scale of the scores.
    """

    n_judgments: int
    slope: float
    slopes: tuple[float, ...]
    correlation: float | None
    equal_annotator_mean: float
    work_weighted_mean: float
    leniency_correlation: float | None
    scale: Scale

    def __str__(self) -> str:
        return self._described(str(self.n_judgments), len(self.slopes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Result):
    """The result of `difference`: the first system minus the second.

    Its intervals are about this one pair of systems, not about several pairs at once.

    n_judgments: judgments of the items judged for both, for the first system and for the second.
    slopes: the slopes of the first system's metrics and of the second's; empty without metrics.
    """

    n_judgments: tuple[int, int]
    slopes: tuple[tuple[float, ...], tuple[float, ...]]

    def __str__(self) -> str:
        return self._described("{} + {}".format(*self.n_judgments), len(self.slopes[0]))


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


def known(value: Floats) -> float | None:
    """The number, or None where it is not finite."""
    return float(value) if np.isfinite(value) else None
