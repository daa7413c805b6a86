"""Estimates from judgments and metrics: arrays in, numbers out.

The library knows no Django, no clock and no global random state. docs/library.md is a guide,
docs/statistics.md has the formulas and their sources.
"""

from estimation.core.agreement.alpha import (
    Agreement,
    Distance,
    NoVariationError,
    krippendorff_alpha,
    observed_agreement,
)
from estimation.core.agreement.intraclass import Intraclass, intraclass_correlation
from estimation.core.agreement.kappa import Kappa, fleiss_kappa
from estimation.core.agreement.straightlining import (
    person_correlation,
    uniformity,
)
from estimation.core.agreement.without_each import WithoutEach, alpha_without_each
from estimation.core.data.entering import METRIC_TRANSFORMS, MetricTransform, entering
from estimation.core.data.errors import (
    DuplicateJudgmentError,
    EstimationError,
    IntervalUnavailableError,
    InvalidOptionError,
    InvalidScoreError,
    ItemOutsidePopulationError,
    MetricIncompleteError,
    MetricMissingError,
    ReplicatesNeededError,
    ScoreOffScaleError,
    ShapeMismatchError,
    TooFewJudgmentsError,
)
from estimation.core.data.incidence import Floats, Incidence, Ints, distinct, numbered
from estimation.core.data.sample import Sample, Scale
from estimation.core.data.texts import Predictor, TextScores, predictor, text_scores
from estimation.core.estimators.components import (
    Crossed,
    OneWay,
    crossed,
    one_way,
    variance_of_item_means,
)
from estimation.core.estimators.efficiency import (
    data_efficiency,
    data_efficiency_cap,
    human_metric_correlation,
    normalised_annotator_variance,
)
from estimation.core.estimators.estimate import estimate
from estimation.core.estimators.fit import (
    BALANCE,
    ESTIMANDS,
    ESTIMATORS,
    INTERVALS,
    PERSON_SHARE,
    AnyEstimator,
    Estimand,
    Method,
)
from estimation.core.estimators.multi import Ridge, cross_fitted
from estimation.core.estimators.notices import Notice
from estimation.core.estimators.paired import difference
from estimation.core.estimators.registry import REGISTERED, Registered
from estimation.core.estimators.result import Difference, Estimate, Variance
from estimation.core.estimators.strengths import bradley_terry, strength_half_widths
from estimation.core.estimators.trajectory import Trajectory, trajectory
from estimation.core.estimators.weights import balanced_weights, relative_share
from estimation.core.intervals.bootstrap import (
    BootstrapInterval,
    bootstrap,
    pigeonhole,
)
from estimation.core.intervals.correlation import Correlation, correlation
from estimation.core.intervals.interval import (
    MIN_EFFECTIVE_ANNOTATORS,
    Interval,
    annotators_needed,
    check_level,
    half_width,
    width_floor,
)
from estimation.core.stopping.adjusting import holm, level_of_each
from estimation.core.stopping.outlook import items_to_decide
from estimation.core.stopping.places import circles, places
from estimation.core.stopping.precision import (
    MIN_ITEMS,
    MIN_ITEMS_UNBOUNDED,
    Verdict,
    anytime,
    first_anytime_stop,
    first_stop,
    precision,
)
from estimation.core.stopping.ranking import (
    Pair,
    PairOutcome,
    PairState,
    PairVerdict,
    RankingVerdict,
    ranking,
)
from estimation.core.stopping.sequence import (
    ITEMS_FACTOR,
    Band,
    confidence_sequence,
    sequence_half_widths,
)

__all__ = [
    "BALANCE",
    "ESTIMANDS",
    "ESTIMATORS",
    "INTERVALS",
    "ITEMS_FACTOR",
    "METRIC_TRANSFORMS",
    "MIN_EFFECTIVE_ANNOTATORS",
    "MIN_ITEMS",
    "MIN_ITEMS_UNBOUNDED",
    "PERSON_SHARE",
    "REGISTERED",
    "Agreement",
    "AnyEstimator",
    "Band",
    "BootstrapInterval",
    "Correlation",
    "Crossed",
    "Difference",
    "Distance",
    "DuplicateJudgmentError",
    "Estimand",
    "Estimate",
    "EstimationError",
    "Floats",
    "Incidence",
    "Interval",
    "IntervalUnavailableError",
    "Intraclass",
    "Ints",
    "InvalidOptionError",
    "InvalidScoreError",
    "ItemOutsidePopulationError",
    "Kappa",
    "Method",
    "MetricIncompleteError",
    "MetricMissingError",
    "MetricTransform",
    "NoVariationError",
    "Notice",
    "OneWay",
    "Pair",
    "PairOutcome",
    "PairState",
    "PairVerdict",
    "Predictor",
    "RankingVerdict",
    "Registered",
    "ReplicatesNeededError",
    "Ridge",
    "Sample",
    "Scale",
    "ScoreOffScaleError",
    "ShapeMismatchError",
    "TextScores",
    "TooFewJudgmentsError",
    "Trajectory",
    "Variance",
    "Verdict",
    "WithoutEach",
    "alpha_without_each",
    "annotators_needed",
    "anytime",
    "balanced_weights",
    "bootstrap",
    "bradley_terry",
    "check_level",
    "circles",
    "confidence_sequence",
    "correlation",
    "cross_fitted",
    "crossed",
    "data_efficiency",
    "data_efficiency_cap",
    "difference",
    "distinct",
    "entering",
    "estimate",
    "first_anytime_stop",
    "first_stop",
    "fleiss_kappa",
    "half_width",
    "holm",
    "human_metric_correlation",
    "intraclass_correlation",
    "items_to_decide",
    "krippendorff_alpha",
    "level_of_each",
    "normalised_annotator_variance",
    "numbered",
    "observed_agreement",
    "one_way",
    "person_correlation",
    "pigeonhole",
    "places",
    "precision",
    "predictor",
    "ranking",
    "relative_share",
    "sequence_half_widths",
    "strength_half_widths",
    "text_scores",
    "trajectory",
    "uniformity",
    "variance_of_item_means",
    "width_floor",
]
