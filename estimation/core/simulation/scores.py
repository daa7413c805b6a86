"""Distributions of scores, cut from a normal latent made of item, person and rest."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from estimation.core.data.errors import InvalidOptionError
from estimation.core.data.sample import Floats, Scale

# Standard normal quadrature for the variance of a conditional mean.
NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


@dataclass(frozen=True, slots=True)
class Marginal:
    """A discrete distribution of scores: `values` ascending, their `probabilities`, the scale."""

    values: tuple[float, ...]
    probabilities: tuple[float, ...]
    scale: Scale

    def cuts(self) -> Floats:
        """(K-1,) the latent normal quantiles at which the score steps up."""
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
    """The share of the latent whose conditional mean makes up `share` of the scores' variance."""
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
    """The distribution called ternary, binary (with this mean), hter or continuous."""
    if name == "binary":
        return binary(mean)
    known = {"ternary": TERNARY, "hter": HTER_LIKE, "continuous": CONTINUOUS}
    if name not in known:
        raise InvalidOptionError(f"{name!r} is not one of binary, {', '.join(known)}.")
    return known[name]


def _hter_like() -> Marginal:
    """No edit in 31 % of cases, else lognormal with mean .37 and cv 1.4, in steps of .05 to 6."""
    values = np.r_[0.0, np.arange(0.025, 6.0, 0.05)]
    spread = np.sqrt(np.log(1 + 1.4**2))
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
HTER_LIKE = _hter_like()
CONTINUOUS = _continuous()
