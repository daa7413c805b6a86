"""Whether the people who judge much judge differently: for whom an estimate speaks."""

from dataclasses import dataclass

import numpy as np

from estimation.core.data.sample import Floats, Ints, Sample

# Means that differ by less than this share of themselves differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Leniency:
    """How annotators differ in activity and in their scores.

    equal_annotator_mean: mean over annotators of each one's mean metric-corrected score.
    correlation: Pearson's r of activity (judgments) and that mean; None for fewer than three
    annotators, or where either does not vary.
    """

    equal_annotator_mean: float
    correlation: float | None


def leniency(sample: Sample, *, x: Floats, slope: float) -> Leniency:
    """Compare annotators by y - slope * x, x (N,) the standardised metric.

    The correction takes out which outputs each one happened to get, as far as the metric knows.
    """
    who = sample.incidence
    # About the middle of the scores, so that equal scores have exactly equal means.
    middle = (sample.score.min() + sample.score.max()) / 2
    corrected = sample.score - middle - slope * x[sample.item]
    return compare(who.activity, middle + np.bincount(who.person, corrected) / who.activity)


def compare(activity: Ints, mean: Floats) -> Leniency:
    """Compare annotators by activity (A,), their judgments, and mean corrected score (A,)."""
    spread = np.ptp(mean) > _ROUNDING * np.abs(mean).max()
    varies = activity.size >= 3 and np.ptp(activity) > 0 and spread
    r = float(np.corrcoef(activity, mean)[0, 1]) if varies else None
    return Leniency(equal_annotator_mean=float(mean.mean()), correlation=r)
