"""What each crowd charges, and at which share."""

from dataclasses import replace
from decimal import Decimal

from annotate.crowds.prices import CENT, NOTHING, ZERO, Price, Tariff
from annotate.crowds.registry import CROWDS

__all__ = ["CENT", "NOTHING", "ZERO", "Price", "Tariff", "of", "usual_share"]


def of(crowd: str, share: Decimal | None = None) -> Tariff:
    """Return a crowd's tariff. `share` is the account's own, if it differs from the usual one."""
    usual = CROWDS[crowd].tariff
    return usual if share is None else replace(usual, share=share)


def usual_share(crowd: str) -> Decimal:
    """Return the usual fee of a crowd, as a share of what people are paid."""
    return CROWDS[crowd].tariff.share
