"""What a reader of an estimate must know, as values, and how annotators differ."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from estimation.core.data.incidence import Floats, Ints
from estimation.core.data.moments import Moments
from estimation.core.data.sample import Sample
from estimation.core.estimators.fit import Method
from estimation.core.estimators.parts import Parts
from estimation.core.intervals.interval import half_width

# Means that differ by less than this share of themselves differ by rounding.
_EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Leniency:
    """How annotators differ in activity and in their scores.

    equal_annotator_mean: mean over annotators of each one's mean metric-corrected score.
    correlation: Pearson's r of activity (judgments) and that mean; None for fewer than three
    annotators, or where either does not vary.
    """

    equal_annotator_mean: float
    correlation: float | None


def leniency(sample: Sample, correction: Floats) -> Leniency:
    """Compare annotators by their scores less (T,) what the metrics take off each.

    The correction takes out which outputs each one happened to get, as far as the metric knows.
    """
    who = sample.incidence
    # About the middle of the scores, so that equal scores have exactly equal means.
    middle = (sample.score.min() + sample.score.max()) / 2
    corrected = sample.score - middle - correction
    return compare(who.activity, middle + np.bincount(who.person, corrected) / who.activity)


def compare(activity: Ints, mean: Floats) -> Leniency:
    """Compare annotators by activity (A,), their judgments, and mean corrected score (A,)."""
    spread = np.ptp(mean) > _EQUAL * np.abs(mean).max()
    varies = activity.size >= 3 and np.ptp(activity) > 0 and spread
    r = float(np.corrcoef(activity, mean)[0, 1]) if varies else None
    return Leniency(equal_annotator_mean=float(mean.mean()), correlation=r)


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

    Attributes
    ----------
    code : str
        A stable name for programs, such as "no_interval" or "activity_matters".
    text : str
        A sentence for people.
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
    people: Leniency,
    *,
    method: Method,
    about_metric: frozenset[Code],
    exists: bool,
) -> tuple[Notice, ...]:
    """The notices that apply, in a fixed order; `about_metric` are those already known to."""
    corrects = method.interval == "two_way" and method.finite_population
    half = float(half_width(found.variance**0.5, found.df, level=_LEVEL)) if exists else None
    equal, by_work = people.equal_annotator_mean, work_weighted_mean(stats, found)
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
    """The notices about a single metric; correlation with item means, flat over judged items."""
    if flat:
        return frozenset(["constant_metric"])
    return frozenset(["not_helping_yet"] if _costs_more(n_items, correlation) else [])


def _costs_more(n: float, correlation: float | None) -> bool:
    """n - 2 <= 1 / r²: estimating the slope adds more variance than the metric removes."""
    return correlation is None or (n - 2) * correlation**2 <= 1
