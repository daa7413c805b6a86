"""Seeded campaigns with a known truth, and how the precision rule fares on them.

The scores are a normal copula: a latent item effect, person effect and rest, cut at the
quantiles of a discrete marginal. The latent shares are solved so that the *scores* have the
asked-for variance components; what the cut turns into interaction counts as rest.
"""

from estimation.core.simulation.campaign import Campaign, draw
from estimation.core.simulation.outcome import Outcome
from estimation.core.simulation.plan import (
    BINARY,
    HTER_LIKE,
    TERNARY,
    Marginal,
    Plan,
    latent_share,
    marginal,
)
from estimation.core.simulation.rule import LOOKS, REPORTS, WEIGHINGS
from estimation.core.simulation.running import simulate

__all__ = [
    "BINARY",
    "HTER_LIKE",
    "LOOKS",
    "REPORTS",
    "TERNARY",
    "WEIGHINGS",
    "Campaign",
    "Marginal",
    "Outcome",
    "Plan",
    "draw",
    "latent_share",
    "marginal",
    "simulate",
]
