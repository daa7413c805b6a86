"""Assumptions about scores before there are any: typical components and a distribution."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from scipy.optimize import minimize

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.incidence import Floats
from estimation.core.data.sample import Scale
from estimation.core.estimators.components import Crossed
from estimation.core.simulation.plan import HTER_LIKE, Marginal

_CLOSE = 1e-4  # of the range of the scale


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the scores of one criterion are expected to be like.

    Parameters
    ----------
    components : Crossed
        Item, person and rest, in squared score units.
    scale : Scale
        The criterion's scale.
    mean : float
        The mean of all scores, in score units.
    levels : int, default 3
        How many evenly spaced answers a bounded scale offers (101 for a slider).

    Examples
    --------
    >>> from estimation.core import Crossed, Scale
    >>> from estimation.core.planning import Expectation
    >>> Expectation(Crossed(item=0.14, person=0.06, rest=0.23), Scale(-1, 1), mean=0.3).levels
    3
    """

    components: Crossed
    scale: Scale
    mean: float
    levels: int = 3


_TERNARY = Scale(-1.0, 1.0)
_SHARE = Scale(0.0, 1.0)

# Crossed moments and means of released judgments (Chaganty, Mussmann and Liang 2018): of language
# quality, 2,598 outputs, 5,553 judgments, 60 people; of answers, those that were given for a
# sample of 156 outputs, 338 judgments by 45 people.
TYPICAL: Mapping[str, Expectation] = MappingProxyType(
    {
        "overall": Expectation(Crossed(0.139, 0.059, 0.232), _TERNARY, 0.26),
        "fluency": Expectation(Crossed(0.105, 0.056, 0.267), _TERNARY, 0.35),
        "redundancy": Expectation(Crossed(0.290, 0.035, 0.240), _TERNARY, 0.41),
        "edit": Expectation(Crossed(0.143, 0.006, 0.061), Scale(0.0, 2.0, bounded=False), 0.25),
        "any_correct": Expectation(Crossed(0.079, 0.017, 0.133), _SHARE, 0.65, levels=2),
        "avg_correct": Expectation(Crossed(0.071, 0.013, 0.123), _SHARE, 0.54, levels=11),
    }
)


def check_components(components: Crossed) -> float:
    """The sum of the components; raises InvalidOptionError unless a plan can be made of them."""
    given = np.array([components.item, components.person, components.rest])
    if not (np.isfinite(given).all() and (given >= 0).all() and components.item > 0):
        raise InvalidOptionError(
            "Variance components are not negative, and that of items is positive: without it "
            "there is nothing to sample. Truncate estimated ones first."
        )
    return float(given.sum())


def distribution(expected: Expectation) -> Marginal:
    """The scores' distribution with the expected mean and variance.

    Bounded: probabilities proportional to exp(a v + b v²) on the levels (the least informative
    ones of that mean and variance); with two levels the variance determines the mean. Unbounded:
    the shape of HTER, stretched; its mean follows from its variance.
    Raises InvalidOptionError where no scores on the scale have that mean and variance.
    """
    variance = check_components(expected.components)
    scale = expected.scale
    if not scale.bounded:
        stretch = float(np.sqrt(variance / HTER_LIKE.variance()))
        values = tuple(float(stretch * v) for v in HTER_LIKE.values)
        return Marginal(values, HTER_LIKE.probabilities, scale)
    if expected.levels < 2:
        raise InvalidOptionError(f"A scale has at least two levels; got {expected.levels}.")
    levels = np.linspace(scale.low, scale.high, expected.levels)
    mean = _possible_mean(expected, variance)
    weights = _fitted(levels, mean, variance)
    return Marginal(tuple(levels.tolist()), tuple(weights.tolist()), scale)


def _possible_mean(expected: Expectation, variance: float) -> float:
    low, high = expected.scale.low, expected.scale.high
    middle, half = (low + high) / 2, (high - low) / 2
    # At most (m - low)(high - m), where all scores lie at the two ends.
    most = half**2 - (expected.mean - middle) ** 2
    if expected.levels == 2 and variance < half**2:
        away = float(np.sqrt(half**2 - variance))
        return middle + (away if expected.mean >= middle else -away)
    if not variance < most:
        raise InvalidOptionError(
            f"Scores from {low:g} to {high:g} with mean {expected.mean:g} have a variance below "
            f"{max(most, 0):.3g}; the components add up to {variance:.3g}."
        )
    return expected.mean


def _fitted(values: Floats, mean: float, variance: float) -> Floats:
    """(K,) probabilities of maximal entropy with that mean and variance."""
    middle, half = (values[0] + values[-1]) / 2, (values[-1] - values[0]) / 2
    v = (values - middle) / half
    m = (mean - middle) / half
    powers = np.stack([v, v**2])
    wanted = np.array([m, variance / half**2 + m**2])
    weights = _maximal_entropy(powers, wanted)
    if np.abs(powers @ weights - wanted).max() > _CLOSE:
        raise InvalidOptionError(
            f"No scores on {values.size} levels have mean {mean:g} and variance {variance:.3g}."
        )
    return weights


def _maximal_entropy(powers: Floats, wanted: Floats) -> Floats:
    """(K,) probabilities with `powers` (2, K) times them near `wanted` (2,), by the dual."""

    def dual(theta: Floats) -> tuple[float, Floats]:
        exponent = theta @ powers
        top = exponent.max()
        weights = np.exp(exponent - top)
        total = weights.sum()
        return float(top + np.log(total) - theta @ wanted), powers @ (weights / total) - wanted

    # Bounded, because mean and variance at the limit of what is possible need infinite exponents.
    bounds, options = [(-1e3, 1e3)] * 2, {"gtol": 1e-10, "ftol": 1e-15}
    start = np.zeros(2)
    found = minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    exponent = found.x @ powers
    weights = np.exp(exponent - exponent.max())
    return np.asarray(weights / weights.sum())
