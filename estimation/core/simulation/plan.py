"""What kind of campaign is drawn, and the distributions of its scores."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Scale

# Standard normal quadrature for the variance of a conditional mean.
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Marginal:
    """A discrete distribution of scores.

    Parameters
    ----------
    values : tuple of float
        The possible scores, in ascending order.
    probabilities : tuple of float
        Their probabilities.
    scale : Scale
        The criterion's scale.
    """

    values: tuple[float, ...]
    probabilities: tuple[float, ...]
    scale: Scale

    def cuts(self) -> Floats:
        """(K - 1,) the latent normal quantiles at which the score steps up."""
        return np.asarray(ndtri(np.cumsum(self.probabilities)[:-1]))

    def expected(self, effect: Floats, *, noise: float) -> Floats:
        """(M,) the mean score given the latent less its noise, whose sd is `noise`."""
        above = ndtr((effect[:, None] - self.cuts()) / noise)
        return np.asarray(self.values[0] + above @ np.diff(self.values))

    def conditional_mean(self, latent: Floats, share: float) -> Floats:
        """(M,) the mean score given a standard normal effect that is `share` of the latent."""
        return self.expected(np.sqrt(share) * latent, noise=float(np.sqrt(1 - share)))

    def scores(self, latent: Floats) -> Floats:
        """(M,) the scores of standard normal latents."""
        return np.asarray(np.array(self.values)[np.searchsorted(self.cuts(), latent)])

    def mean(self) -> float:
        """The mean of a single score."""
        return float(np.array(self.probabilities) @ np.array(self.values))

    def variance(self) -> float:
        """The variance of a single score."""
        values, weights = np.array(self.values), np.array(self.probabilities)
        return float(weights @ values**2 - (weights @ values) ** 2)


def latent_share(marginal: Marginal, share: float) -> float:
    """Return the share of the latent that gives a share of the scores' variance.

    Parameters
    ----------
    marginal : Marginal
        The distribution of scores.
    share : float
        The share of the scores' variance that one effect accounts for.

    Returns
    -------
    float
        The effect's share of the latent's variance.

    Raises
    ------
    InvalidOptionError
        One effect cannot account for that much of these scores' variance.

    Examples
    --------
    >>> from estimation.core.simulation import BINARY, latent_share
    >>> round(latent_share(BINARY, 0.3), 2)
    0.57
    """
    wanted = share * marginal.variance()

    def excess(latent: float) -> float:
        mean = marginal.conditional_mean(NODES, latent)
        return float(WEIGHTS @ mean**2 - (WEIGHTS @ mean) ** 2) - wanted

    if excess(0.98) < 0:
        raise InvalidOptionError(
            f"Scores like these cannot owe {share:.0%} of their variance to one thing."
        )
    return float(brentq(excess, 0.0, 0.98)) if share > 0 else 0.0


def binary(mean: float) -> Marginal:
    """Yes or no, yes with probability `mean`, strictly between 0 and 1."""
    if not 0 < mean < 1:
        raise InvalidOptionError(f"The mean of yes and no lies between 0 and 1; got {mean}.")
    return Marginal((0.0, 1.0), (1 - mean, mean), Scale(0.0, 1.0))


def marginal(name: str, *, mean: float = 0.9) -> Marginal:
    """Return one of the distributions of scores by its name.

    Parameters
    ----------
    name : {"ternary", "binary", "hter", "continuous"}
        Three answers; yes or no; like the released edits; a slider from 0 to 100.
    mean : float, default 0.9
        The probability of yes, for "binary" only.

    Returns
    -------
    Marginal
        The distribution.

    Raises
    ------
    InvalidOptionError
        There is no such name, or the mean is not between 0 and 1.

    Examples
    --------
    >>> from estimation.core.simulation import marginal
    >>> marginal("binary", mean=0.5).probabilities
    (0.5, 0.5)
    """
    if name == "binary":
        return binary(mean)
    known = {"ternary": TERNARY, "hter": HTER_LIKE, "continuous": CONTINUOUS}
    if name not in known:
        raise InvalidOptionError(f"{name!r} is not one of binary, {', '.join(known)}.")
    return known[name]


def lognormal_edits(cv: float) -> Marginal:
    """No edit in 31 % of cases, else lognormal with mean .37 and this cv, in steps of .05 to 6."""
    values = np.r_[0.0, np.arange(0.025, 6.0, 0.05)]
    spread = np.sqrt(np.log(1 + cv**2))
    edges = (np.log(np.arange(0.05, 6.0, 0.05)) - np.log(0.37)) / spread + spread / 2
    body = np.diff(np.r_[0.0, ndtr(edges), 1.0])
    return Marginal(tuple(values), (0.31, *(0.69 * body)), Scale(0.0, 2.0, bounded=False))


def _continuous() -> Marginal:
    """A slider from 0 to 100, bell-shaped about the middle."""
    values = np.arange(0.0, 101.0)
    weights = np.exp(-(((values - 50.0) / 20.0) ** 2) / 2)
    return Marginal(tuple(values), tuple(weights / weights.sum()), Scale(0.0, 100.0))


TERNARY = Marginal((-1.0, 0.0, 1.0), (0.12, 0.50, 0.38), Scale(-1.0, 1.0))
BINARY = binary(0.9)
HTER_LIKE = lognormal_edits(1.4)
CONTINUOUS = _continuous()


@dataclass(frozen=True, slots=True)
class Plan:
    """How simulated campaigns are drawn.

    Parameters
    ----------
    marginal : Marginal
        The distribution of scores.
    item, person : float
        The shares of item and person in the scores' variance; the rest is noise.
    rho : float, default 0.5
        Correlation of metric and human metric.
    n_population : int, default 1500
        N, the number of outputs.
    cap : int or None, default 25
        The most judgments of one annotator; None for no cap.
    double_share : float, default 0.25
        The share of items that are judged twice.
    places : int, default 130
        How many people work at a time.
    unevenness : float, default 1
        The sd of the log activity, which is normally distributed.
    replaced : bool, default True
        Whether a new person takes the place of one who leaves; otherwise there are only `places`
        people.
    stay : float, optional
        The median number of judgments after which people lose interest (lognormal, sd of the log
        1); None if they do not.
    leniency : float, default 0
        Correlation of log activity with the person effect.
    time_correlation : float, optional
        Correlation of score and log time per judgment within a person; None where judgments take no
        time. Where they do, a person's speed is the activity.
    time_spread : float, default 1
        The sd of the log time within a person.
    shared : float, default 0
        The share of outputs that another system has too.
    shared_quality : float, default 0
        Correlation (of the latents) of being shared with quality.

    Raises
    ------
    InvalidOptionError
        No campaign can have these numbers.
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

    The human metric is not linear in quality, so the metric must follow quality more closely.
    Raises InvalidOptionError if that would take more than 1.
    """
    mean = plan.marginal.conditional_mean(NODES, latent_shares(plan)[0])
    sd = np.sqrt(WEIGHTS @ mean**2 - (WEIGHTS @ mean) ** 2)
    loading = float(plan.rho * sd / (WEIGHTS @ (mean * NODES)))
    if abs(loading) > 1:
        raise InvalidOptionError(f"No metric of this kind has a correlation of {plan.rho}.")
    return loading
