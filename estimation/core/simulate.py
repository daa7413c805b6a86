"""The simulator's older address; see `estimation.core.simulation`."""

from estimation.core.simulation import (
    BINARY,
    CONTINUOUS,
    HTER_LIKE,
    TERNARY,
    Marginal,
    Outcome,
    Plan,
    draw_campaign,
    simulate,
)

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "HTER_LIKE",
    "TERNARY",
    "Marginal",
    "Outcome",
    "Plan",
    "draw_campaign",
    "simulate",
]
