"""What each crowd charges, and at which share."""

from dataclasses import replace
from decimal import Decimal

from annotate.crowds.prices import CENT, NOTHING, ZERO, Price, Tariff
from annotate.crowds.registry import CROWDS

__all__ = ["CENT", "NOTHING", "ZERO", "Price", "Tariff", "of", "usual_share"]


def of(crowd: str, share: Decimal | None = None) -> Tariff:
    """Return a crowd's tariff; `share` where an account has another than the usual one."""
    usual = CROWDS[crowd].tariff
    return usual if share is None else replace(usual, share=share)


def usual_share(crowd: str) -> Decimal:
    """Return what a crowd usually adds to what people are paid, as a share."""
    return CROWDS[crowd].tariff.share
