"""Pure statistics: arrays in, estimates out. No Django, no clock, no global random state."""

from estimation.core.errors import EstimationError, TooFewJudgments
from estimation.core.estimate import Estimate, estimate
from estimation.core.fit import Estimator
from estimation.core.interval import Interval
from estimation.core.parts import Estimand
from estimation.core.sample import Sample, Scale
from estimation.core.stopping import Verdict, precision

__all__ = [
    "Estimand",
    "Estimate",
    "EstimationError",
    "Estimator",
    "Interval",
    "Sample",
    "Scale",
    "TooFewJudgments",
    "Verdict",
    "estimate",
    "precision",
]
