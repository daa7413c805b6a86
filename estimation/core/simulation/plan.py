"""What kind of campaign is drawn."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from estimation.core.data.errors import InvalidOptionError
from estimation.core.simulation.scores import NODES, WEIGHTS, Marginal, latent_share


@dataclass(frozen=True, slots=True)
class Plan:
    """How campaigns are drawn.

    Scores and outputs:
    marginal: the distribution of scores. item, person: shares of their variance, the rest is
    noise. rho: correlation of metric and human metric. n_population: N.
    double_share: share of items judged twice.
    shared, shared_quality: share of outputs that another system has too, and the correlation of
    that with their quality (of the latents).

    People:
    places: how many work at a time. unevenness: sd of the log activity, normally distributed.
    cap: judgments per annotator, None for no cap. stay: the median number of judgments after
    which somebody loses interest (lognormal, sd of the log 1), None for never. replaced: whether
    a new person takes the place of one who leaves; if not, `places` people are all there are.
    leniency: correlation of log activity with the person effect.

    Delays:
    time_correlation: of score and log time per judgment within a person; None where judgments
    arrive at once. time_spread: sd of the log time within a person. With delays a person's speed
    is the activity.

    Raises InvalidOptionError for numbers that no campaign can have.
    """

    marginal: Marginal
    item: float
    person: float
    rho: float = 0.5
    n_population: int = 1500
    cap: int | None = 25
    double_share: float = 0.25
    places: int = 130
    unevenness: float = 1.0
    replaced: bool = True
    stay: float | None = None
    leniency: float = 0.0
    time_correlation: float | None = None
    time_spread: float = 1.0
    shared: float = 0.0
    shared_quality: float = 0.0

    def __post_init__(self) -> None:
        _check_scores(self)
        _check_people(self)
        latent_shares(self)
        metric_loading(self)


def _check_scores(plan: Plan) -> None:
    if not (plan.item > 0 and plan.person >= 0 and plan.item + plan.person < 1):
        raise InvalidOptionError("The shares of item and person lie between 0 and 1, so their sum.")
    if not (0 <= plan.double_share <= 1 and 0 <= plan.shared <= 1):
        raise InvalidOptionError(
            "The shares of outputs judged twice and of shared outputs lie between 0 and 1."
        )
    if plan.n_population < 2:
        raise InvalidOptionError(f"A campaign has at least two outputs, not {plan.n_population}.")
    for name in ("rho", "leniency", "shared_quality", "time_correlation"):
        value = getattr(plan, name)
        if value is not None and not -1 <= value <= 1:
            raise InvalidOptionError(f"{name} is a correlation, from -1 to 1; got {value}.")


def _check_people(plan: Plan) -> None:
    if plan.places < 3:
        raise InvalidOptionError(f"At least three people work at a time, not {plan.places}.")
    if plan.cap is not None and plan.cap < 1:
        raise InvalidOptionError(f"A cap allows at least one judgment; got {plan.cap}.")
    if plan.stay is not None and not plan.stay > 0:
        raise InvalidOptionError(f"People stay for some judgments; got {plan.stay}.")
    for name in ("unevenness", "time_spread"):
        value = getattr(plan, name)
        if not (np.isfinite(value) and value >= 0):
            raise InvalidOptionError(f"{name} is not negative; got {value}.")


@lru_cache(maxsize=64)
def latent_shares(plan: Plan) -> tuple[float, float]:
    """(item, person) shares of the latent that give the scores the asked-for components.

    What the cut turns into interaction counts as rest. Raises InvalidOptionError if the two
    leave nothing for noise.
    """
    item, person = (latent_share(plan.marginal, share) for share in (plan.item, plan.person))
    if item + person >= 1:
        raise InvalidOptionError("These scores cannot have so little variance left for noise.")
    return item, person


@lru_cache(maxsize=64)
def metric_loading(plan: Plan) -> float:
    """The correlation of metric and latent quality that makes `rho` with the human metric.

    The human metric bends with quality, so the metric must follow quality a bit closer.
    Raises InvalidOptionError if that would take more than 1.
    """
    mean = plan.marginal.conditional_mean(NODES, latent_shares(plan)[0])
    sd = np.sqrt(WEIGHTS @ mean**2 - (WEIGHTS @ mean) ** 2)
    loading = float(plan.rho * sd / (WEIGHTS @ (mean * NODES)))
    if abs(loading) > 1:
        raise InvalidOptionError(f"No metric of this kind has a correlation of {plan.rho}.")
    return loading
