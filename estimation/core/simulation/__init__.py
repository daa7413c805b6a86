"""Seeded campaigns with a known truth, and how the precision rule fares on them.

The scores are a normal copula: a latent item effect, person effect and rest, cut at the
quantiles of a discrete marginal. The latent shares are solved so that the *scores* have the
asked-for variance components; what the cut turns into interaction counts as rest.
"""

from estimation.core.simulation.campaign import Campaign, draw, draw_campaign, panel_truth
from estimation.core.simulation.outcome import Outcome
from estimation.core.simulation.plan import Plan
from estimation.core.simulation.rule import LOOKS, REPORTS, WEIGHINGS, Look, Report, Rule, Weighing
from estimation.core.simulation.running import simulate
from estimation.core.simulation.scores import (
    BINARY,
    CONTINUOUS,
    HTER_LIKE,
    TERNARY,
    Marginal,
    binary,
    marginal,
)

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "HTER_LIKE",
    "LOOKS",
    "REPORTS",
    "TERNARY",
    "WEIGHINGS",
    "Campaign",
    "Look",
    "Marginal",
    "Outcome",
    "Plan",
    "Report",
    "Rule",
    "Weighing",
    "binary",
    "draw",
    "draw_campaign",
    "marginal",
    "panel_truth",
    "simulate",
]
