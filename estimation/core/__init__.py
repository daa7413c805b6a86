"""Pure statistics: arrays in, estimates out. No Django, no clock, no global random state."""

from estimation.core.agreement.alpha import Agreement, NoVariationError, krippendorff_alpha
from estimation.core.agreement.annotators import Deviations, Drift, deviations, drift
from estimation.core.agreement.straightlining import (
    StraightLining,
    person_correlation,
    straight_lining,
)
from estimation.core.agreement.without_each import WithoutEach, alpha_without_each
from estimation.core.data.errors import EstimationError
from estimation.core.data.sample import Sample, Scale
from estimation.core.estimators.balanced import Weights, gls_weights
from estimation.core.estimators.components import (
    Crossed,
    OneWay,
    crossed,
    one_way,
    variance_of_item_means,
    variance_of_mean,
)
from estimation.core.estimators.efficiency import (
    data_efficiency,
    data_efficiency_cap,
    human_metric_correlation,
    normalised_annotator_variance,
)
from estimation.core.estimators.estimate import Estimate, Variance, estimate
from estimation.core.estimators.notices import Notice
from estimation.core.estimators.paired import Difference, difference
from estimation.core.estimators.ppi import PpiMean, ppi_mean
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.intervals.bernstein import bernstein_half_widths, bernstein_judgments
from estimation.core.intervals.bootstrap import BootstrapInterval, bootstrap, bootstrap_widths
from estimation.core.intervals.interval import Interval
from estimation.core.intervals.pigeonhole import pigeonhole
from estimation.core.stopping.precision import (
    Verdict,
    annotators_needed,
    anytime,
    empirical_bernstein,
    first_anytime_stop,
    first_stop,
    precision,
    width_floor,
)
from estimation.core.stopping.ranking import (
    PairState,
    PairVerdict,
    RankingVerdict,
    first_ranking_stop,
    pair_outcomes,
    ranking,
)
from estimation.core.stopping.sequence import Band, confidence_sequence

__all__ = [
    "Agreement",
    "Band",
    "BootstrapInterval",
    "Crossed",
    "Deviations",
    "Difference",
    "Drift",
    "Estimate",
    "EstimationError",
    "Interval",
    "NoVariationError",
    "Notice",
    "OneWay",
    "PairState",
    "PairVerdict",
    "PpiMean",
    "RankingVerdict",
    "Sample",
    "Scale",
    "StraightLining",
    "Trajectory",
    "Variance",
    "Verdict",
    "Weights",
    "WithoutEach",
    "alpha_without_each",
    "annotators_needed",
    "anytime",
    "bernstein_half_widths",
    "bernstein_judgments",
    "bootstrap",
    "bootstrap_widths",
    "confidence_sequence",
    "crossed",
    "data_efficiency",
    "data_efficiency_cap",
    "deviations",
    "difference",
    "drift",
    "empirical_bernstein",
    "estimate",
    "first_anytime_stop",
    "first_ranking_stop",
    "first_stop",
    "gls_weights",
    "human_metric_correlation",
    "krippendorff_alpha",
    "normalised_annotator_variance",
    "one_way",
    "pair_outcomes",
    "person_correlation",
    "pigeonhole",
    "ppi_mean",
    "precision",
    "ranking",
    "straight_lining",
    "trajectory",
    "variance_of_item_means",
    "variance_of_mean",
    "width_floor",
]
