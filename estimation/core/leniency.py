"""Whether the people who judge much judge differently: for whom an estimate speaks."""

from dataclasses import dataclass

import numpy as np

from estimation.core.sample import Floats, Ints, Sample


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
    corrected = sample.score - slope * x[sample.item]
    return compare(who.activity, np.bincount(who.person, corrected) / who.activity)


def compare(activity: Ints, mean: Floats) -> Leniency:
    """Compare annotators by activity (A,), their judgments, and mean corrected score (A,)."""
    varies = activity.size >= 3 and np.ptp(activity) > 0 and np.ptp(mean) > 0
    r = float(np.corrcoef(activity, mean)[0, 1]) if varies else None
    return Leniency(equal_annotator_mean=float(mean.mean()), correlation=r)
