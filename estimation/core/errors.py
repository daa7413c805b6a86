"""The errors of the library. Their messages tell a researcher what is wrong and what to do."""


class EstimationError(ValueError):
    """The base of every error that this library raises on purpose; a ValueError."""


class TooFewJudgmentsError(EstimationError):
    """There are fewer than two judgments, so nothing is known about their spread."""


class InvalidScoreError(EstimationError):
    """A score is missing or is not a finite number."""


class ScoreOffScaleError(InvalidScoreError):
    """A score lies outside the scale of a bounded criterion."""


class ShapeMismatchError(EstimationError):
    """The lengths, dimensions or types of some arrays do not fit together."""


class ItemOutsidePopulationError(EstimationError):
    """A judgment names an item that is not one of the system's outputs."""


class MetricIncompleteError(EstimationError):
    """The metric has no finite value for some of the system's outputs."""


class MetricMissingError(EstimationError):
    """The estimator needs a metric, and the sample has none."""


class DuplicateJudgmentError(EstimationError):
    """An annotator judged the same item more than once."""


class ReplicatesNeededError(EstimationError):
    """The variance components cannot be separated: too few items or people judged twice."""


class InvalidOptionError(EstimationError):
    """An option is not one of the choices, or a number lies outside its range."""


class IntervalUnavailableError(EstimationError):
    """The data give an estimate but no interval: there are too few items, or only one annotator."""
