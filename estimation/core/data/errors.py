"""What can be wrong with a request for an estimate, in words that a researcher can act on."""


class EstimationError(ValueError):
    """Root of every error that this library raises on purpose."""


class TooFewJudgmentsError(EstimationError):
    """Fewer than two judgments: nothing about spread can be learnt."""


class InvalidScoreError(EstimationError):
    """A score that is missing or not a finite number."""


class ScoreOffScaleError(InvalidScoreError):
    """A score outside the declared scale of a bounded criterion."""


class ShapeMismatchError(EstimationError):
    """Arrays whose lengths, dimensions or types do not belong together."""


class ItemOutsidePopulationError(EstimationError):
    """A judgment of an item that is not among the population's outputs."""


class MetricIncompleteError(EstimationError):
    """The metric lacks a finite value for some of the population's outputs."""


class MetricMissingError(EstimationError):
    """The estimator needs a metric, and the sample has none."""


class DuplicateJudgmentError(EstimationError):
    """The same annotator judged the same item more than once."""


class ReplicatesNeededError(EstimationError):
    """The incidence of judgments cannot tell the variance components apart."""


class InvalidOptionError(EstimationError):
    """An option that is not one of the choices, or a number outside its range."""


class IntervalUnavailableError(EstimationError):
    """The data admit an estimate but no interval (too few items, or only one annotator)."""
